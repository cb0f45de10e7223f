// A short-lived cache of entitlements that every run checks. Changes of a limit notify all servers in their own
// transaction, which drop their entries at the commit.
import { LRUCache } from 'lru-cache'
import Type from 'typebox'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import { subject } from '#platform/core/subject.ts'
import { notify } from '#platform/db/notify.ts'
import { readRows } from './rows.ts'
import { type Resolved, resolve } from './rules.ts'

/** Upper bound of staleness when a notification is lost. */
const cacheMs = 5_000
const maxCachedTeams = 10_000

/** The limits that every run checks, read together. */
const cachedResources = ['concurrency', 'task_executions', 'rate_per_min', 'storage_mb'] as const
type CachedResource = (typeof cachedResources)[number]

type CachedLimits = { readonly of: Readonly<Record<CachedResource, Resolved>>; readonly untilMs: number }

type LimitsCache = { readonly teams: LRUCache<string, CachedLimits>; changes: number }

const cacheOf = perPlatform((): LimitsCache => ({ teams: new LRUCache({ max: maxCachedTeams }), changes: 0 }))

/** The current value, or one that is a few seconds old. */
export const cachedEntitlement = async (
  ctx: Ctx<Actor>,
  resource: CachedResource,
  teamId: string,
): Promise<Resolved> => {
  const cache = cacheOf(ctx)
  const nowMs = ctx.now().getTime()
  const cached = cache.teams.get(teamId)
  if (cached && cached.untilMs > nowMs) return cached.of[resource]
  const { changes } = cache
  const rows = await readRows(ctx, teamId)
  const of = Object.fromEntries(cachedResources.map((name) => [name, resolve(name, rows)])) as Record<
    CachedResource,
    Resolved
  >
  // A value read during a change may be the old one.
  if (cache.changes === changes) cache.teams.set(teamId, { of, untilMs: nowMs + cacheMs })
  return of[resource]
}

/** Through PostgreSQL, because an operator command changes limits without being a server. */
export const limitsChannel = 'millrace_limits'
/** This server learns of its own change directly. Carries the id of the workspace, or `everyTeam`. */
export const limitsSubject = subject('limits', 'here', Type.String())

/** A plan changed that any workspace may have. */
const everyTeam = '*'

/** Call in the transaction that changes the limits of one workspace or of all. */
export const publishLimits = async (ctx: Ctx<Actor>, teamId: string = everyTeam): Promise<void> => {
  ctx.emit({ subject: limitsSubject, data: teamId })
  await notify(ctx.db, limitsChannel, teamId)
}

export const forgetLimits = (platform: Pick<Ctx<Actor>, 'extensions'>, teamId: string): void => {
  const cache = cacheOf(platform)
  cache.changes += 1
  if (teamId === everyTeam) cache.teams.clear()
  else cache.teams.delete(teamId)
}
