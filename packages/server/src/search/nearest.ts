// A server's memory of vectors and how it follows the rows: loaded whole, then brought up to date by the log of changes,
// before every search. The log is asked, not listened to: there is no news that could be lost.
import type { Platform } from '../core/ctx.ts'
import { perPlatform } from '../core/per-platform.ts'
import { apart } from '../db/work.ts'
import { audienceOf } from './access.ts'
import * as store from './nearest-store.ts'
import { bytesOfRow, createNearestTable, type NearestTable } from './nearest-table.ts'
import { oneAtATime } from './one-at-a-time.ts'
import { embedderOf } from './server-embedder.ts'

/** So many rows in one piece: a few milliseconds. */
const rowsAtOnce = 500
/** Of more changes than this, loading everything is not slower. */
const mostChanges = 50_000
/** How long the log is kept, and after which time without a look everything is loaded anew. */
export const keptHours = 6
const staleMs = (keptHours / 2) * 3_600_000
/** After a load that failed, and between looks that nobody asked for. */
const pauseMs = 60_000

type Held = store.Made & {
  table: NearestTable
  horizon: number
  /** Changes since the horizon that are in the table already: while a long transaction is open, it stands still. */
  seen: ReadonlySet<number>
  lookedAt: number
}

const put = (table: NearestTable, { id, kind, components, ...row }: store.VectorRow): void =>
  table.put({
    id,
    kind,
    audience: audienceOf(row),
    components: new Int8Array(components.buffer, components.byteOffset, components.byteLength),
  })

const mostRows = ({ settings }: Platform, length: number): number =>
  Math.floor((settings.SEARCH_MEMORY_MB * 1_048_576) / bytesOfRow(length))

const load = async (platform: Platform, made: store.Made): Promise<Held> => {
  const { db, now } = platform
  const lookedAt = now().getTime()
  const most = mostRows(platform, made.length)
  if (await store.hasMoreVectors(db, made.model, most))
    throw new Error(`There are more than ${most} vectors, which is what SEARCH_MEMORY_MB holds`)
  const table = createNearestTable(made.length)
  const horizon = await store.findHorizon(db)
  for (let after = ''; ; ) {
    const rows = await store.findVectorsAfter(db, made, after, rowsAtOnce)
    for (const row of rows) put(table, row)
    if (rows.length < rowsAtOnce) return { ...made, table, horizon, seen: new Set(), lookedAt }
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
    const rows = new Map((await store.findVectors(db, held, some)).map((row) => [row.id, row]))
    for (const id of some) {
      const row = rows.get(id)
      if (row) put(held.table, row)
      else held.table.remove(id)
    }
  }
  if (held.table.size() > mostRows(platform, held.length)) return null
  return { ...held, horizon, seen: new Set(numbers), lookedAt }
}

const createNearest = (platform: Platform) => {
  let held: Held | null = null
  let failedAt = Number.NEGATIVE_INFINITY
  const refresh = async (): Promise<NearestTable> => {
    const { model, length } = embedderOf(platform)
    if (length === null) throw new Error('Nothing has been embedded yet')
    const isSame = held?.model === model && held.length === length
    held = held && isSame ? await caughtUp(platform, held) : null
    if (held) return held.table
    if (performance.now() - failedAt < pauseMs) throw new Error('The vectors could not be loaded')
    failedAt = performance.now()
    held = await load(platform, { model, length })
    failedAt = Number.NEGATIVE_INFINITY
    return held.table
  }
  return oneAtATime(() => apart(refresh))
}

const nearestOf = perPlatform((): { fresh: (() => Promise<NearestTable>) | null } => ({ fresh: null }))

/** With the connections of the server itself: a table must not hold what a transaction may still take back. */
export const openNearest = (platform: Platform): void => {
  nearestOf(platform).fresh = createNearest(platform)
}

/** The vectors of the embedder's model, as they are when this is asked. */
export const freshVectors = (ctx: Pick<Platform, 'hooks'>): Promise<NearestTable> => {
  const { fresh } = nearestOf(ctx)
  if (!fresh) return Promise.reject(new Error('The server has not started'))
  return fresh()
}

/** Loads them before somebody waits, and looks now and then, so that the log never ends before the last look. */
export const keepFresh = (platform: Platform): (() => void) => {
  const look = (): void => {
    if (embedderOf(platform).length === null) return
    freshVectors(platform).catch((error: unknown) => platform.log.warn({ err: error }, 'meanings could not be loaded'))
  }
  look()
  const timer = setInterval(look, pauseMs)
  timer.unref()
  return () => clearInterval(timer)
}
