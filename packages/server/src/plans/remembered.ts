// What a workspace may use, remembered for a moment: for limits that every run asks about.
import { LRUCache } from 'lru-cache'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { perPlatform } from '../core/per-platform.ts'
import { readRows } from './rows.ts'
import { type Resolved, resolve } from './rules.ts'

const rememberedMs = 5_000
const maxRemembered = 10_000

/** The limits that every run asks about: one look at the rows answers all. */
const asked = ['concurrency', 'task_executions', 'rate_per_min'] as const
type Asked = (typeof asked)[number]

type Held = { readonly of: Readonly<Record<Asked, Resolved>>; readonly untilMs: number }

const known = perPlatform(() => new LRUCache<string, Held>({ max: maxRemembered }))

/** As it is, or was a few seconds ago. */
export const rememberedEntitlement = async (ctx: Ctx<Actor>, resource: Asked, teamId: string): Promise<Resolved> => {
  const teams = known(ctx)
  const nowMs = ctx.now().getTime()
  const held = teams.get(teamId)
  if (held && held.untilMs > nowMs) return held.of[resource]
  const rows = await readRows(ctx, teamId)
  const of = Object.fromEntries(asked.map((name) => [name, resolve(name, rows)])) as Record<Asked, Resolved>
  teams.set(teamId, { of, untilMs: nowMs + rememberedMs })
  return of[resource]
}

/** The operator's word on a workspace counts at once; where the news is lost, within seconds. */
export const forgetLimits = (platform: Pick<Ctx<Actor>, 'hooks'>, teamId: string): void => {
  known(platform).delete(teamId)
}
