// The events inside a run, for streams of the run. Clients know the fields of each event by its type, so every payload
// is declared here. Pure.
import type { MessageUsage } from '@millrace/contract/chats'
import { newId } from '@millrace/contract/ids'
import { isRecord } from '@millrace/contract/json'

type OfCall = { tool_invocation_id: string; tool_name: string }

export type AgentEvent =
  | { type: 'run.started'; payload: { agent_id: string; agent_version_id: string; user_message_id?: string } }
  | { type: 'run.state_changed'; payload: { from_state: string; to_state: string; error?: string } }
  | { type: 'turn.started'; payload: { turn_index: number; model?: string } }
  | {
      type: 'turn.completed'
      payload: { turn_index: number; tool_count: number; has_output: boolean; stop_reason?: string }
    }
  | { type: 'content.delta'; payload: { kind: 'text' | 'reasoning'; delta: string } }
  | {
      type: 'tool.started'
      payload: OfCall & { tool_type: string; display_name?: string; arguments: unknown }
    }
  | { type: 'tool.completed'; payload: OfCall & { status: string; result?: string; duration_ms: number } }
  /** Without a call, the call's fields are empty. */
  | { type: 'approval.required'; payload: OfCall & { interrupt_id: string; arguments?: unknown; reason: string } }
  | { type: 'approval.resolved'; payload: OfCall & { interrupt_id: string; decision: string; reason?: string } }
  | {
      type: 'hook.executed'
      payload: { hook_event: string; decision: string; reason?: string; duration_ms?: number }
    }
  | { type: 'usage.updated'; payload: MessageUsage }
  | { type: 'context.compacted'; payload: { before_tokens: number; after_tokens: number } }
  | { type: 'error'; payload: { message: string; code?: string } }

const count = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)

const details = ['reasoning_tokens', 'cached_tokens', 'cache_write_tokens'] as const

/** The usage that a model app reports; values that are not numbers are ignored. */
export const readUsage = (given: Readonly<Record<string, unknown>>): MessageUsage => {
  const [prompt, completion] = [count(given.prompt_tokens), count(given.completion_tokens)]
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: count(given.total_tokens) || prompt + completion,
    ...Object.fromEntries(
      details.flatMap((name) => (typeof given[name] === 'number' ? [[name, count(given[name])]] : [])),
    ),
  }
}

/** The content of a delta as one event per kind of content. */
export const contentOfDelta = (data: unknown): Extract<AgentEvent, { type: 'content.delta' }>[] => {
  const delta = isRecord(data) && isRecord(data.delta) ? data.delta : {}
  const words = [
    ['reasoning', delta.reasoning],
    ['text', delta.response],
  ] as const
  return words.flatMap(([kind, text]) =>
    typeof text === 'string' && text !== '' ? [{ type: 'content.delta' as const, payload: { kind, delta: text } }] : [],
  )
}

export const agentEventDto = (
  event: AgentEvent,
  run: { id: string; chat_id: string; agent_id: string | null },
  timestamp: string,
) => ({
  id: newId(),
  type: event.type,
  run_id: run.id,
  chat_id: run.chat_id,
  ...(run.agent_id !== null && { agent_id: run.agent_id }),
  timestamp,
  payload: event.payload,
})
