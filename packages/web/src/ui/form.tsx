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
  children: ReactNode
}

export const Form = ({ act, submit, onSubmit = () => act.mutate(), disabled = false, children }: FormProps) => (
  <form
    className="flex flex-col gap-4"
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}
  >
    {children}
    {act.error ? <ProblemNote error={act.error} /> : null}
    <Button type="submit" look="primary" busy={act.isPending} disabled={disabled} className="self-start">
      {submit}
    </Button>
  </form>
)
