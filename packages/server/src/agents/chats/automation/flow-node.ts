// Runs an agent as a node of a flow: a run in its own chat, represented by a task like a sub-flow. The task ends with
// the run, and the flow advances in that transaction.
import { isRecord } from '@millrace/contract/json'
import type { NodeRun } from '#automation/flow-runs/extension-points.ts'
import { insertTasks, nodeTask, representChat, taskKey } from '#execution/tasks/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { requireScope } from '#platform/core/scope-checks.ts'
import { startAgentRun } from '../start.ts'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))

/** Inputs: `text`, and `context` with the variables of the chat. */
export const startNodeRun = (ctx: Ctx<Member>, node: NodeRun): Promise<void> =>
  ctx.tx(async (ctx) => {
    requireScope(ctx.actor, 'agents:execute')
    const { text, context } = node.input
    await insertTasks(ctx.db, [nodeTask(ctx, node, 'team')])
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
