// Writes a task that is ready to run and publishes the next step. If an idle worker is warm for exactly this setup, the
// same statement assigns the task to it; otherwise the dispatcher assigns it later.
import { taskStatus } from '@millrace/contract/task-status'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import type { Db } from '#platform/db/database.ts'
import { createGroup, type Group } from '#platform/db/group-commit.ts'
import { inWork } from '#platform/fairness/work.ts'
import {
  type InsertedRow,
  type InsertedTask,
  type NewTask,
  placementKey,
  queueEvent,
  statusEvent,
  type TaskRow,
  type UnmetRequirement,
} from '../tasks/service.ts'
import { activeWorkspaces } from './active-workspaces.ts'
import { concurrencyLimit } from './slots.ts'
import { insertPlacedTasks } from './store.ts'
import { type PlacedTask, placedSubject } from './subjects.ts'

export type AppStamp = {
  /** `namespace/name`, for the display of engines. */
  appName: string
  stamp: string | null
}

export type PlacedRow = {
  row: TaskRow
  /** The requirement that no connected engine meets, if the task is queued for that reason. */
  unmet: UnmetRequirement | null
}

/** Undefined, without effect, when the app no longer has this stamp. */
export const placeTask = async (
  ctx: Ctx<Actor>,
  task: NewTask,
  { appName, stamp }: AppStamp,
): Promise<PlacedRow | undefined> => {
  const at = ctx.now().toISOString()
  const dispatched = (await mayBePlaced(ctx, task)) ? statusEvent(taskStatus.dispatched, at) : null
  const inserted = await insert(ctx, { task, dispatched, stamp })
  if (!inserted) return undefined
  const { public_key, is_shared, unmet, ...row } = inserted
  if (is_shared) activeWorkspaces(ctx).ran(row, Date.parse(at))
  if (row.status === taskStatus.queued) {
    ctx.emit(queueEvent('waiting'))
    return { row, unmet }
  }
  if (public_key !== null && row.engine_id !== null) {
    const placed: PlacedTask = { task: { ...row, app_name: appName }, public_key }
    ctx.emit({ subject: placedSubject(row.engine_id), data: placed })
  }
  return { row, unmet: null }
}

/** Of one workspace, for one kind of worker. */
const maxWaiting = { items: 2_000, chars: 64_000_000 }

type TaskGroup = Group<InsertedTask, InsertedRow | undefined>

const groups = perPlatform(() => new Map<string, TaskGroup>())

/**
 * A task that an idle worker may get at once shares its statement with concurrent tasks for the same workers. Tasks with
 * GPUs do not, because workers may share cards and a statement compares each task only with the room before it.
 */
const insert = async (ctx: Ctx<Actor>, inserted: InsertedTask): Promise<InsertedRow | undefined> => {
  const isSingle = inserted.dispatched === null || ctx.db.isTransaction || Number(inserted.task.gpu_count) > 0
  if (isSingle) return (await insertAll(ctx, ctx.db, [inserted]))[0]
  const open = groups(ctx)
  const key = placementKey(inserted.task)
  const group = open.get(key) ?? createTaskGroup(ctx, inserted.task.team_id, () => open.delete(key))
  open.set(key, group)
  return group.add(inserted)
}

const insertAll = (ctx: Ctx<Actor>, db: Db, tasks: readonly InsertedTask[]): Promise<(InsertedRow | undefined)[]> =>
  insertPlacedTasks(db, tasks, activeWorkspaces(ctx).others(tasks[0]?.task.team_id ?? '', ctx.now().getTime()))

const createTaskGroup = (ctx: Ctx<Actor>, teamId: string, onIdle: () => void): TaskGroup => {
  const { db } = ctx
  return createGroup({
    write: (tasks) => inWork({ kind: 'request', tenant: teamId }, () => insertAll(ctx, db, tasks)),
    charsOf: ({ task }) => String(task.input).length + String(task.setup ?? '').length + String(task.metadata).length,
    maxWaiting,
    onIdle,
  })
}

/**
 * The dispatcher assigns tasks of sessions, tasks for named workers, scheduled tasks and tasks of workspaces with a
 * concurrency limit.
 */
const mayBePlaced = async (ctx: Ctx<Actor>, task: NewTask): Promise<boolean> =>
  task.status === taskStatus.queued &&
  task.session_id === null &&
  task.workers?.length === 0 &&
  task.available_at === task.created_at &&
  (await concurrencyLimit(ctx, task.team_id)) === null
