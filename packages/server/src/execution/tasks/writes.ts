// Changes of tasks by callers: cancel, delete, visibility, featuring.
import { isTerminal, taskStatus } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { assertMayWiden, assertWritable } from '#platform/tenancy/private-access.ts'
import { narrows } from '#platform/tenancy/visibility.ts'
import { cancelRow } from './cancel.ts'
import { showWithTasks } from './flow-run-tasks.ts'
import { move } from './moves.ts'
import { taskDetails } from './reads.ts'
import type { TaskRow } from './row.ts'
import * as store from './store.ts'
import { taskSubject } from './subjects.ts'

const writable = async (ctx: Ctx<Member>, id: string) => assertWritable(ctx, await store.findTask(ctx.db, id), 'task')

export const cancelTask = async (
  ctx: Ctx<Member>,
  id: string,
  options: { force?: boolean; timeout?: number },
): Promise<Task> => {
  const row = await writable(ctx, id)
  return taskDetails(ctx, await cancelRow(ctx, row.id, { force: options.force, timeoutMs: options.timeout }))
}

export const deleteTask = (ctx: Ctx<Member>, id: string) =>
  ctx.tx(async (ctx) => {
    const row = await writable(ctx, id)
    if (!isTerminal(row.status)) {
      await cancelRow(ctx, row.id, { force: true, timeoutMs: 0 })
      await move(ctx, row.id, { fence: null, to: taskStatus.cancelled })
    }
    await store.softDelete(ctx.db, row.id, ctx.now().toISOString())
    await recordAudit(ctx, 'task.deleted', { resourceType: 'task', resourceId: row.id })
    return { success: true }
  })

/** Publishes a change without data: each stream reads the row again and checks the access of its reader. */
const notifyReaders = (ctx: Ctx<Actor>, row: Pick<TaskRow, 'id' | 'status' | 'event_seq'>): void => {
  if (!isTerminal(row.status)) ctx.emit({ subject: taskSubject(row.id), data: { seq: row.event_seq } })
}

/** The answers and the log of a flow run repeat the inputs and outputs of its tasks. */
const assertNotPartOfRun = (row: TaskRow, visibility: string): void => {
  const runId = row.flow_run_id ?? row.sub_flow_run_id
  if (runId !== null && narrows(row.visibility, visibility))
    throw fail(
      'invalid_state',
      `The flow run ${runId} would still show this task; change the visibility of the flow run instead`,
    )
}

export const setTaskVisibility = (ctx: Ctx<Member>, id: string, visibility: string): Promise<Task> =>
  ctx.tx(async (ctx) => {
    const row = await writable(ctx, id)
    assertMayWiden(ctx, row, visibility)
    assertNotPartOfRun(row, visibility)
    const saved = await store.setVisibility(ctx.db, row.id, visibility, ctx.now().toISOString())
    notifyReaders(ctx, saved)
    await showWithTasks(ctx, [row.id])
    await recordAudit(ctx, 'task.visibility', { resourceType: 'task', resourceId: row.id, meta: { visibility } })
    return taskDetails(ctx, saved)
  })

/** Must be called before the chats are locked: the end of a task locks the task first, then its chat. */
export const lockTasksOfChats = (ctx: Ctx<Actor>, chatIds: readonly string[]): Promise<void> =>
  store.lockLiveOfChats(ctx.db, chatIds)

/** Narrows the visibility of the tasks of chats, in the transaction that narrows the chats. */
export const narrowTasksOfChats = async (
  ctx: Ctx<Actor>,
  chatIds: readonly string[],
  change: { from: readonly string[]; to: string },
): Promise<void> => {
  const narrowed = await store.narrowOfChats(ctx.db, chatIds, { ...change, now: ctx.now().toISOString() })
  for (const row of narrowed) notifyReaders(ctx, row)
  await showWithTasks(
    ctx,
    narrowed.map(({ id }) => id),
  )
}

/** Featuring crosses workspaces: platform administrators see every task here. */
export const featureTask = async (ctx: Ctx<Member>, id: string, isFeatured: boolean): Promise<Task> => {
  const row = await store.findTask(ctx.db, id)
  if (!row) throw fail('not_found', 'Task not found')
  return taskDetails(ctx, await store.setFeatured(ctx.db, row.id, isFeatured, ctx.now().toISOString()))
}
