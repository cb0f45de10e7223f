// A chat as a graph of steps: runs, messages, tool calls and the tasks behind them.
import type { ChatTrace, TraceEdge, TraceNode } from '@millrace/contract/chats'
import { shortId } from '@millrace/contract/ids'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { readableChat } from './reads.ts'
import * as store from './store.ts'

const statusOf: Record<string, string> = {
  submitted: 'pending',
  working: 'running',
  input_required: 'running',
  auth_required: 'running',
  rejected: 'failed',
  canceled: 'cancelled',
  pending: 'running',
  queued: 'pending',
  ready: 'completed',
  in_progress: 'running',
  awaiting_input: 'running',
  awaiting_approval: 'running',
}

type Step = { id: string; created_at: string; updated_at: string }

const durationOf = (from: string, to: string | undefined): { duration_ms?: number } =>
  to === undefined ? {} : { duration_ms: Math.max(0, Date.parse(to) - Date.parse(from)) }

const node = (
  graphId: string,
  row: Step,
  step: {
    type: string
    label: string
    resourceType: string
    status: string
    endedAt?: string | undefined
    metadata?: unknown
  },
): TraceNode => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: null,
  graph_id: graphId,
  type: step.type,
  label: step.label,
  resource_id: row.id,
  resource_type: step.resourceType,
  status: statusOf[step.status] ?? step.status,
  ...(step.metadata !== undefined && { metadata: step.metadata }),
  ready_at: row.created_at,
  started_at: row.created_at,
  ...(step.endedAt !== undefined && { completed_at: step.endedAt }),
  ...durationOf(row.created_at, step.endedAt),
})

const edge = (from: Step, to: Step, type: string): TraceEdge => ({
  id: `${from.id}-${to.id}`,
  short_id: shortId(to.id),
  created_at: to.created_at,
  updated_at: to.created_at,
  deleted_at: null,
  type,
  from_node: from.id,
  to_node: to.id,
})

const isOver = (status: string): boolean => ['completed', 'failed', 'cancelled'].includes(statusOf[status] ?? status)

export const getTrace = async (ctx: Ctx<Actor>, id: string): Promise<ChatTrace> => {
  const chat = await readableChat(ctx, id)
  const [runs, messages] = [await store.findRunsOfChat(ctx.db, chat.id), await store.findMessages(ctx.db, chat.id)]
  const calls = await store.findCallsOfMessages(
    ctx.db,
    messages.map((message) => message.id),
  )
  const nodes: TraceNode[] = []
  const edges: TraceEdge[] = []
  for (const run of runs)
    nodes.push(
      node(chat.id, run, {
        type: 'execution',
        label: 'run',
        resourceType: 'agent_runs',
        status: run.state,
        endedAt: run.finished_at ?? undefined,
      }),
    )
  for (const message of messages) {
    const endedAt = isOver(message.status) ? message.updated_at : undefined
    nodes.push(
      node(chat.id, message, {
        type: 'resource',
        label: message.role,
        resourceType: 'chat_messages',
        status: message.status,
        endedAt,
      }),
    )
    const run = runs.find((one) => one.id === message.agent_run_id)
    if (run) edges.push(edge(run, message, 'parent'))
  }
  for (const call of calls) {
    const endedAt = isOver(call.status) ? call.updated_at : undefined
    const type = call.status === 'awaiting_approval' ? 'approval' : 'execution'
    const metadata = { type: call.type, ...(call.execution_id !== null && { execution_id: call.execution_id }) }
    nodes.push(
      node(chat.id, call, {
        type,
        label: call.name,
        resourceType: 'tool_invocations',
        status: call.status,
        endedAt,
        metadata,
      }),
    )
    const message = messages.find((one) => one.id === call.chat_message_id)
    if (message) edges.push(edge(message, call, 'execution'))
  }
  const count = (status: string) => nodes.filter((one) => one.status === status).length
  return {
    graph_id: chat.id,
    nodes,
    edges,
    total_steps: nodes.length,
    completed_steps: count('completed'),
    running_steps: count('running'),
    failed_steps: count('failed'),
  }
}
