// Reports of engines about a running task: output so far, deltas and telemetry samples.
import { newId } from '@millrace/contract/ids'
import { taskStatus } from '@millrace/contract/task-status'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { insertSample, type Sample } from './history-store.ts'
import { move, report } from './moves.ts'
import type { Fence } from './row.ts'
import * as store from './store.ts'
import { addStreamed } from './streamed-outputs.ts'
import { taskSubject } from './subjects.ts'

/** An output that an engine reported, with the size of its JSON text. */
export type ReportedOutput = { value: unknown; sizeBytes: number }

/** Like all functions of this file, returns false without effect when the task does not belong to this engine. */
export const setProgress = async (
  ctx: Ctx<Actor>,
  id: string,
  fence: Fence,
  output: ReportedOutput,
): Promise<boolean> => {
  const row = await store.setOutput(ctx.db, id, fence, output.value, ctx.now().toISOString())
  if (row) report(ctx, row, { output: output.value }, { weightBytes: output.sizeBytes })
  return row !== undefined
}

/** The engine acknowledged the task: the task is no longer overdue and its worker is busy. */
export const markAccepted = (ctx: Ctx<Actor>, id: string, fence: Fence): Promise<boolean> =>
  store.markAccepted(ctx.db, id, fence, ctx.now().toISOString())

/**
 * Whether the engine still owns this task: it was sent to the engine and nothing else ended it. A task that the engine
 * completed is still its own.
 */
export const isOwnTask = (ctx: Ctx<Actor>, id: string, fence: Fence): Promise<boolean> =>
  store.hasTask(ctx.db, id, fence, { upTo: taskStatus.completed })

/** Whether the end that this engine reports is already recorded. */
export const hasEndedAs = (ctx: Ctx<Actor>, id: string, fence: Fence, status: number): Promise<boolean> =>
  store.hasTask(ctx.db, id, fence, { from: status, upTo: status })

/** Deltas change no row and are not replayed. */
export const publishDelta = (ctx: Ctx<Actor>, id: string, seq: number, delta: ReportedOutput): void => {
  addStreamed(ctx, id, seq, delta)
  ctx.emit({ subject: taskSubject(id), data: { delta: { delta: delta.value, seq }, weightBytes: delta.sizeBytes } })
}

/** Ends a task whose engine cannot report the end. */
export const failTask = (ctx: Ctx<Actor>, id: string, attempt: number | null, error: string) =>
  move(ctx, id, { fence: attempt === null ? null : { attempt }, to: taskStatus.failed, error })

/** Stores a telemetry sample that an engine took while it ran the task. */
export const recordSample = (ctx: Ctx<Actor>, sample: Sample): Promise<void> => insertSample(ctx.db, newId(), sample)
