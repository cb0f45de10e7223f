// Asks before unsaved changes are lost: by a link, a tab of the page, Back, closing the window, or the cancel button of the form.
import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { uiStrings } from './strings.ts'

const DiscardDialog = ({ open, onStay, onDiscard }: { open: boolean; onStay: () => void; onDiscard: () => void }) => (
  <Dialog open={open} onClose={onStay} title={uiStrings.discardTitle}>
    <p className="text-soft">{uiStrings.discardText}</p>
    <div className="mt-3 flex justify-end gap-2">
      <Button onClick={onStay}>{uiStrings.cancel}</Button>
      <Button look="danger" onClick={onDiscard}>
        {uiStrings.discardChanges}
      </Button>
    </div>
  </Dialog>
)

export const UnsavedGuard = ({ isDirty }: { isDirty: boolean }) => {
  const blocker = useBlocker({ shouldBlockFn: () => isDirty, enableBeforeUnload: isDirty, withResolver: true })
  return (
    <DiscardDialog
      open={blocker.status === 'blocked'}
      onStay={() => blocker.reset?.()}
      onDiscard={() => blocker.proceed?.()}
    />
  )
}

/** The cancel button of an editor. */
export const DiscardButton = ({
  isDirty,
  onDiscard,
  children,
}: {
  isDirty: boolean
  onDiscard: () => void
  children: ReactNode
}) => {
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button onClick={() => (isDirty ? setAsking(true) : onDiscard())}>{children}</Button>
      <DiscardDialog open={asking} onStay={() => setAsking(false)} onDiscard={onDiscard} />
    </>
  )
}
