// Fields and the one button that sends them; a refusal stands above it.
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { ProblemNote } from './page.tsx'

type FormProps = {
  /** What `useAct` gave. */
  act: { mutate: () => void; isPending: boolean; error: Error | null }
  /** What the button says. */
  submit: ReactNode
  /** Where something is looked at before the act. */
  onSubmit?: () => void
  disabled?: boolean
  /** Beside the button: what comes later moves nothing there. */
  note?: ReactNode
  children: ReactNode
}

export const Form = ({ act, submit, onSubmit = () => act.mutate(), disabled = false, note, children }: FormProps) => (
  <form
    className="flex flex-col gap-4"
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}
  >
    {children}
    {act.error ? <ProblemNote error={act.error} /> : null}
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <Button type="submit" look="primary" busy={act.isPending} disabled={disabled}>
        {submit}
      </Button>
      {note}
    </div>
  </form>
)
