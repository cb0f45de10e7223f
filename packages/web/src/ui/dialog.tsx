// Dialogs, and the confirmation before a destructive action.
import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'
import { ProblemNote } from './page.tsx'
import { uiStrings } from './strings.ts'

export const Dialog = ({
  open,
  onClose,
  title,
  children,
  wide = false,
}: {
  open: boolean
  onClose: () => void
  title: string
  children: ReactNode
  wide?: boolean
}) => (
  <Base.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
    <Base.Portal>
      <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
      <Base.Popup
        className={classes(
          'fixed top-1/2 left-1/2 z-50 flex max-h-[90dvh] w-[calc(100vw-24px)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg border bg-raised shadow-xl',
          wide ? 'max-w-3xl' : 'max-w-lg',
        )}
      >
        <div className="flex items-center gap-2 border-b px-4 py-2.5">
          <Base.Title className="grow font-semibold text-[14px]">{title}</Base.Title>
          <Base.Close aria-label="Close" className="rounded p-1 text-faint hover:bg-hover hover:text-ink">
            <X className="size-4" aria-hidden />
          </Base.Close>
        </div>
        <div className="min-h-0 overflow-y-auto p-4">{children}</div>
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
)

type ConfirmProps = {
  label: string
  title: string
  children: ReactNode
  confirm: string
  act: () => Promise<unknown>
  icon?: ReactNode
  look?: 'danger' | 'plain'
}

const Confirming = ({ label, title, children, confirm, act, icon, look = 'danger' }: ConfirmProps) => {
  const [open, setOpen] = useState(false)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const run = async () => {
    setBusy(true)
    setError(null)
    try {
      await act()
      setOpen(false)
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      {icon ? (
        <Button look="quiet" label={label} onClick={() => setOpen(true)}>
          {icon}
        </Button>
      ) : (
        <Button look={look} onClick={() => setOpen(true)}>
          {label}
        </Button>
      )}
      <Dialog open={open} onClose={() => setOpen(false)} title={title}>
        <div className="flex flex-col gap-3">
          <div className="text-soft">{children}</div>
          {error ? <ProblemNote error={error} /> : null}
          <div className="flex justify-end gap-2">
            <Button onClick={() => setOpen(false)}>{uiStrings.cancel}</Button>
            <Button look={look === 'danger' ? 'danger' : 'primary'} busy={busy} onClick={() => void run()}>
              {confirm}
            </Button>
          </div>
        </div>
      </Dialog>
    </>
  )
}

/**
 * Asks for confirmation: names the object and the effect. The dialog belongs to its action: when another action replaces
 * the button meanwhile (a stopped engine can be deleted), the dialog closes.
 */
export const ConfirmButton = (props: ConfirmProps) => <Confirming key={props.label} {...props} />
