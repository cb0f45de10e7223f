// Inputs with labels; help and error are linked to the input.
import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react'
import { classes } from './classes.ts'

export const inputLook =
  'w-full rounded-md border border-line-strong bg-surface px-2.5 text-ink placeholder:text-faint aria-invalid:border-bad disabled:opacity-60'

export type FieldIds = {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
  'aria-required': true | undefined
}

type FieldProps = {
  label: ReactNode
  help?: ReactNode
  fault?: string | undefined
  required?: boolean
  className?: string
  children: (ids: FieldIds) => ReactNode
}

export const Field = ({ label, help, fault, required = false, className, children }: FieldProps) => {
  const id = useId()
  const noteId = `${id}-note`
  const note = fault ?? help
  return (
    <div className={classes('flex flex-col gap-1', className)}>
      <label htmlFor={id} className={classes('font-medium', required && 'needed')}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': note ? noteId : undefined,
        'aria-invalid': fault ? true : undefined,
        'aria-required': required ? true : undefined,
      })}
      {note ? (
        <p id={noteId} className={classes('text-[12px]', fault ? 'text-bad' : 'text-faint')}>
          {note}
        </p>
      ) : null}
    </div>
  )
}

type Labelled = { label: ReactNode; help?: ReactNode; fault?: string | undefined; fieldClass?: string }

export const TextField = ({
  label,
  help,
  fault,
  fieldClass,
  className,
  ...rest
}: Labelled & InputHTMLAttributes<HTMLInputElement>) => (
  <Field label={label} help={help} fault={fault} required={rest.required ?? false} className={fieldClass ?? ''}>
    {(ids) => <input {...rest} {...ids} className={classes(inputLook, 'h-8', className)} />}
  </Field>
)

export const AreaField = ({
  label,
  help,
  fault,
  fieldClass,
  className,
  ...rest
}: Labelled & TextareaHTMLAttributes<HTMLTextAreaElement>) => (
  <Field label={label} help={help} fault={fault} required={rest.required ?? false} className={fieldClass ?? ''}>
    {(ids) => <textarea rows={4} {...rest} {...ids} className={classes(inputLook, 'py-1.5 leading-5', className)} />}
  </Field>
)

export const SelectField = ({
  label,
  help,
  fault,
  fieldClass,
  className,
  ...rest
}: Labelled & SelectHTMLAttributes<HTMLSelectElement>) => (
  <Field label={label} help={help} fault={fault} required={rest.required ?? false} className={fieldClass ?? ''}>
    {(ids) => <select {...rest} {...ids} className={classes(inputLook, 'h-8', className)} />}
  </Field>
)

export const CheckField = ({
  label,
  help,
  ...rest
}: { label: ReactNode; help?: ReactNode } & InputHTMLAttributes<HTMLInputElement>) => {
  const id = useId()
  return (
    <div className="flex items-start gap-2">
      <input type="checkbox" {...rest} id={id} className="mt-0.5 size-4 shrink-0 accent-accent" />
      <label htmlFor={id}>
        <span className="font-medium">{label}</span>
        {help ? <span className="block text-[12px] text-faint">{help}</span> : null}
      </label>
    </div>
  )
}
