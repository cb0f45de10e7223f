// Can the infrastructure a run asks for exist at all? Being busy is no reason to refuse; having no engine is.
import type { RunRequest } from '@millrace/contract/tasks'
import type { Member } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'

export const assertInfra = async (ctx: Ctx<Member>, request: RunRequest): Promise<void> => {
  const asked = request.workers ?? []
  const isPrivate = request.infra === 'private' || request.infra === 'private_first'
  if (asked.length > 0 && !isPrivate)
    throw fail('validation_error', 'workers can only be named with infra private or private_first')
  if (request.infra === undefined) return
  const engines = await ctx.db
    .selectFrom('engines')
    .select(['id', 'name', 'infra', 'team_id'])
    .where('deleted_at', 'is', null)
    .where('status', '<>', 'stopped')
    .where((where) => where.or([where('infra', '=', 'cloud'), where('team_id', '=', ctx.actor.teamId)]))
    .execute()
  const own = engines.filter((engine) => engine.team_id === ctx.actor.teamId)
  const cloud = engines.filter((engine) => engine.infra === 'cloud')
  const usable = request.infra === 'cloud' ? cloud : request.infra === 'private' ? own : engines
  if (engines.length > 0 && usable.length === 0)
    throw fail('no_capacity', `There is no engine for infra ${request.infra}`)
  if (asked.length > 0) await assertWorkers(ctx, asked, own)
}

/** Workers are named by id, or as `<engine name>-gpu-<n>` and `<engine name>-cpu-<n>`. */
const assertWorkers = async (
  ctx: Ctx<Member>,
  asked: readonly string[],
  own: readonly { id: string; name: string }[],
): Promise<void> => {
  const rows =
    own.length === 0
      ? []
      : await workersOf(
          ctx,
          own.map((engine) => engine.id),
        )
  const names = new Set(rows.flatMap((row) => [row.id, row.id.slice(0, 8), row.label]))
  if (!asked.some((name) => names.has(name))) throw fail('no_capacity', 'None of the named workers exists')
}

const workersOf = async (ctx: Ctx<Member>, engineIds: readonly string[]) => {
  const rows = await ctx.db
    .selectFrom('workers as w')
    .innerJoin('engines as e', 'e.id', 'w.engine_id')
    .select(['w.id', 'w.index', 'w.gpu_count', 'w.engine_id', 'e.name'])
    .where('w.engine_id', 'in', engineIds)
    .where('w.deleted_at', 'is', null)
    .orderBy('w.index')
    .execute()
  return labelWorkers(rows)
}

export type LabelledWorker = { id: string; label: string }

/** GPU and CPU workers are counted separately per engine, from 0. */
export const labelWorkers = <
  W extends { id: string; index: number; gpu_count: number; engine_id: string; name: string },
>(
  workers: readonly W[],
): (W & LabelledWorker)[] => {
  const counts = new Map<string, number>()
  return [...workers]
    .sort((a, b) => a.index - b.index)
    .map((worker) => {
      const kind = worker.gpu_count > 0 ? 'gpu' : 'cpu'
      const counter = `${worker.engine_id}/${kind}`
      const number = counts.get(counter) ?? 0
      counts.set(counter, number + 1)
      return { ...worker, label: `${worker.name}-${kind}-${number}` }
    })
}
