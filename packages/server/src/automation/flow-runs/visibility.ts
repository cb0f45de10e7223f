// A run and its parts have the same visibility: the tasks of its nodes, the task that represents it, and the runs of
// inner flows with theirs.
import type { Visibility } from '@millrace/contract/common'
import { showTasksAs } from '#execution/tasks/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import * as store from './store.ts'
import { flowRunSubject } from './subjects.ts'

/**
 * Locks rows in the order of a step: node tasks, their run, the task that represents it, which may be a node of another
 * run.
 */
export const setVisibilityWithin = async (
  ctx: Ctx<Actor>,
  run: Pick<store.RunRow, 'id' | 'task_id'>,
  visibility: Visibility,
): Promise<void> => {
  let within = await store.findRunsWithin(ctx.db, run.id)
  while (within.length > 0) {
    for (const level of Map.groupBy(within, (one) => one.level).values()) await showLevel(ctx, level, visibility)
    // A concurrent step may have started flows that were not found above.
    within = (await store.findRunsWithin(ctx.db, run.id)).filter((one) => one.visibility !== visibility)
  }
  await showTasksAs(ctx, { taskIds: [run.task_id] }, visibility)
}

const showLevel = async (ctx: Ctx<Actor>, runs: readonly { id: string }[], visibility: Visibility): Promise<void> => {
  const flowRunIds = runs.map(({ id }) => id)
  await showTasksAs(ctx, { flowRunIds }, visibility)
  const changed = await store.setVisibility(ctx.db, flowRunIds, visibility, ctx.now().toISOString())
  // Tasks that a step started before the run was locked have its former visibility.
  await showTasksAs(ctx, { flowRunIds }, visibility)
  for (const { id, event_seq } of changed) ctx.emit({ subject: flowRunSubject(id), data: { seq: event_seq } })
}
