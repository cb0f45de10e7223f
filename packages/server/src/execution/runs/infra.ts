// Checks whether the requested infrastructure exists. A busy engine is no reason to refuse a run; no engine is.
import { shortId } from '@millrace/contract/ids'
import type { Infra, RunRequest } from '@millrace/contract/tasks'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { workerLabel } from '../dispatch/service.ts'
import { listNamedWorkers, listUsableEngines } from './store.ts'

/** The default `infra` of a run. */
export const infraOf = (ctx: Ctx<Member>, request: Pick<RunRequest, 'infra'>): Infra =>
  request.infra ?? ctx.settings.DEFAULT_INFRA

export const assertInfra = async (ctx: Ctx<Member>, request: RunRequest): Promise<void> => {
  const requested = request.workers ?? []
  if (requested.length > 0 && infraOf(ctx, request) === 'cloud')
    throw fail('validation_error', '`workers` requires infra private or private_first')
  if (request.infra === undefined && requested.length === 0) return
  const engines = await listUsableEngines(ctx.db, ctx.actor.teamId)
  const own = engines.filter(
    ({ team_id, visibility, user_id }) =>
      team_id === ctx.actor.teamId && (visibility !== 'private' || user_id === ctx.actor.userId),
  )
  const cloud = engines.filter((engine) => engine.infra === 'cloud')
  const either = [...own, ...cloud]
  const usable = request.infra === 'cloud' ? cloud : request.infra === 'private' ? own : either
  if (request.infra !== undefined && either.length > 0 && usable.length === 0)
    throw fail('no_capacity', `There is no engine for infra ${request.infra}`)
  if (requested.length > 0) await assertWorkers(ctx, requested, own)
}

/** Workers are named by id, or as `<engine name>-gpu-<n>` and `<engine name>-cpu-<n>`. */
const assertWorkers = async (
  ctx: Ctx<Member>,
  requested: readonly string[],
  own: readonly { id: string; name: string }[],
): Promise<void> => {
  const rows = await listNamedWorkers(
    ctx.db,
    own.map((engine) => engine.id),
  )
  const names = new Set(rows.flatMap((row) => [row.id, shortId(row.id), workerLabel(row.name, row)]))
  if (!requested.some((name) => names.has(name))) throw fail('no_capacity', 'None of the named workers exists')
}
