// The price of a flow that is published as an app: every run of it costs the same, whichever operation starts it.
import { priceOfApp } from '#execution/apps/service.ts'
import { reserveCost } from '#execution/runs/extension-points.ts'
import type { WorkOrigin } from '#money/budgets/service.ts'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'

type Planned = { taskId: string; input: Record<string, unknown>; versionId: string }

/** Reserves the price in the transaction that accepts the run; the end of its task settles it. */
export type ReservePrice = (ctx: Ctx<Actor>, run: Planned) => Promise<void>

/** Undefined for a flow that is free. */
export const priceOfFlow = async (
  ctx: Ctx<Member>,
  appId: string | null,
  origin: Pick<WorkOrigin, 'began'> & { flow_run_id?: string },
): Promise<ReservePrice | undefined> => {
  const app = appId === null ? undefined : await priceOfApp(ctx.db, appId)
  if (appId === null || !app) return undefined
  const { actor } = ctx
  return async (ctx, run) => {
    const planned = { ...run, appId, authorTeamId: app.team_id, function: 'run', pricing: app.pricing, origin }
    for (const reserve of ctx.extensions.listenersOf(reserveCost)) await reserve(ctx.as(actor), planned)
  }
}
