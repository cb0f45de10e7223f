// Timers of runs: due retries, timeouts of attempts, cancellation of tasks that outlived their run, and the sweep that
// repairs runs that wait for nothing.
import { taskStatus } from '@millrace/contract/task-status'
import type { TaskEndedListener } from '#execution/tasks/extension-points.ts'
import { cancelRow } from '#execution/tasks/service.ts'
import { type Actor, system } from '#platform/core/actor.ts'
import { type Ctx, createCtx, type Platform } from '#platform/core/ctx.ts'
import type { JobHandler } from '#platform/jobs/jobs.ts'
import { applyResult, resume } from './drive.ts'
import { advance, endWait, type Progress, retryNode, type TaskResult } from './engine/advance.ts'
import type { RunState } from './engine/state.ts'
import { applyLoopEvents } from './loop-items.ts'
import { endLoops, findLiveNodes, findOpenItems } from './loop-store.ts'
import type { ItemEnd, LoopEvent } from './loops.ts'
import { findNodeStates, findNodeTasks } from './node-store.ts'
import { findLeftoverTasks, findRunsWithLeftovers, findStuckRuns, isOver } from './sweep-store.ts'
import { runSlices } from './yielding.ts'

const textOf = (payload: Record<string, unknown>, key: string): string => String(payload[key] ?? '')

/** Starts the next attempt of a node whose retry is due, or ends a wait that is due. */
export const wakeNode =
  (platform: Platform): JobHandler =>
  async (payload) => {
    const [runId, nodeId] = [textOf(payload, 'run_id'), textOf(payload, 'node_id')]
    const ctx = createCtx(platform, system)
    await ctx.tx(async (ctx) => {
      await resume(ctx, runId, { finished: [nodeId], startedAgain: [nodeId] }, (plan, state, chance) => {
        const node = state.nodes.get(nodeId)
        if (node?.status === 'waiting') return runSlices(endWait(plan, state, nodeId, { event: 'due' }, chance))
        const due = node?.status === 'ready' && node.retryAtMs <= chance.nowMs
        return due ? runSlices(retryNode(plan, state, nodeId, chance)) : nothing(state)
      })
    })
  }

/** Ends an attempt that exceeds its timeout; does nothing if it has ended. */
export const endAttempt =
  (platform: Platform): JobHandler =>
  async (payload) => {
    const [runId, nodeId, taskId] = ['run_id', 'node_id', 'task_id'].map((key) => textOf(payload, key))
    if (!runId || !nodeId || !taskId) return
    const ctx = createCtx(platform, system)
    const { item } = payload
    if (typeof item === 'number') {
      const event = { type: 'ended' as const, item, taskId, outcome: 'timed out' as const }
      await ctx.tx((ctx) => applyLoopEvents(ctx, runId, nodeId, [event]))
      return
    }
    await ctx.tx(async (ctx) => {
      await resume(ctx, runId, { finished: [nodeId] }, (plan, state, chance) => {
        const node = state.nodes.get(nodeId)
        const overdue = node?.status === 'running' && (node.deadlineMs ?? Number.POSITIVE_INFINITY) <= chance.nowMs
        return overdue
          ? runSlices(advance(plan, state, [{ nodeId, taskId, outcome: 'timed out' }], chance))
          : nothing(state)
      })
    })
  }

/** Starts the next attempt of an item whose retry is due, or more items of a loop. */
export const wakeItem =
  (platform: Platform): JobHandler =>
  async (payload) => {
    const [runId, nodeId] = [textOf(payload, 'run_id'), textOf(payload, 'node_id')]
    const { item } = payload
    const event: LoopEvent = typeof item === 'number' ? { type: 'due', item } : { type: 'more' }
    await createCtx(platform, system).tx((ctx) => applyLoopEvents(ctx, runId, nodeId, [event]))
  }

const nothing = (state: RunState): Progress => ({ state, events: [], commands: [] })

/** Cancels the tasks that the run no longer waits for, each in a transaction of its own. */
export const cancelLeftovers = async (ctx: Ctx<Actor>, runId: string): Promise<void> => {
  for (const taskId of await findLeftoverTasks(ctx.db, runId)) await cancelRow(ctx, taskId)
  if (await isOver(ctx.db, runId)) await endLoops(ctx.db, runId)
}

export const cancelTasks =
  (platform: Platform): JobHandler =>
  (payload) =>
    cancelLeftovers(createCtx(platform, system), textOf(payload, 'run_id'))

/** Called in the transaction that ends a task; continues the run of its node. */
export const nodeTaskEnded: TaskEndedListener = {
  concerns: ({ flow_run_id, flow_node_id }) => flow_run_id !== null && flow_node_id !== null,
  run: async (ctx, task) => {
    if (task.flow_run_id === null || task.flow_node_id === null) return
    const { flow_run_id: runId, flow_node_id: nodeId, flow_item: item } = task
    const { nodeId: _node, ...end } = resultOf(nodeId, task)
    if (item === null) await applyResult(ctx, runId, { nodeId, ...end })
    else await applyLoopEvents(ctx, runId, nodeId, [{ type: 'ended', item, ...end }])
  },
}

const resultOf = (nodeId: string, task: { id: string; status: number; output: unknown; error: string }): TaskResult => {
  const base = { nodeId, taskId: task.id }
  if (task.status === taskStatus.completed) return { ...base, outcome: 'completed', output: task.output ?? null }
  if (task.status === taskStatus.failed)
    return { ...base, outcome: 'failed', error: task.error || 'the task failed', code: 'task_failed' }
  return { ...base, outcome: 'cancelled' }
}

/** Delivers everything that the loops of the run have missed. */
const catchUpLoops = async (ctx: Ctx<Actor>, runId: string): Promise<void> => {
  for (const nodeId of await findLiveNodes(ctx.db, runId)) {
    const events: LoopEvent[] = [{ type: 'more' }]
    for (const { item, task_id, item_status, status, output, error } of await findOpenItems(ctx.db, {
      runId,
      nodeId,
    })) {
      const taskId = task_id ?? ''
      const ended = (end: ItemEnd) => events.push({ type: 'ended', item, taskId, ...end })
      if (item_status === 'ready') events.push({ type: 'due', item })
      else if (status === null) ended({ outcome: 'failed', error: 'the task is gone', code: 'task_failed' })
      else if (status >= taskStatus.completed) {
        const { nodeId: _node, taskId: _task, ...end } = resultOf(nodeId, { id: taskId, status, output, error })
        ended(end)
      } else ended({ outcome: 'timed out' })
    }
    await applyLoopEvents(ctx, runId, nodeId, events)
  }
}

/** Delivers everything that the run has missed, in one step. */
const catchUp = async (ctx: Ctx<Actor>, runId: string): Promise<void> => {
  const results: TaskResult[] = []
  for (const { node_id, task_id, status, output, error } of await findNodeTasks(ctx.db, runId)) {
    if (status === null)
      results.push({
        nodeId: node_id,
        taskId: task_id,
        outcome: 'failed',
        error: 'the task is gone',
        code: 'task_failed',
      })
    else if (status >= taskStatus.completed) results.push(resultOf(node_id, { id: task_id, status, output, error }))
  }
  const nodes = await findNodeStates(ctx.db, runId)
  const named = (status: string) => nodes.filter((node) => node.status === status).map((node) => node.node_id)
  const [waiting, retried] = [named('waiting'), named('ready')]
  const stepNodes = { finished: [...results.map((result) => result.nodeId), ...waiting], startedAgain: retried }
  await resume(ctx, runId, stepNodes, async (plan, state, chance) => {
    const overdue = Array.from(state.nodes).flatMap(([nodeId, node]): TaskResult[] =>
      node.status === 'running' && node.deadlineMs !== undefined && node.deadlineMs <= chance.nowMs
        ? [{ nodeId, taskId: node.taskId, outcome: 'timed out' }]
        : [],
    )
    let progress = await runSlices(advance(plan, state, [...results, ...overdue], chance))
    for (const nodeId of waiting)
      progress = joined(progress, await runSlices(endWait(plan, progress.state, nodeId, { event: 'due' }, chance)))
    for (const nodeId of retried) {
      const node = progress.state.nodes.get(nodeId)
      if (node?.status !== 'ready' || node.retryAtMs > chance.nowMs) continue
      progress = joined(progress, await runSlices(retryNode(plan, progress.state, nodeId, chance)))
    }
    return progress
  })
}

const joined = (first: Progress, second: Progress): Progress => ({
  state: second.state,
  events: [...first.events, ...second.events],
  commands: [...first.commands, ...second.commands],
})

const sweepBatch = 100
/** After this time, every transaction in progress has committed or failed. */
const settledAfterMs = 30_000

/**
 * The safety net: finds runs that should have continued and tasks that should have been cancelled. Each is repaired
 * separately.
 */
export const sweep = async (platform: Platform): Promise<void> => {
  const ctx = createCtx(platform, system)
  const help = async (runId: string, work: () => Promise<void>): Promise<void> => {
    await work().catch((error: unknown) =>
      platform.log.error({ err: error, run: runId }, 'could not repair a flow run'),
    )
  }
  const nowMs = ctx.now().getTime()
  const before = new Date(nowMs - settledAfterMs).toISOString()
  for (const runId of await findStuckRuns(ctx.db, before, nowMs - settledAfterMs, sweepBatch)) {
    platform.log.warn({ run: runId }, 'repaired a flow run that had stopped')
    await help(runId, () => ctx.tx((ctx) => catchUp(ctx, runId)))
    await help(runId, () => ctx.tx((ctx) => catchUpLoops(ctx, runId)))
  }
  for (const runId of await findRunsWithLeftovers(ctx.db, sweepBatch))
    await help(runId, () => cancelLeftovers(ctx, runId))
}
