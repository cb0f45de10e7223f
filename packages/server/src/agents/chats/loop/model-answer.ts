// What a model's turn came to, read with care: a model app is somebody's code, and a model writes what it likes. Pure.
import type { ContentItem, ToolCall } from '@millrace/contract/chats'
import { isRecord } from '@millrace/contract/json'
import { excessOf } from '@millrace/contract/json-bounds'
import { toStorable } from '#platform/core/storable.ts'

/** Arguments as they can be checked, or what was wrong with them. */
export type AskedCall = {
  callId: string
  name: string
  arguments: Record<string, unknown>
  /** The text that was no JSON object. */
  fault?: string
}

export type ModelAnswer = {
  text: string
  reasoning: string
  calls: AskedCall[]
  usage: Record<string, unknown> | null
}

const mostCalls = 128
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const readArguments = (given: unknown): Pick<AskedCall, 'arguments' | 'fault'> => {
  if (given === undefined || given === null || given === '') return { arguments: {} }
  if (isRecord(given)) return { arguments: given }
  if (typeof given !== 'string') return { arguments: {}, fault: 'The arguments must be a JSON object' }
  const excess = excessOf(Buffer.from(given))
  if (excess !== null) return { arguments: {}, fault: `The JSON of the arguments ${excess}` }
  try {
    const parsed: unknown = JSON.parse(given)
    if (isRecord(parsed)) return { arguments: parsed }
    return { arguments: {}, fault: 'The arguments must be a JSON object' }
  } catch (error) {
    const why = error instanceof Error ? error.message : ''
    return { arguments: {}, fault: `The arguments are no valid JSON: ${why}. They were: ${given.slice(0, 500)}` }
  }
}

/** Models repeat ids or leave them out; every call of a turn must be told from the others. */
const uniqueId = (given: unknown, index: number, taken: ReadonlySet<string>): string => {
  const id = textOf(given).slice(0, 128) || `call_${index}`
  return taken.has(id) ? `${id}_${index}` : id
}

export const readAnswer = (output: unknown): ModelAnswer => {
  const answer = isRecord(output) ? output : {}
  const asked = Array.isArray(answer.tool_calls) ? answer.tool_calls.filter(isRecord).slice(0, mostCalls) : []
  const taken = new Set<string>()
  const calls = asked.map((call, index) => {
    const fn = isRecord(call.function) ? call.function : {}
    const callId = uniqueId(call.id, index, taken)
    taken.add(callId)
    return { callId, name: textOf(fn.name).slice(0, 128), ...readArguments(fn.arguments) }
  })
  // What is cut may end in half a character.
  return toStorable({
    text: textOf(answer.response),
    reasoning: textOf(answer.reasoning),
    calls,
    usage: isRecord(answer.usage) ? answer.usage : null,
  })
}

/** The answer as a message holds it. */
export const contentOf = ({ text, reasoning, calls }: ModelAnswer): ContentItem[] => [
  ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
  ...(text === '' ? [] : [{ type: 'text' as const, text }]),
  ...(calls.length === 0
    ? []
    : [
        {
          type: 'tool' as const,
          tool_calls: calls.map(
            ({ callId, name, arguments: given }): ToolCall => ({
              id: callId,
              type: 'function',
              function: { name, arguments: given },
            }),
          ),
        },
      ]),
]
