// The input of the runs that a trigger starts, as a JSON object.
import { classes } from '../ui/classes.ts'
import { CodeEditor } from '../ui/code.tsx'
import { uiStrings } from '../ui/strings.ts'
import { strings } from './strings.ts'

export const isObjectText = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** An empty text means no input. */
export const inputIn = (text: string): Record<string, unknown> =>
  text.trim() === '' ? {} : (JSON.parse(text) as Record<string, unknown>)

export const isInputText = (text: string): boolean => text.trim() === '' || isObjectText(text)

type InputPartProps = { value: string; isWebhook: boolean; isMapped: boolean; onChange: (text: string) => void }

const inputHelp = (isWebhook: boolean, isMapped: boolean): string => {
  if (isMapped) return strings.input.helpMapped
  return isWebhook ? strings.input.helpWebhook : strings.input.help
}

export const InputPart = ({ value, isWebhook, isMapped, onChange }: InputPartProps) => {
  const isGood = isInputText(value)
  return (
    <div>
      <p className="mb-1 font-medium">{uiStrings.input}</p>
      <CodeEditor label={uiStrings.input} value={value} onChange={onChange} placeholder='{"text": "…"}' />
      <p className={classes('text-[12px]', isGood ? 'text-faint' : 'text-bad')}>
        {isGood ? inputHelp(isWebhook, isMapped) : strings.input.invalid}
      </p>
    </div>
  )
}
