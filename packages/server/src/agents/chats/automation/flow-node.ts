// Runs an agent as a node of a flow: a run in its own chat, represented by a task like a sub-flow. The task ends with
// the run, and the flow advances in that transaction.
import { isRecord } from '@millrace/contract/json'
import { runAs } from '@millrace/contract/scopes'
import { taskStatus } from '@millrace/contract/task-status'
import type { AgentNode } from '#automation/flow-runs/extension-points.ts'
import { insertTasks, type NewTask, representChat, statusEvent, taskKey } from '#execution/tasks/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { requireScope } from '#platform/core/scope-checks.ts'
import { startAgentRun } from '../start.ts'

const representingTask = (ctx: Ctx<Member>, { taskId, nodeId, flowRunId, input, traceparent }: AgentNode): NewTask => {
  const now = ctx.now().toISOString()
  const passed = [taskStatus.received, taskStatus.running].map((status) => statusEvent(status, now))
  return {
    id: taskId,
    team_id: ctx.actor.teamId,
    user_id: ctx.actor.userId,
    visibility: 'team',
    status: taskStatus.running,
    app_id: '',
    app_version_id: '',
    app_variant: '',
    function: '',
    is_stream: false,
    infra: 'cloud',
    workers: [],
    setup: null,
    input: JSON.stringify(input),
    events: JSON.stringify(passed),
    event_seq: passed.length,
    session_id: null,
    session_timeout: null,
    run_at: null,
    available_at: now,
    webhook: '',
    priced: false,
    metadata: '{}',
    warm_key: '',
    gpu_count: 0,
    gpu_type: '',
    gpu_vram: 0,
    ram: 0,
    run_as: JSON.stringify(runAs(ctx.actor.grant)),
    graph_id: null,
    flow_run_id: flowRunId,
    flow_node_id: nodeId,
    chat_id: null,
    agent_id: null,
    agent_version_id: null,
    traceparent,
    created_at: now,
    updated_at: now,
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))

/** Inputs: `text`, and `context` with the variables of the chat. */
export const startNodeRun = (ctx: Ctx<Member>, node: AgentNode): Promise<void> =>
  ctx.tx(async (ctx) => {
    requireScope(ctx.actor, 'agents:execute')
    const { text, context } = node.input
    await insertTasks(ctx.db, [representingTask(ctx, node)])
    const { chatId } = await startAgentRun(ctx, {
      agentId: node.name,
      versionId: node.versionId || null,
      input: { text: textOf(text) },
      context: Object.fromEntries(
        Object.entries(isRecord(context) ? context : {}).map(([name, value]) => [name, textOf(value)]),
      ),
      origin: {
        flowRunId: node.flowRunId,
        taskId: node.taskId,
        traceparent: ctx.tracing.within(node.traceparent, taskKey(node.taskId)),
      },
    })
    await representChat(ctx, node.taskId, chatId)
  })
