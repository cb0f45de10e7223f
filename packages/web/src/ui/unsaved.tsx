// Asks before a page with unsaved changes is left: by a link, a tab of the page, Back, or by closing the window.
import { useBlocker } from '@tanstack/react-router'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { uiStrings } from './strings.ts'

export const UnsavedGuard = ({ isDirty }: { isDirty: boolean }) => {
  const blocker = useBlocker({ shouldBlockFn: () => isDirty, enableBeforeUnload: isDirty, withResolver: true })
  const stay = () => blocker.reset?.()
  return (
    <Dialog open={blocker.status === 'blocked'} onClose={stay} title={uiStrings.discardTitle}>
      <p className="text-soft">{uiStrings.discardText}</p>
      <div className="mt-3 flex justify-end gap-2">
        <Button onClick={stay}>{uiStrings.cancel}</Button>
        <Button look="danger" onClick={() => blocker.proceed?.()}>
          {uiStrings.discardChanges}
        </Button>
      </div>
    </Dialog>
  )
}
