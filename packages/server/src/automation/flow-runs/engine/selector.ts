// Selects one element of an array input.
import type { SelectorConfig } from '@millrace/contract/flows'

export type Selection = { value: unknown } | { error: string }

export const selectElement = (
  config: SelectorConfig | null | undefined,
  inputs: Record<string, unknown>,
  random: () => number,
): Selection => {
  const { field, mode = 'first', index = 0 } = config ?? {}
  const keys = Object.keys(inputs)
  if (!field && keys.length !== 1) return { error: 'selector names no field and the node has not exactly one input' }
  const key = field || (keys[0] ?? '')
  if (!Object.hasOwn(inputs, key)) return { error: `input "${key}" is missing` }
  const list = inputs[key]
  if (!Array.isArray(list)) return { error: `input "${key}" is not an array` }
  if (list.length === 0) return { error: `input "${key}" is an empty array` }
  switch (mode) {
    case '':
    case 'first':
      return { value: list[0] }
    case 'last':
      return { value: list.at(-1) }
    case 'random':
      return { value: list[Math.floor(random() * list.length)] }
    case 'index':
      if (!Number.isInteger(index) || index >= list.length || index < -list.length) {
        return { error: `index ${index} is out of range for input "${key}" of ${list.length} elements` }
      }
      return { value: list.at(index) }
    default:
      return { error: `unknown selector mode "${mode}"` }
  }
}
