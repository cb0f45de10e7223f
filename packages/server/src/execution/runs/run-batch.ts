// Many runs of one app at once: what they share is looked up once and their rows are written by one statement.
import type { RunRequest } from '@millrace/contract/tasks'
import { type Meter, meterOf, tellExecutions } from '#accounts/plans/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { type Failure, isFailure, refusalOnly } from '#platform/core/errors.ts'
import { recallForRun, resolveForRun } from '../apps/service.ts'
import { placeTask, tellLack, tellLacksOf, type Writing } from '../dispatch/service.ts'
import { insertTasks, type NewTask, queueNews } from '../tasks/service.ts'
import { isFlow, prepareTask, type RunOrigin, refOf, startRun } from './run.ts'

export type BatchedRun = Pick<RunRequest, 'input' | 'metadata'> & { origin?: RunOrigin }

/**
 * For each run the id of its task, or why it was refused; a refusal leaves the others as they are. To be called inside
 * the transaction that needs them.
 */
export const startRuns = async (
  ctx: Ctx<Member>,
  request: Omit<RunRequest, 'input' | 'metadata'>,
  runs: readonly BatchedRun[],
): Promise<(string | Failure)[]> => {
  const [only] = runs
  const meter = await meterOf(ctx)
  const remembered = only && runs.length === 1 ? await startRemembered(ctx, request, only, meter) : undefined
  if (remembered !== undefined) return [remembered]
  const target = await resolveForRun(ctx, request).catch(refusalOnly)
  if (isFailure(target)) return runs.map(() => target)
  const started: (string | Failure)[] = []
  // What brings more than its own row is started by itself.
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
    // A refusal that comes after the price was set aside, or the run counted, takes that back.
    const setsAside = target.app.pricing !== null || meter.limited
    const prepared = await (setsAside ? ctx.tx(prepare) : prepare(ctx)).catch(refusalOnly)
    if (!isFailure(prepared)) tasks.push(prepared)
    started.push(isFailure(prepared) ? prepared : prepared.id)
  }
  const [first] = tasks
  if (first && tasks.length === 1) await placeAndTell(ctx, first, { appName: refOf(target.app), stamp: null })
  else if (first) {
    await insertTasks(ctx.db, tasks)
    ctx.emit(queueNews('waiting'))
    // They ask for the same, so one speaks for all.
    await tellLacksOf(ctx, [first.id])
  }
  tellExecutions(ctx, meter, tasks.length)
  return started
}

/** False, and nothing written, when the app has changed since it had this stamp. */
const placeAndTell = async (ctx: Ctx<Member>, task: NewTask, writing: Writing): Promise<boolean> => {
  const placed = await placeTask(ctx, task, writing)
  if (placed && placed.lack !== null) tellLack(ctx, placed.lack, placed.row)
  return placed !== undefined
}

/** Nothing is begun besides the task. */
const isWrittenAlone = (
  target: Awaited<ReturnType<typeof resolveForRun>>,
  { session }: { session?: string },
): boolean => target.app.pricing === null && !session && !isFlow(target) && target.fn.kind !== 'stream'

/** What is stored before the task is written would be stored again if the app turned out to have changed. */
const leavesFiles = (input: unknown): boolean => JSON.stringify(input).includes('"data:')

/**
 * The id of the task when the app is remembered as it still is. A refusal may come of what has changed since, so it is left
 * to the fresh look that follows.
 */
const startRemembered = async (
  ctx: Ctx<Member>,
  request: Omit<RunRequest, 'input' | 'metadata'>,
  { origin, ...run }: BatchedRun,
  meter: Meter,
): Promise<string | undefined> => {
  if (meter.limited) return undefined
  const target = await recallForRun(ctx, request).catch(refusalOnly)
  if (!target || isFailure(target) || !isWrittenAlone(target, request) || leavesFiles(run.input)) return undefined
  const prepared = await prepareTask(ctx, target, { ...request, ...run }, { origin, meter }).catch(refusalOnly)
  if (isFailure(prepared)) return undefined
  const written = await placeAndTell(ctx, prepared, { appName: refOf(target.app), stamp: target.stamp })
  if (!written) return undefined
  tellExecutions(ctx, meter)
  return prepared.id
}
