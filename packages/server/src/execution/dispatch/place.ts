// Writes a task that is ready to run, and tells whoever must act on it. A worker that is set up for exactly this and idle
// gets it at once, in the statement that writes it; otherwise it waits for the dispatcher.
import { taskStatus } from '@millrace/contract/task-status'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { type Lack, type NewTask, queueNews, statusEvent, type TaskRow } from '../tasks/service.ts'
import { concurrencyLimit } from './slots.ts'
import { insertTask } from './store.ts'
import { type PlacedTask, placedSubject } from './subjects.ts'

export type Writing = {
  /** `namespace/name`, which engines show. */
  appName: string
  stamp: string | null
}

export type Placed = {
  row: TaskRow
  /** What it waits for in vain, if it does. */
  lack: Lack | null
}

/** Undefined, and nothing written, when the app has changed since it had this stamp. */
export const placeTask = async (
  ctx: Ctx<Actor>,
  task: NewTask,
  { appName, stamp }: Writing,
): Promise<Placed | undefined> => {
  const at = ctx.now().toISOString()
  const dispatched = (await mayBePlaced(ctx, task)) ? statusEvent(taskStatus.dispatched, at) : null
  const inserted = await insertTask(ctx.db, task, { dispatched, stamp })
  if (!inserted) return undefined
  const { public_key, lack, ...row } = inserted
  if (row.status === taskStatus.queued) {
    ctx.emit(queueNews('waiting'))
    return { row, lack }
  }
  if (public_key !== null && row.engine_id !== null) {
    const placed: PlacedTask = { task: { ...row, app_name: appName }, public_key }
    ctx.emit({ subject: placedSubject(row.engine_id), data: placed })
  }
  return { row, lack: null }
}

/** What asks for a certain worker or time, and workspaces whose running tasks must be counted, are the dispatcher's. */
const mayBePlaced = async (ctx: Ctx<Actor>, task: NewTask): Promise<boolean> =>
  task.status === taskStatus.queued &&
  task.session_id === null &&
  task.workers?.length === 0 &&
  task.available_at === task.created_at &&
  (await concurrencyLimit(ctx, task.team_id)) === null
