// A chat as a graph of steps: runs, messages, tool calls and their tasks.
import type { ChatTrace, TraceEdge, TraceNode } from '@millrace/contract/chat-trace'
import { shortId } from '@millrace/contract/ids'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { readableChat } from '../reads.ts'
import * as store from './trace-store.ts'

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

const runNode = (graphId: string, run: store.RunStep): TraceNode =>
  node(graphId, run, {
    type: 'execution',
    label: 'run',
    resourceType: 'agent_runs',
    status: run.state,
    endedAt: run.finished_at ?? undefined,
    metadata: { state: run.state },
  })

const messageNode = (graphId: string, message: store.MessageStep): TraceNode =>
  node(graphId, message, {
    type: 'resource',
    label: message.role,
    resourceType: 'chat_messages',
    status: message.status,
    endedAt: isOver(message.status) ? message.updated_at : undefined,
  })

const callNode = (graphId: string, call: store.CallStep): TraceNode =>
  node(graphId, call, {
    type: call.status === 'awaiting_approval' ? 'approval' : 'execution',
    label: call.name,
    resourceType: 'tool_invocations',
    status: call.status,
    endedAt: isOver(call.status) ? call.updated_at : undefined,
    // `awaiting approval` counts as running in the state above; the metadata distinguishes it.
    metadata: {
      type: call.type,
      state: call.status,
      ...(call.execution_id !== null && { execution_id: call.execution_id }),
    },
  })

/** Edges from the parents that are part of the graph. */
const edgesTo = <S extends Step>(
  steps: readonly S[],
  owners: readonly Step[],
  type: string,
  ownerOf: (step: S) => string | null,
) => {
  const byId = new Map(owners.map((owner) => [owner.id, owner]))
  return steps.flatMap((step) => {
    const owner = byId.get(ownerOf(step) ?? '')
    return owner ? [edge(owner, step, type)] : []
  })
}

export const getTrace = async (ctx: Ctx<Actor>, id: string): Promise<ChatTrace> => {
  const chat = await readableChat(ctx, id)
  const [runs, messages] = [await store.findRunSteps(ctx.db, chat.id), await store.findMessageSteps(ctx.db, chat.id)]
  const calls = await store.findCallSteps(
    ctx.db,
    messages.map((message) => message.id),
  )
  if (messages.length === store.maxMessages)
    ctx.notice({
      level: 'info',
      code: 'trace_truncated',
      message: `The trace shows at most the latest ${store.maxMessages} messages of the chat`,
    })
  const nodes = [
    ...runs.map((run) => runNode(chat.id, run)),
    ...messages.map((message) => messageNode(chat.id, message)),
    ...calls.map((call) => callNode(chat.id, call)),
  ]
  const count = (status: string) => nodes.filter((one) => one.status === status).length
  return {
    graph_id: chat.id,
    nodes,
    edges: [
      ...edgesTo(messages, runs, 'parent', (message) => message.agent_run_id),
      ...edgesTo(calls, messages, 'execution', (call) => call.chat_message_id),
    ],
    total_steps: nodes.length,
    completed_steps: count('completed'),
    running_steps: count('running'),
    failed_steps: count('failed'),
  }
}
