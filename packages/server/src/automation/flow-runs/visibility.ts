// Whoever sees a run sees what belongs to it, and nobody else does: the tasks of its nodes, the task that stands for it,
// and the runs of flows inside of it with theirs.
import type { Visibility } from '@millrace/contract/common'
import { showTasksAs } from '#execution/tasks/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import * as store from './store.ts'
import { flowRunSubject } from './subjects.ts'

/** Rows are locked as a step locks them: node tasks, their run, the task that stands for it, which may be a node again. */
export const setVisibilityWithin = async (
  ctx: Ctx<Actor>,
  run: Pick<store.RunRow, 'id' | 'task_id'>,
  visibility: Visibility,
): Promise<void> => {
  let within = await store.findRunsWithin(ctx.db, run.id)
  while (within.length > 0) {
    for (const level of Map.groupBy(within, (one) => one.level).values()) await showLevel(ctx, level, visibility)
    // A step that was being taken meanwhile may have started flows that were not there to be found.
    within = (await store.findRunsWithin(ctx.db, run.id)).filter((one) => one.visibility !== visibility)
  }
  await showTasksAs(ctx, { taskIds: [run.task_id] }, visibility)
}

const showLevel = async (ctx: Ctx<Actor>, runs: readonly { id: string }[], visibility: Visibility): Promise<void> => {
  const flowRunIds = runs.map(({ id }) => id)
  await showTasksAs(ctx, { flowRunIds }, visibility)
  const changed = await store.setVisibility(ctx.db, flowRunIds, visibility, ctx.now().toISOString())
  // Tasks that a step started before the run was held here are seen as the run was then.
  await showTasksAs(ctx, { flowRunIds }, visibility)
  for (const { id, event_seq } of changed) ctx.emit({ subject: flowRunSubject(id), data: { seq: event_seq } })
}
