// The input of the runs that a trigger starts.
import { JsonField } from '../ui/json-field.tsx'
import { uiStrings } from '../ui/strings.ts'
import { strings } from './strings.ts'

/** Undefined without an input. */
export type TriggerInput = Record<string, unknown> | undefined

type InputPartProps = {
  value: TriggerInput
  isWebhook: boolean
  isMapped: boolean
  onChange: (input: TriggerInput) => void
}

const inputHelp = (isWebhook: boolean, isMapped: boolean): string => {
  if (isMapped) return strings.input.helpMapped
  return isWebhook ? strings.input.helpWebhook : strings.input.help
}

export const InputPart = ({ value, isWebhook, isMapped, onChange }: InputPartProps) => (
  <div>
    <p className="mb-1 font-medium">{uiStrings.input}</p>
    <JsonField
      label={uiStrings.input}
      kind="object"
      value={value}
      onChange={(input) => onChange(input as TriggerInput)}
      placeholder='{"text": "…"}'
    />
    <p className="text-[12px] text-faint">{inputHelp(isWebhook, isMapped)}</p>
  </div>
)
