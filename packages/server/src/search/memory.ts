// A server's memory of words and vectors and how it follows the rows: loaded whole, then brought up to date by the log of
// changes, before every search. The log is asked, not listened to: there is no news that could be lost.
import type { Platform } from '../core/ctx.ts'
import { perPlatform } from '../core/per-platform.ts'
import { apart } from '../db/work.ts'
import { audienceOf } from './access.ts'
import * as store from './memory-store.ts'
import { bytesOfRow, createNearestTable, type NearestTable } from './nearest-table.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { embedderOf } from './server-embedder.ts'
import { createWordsTable, putWords, removeWords, type WordsTable } from './words-table.ts'

/** So many rows in one piece: some milliseconds. */
const rowsAtOnce = 250
/** Of more changes than this, loading everything is not slower. */
const mostChanges = 50_000
/** How long the log is kept, and after which time without a look everything is loaded anew. */
export const keptHours = 6
const staleMs = (keptHours / 2) * 3_600_000
/** Between looks that nobody asked for, and after a load that failed: then it is longer each time, up to the longest. */
const pauseMs = 60_000
const longestPauseMs = 3_600_000

export type Memory = {
  readonly words: WordsTable
  /** Null: it is not known yet how long they are. */
  readonly vectors: NearestTable | null
}

type Held = store.Made &
  Memory & {
    horizon: number
    /** Changes since the horizon that are in the tables already: while a long transaction is open, it stands still. */
    seen: ReadonlySet<number>
    lookedAt: number
  }

const put = ({ words, vectors }: Memory, rows: readonly store.MemoryRow[]): void => {
  putWords(
    words,
    rows.map((row) => ({ ...row, audience: audienceOf(row) })),
  )
  for (const { id, kind, components, ...row } of rows)
    if (components)
      vectors?.put({
        id,
        kind,
        audience: audienceOf(row),
        components: new Int8Array(components.buffer, components.byteOffset, components.byteLength),
      })
    else vectors?.remove(id)
}

const mostBytes = ({ settings }: Platform): number => settings.SEARCH_MEMORY_MB * 1_048_576

const bytesOf = ({ words, vectors }: Memory): number =>
  words.bytes + (vectors ? vectors.size() * bytesOfRow(vectors.length) : 0)

const isTooMuch = (platform: Platform, memory: Memory): boolean => bytesOf(memory) > mostBytes(platform)

const load = async (platform: Platform, made: store.Made): Promise<Held> => {
  const { db, now } = platform
  const lookedAt = now().getTime()
  const { model, length } = made
  // What cannot fit is not begun.
  if (length !== null && (await store.hasMoreVectors(db, model, Math.floor(mostBytes(platform) / bytesOfRow(length)))))
    throw new Error('There are more vectors than SEARCH_MEMORY_MB holds')
  const memory: Memory = { words: createWordsTable(), vectors: length === null ? null : createNearestTable(length) }
  const horizon = await store.findHorizon(db)
  for (let after = ''; ; ) {
    const rows = await store.findRowsAfter(db, made, after, rowsAtOnce)
    put(memory, rows)
    if (isTooMuch(platform, memory)) throw new Error('There is more to find than SEARCH_MEMORY_MB holds')
    if (rows.length < rowsAtOnce) return { ...made, ...memory, horizon, seen: new Set(), lookedAt }
    after = rows.at(-1)?.id ?? ''
  }
}

/** Null: so much has changed that everything is to be loaded anew. */
const caughtUp = async (platform: Platform, held: Held): Promise<Held | null> => {
  const { db, now } = platform
  const lookedAt = now().getTime()
  if (lookedAt - held.lookedAt > staleMs) return null
  const { horizon, numbers, ids } = await store.findChanges(db, held.horizon, mostChanges)
  if (ids.length === mostChanges) return null
  const changed = [...new Set(ids.filter((_, place) => !held.seen.has(numbers[place] ?? 0)))]
  for (let start = 0; start < changed.length; start += rowsAtOnce) {
    const some = changed.slice(start, start + rowsAtOnce)
    const rows = await store.findRows(db, held, some)
    const found = new Set(rows.map(({ id }) => id))
    put(held, rows)
    for (const id of some.filter((one) => !found.has(one))) {
      removeWords(held.words, id)
      held.vectors?.remove(id)
    }
  }
  if (isTooMuch(platform, held)) return null
  return { ...held, horizon, seen: new Set(numbers), lookedAt }
}

const createMemory = (platform: Platform) => {
  let held: Held | null = null
  let failures = 0
  let failedAt = Number.NEGATIVE_INFINITY
  const refresh = async (): Promise<Memory> => {
    const { model, length } = embedderOf(platform)
    const isSame = held?.model === model && held.length === length
    held = held && isSame ? await caughtUp(platform, held) : null
    if (held) return held
    if (performance.now() - failedAt < Math.min(pauseMs * 2 ** (failures - 1), longestPauseMs))
      throw new Error('What there is to find could not be loaded')
    failedAt = performance.now()
    failures += 1
    held = await load(platform, { model, length })
    failures = 0
    failedAt = Number.NEGATIVE_INFINITY
    return held
  }
  return oneAtATime(() => apart(refresh))
}

const memoryOf = perPlatform((): { fresh: (() => Promise<Memory>) | null } => ({ fresh: null }))

/** With the connections of the server itself: a memory must not hold what a transaction may still take back. */
export const openMemory = (platform: Platform): void => {
  memoryOf(platform).fresh = createMemory(platform)
}

/** Everything that can be found, as it is when this is asked. */
export const freshMemory = (ctx: Pick<Platform, 'hooks'>): Promise<Memory> => {
  const { fresh } = memoryOf(ctx)
  if (!fresh) return Promise.reject(new Error('The server has not started'))
  return fresh()
}

/** Loads it before somebody waits, and looks now and then, so that the log never ends before the last look. */
export const keepFresh = (platform: Platform): (() => void) => {
  const look = (): void => {
    freshMemory(platform).catch((error: unknown) =>
      platform.log.warn({ err: error }, 'what there is to find could not be loaded'),
    )
  }
  look()
  const timer = setInterval(look, pauseMs)
  timer.unref()
  return () => clearInterval(timer)
}
