// Fields and a submit button, with the error of the last attempt above. Nothing is sent while a JSON field is invalid.
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { focusFirstFault } from './focus-fault.ts'
import { InvalidJsonProvider, useInvalidJson } from './json-field.tsx'
import { ProblemNote } from './page.tsx'

type FormProps = {
  /** The mutation of `useAct`. */
  act: { mutate: () => void; isPending: boolean; error: Error | null }
  /** The label of the button. */
  submit: ReactNode
  /** Replaces the call, for example to validate first. */
  onSubmit?: () => void
  disabled?: boolean
  /** Beside the button, where a late answer moves no field. */
  note?: ReactNode
  children: ReactNode
}

export const Form = ({ act, submit, onSubmit = () => act.mutate(), disabled = false, note, children }: FormProps) => {
  const { hasInvalidJson, report } = useInvalidJson()
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (hasInvalidJson) focusFirstFault(event.currentTarget)
        else onSubmit()
      }}
    >
      <InvalidJsonProvider value={report}>{children}</InvalidJsonProvider>
      {act.error ? <ProblemNote error={act.error} /> : null}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button type="submit" look="primary" busy={act.isPending} disabled={disabled}>
          {submit}
        </Button>
        {note}
      </div>
    </form>
  )
}
