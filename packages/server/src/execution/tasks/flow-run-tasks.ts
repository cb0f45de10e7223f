// Operations of flow runs on their tasks: set the visibility, and show the tasks of a run together.

import { isTerminal } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { mayRead } from '#platform/tenancy/visibility.ts'
import { shownTo, streamedTaskDto } from './dto.ts'
import { tasksMadeVisible } from './extension-points.ts'
import { type RunTasks, setVisibilityInRuns } from './flow-run-tasks-store.ts'
import { findTaskWithLogs } from './store.ts'
import { taskSubject } from './subjects.ts'

/** In the transaction that changes the visibility of the tasks. */
export const showWithTasks = async (ctx: Ctx<Actor>, taskIds: readonly string[]): Promise<void> => {
  if (taskIds.length === 0) return
  for (const listener of ctx.extensions.listenersOf(tasksMadeVisible)) await listener(ctx, taskIds)
}

/**
 * In the transaction that changes the visibility of the run. Streams are notified without the change, so that each one
 * checks the access of its reader again.
 */
export const showTasksAs = async (ctx: Ctx<Actor>, tasks: RunTasks, visibility: string): Promise<void> => {
  const changed = await setVisibilityInRuns(ctx.db, tasks, visibility, ctx.now().toISOString())
  for (const { id, status, event_seq } of changed)
    if (!isTerminal(status)) ctx.emit({ subject: taskSubject(id), data: { seq: event_seq } })
  await showWithTasks(
    ctx,
    changed.map(({ id }) => id),
  )
}

/**
 * A task as in the snapshot of its own stream, with its sequence number. Undefined when it is deleted or no longer
 * visible to this reader.
 */
export const findStreamedTask = async (
  ctx: Ctx<Actor>,
  id: string,
): Promise<{ seq: number; data: Task } | undefined> => {
  const [row] = await findTaskWithLogs(ctx.db, id)
  if (!row || mayRead(ctx.actor, row) !== 'yes') return undefined
  return { seq: row.event_seq, data: shownTo(ctx.actor, streamedTaskDto(row, row.logs)) }
}
