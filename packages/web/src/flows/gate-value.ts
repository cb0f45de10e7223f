// The value that a gate compares with: its type and the text in the field. Pure.
export const valueKinds = ['text', 'number', 'true or false', 'JSON'] as const
export type ValueKind = (typeof valueKinds)[number]
export type Typed = { kind: ValueKind; text: string }

export const typedOf = (value: unknown): Typed => {
  if (value === undefined) return { kind: 'text', text: '' }
  if (typeof value === 'string') return { kind: 'text', text: value }
  if (typeof value === 'number') return { kind: 'number', text: String(value) }
  if (typeof value === 'boolean') return { kind: 'true or false', text: String(value) }
  return { kind: 'JSON', text: JSON.stringify(value) }
}

/** The value; undefined when the text is not a value of this type. */
export const parseGateValue = ({ kind, text }: Typed): { value: unknown } | undefined => {
  if (kind === 'text') return { value: text }
  if (kind === 'true or false') return { value: text === 'true' }
  if (kind === 'number')
    return text.trim() === '' || !Number.isFinite(Number(text)) ? undefined : { value: Number(text) }
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const operatorsWithoutValue: readonly string[] = ['is_empty', 'is_not_empty']

/** Whether the operator compares with a value. */
export const takesValue = (operator: string | undefined): boolean => !operatorsWithoutValue.includes(operator ?? '')
