// A number that is saved on blur.
import { TextField } from '../ui/field.tsx'

export type Limits = { min: number; max: number; whole: boolean }

/** Saved on blur. An empty field means the default of the server; values out of range are not sent. */
export const NumberField = ({
  label,
  help,
  value,
  otherwise,
  limits: { min, max, whole },
  onSet,
}: {
  label: string
  help?: string
  value: number | undefined
  otherwise: string
  limits: Limits
  onSet: (value: number | undefined) => void
}) => (
  <TextField
    key={`${label} ${value}`}
    label={label}
    help={help}
    type="number"
    min={min}
    max={max}
    step={whole ? 1 : 'any'}
    placeholder={otherwise}
    defaultValue={value}
    onBlur={({ target }) => {
      if (!target.reportValidity()) return
      const next = target.value === '' ? undefined : target.valueAsNumber
      if (next !== value) onSet(next)
    }}
  />
)
