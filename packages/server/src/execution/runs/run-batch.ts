// Many runs of one app at once: shared data is read once and all rows are written by one statement.
import type { RunRequest } from '@millrace/contract/tasks'
import { meterOf, reportExecutions } from '#accounts/plans/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { type Failure, isFailure, refusalOnly } from '#platform/core/errors.ts'
import { resolveForRun } from '../apps/service.ts'
import { addUnmetNotice, addUnmetNotices, placeTask } from '../dispatch/service.ts'
import { insertTasks, type NewTask, queueEvent } from '../tasks/service.ts'
import { isFlow, prepareTask, type RunOrigin, refOf, startRecent, startRun } from './run.ts'

export type BatchedRun = Pick<RunRequest, 'input' | 'metadata'> & { origin?: RunOrigin }

/**
 * For each run the id of its task or the reason for its refusal; a refusal does not affect the others. Must be called
 * in the transaction of the caller's work.
 */
export const startRuns = async (
  ctx: Ctx<Member>,
  request: Omit<RunRequest, 'input' | 'metadata'>,
  runs: readonly BatchedRun[],
): Promise<(string | Failure)[]> => {
  const [only] = runs
  const meter = await meterOf(ctx)
  if (only && runs.length === 1) {
    const { origin = {}, ...run } = only
    const recent = await startRecent(ctx, { ...request, ...run }, { origin, meter })
    if (recent) return [recent.id]
  }
  const target = await resolveForRun(ctx, request).catch(refusalOnly)
  if (isFailure(target)) return runs.map(() => target)
  const started: (string | Failure)[] = []
  // Runs that need more than the task row are started one by one.
  if (isFlow(target) || target.fn.kind === 'stream') {
    for (const { origin, ...run } of runs) {
      const row = await startRun(ctx, { ...request, ...run }, origin).catch(refusalOnly)
      started.push(isFailure(row) ? row : row.id)
    }
    return started
  }
  const tasks: NewTask[] = []
  for (const { origin, ...run } of runs) {
    const prepare = (ctx: Ctx<Member>) => prepareTask(ctx, target, { ...request, ...run }, { origin, meter })
    // The nested transaction rolls back the reservation or count if a later check refuses the run.
    const reserves = target.app.pricing !== null || meter.limited
    const prepared = await (reserves ? ctx.tx(prepare) : prepare(ctx)).catch(refusalOnly)
    if (!isFailure(prepared)) tasks.push(prepared)
    started.push(isFailure(prepared) ? prepared : prepared.id)
  }
  const [first] = tasks
  if (first && tasks.length === 1) {
    const placed = await placeTask(ctx, first, { appName: refOf(target.app), stamp: null })
    if (placed && placed.unmet !== null) await addUnmetNotice(ctx, placed.unmet, placed.row)
  } else if (first) {
    await insertTasks(ctx.db, tasks)
    ctx.emit(queueEvent('waiting'))
    // All of them have the same requirements, so one notice is enough.
    await addUnmetNotices(ctx, [first.id])
  }
  reportExecutions(ctx, meter, tasks.length)
  return started
}
