// Runs the items of a loop: as many at once as the node allows. A step reads and writes the open items only, so the
// thousandth item costs as much as the first.
import { newId } from '@millrace/contract/ids'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { perTransaction } from '#platform/core/per-transaction.ts'
import { loopTask, type StartLoop, type TaskResult } from './engine/advance.ts'
import { type NodeFailure, passLimits } from './engine/pass.ts'
import { type Plan, type PlanNode, planNode } from './engine/plan.ts'
import { afterFailure, deadlineMs } from './engine/retry.ts'
import { type StartTask, startTaskOf } from './engine/start-task.ts'
import * as store from './loop-store.ts'
import { cancelTasksJob, type StartingRun, startTasks } from './start-tasks.ts'

export const itemJob = 'flow_runs.item'

export type ItemEnd =
  | { outcome: 'completed' }
  | { outcome: 'cancelled' }
  | { outcome: 'timed out' }
  | ({ outcome: 'failed' } & NodeFailure)

export type LoopEvent =
  | ({ type: 'ended'; item: number; taskId: string } & ItemEnd)
  /** The retry of an item may be due. */
  | { type: 'due'; item: number }
  /** More items may start. */
  | { type: 'more' }

const defaultParallel = 10
/** More items are started by a job, so that items that end at once do not make one endless transaction. */
const startsPerStep = 100

type LoopKey = { runId: string; nodeId: string }

/** Loops that are being driven in a transaction: an item may end before the call that started it returns. */
const drivenLoops = perTransaction(() => new Map<string, LoopEvent[]>())

const keyOf = ({ runId, nodeId }: LoopKey): string => `${runId} ${nodeId}`

/** The events of a loop that is being driven in this transaction. */
export const drivenEvents = (ctx: Ctx<Actor>, place: LoopKey): LoopEvent[] | undefined =>
  drivenLoops(ctx).get(keyOf(place))

type Step = {
  ctx: Ctx<Actor>
  run: StartingRun
  node: PlanNode
  place: LoopKey
  loop: store.LoopRow
  events: LoopEvent[]
  startsLeft: number
  failure?: NodeFailure
}

/** Returns the result of the loop if it ends at once. */
export const startLoop = async (
  ctx: Ctx<Actor>,
  run: StartingRun,
  plan: Plan,
  { nodeId, items, input }: StartLoop,
): Promise<TaskResult[]> => {
  await store.insertLoop(ctx.db, { runId: run.id, nodeId }, items, input)
  return driveLoop(ctx, run, plan, nodeId, [{ type: 'more' }])
}

/** Applies events to a loop of a locked run. Returns the result of the loop when it ends. */
export const driveLoop = async (
  ctx: Ctx<Actor>,
  run: StartingRun,
  plan: Plan,
  nodeId: string,
  events: LoopEvent[],
): Promise<TaskResult[]> => {
  const place = { runId: run.id, nodeId }
  const loop = await store.findLiveLoop(ctx.db, place)
  if (!loop) return []
  const step: Step = { ctx, run, node: planNode(plan, nodeId), place, loop, events, startsLeft: startsPerStep }
  const loops = drivenLoops(ctx).set(keyOf(place), events)
  try {
    do {
      for (let event = events.shift(); event && !step.failure; event = events.shift()) await applyEvent(step, event)
    } while (!step.failure && (await startNext(step)) > 0)
  } finally {
    loops.delete(keyOf(place))
  }
  return conclude(step)
}

const applyEvent = async (step: Step, event: LoopEvent): Promise<void> => {
  if (event.type === 'more') return
  const { ctx, place } = step
  const itemRow = await store.findItem(ctx.db, place, event.item)
  if (!itemRow) return
  if (event.type === 'due') {
    const isDue = itemRow.status === 'ready' && (itemRow.retry_at_ms ?? 0) <= ctx.now().getTime()
    if (isDue) await startItems(step, [{ item: itemRow.item, attempt: itemRow.attempt + 1, value: itemRow.value }])
  } else if (itemRow.status === 'running' && itemRow.task_id === event.taskId) {
    await applyEnd(step, itemRow, event)
  }
}

const applyEnd = async (step: Step, itemRow: store.ItemRow, end: ItemEnd): Promise<void> => {
  const { ctx, node, place, loop } = step
  switch (end.outcome) {
    case 'completed':
      await store.deleteItem(ctx.db, place, itemRow.item)
      loop.open -= 1
      loop.done += 1
      break
    case 'failed':
      await applyFailure(step, itemRow, end)
      break
    case 'cancelled':
      await applyFailure(step, itemRow, { error: 'the task was cancelled', code: 'cancelled' })
      break
    case 'timed out':
      if (itemRow.deadline_ms === null || itemRow.deadline_ms > ctx.now().getTime()) return
      await ctx.jobs.add(ctx.db, cancelTasksJob, { run_id: place.runId })
      await applyFailure(step, itemRow, { error: `timed out after ${node.timeoutMs} ms`, code: 'timed_out' })
      break
  }
}

const applyFailure = async (step: Step, itemRow: store.ItemRow, failure: NodeFailure): Promise<void> => {
  const { ctx, node, place, loop } = step
  const next = afterFailure(node.retry, itemRow.attempt, failure.code, ctx.now().getTime())
  if (next !== 'give up') {
    await store.delayItem(ctx.db, place, itemRow.item, next.retryAtMs)
    const payload = { run_id: place.runId, node_id: place.nodeId, item: itemRow.item }
    await ctx.jobs.add(ctx.db, itemJob, payload, { runAt: new Date(next.retryAtMs) })
    return
  }
  loop.open -= 1
  loop.failed += 1
  await store.failItem(ctx.db, place, itemRow.item, failure)
  if ((node.data.for_each?.on_error ?? 'fail') === 'fail')
    step.failure = { error: `item ${itemRow.item}: ${failure.error}`, code: failure.code }
}

type NewItem = { item: number; attempt: number; value: unknown }

/** Starts as many items as the limits allow; returns their number. */
const startNext = async (step: Step): Promise<number> => {
  const count = Math.min(roomIn(step), step.startsLeft)
  if (count <= 0) return 0
  const { ctx, place, loop } = step
  const first = loop.next_item
  const values = await store.takeItems(ctx.db, place, first, count)
  loop.next_item += count
  loop.open += count
  step.startsLeft -= count
  await startItems(
    step,
    values.map((value, index) => ({ item: first + index, attempt: 1, value })),
  )
  return count
}

const roomIn = ({ node, loop }: Step): number =>
  Math.min((node.data.for_each?.parallel ?? defaultParallel) - loop.open, loop.total - loop.next_item)

const startItems = async (step: Step, items: readonly NewItem[]): Promise<void> => {
  const { ctx, run, node, place, loop } = step
  const key = node.data.for_each?.input ?? ''
  const commands = items.map(({ item, attempt, value }): StartTask & { item: number } => ({
    ...startTaskOf(node, {
      taskId: newId(),
      attempt,
      input: { ...loop.input, [key]: value },
      deadlineMs: deadlineMs(node.timeoutMs, ctx.now().getTime()),
    }),
    item,
  }))
  // Written first, because an item can end before the call that starts it returns.
  await store.openItems(
    ctx.db,
    place,
    commands.map(({ item, attempt, taskId, deadlineMs: deadline }, index) => ({
      item,
      attempt,
      task_id: taskId,
      value: items[index]?.value,
      deadline_ms: deadline ?? null,
    })),
  )
  await startTasks(ctx, run, commands, ({ item = 0, taskId }, { message, code }) => {
    step.events.push({ type: 'ended', item, taskId, outcome: 'failed', error: message, code })
  })
}

const conclude = async (step: Step): Promise<TaskResult[]> => {
  const { ctx, place, loop, failure } = step
  await store.saveLoop(ctx.db, place, loop)
  const result = failure ? failed(place, failure) : await resultOf(step)
  if (!result) {
    if (step.startsLeft === 0 && roomIn(step) > 0)
      await ctx.jobs.add(ctx.db, itemJob, { run_id: place.runId, node_id: place.nodeId })
    return []
  }
  await store.endLoops(ctx.db, place.runId, place.nodeId)
  if (failure) await ctx.jobs.add(ctx.db, cancelTasksJob, { run_id: place.runId })
  return [result]
}

const failed = ({ nodeId }: LoopKey, { error, code }: NodeFailure): TaskResult => ({
  nodeId,
  taskId: loopTask,
  outcome: 'failed',
  error,
  code,
})

/** The results in the order of the items; undefined while items are open. */
const resultOf = async ({ ctx, node, place, loop }: Step): Promise<TaskResult | undefined> => {
  if (loop.open > 0 || loop.next_item < loop.total) return undefined
  const limit = passLimits.resultBytes
  if ((await store.sizeOfOutputs(ctx.db, place)) > limit)
    return failed(place, { error: `the results of the loop are larger than ${limit} bytes`, code: 'too_large' })
  const failures = await store.findFailedItems(ctx.db, place)
  const without = new Set(failures.map(({ item }) => item))
  const outputs = (await store.findOutputs(ctx.db, place)).filter(({ item }) => !without.has(item))
  const collected = node.data.for_each?.on_error === 'collect' ? failures : []
  const entries = [
    ...outputs.map(({ item, output }) => ({ item, value: output ?? null })),
    ...collected.map(({ item, error, code }) => ({ item, value: { error, code, item } })),
  ].sort((a, b) => a.item - b.item)
  return { nodeId: place.nodeId, taskId: loopTask, outcome: 'completed', output: entries.map(({ value }) => value) }
}
