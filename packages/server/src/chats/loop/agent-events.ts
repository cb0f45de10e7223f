// What happens inside a run, step by step, for whoever follows the run itself. Pure.
import { newId } from '@millrace/contract/ids'

export type AgentEventType =
  | 'run.started'
  | 'run.state_changed'
  | 'turn.started'
  | 'turn.completed'
  | 'tool.started'
  | 'tool.completed'
  | 'approval.required'
  | 'approval.resolved'
  | 'hook.executed'
  | 'usage.updated'
  | 'context.compacted'
  | 'error'

export type AgentEvent = { type: AgentEventType; payload?: Record<string, unknown> }

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
  ...(event.payload && { payload: event.payload }),
})
