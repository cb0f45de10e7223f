// What a trigger hands to the run it starts, as a JSON object.
import { classes } from '../ui/classes.ts'
import { CodeEditor } from '../ui/code.tsx'

export const isObjectText = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** Empty stands for no input at all. */
export const inputIn = (text: string): Record<string, unknown> =>
  text.trim() === '' ? {} : (JSON.parse(text) as Record<string, unknown>)

export const isInputText = (text: string): boolean => text.trim() === '' || isObjectText(text)

type InputPartProps = { value: string; isWebhook: boolean; isMapped: boolean; onChange: (text: string) => void }

const inputHelp = (isWebhook: boolean, isMapped: boolean): string => {
  if (isMapped) return 'What the run is given besides the fields below.'
  return isWebhook
    ? 'Used when what is sent holds nothing; otherwise what is sent is the input.'
    : 'What the run is given.'
}

export const InputPart = ({ value, isWebhook, isMapped, onChange }: InputPartProps) => {
  const isGood = isInputText(value)
  return (
    <div>
      <p className="mb-1 font-medium">Input</p>
      <CodeEditor label="Input" value={value} onChange={onChange} placeholder='{"text": "…"}' />
      <p className={classes('text-[12px]', isGood ? 'text-faint' : 'text-bad')}>
        {isGood ? inputHelp(isWebhook, isMapped) : 'This must be a JSON object'}
      </p>
    </div>
  )
}
