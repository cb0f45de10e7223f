// What a running task says while it runs: output so far, deltas and samples.
import { newId } from '@millrace/contract/ids'
import { taskStatus } from '@millrace/contract/task-status'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { insertSample, type Sample } from './history-store.ts'
import { move, report } from './moves.ts'
import type { Fence } from './row.ts'
import * as store from './store.ts'
import { taskSubject } from './subjects.ts'

/** What an engine told of an output, with the size of its text. */
export type Told = { value: unknown; sizeBytes: number }

/** False, like every report about a task here, when it is not this engine's: nothing happened then. */
export const setProgress = async (ctx: Ctx<Actor>, id: string, fence: Fence, output: Told): Promise<boolean> => {
  const row = await store.setOutput(ctx.db, id, fence, output.value, ctx.now().toISOString())
  if (row) report(ctx, row, { output: output.value }, { weightBytes: output.sizeBytes })
  return row !== undefined
}

/** The engine has the task: it is no longer overdue, and its worker is busy. */
export const markAccepted = (ctx: Ctx<Actor>, id: string, fence: Fence): Promise<boolean> =>
  store.markAccepted(ctx.db, id, fence, ctx.now().toISOString())

/** Whether the engine still has this task: given to it, and not ended by anybody else. One that it completed is still its own. */
export const isOwnTask = (ctx: Ctx<Actor>, id: string, fence: Fence): Promise<boolean> =>
  store.hasTask(ctx.db, id, fence, { upTo: taskStatus.completed })

/** Whether this end of the task, as this engine tells it, is written down already. */
export const hasEndedAs = (ctx: Ctx<Actor>, id: string, fence: Fence, status: number): Promise<boolean> =>
  store.hasTask(ctx.db, id, fence, { from: status, upTo: status })

/** Deltas are news only: they change no row and are not replayed. */
export const publishDelta = (ctx: Ctx<Actor>, id: string, seq: number, delta: Told): void => {
  ctx.emit({ subject: taskSubject(id), data: { delta: { delta: delta.value, seq }, weightBytes: delta.sizeBytes } })
}

/** The server's own verdict on a task whose engine cannot give one. */
export const failTask = (ctx: Ctx<Actor>, id: string, attempt: number | null, error: string) =>
  move(ctx, id, { fence: attempt === null ? null : { attempt }, to: taskStatus.failed, error })

/** What an engine measured while it ran the task. */
export const recordSample = (ctx: Ctx<Actor>, sample: Sample): Promise<void> => insertSample(ctx.db, newId(), sample)
