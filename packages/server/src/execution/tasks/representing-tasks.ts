// Tasks that no engine runs: each represents a flow run or a chat that does the work.
import { runAs } from '@millrace/contract/scopes'
import { taskStatus } from '@millrace/contract/task-status'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { statusEvent } from './moves.ts'
import type { NewTask } from './new-task-store.ts'
import type { TaskRow } from './row.ts'
import * as store from './store.ts'

type NodeTask = {
  readonly taskId: string
  readonly flowRunId: string
  readonly nodeId: string
  readonly item: number | null
  readonly traceparent: string
  readonly input: Record<string, unknown>
}

/** The columns of a task that no engine runs. */
const withoutEngine = {
  app_id: '',
  app_version_id: '',
  app_variant: '',
  function: '',
  is_stream: false,
  infra: 'cloud',
  setup: null,
  session_id: null,
  session_timeout: null,
  run_at: null,
  webhook: '',
  priced: false,
  metadata: '{}',
  warm_key: '',
  gpu_count: 0,
  gpu_type: '',
  gpu_vram: 0,
  ram: 0,
  graph_id: null,
  chat_id: null,
  agent_id: null,
  agent_version_id: null,
} as const

/** The running task of a flow's node that an agent or another flow works for. */
export const nodeTask = (
  ctx: Ctx<Member>,
  { taskId, nodeId, item, flowRunId, input, traceparent }: NodeTask,
  visibility: string,
): NewTask => {
  const now = ctx.now().toISOString()
  const passed = [taskStatus.received, taskStatus.running].map((status) => statusEvent(status, now))
  return {
    ...withoutEngine,
    id: taskId,
    team_id: ctx.actor.teamId,
    user_id: ctx.actor.userId,
    visibility,
    status: taskStatus.running,
    workers: [],
    input: JSON.stringify(input),
    events: JSON.stringify(passed),
    event_seq: passed.length,
    available_at: now,
    run_as: JSON.stringify(runAs(ctx.actor.grant)),
    flow_run_id: flowRunId,
    flow_node_id: nodeId,
    flow_item: item,
    traceparent,
    created_at: now,
    updated_at: now,
  }
}

/** Locks a queued task before its flow run starts; undefined once the run has started or the task has ended. */
export const lockRepresentingTask = (ctx: Ctx<Actor>, id: string): Promise<TaskRow | undefined> =>
  store.lockQueuedTask(ctx.db, id)

export const representFlowRun = (ctx: Ctx<Actor>, id: string, flowRunId: string): Promise<TaskRow> =>
  store.setSubFlowRun(ctx.db, id, flowRunId)

export const representChat = (ctx: Ctx<Actor>, id: string, chatId: string): Promise<void> =>
  store.setChat(ctx.db, id, chatId)
