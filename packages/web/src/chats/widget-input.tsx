// The fields of a widget. Each sets one value under its name.
import { own } from '@millrace/contract/json'
import { AreaField, CheckField, SelectField, TextField } from '../ui/field.tsx'
import { strings } from './strings.ts'
import { type Component, fieldName, isMultiple, optionsOf, textOf } from './surface.ts'
import { useWidget } from './widget-context.ts'

type Props = Component['props']
type Common = { label: string; disabled: boolean }
type FieldProps = { common: Common; props: Props; value: unknown; set: (value: unknown) => void }

const Choice = ({ common, props, value, set }: FieldProps) => {
  const { surface } = useWidget()
  const options = optionsOf(props, surface.data)
  if (!isMultiple(props))
    return (
      <SelectField {...common} value={String(value ?? '')} onChange={(event) => set(event.target.value)}>
        <option value="">{strings.widget.choose}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </SelectField>
    )
  const chosen = Array.isArray(value) ? value.map(String) : []
  return (
    <fieldset disabled={common.disabled} className="flex flex-col gap-1">
      <legend className="mb-1 font-medium">{common.label}</legend>
      {options.map((option) => (
        <CheckField
          key={option.value}
          label={option.label}
          checked={chosen.includes(option.value)}
          onChange={(event) =>
            set(event.target.checked ? [...chosen, option.value] : chosen.filter((each) => each !== option.value))
          }
        />
      ))}
    </fieldset>
  )
}

const Range = ({ common, props, value, set }: FieldProps) => (
  <TextField
    {...common}
    label={
      <>
        {common.label}: <span className="figures">{String(value)}</span>
      </>
    }
    type="range"
    className="px-0"
    min={Number(props.min ?? props.minValue ?? 0)}
    max={Number(props.max ?? props.maxValue ?? 100)}
    step={Number(props.step ?? 1)}
    value={Number(value)}
    onChange={(event) => set(Number(event.target.value))}
  />
)

const dateInputType = ({ enableDate, enableTime }: Props): string => {
  if (enableTime === false) return 'date'
  return enableDate === false ? 'time' : 'datetime-local'
}

const textTypes: Readonly<Record<string, string>> = { number: 'number', date: 'date', obscured: 'password' }

const Line = ({ common, props, value, set, type }: FieldProps & { type?: string }) => {
  const { surface } = useWidget()
  const variant = String(props.variant ?? props.textFieldType ?? props.type ?? '')
  const given = {
    ...common,
    placeholder: textOf(props.placeholder, surface.data),
    value: String(value ?? ''),
  }
  if (variant === 'longText') return <AreaField {...given} onChange={(event) => set(event.target.value)} />
  return (
    <TextField
      {...given}
      type={type ?? own(textTypes, variant) ?? 'text'}
      autoComplete="off"
      onChange={(event) => set(event.target.value)}
    />
  )
}

export const Input = ({ component }: { component: Component }) => {
  const { surface, values, set, send } = useWidget()
  const { props, kind } = component
  const name = fieldName(component)
  const common = { label: textOf(props.label, surface.data) || name, disabled: send === null }
  const field = { common, props, value: values[name], set: (value: unknown) => set(name, value) }
  if (kind === 'CheckBox')
    return (
      <CheckField {...common} checked={field.value === true} onChange={(event) => field.set(event.target.checked)} />
    )
  if (kind === 'ChoicePicker') return <Choice {...field} />
  if (kind === 'Slider') return <Range {...field} />
  return kind === 'DateTimeInput' ? <Line {...field} type={dateInputType(props)} /> : <Line {...field} />
}
