// Parses a model's turn defensively: the output comes from a third-party app and an unpredictable model. Pure.
import type { ContentItem, ToolCall } from '@millrace/contract/chats'
import { isRecord } from '@millrace/contract/json'
import { excessOf } from '@millrace/contract/json-bounds'
import { toStorable } from '#platform/core/storable.ts'

/** Parsed arguments, or the fault in them. */
export type RequestedCall = {
  callId: string
  name: string
  arguments: Record<string, unknown>
  /** Why the arguments are not a valid JSON object. */
  fault?: string
}

export type ModelAnswer = {
  text: string
  reasoning: string
  calls: RequestedCall[]
  usage: Record<string, unknown> | null
}

const maxCalls = 128
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const readArguments = (given: unknown): Pick<RequestedCall, 'arguments' | 'fault'> => {
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
    return { arguments: {}, fault: `The arguments are not valid JSON: ${why}. They were: ${given.slice(0, 500)}` }
  }
}

/** Models repeat or omit ids, but calls of a turn need unique ones. */
const uniqueId = (given: unknown, index: number, taken: ReadonlySet<string>): string => {
  const id = textOf(given).slice(0, 128) || `call_${index}`
  return taken.has(id) ? `${id}_${index}` : id
}

export const readAnswer = (output: unknown): ModelAnswer => {
  const answer = isRecord(output) ? output : {}
  const requested = Array.isArray(answer.tool_calls) ? answer.tool_calls.filter(isRecord).slice(0, maxCalls) : []
  const taken = new Set<string>()
  const calls = requested.map((call, index) => {
    const fn = isRecord(call.function) ? call.function : {}
    const callId = uniqueId(call.id, index, taken)
    taken.add(callId)
    return { callId, name: textOf(fn.name).slice(0, 128), ...readArguments(fn.arguments) }
  })
  // Truncation may split a surrogate pair.
  return toStorable({
    text: textOf(answer.response),
    reasoning: textOf(answer.reasoning),
    calls,
    usage: isRecord(answer.usage) ? answer.usage : null,
  })
}

/** The answer as the content of a message. */
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
