// What a workspace may use, remembered for a moment: for limits that every run asks about. Whatever changes a limit says so in
// its own transaction, and every server forgets what it remembered when that commits.
import { LRUCache } from 'lru-cache'
import Type from 'typebox'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import { subject } from '#platform/core/subject.ts'
import { notify } from '#platform/db/notify.ts'
import { readRows } from './rows.ts'
import { type Resolved, resolve } from './rules.ts'

/** Where the news of a change is lost, it counts after this long. */
const rememberedMs = 5_000
const maxRemembered = 10_000

/** The limits that every run asks about: one look at the rows answers all. */
const asked = ['concurrency', 'task_executions', 'rate_per_min'] as const
type Asked = (typeof asked)[number]

type Held = { readonly of: Readonly<Record<Asked, Resolved>>; readonly untilMs: number }

type Memory = { readonly teams: LRUCache<string, Held>; changes: number }

const memoryOf = perPlatform((): Memory => ({ teams: new LRUCache({ max: maxRemembered }), changes: 0 }))

/** As it is, or was a few seconds ago. */
export const rememberedEntitlement = async (ctx: Ctx<Actor>, resource: Asked, teamId: string): Promise<Resolved> => {
  const memory = memoryOf(ctx)
  const nowMs = ctx.now().getTime()
  const held = memory.teams.get(teamId)
  if (held && held.untilMs > nowMs) return held.of[resource]
  const { changes } = memory
  const rows = await readRows(ctx, teamId)
  const of = Object.fromEntries(asked.map((name) => [name, resolve(name, rows)])) as Record<Asked, Resolved>
  // What was read while something changed may be what it was before.
  if (memory.changes === changes) memory.teams.set(teamId, { of, untilMs: nowMs + rememberedMs })
  return of[resource]
}

/** Through PostgreSQL, because a command of the operator changes limits without being a server. */
export const limitsChannel = 'millrace_limits'
/** This server need not wait for its own news. Carries the id of the workspace, or `everyTeam`. */
export const limitsSubject = subject('limits', 'here', Type.String())

/** A plan was changed, which any workspace may have. */
const everyTeam = '*'

/** To be called in the transaction that changes what a workspace, or every one, may use. */
export const tellLimits = async (ctx: Ctx<Actor>, teamId: string = everyTeam): Promise<void> => {
  ctx.emit({ subject: limitsSubject, data: teamId })
  await notify(ctx.db, limitsChannel, teamId)
}

export const forgetLimits = (platform: Pick<Ctx<Actor>, 'extensions'>, teamId: string): void => {
  const memory = memoryOf(platform)
  memory.changes += 1
  if (teamId === everyTeam) memory.teams.clear()
  else memory.teams.delete(teamId)
}
