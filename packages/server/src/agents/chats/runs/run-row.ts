// The initial row of a run.
import { newId } from '@millrace/contract/ids'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { wireTime } from '#platform/core/times.ts'
import type { RunRow } from '../store.ts'
import type { ModelRequest } from '../tools/requested.ts'
import type { Scene } from './scene.ts'

export type NewRun = {
  userId: string
  runAs: unknown
  /** The credential, trigger or run that started it. */
  startedBy: unknown
  userMessageId: string | null
  toolInvocationId?: string | null
  triggerId?: string | null
  flowRunId?: string | null
  taskId?: string | null
  /** The additions of the caller to the model calls of this run. */
  modelRequest?: ModelRequest
  /** The hook call of another run that this run handles. */
  hookCallId?: string
  /** Of the work that started the run; defaults to the current request. */
  traceparent?: string
}

export const newRunRow = (ctx: Ctx<Actor>, { chat, version, messages }: Scene, given: NewRun): RunRow => {
  const now = wireTime(ctx.now())
  const first = messages.get(given.userMessageId ?? '')
  return {
    id: newId(),
    team_id: chat.team_id,
    user_id: given.userId,
    chat_id: chat.id,
    place: chat.run_count,
    agent_id: chat.agent_id,
    agent_version_id: version.id,
    user_message_id: given.userMessageId,
    state: 'submitted',
    error: '',
    output: null,
    phase: 'starting',
    turn: 0,
    lost: 0,
    model_task_id: null,
    message_id: null,
    injections: [],
    tool_invocation_id: given.toolInvocationId ?? null,
    trigger_id: given.triggerId ?? null,
    flow_run_id: given.flowRunId ?? null,
    task_id: given.taskId ?? null,
    remote_id: chat.remote_id,
    profile_id: chat.profile_id,
    run_as: given.runAs,
    started_by: given.startedBy,
    metadata: {
      first_order: first?.order ?? chat.next_order,
      ...(given.hookCallId !== undefined && { hook_call: given.hookCallId }),
    },
    model_request: given.modelRequest ?? null,
    traceparent: given.traceparent ?? ctx.origin.traceparent,
    event_seq: 0,
    started_at: now,
    finished_at: null,
    created_at: now,
    updated_at: now,
  }
}
