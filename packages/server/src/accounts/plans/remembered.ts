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
const rememberedMs = 5_000
const maxRemembered = 10_000

/** The limits that every run checks, read together. */
const asked = ['concurrency', 'task_executions', 'rate_per_min', 'storage_mb'] as const
type Asked = (typeof asked)[number]

type Held = { readonly of: Readonly<Record<Asked, Resolved>>; readonly untilMs: number }

type Memory = { readonly teams: LRUCache<string, Held>; changes: number }

const memoryOf = perPlatform((): Memory => ({ teams: new LRUCache({ max: maxRemembered }), changes: 0 }))

/** The current value, or one that is a few seconds old. */
export const rememberedEntitlement = async (ctx: Ctx<Actor>, resource: Asked, teamId: string): Promise<Resolved> => {
  const memory = memoryOf(ctx)
  const nowMs = ctx.now().getTime()
  const held = memory.teams.get(teamId)
  if (held && held.untilMs > nowMs) return held.of[resource]
  const { changes } = memory
  const rows = await readRows(ctx, teamId)
  const of = Object.fromEntries(asked.map((name) => [name, resolve(name, rows)])) as Record<Asked, Resolved>
  // A value read during a change may be the old one.
  if (memory.changes === changes) memory.teams.set(teamId, { of, untilMs: nowMs + rememberedMs })
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
  const memory = memoryOf(platform)
  memory.changes += 1
  if (teamId === everyTeam) memory.teams.clear()
  else memory.teams.delete(teamId)
}
