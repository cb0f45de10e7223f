// The words and vectors in a server's memory: loaded completely, then updated from the change log before every search.
// The log is polled, so no notification can be lost.
import type { Platform } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import { asSharedWork } from '#platform/fairness/work.ts'
import { audienceOf } from '../access.ts'
import { embedderOf } from '../embedding/server-embedder.ts'
import { oneAtATime } from '../one-at-a-time.ts'
import { createTablesHere, createTablesOnThread, type HostedTables } from './hosted-tables.ts'
import * as store from './memory-store.ts'
import { bytesOfRow } from './nearest-table.ts'

/** Rows per batch, which takes some milliseconds. */
const rowsAtOnce = 250
/** With more changes, a full reload is not slower. */
const maxChanges = 50_000
/** Retention of the log; after this time without a poll, everything is reloaded. */
export const retentionHours = 6
const staleMs = (retentionHours / 2) * 3_600_000
/** Interval of background polls, and the initial backoff after a failed load. */
const pauseMs = 60_000
const maxPauseMs = 3_600_000

/** More documents run on a thread, because searching them would delay other requests. */
const maxDocumentsHere = 5_000

export type SearchMemory = Pick<HostedTables, 'find' | 'compare' | 'size'>

type LoadedTables = store.VectorKind & {
  readonly tables: HostedTables
  readonly isHere: boolean
  point: store.LogPoint
  /** Changes after the horizon that are already applied: a long transaction stops the horizon. */
  seen: ReadonlySet<number>
  lookedAt: number
}

const put = (tables: HostedTables, rows: readonly store.MemoryRow[]): Promise<void> =>
  tables.put(
    rows.map(({ id, kind, words, heads, shown, components, ...row }) => ({
      id,
      kind,
      audience: audienceOf(row),
      words,
      heads,
      shown,
      components: components && new Int8Array(components.buffer, components.byteOffset, components.byteLength),
    })),
  )

const maxBytesOf = ({ settings }: Platform): number => settings.SEARCH_MEMORY_MB * 1_048_576

const fill = async (platform: Platform, made: store.VectorKind, tables: HostedTables): Promise<void> => {
  for (let after = ''; ; ) {
    const rows = await store.findRowsAfter(platform.db, made, after, rowsAtOnce)
    await put(tables, rows)
    if ((await tables.size()).bytes > maxBytesOf(platform)) throw new Error('The index is larger than SEARCH_MEMORY_MB')
    if (rows.length < rowsAtOnce) return
    after = rows.at(-1)?.id ?? ''
  }
}

/** `most`: the maximum number of documents on the event loop. */
const load = async (platform: Platform, made: store.VectorKind, most: number): Promise<LoadedTables> => {
  const { db, now } = platform
  const lookedAt = now().getTime()
  const { model, length } = made
  // Does not start a load that cannot fit.
  if (length !== null && (await store.hasMoreVectors(db, model, Math.floor(maxBytesOf(platform) / bytesOfRow(length)))))
    throw new Error('The vectors are larger than SEARCH_MEMORY_MB')
  const isHere = !(await store.hasMoreDocuments(db, most))
  const tables = isHere ? createTablesHere(length) : createTablesOnThread(length)
  try {
    const point = await store.findPoint(db)
    await fill(platform, made, tables)
    return { ...made, tables, isHere, point, seen: new Set(), lookedAt }
  } catch (error) {
    await tables.close()
    throw error
  }
}

/** Returns null if everything must be reloaded: too many changes, or the log of another database server. */
const caughtUp = async (platform: Platform, current: LoadedTables, most: number): Promise<LoadedTables | null> => {
  const { db, now } = platform
  const { tables, isHere } = current
  const lookedAt = now().getTime()
  if (lookedAt - current.lookedAt > staleMs || tables.isLost()) return null
  const { horizon, life, numbers, ids } = await store.findChanges(db, current.point.horizon, maxChanges)
  if (life !== current.point.life || ids.length === maxChanges) return null
  const changed = [...new Set(ids.filter((_, place) => !current.seen.has(numbers[place] ?? 0)))]
  for (let start = 0; start < changed.length; start += rowsAtOnce) {
    const some = changed.slice(start, start + rowsAtOnce)
    const rows = await store.findRows(db, current, some)
    await put(tables, rows)
    const found = new Set(rows.map(({ id }) => id))
    await tables.remove(some.filter((one) => !found.has(one)))
  }
  if (changed.length > 0) {
    const { bytes, documents } = await tables.size()
    if (bytes > maxBytesOf(platform) || (isHere && documents > 2 * most)) return null
  }
  return { ...current, point: { horizon, life }, seen: new Set(numbers), lookedAt }
}

const createMemory = (platform: Platform, most: number) => {
  let current: LoadedTables | null = null
  let failures = 0
  let failedAt = Number.NEGATIVE_INFINITY
  let isClosed = false
  const drop = async (): Promise<void> => {
    const dropped = current
    current = null
    await dropped?.tables.close()
  }
  const refresh = async (): Promise<SearchMemory> => {
    if (isClosed) throw new Error('The server stops')
    const { model, length } = embedderOf(platform)
    const isSame = current?.model === model && current.length === length
    const next = current && isSame ? await caughtUp(platform, current, most) : null
    if (next) {
      current = next
      return current.tables
    }
    await drop()
    if (performance.now() - failedAt < Math.min(pauseMs * 2 ** (failures - 1), maxPauseMs))
      throw new Error('The search index could not be loaded')
    failedAt = performance.now()
    failures += 1
    const loaded = await load(platform, { model, length }, most)
    failures = 0
    failedAt = Number.NEGATIVE_INFINITY
    current = loaded
    if (isClosed) await drop()
    return loaded.tables
  }
  const close = (): Promise<void> => {
    isClosed = true
    return drop()
  }
  return { fresh: oneAtATime(() => asSharedWork(refresh)), close }
}

const memoryOf = perPlatform((): { fresh: (() => Promise<SearchMemory>) | null } => ({ fresh: null }))

/**
 * Uses connections of its own, because the memory must not contain uncommitted rows. Returns a function that closes it.
 */
export const openMemory = (platform: Platform, most = maxDocumentsHere): (() => Promise<void>) => {
  const { fresh, close } = createMemory(platform, most)
  memoryOf(platform).fresh = fresh
  return close
}

/** The current index. Every change that was committed before the call is included. */
export const freshMemory = (ctx: Pick<Platform, 'extensions'>): Promise<SearchMemory> => {
  const { fresh } = memoryOf(ctx)
  if (!fresh) return Promise.reject(new Error('The server has not started'))
  return fresh()
}

/** Loads the index before the first query and polls regularly, so that the log is never trimmed past the last poll. */
export const startRefreshing = (platform: Platform): (() => void) => {
  const poll = (): void => {
    freshMemory(platform).catch((error: unknown) =>
      platform.log.warn({ err: error }, 'could not load the search index'),
    )
  }
  poll()
  const timer = setInterval(poll, pauseMs)
  timer.unref()
  return () => clearInterval(timer)
}
