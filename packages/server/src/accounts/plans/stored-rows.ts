// The bytes that the rows of a workspace occupy, for `storage_mb`. Counted rarely, because a count reads all rows of the
// workspace; between two counts, each server adds what it writes.
import { LRUCache } from 'lru-cache'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import { cachedEntitlement } from './limits-cache.ts'
import { refuse } from './refusal.ts'
import { exceeds, isDisabled, isUnbounded, type Resolved } from './rules.ts'
import { sumRowBytes } from './stored-rows-store.ts'

const resource = 'storage_mb'
const megabyte = 1_000_000
const maxTeams = 10_000
/** Added bytes are estimates, so the rows are counted again after this many. */
const maxEstimatedBytes = 64 * megabyte
/** A server counts a workspace only after it has written this much for it. */
const maxUnknownBytes = megabyte
/** A count must not start before so many times its duration have passed, so that refusals cannot load the database. */
const pausePerCount = 20

type Stored = {
  /** Undefined until the first count. */
  rowBytes: number | undefined
  /** Size of the files at the last count. */
  fileMegabytes: number
  addedBytes: number
  countedMs: number
  nextCountMs: number
  counting?: Promise<void>
}

const cacheOf = perPlatform(() => new LRUCache<string, Stored>({ max: maxTeams }))

const storedOf = (ctx: Pick<Ctx<Actor>, 'extensions'>, teamId: string): Stored => {
  const cache = cacheOf(ctx)
  const unknown = { rowBytes: undefined, fileMegabytes: 0, addedBytes: 0, countedMs: 0, nextCountMs: 0 }
  const stored = cache.get(teamId) ?? unknown
  cache.set(teamId, stored)
  return stored
}

/** Counts bytes that nothing can refuse any more, such as the output of a run. */
export const addRowBytes = (ctx: Pick<Ctx<Actor>, 'extensions'>, teamId: string, bytes: number): void => {
  storedOf(ctx, teamId).addedBytes += bytes
}

const count = async (ctx: Ctx<Actor>, teamId: string, stored: Stored): Promise<void> => {
  const startedMs = performance.now()
  const { addedBytes } = stored
  stored.rowBytes = await sumRowBytes(ctx.db, teamId)
  stored.fileMegabytes = (await ctx.usage[resource]?.(ctx.db, teamId, ctx.now())) ?? 0
  stored.addedBytes -= addedBytes
  stored.countedMs = performance.now()
  stored.nextCountMs = stored.countedMs + pausePerCount * (stored.countedMs - startedMs)
}

/** A count inside a transaction uses its connection, so it is not shared. */
const countOnce = (ctx: Ctx<Actor>, teamId: string, stored: Stored): Promise<void> => {
  if (ctx.db.isTransaction) return count(ctx, teamId, stored)
  stored.counting ??= count(ctx, teamId, stored).finally(() => {
    stored.counting = undefined
  })
  return stored.counting
}

/** `any`: any count will do. `recent`: at most a minute old. `latest`: as new as the pause between counts permits. */
type CountAge = 'any' | 'recent' | 'latest' | 'now'

const maxAgeMs: Readonly<Record<CountAge, number>> = {
  any: Number.POSITIVE_INFINITY,
  recent: 60_000,
  latest: 0,
  now: 0,
}

const counted = async (ctx: Ctx<Actor>, teamId: string, age: CountAge): Promise<Stored> => {
  const stored = storedOf(ctx, teamId)
  const nowMs = performance.now()
  const isOld = nowMs - stored.countedMs >= maxAgeMs[age] || stored.addedBytes > maxEstimatedBytes
  const mayCount = stored.rowBytes === undefined || age === 'now' || nowMs >= stored.nextCountMs
  if (mayCount && (isOld || stored.rowBytes === undefined)) await countOnce(ctx, teamId, stored)
  return stored
}

const megabytesOf = ({ rowBytes = 0, addedBytes }: Stored): number => (rowBytes + addedBytes) / megabyte

/** The size of all rows of a workspace, at most a minute old. */
export const rowMegabytes = async (ctx: Ctx<Actor>, teamId: string): Promise<number> =>
  megabytesOf(await counted(ctx, teamId, 'recent'))

/** The used megabytes if the bytes do not fit, and undefined if they do. */
const usedIfFull = async (ctx: Ctx<Actor>, teamId: string, resolved: Resolved, bytes: number | 'unknown') => {
  const { rowBytes, addedBytes } = storedOf(ctx, teamId)
  const adding = bytes === 'unknown' ? 0 : bytes
  const isLittle = rowBytes === undefined && bytes !== 'unknown' && addedBytes + bytes <= maxUnknownBytes
  if (isLittle && !isDisabled(resolved)) return undefined
  let used = 0
  for (const age of bytes === 'unknown' ? (['now'] as const) : (['any', 'latest'] as const)) {
    const stored = await counted(ctx, teamId, age)
    used = megabytesOf(stored) + stored.fileMegabytes
    if (!isDisabled(resolved) && !exceeds(resolved, used, adding / megabyte)) return undefined
  }
  return used
}

/**
 * Throws the refusal of `storage_mb` if the workspace has no room for so many bytes of text, and counts them otherwise.
 * Before a copy, whose size is unknown, all rows are counted. The limit is exceeded by at most what is being written at
 * the same time.
 */
export const requireRowRoom = async (ctx: Ctx<Actor>, teamId: string, bytes: number | 'unknown'): Promise<void> => {
  const resolved = await cachedEntitlement(ctx, resource, teamId)
  if (isUnbounded(resolved)) return
  const used = await usedIfFull(ctx, teamId, resolved, bytes)
  if (used !== undefined) await refuse(ctx, resolved, used)
  if (bytes !== 'unknown') addRowBytes(ctx, teamId, bytes)
}
