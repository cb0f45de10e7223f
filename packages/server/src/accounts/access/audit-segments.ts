// What the operator does not keep of the audit log. The oldest stretch is checked like the whole log is, closed under a
// seal that only this installation can make, and deleted; what is left is checked from the last seal on.
import type { Platform } from '#platform/core/ctx.ts'
import type { Db } from '#platform/db/database.ts'
import { type Keyring, platformKeyTeam } from '#platform/keyring/keyring.ts'
import { type SealedColumn, sealBinding } from '#platform/keyring/sealed-columns.ts'
import {
  type ChainEnd,
  type ChainFault,
  type ChainRow,
  chainStart,
  followChain,
  isFault,
  meetWitnesses,
} from './audit-chain.ts'
import { believable, checkpointsFile, readCheckpoints } from './audit-checkpoints.ts'
import * as store from './audit-segments-store.ts'
import { findChainAfter } from './audit-store.ts'

export const sealedSegments: SealedColumn = {
  table: 'audit_segments',
  column: 'seal_sealed',
  teamColumn: null,
  idColumns: ['to_seq'],
}

type Sealing = { readonly db: Db; readonly keyring: Keyring }
type Segment = Omit<store.SegmentRow, 'seal_sealed' | 'closed_at'>

const dayMs = 24 * 3600_000
/** One transaction each: short enough that nobody waits for its locks, long enough that a year leaves few. */
const segmentRows = 1_000
const pageSegments = 1_000

const textOf = ({ from_seq, to_seq, previous_hash, hash, first_at, last_at }: Segment): string =>
  JSON.stringify([from_seq, to_seq, previous_hash, hash, Date.parse(first_at), Date.parse(last_at)])

const bindingOf = ({ to_seq }: Segment): string =>
  sealBinding(sealedSegments.table, String(to_seq), sealedSegments.column)

const isSealed = async ({ db, keyring }: Sealing, row: store.SegmentRow): Promise<boolean> => {
  const plain = await keyring.open(db, row.seal_sealed, bindingOf(row)).catch(() => null)
  return plain?.toString() === textOf(row)
}

const forged = ({ from_seq }: Segment): ChainFault => ({ seq: from_seq, id: null, reason: 'forged_segment' })

/** Where the log goes on after what was closed; every seal is looked at, and that each follows the one before. */
export const followSegments = async (sealing: Sealing): Promise<ChainEnd | ChainFault> => {
  let end = chainStart
  for (;;) {
    const rows = await store.findSegments(sealing.db, end.seq, pageSegments)
    if (rows.length === 0) return end
    for (const row of rows) {
      if (row.from_seq !== end.seq + 1) return { seq: end.seq + 1, id: null, reason: 'missing' }
      if (row.previous_hash !== end.hash || !(await isSealed(sealing, row))) return forged(row)
      end = { seq: row.to_seq, hash: row.hash, id: null }
    }
  }
}

/** The last seal is enough to go on from: those before it were looked at when it was made. */
const endOfLast = async (sealing: Sealing): Promise<ChainEnd | ChainFault> => {
  const last = await store.findLastSegment(sealing.db)
  if (!last) return chainStart
  return (await isSealed(sealing, last)) ? { seq: last.to_seq, hash: last.hash, id: null } : forged(last)
}

const isBefore = (row: ChainRow, before: Date): boolean => Number(row.created_epoch) * 1000 < before.getTime()

const timeOf = (row: ChainRow): string => new Date(Number(row.created_epoch) * 1000).toISOString()

/** Closes one stretch of rows older than `before`: how many, or why the log may not be touched. */
const closeSegment = (
  platform: Platform,
  before: Date,
  witnesses: ReadonlyMap<number, string>,
): Promise<number | ChainFault> =>
  platform.db.transaction().execute(async (db) => {
    const sealing = { db, keyring: platform.keyring }
    await store.lockClosing(db)
    const end = await endOfLast(sealing)
    if (isFault(end)) return end
    const page = await findChainAfter(db, end.seq, segmentRows)
    const newer = page.findIndex((row) => !isBefore(row, before))
    const rows = newer === -1 ? page : page.slice(0, newer)
    const [first, last] = [rows[0], rows.at(-1)]
    if (!first || !last) return 0
    const next = followChain(end, rows)
    if (isFault(next)) return next
    const foreign = meetWitnesses(witnesses, rows)
    if (foreign) return foreign
    const segment: Segment = {
      from_seq: first.seq,
      to_seq: last.seq,
      previous_hash: end.hash,
      hash: last.hash,
      first_at: timeOf(first),
      last_at: timeOf(last),
    }
    const sealed = await platform.keyring.seal(db, platformKeyTeam, textOf(segment), bindingOf(segment))
    await store.insertSegment(db, { ...segment, seal_sealed: sealed, closed_at: platform.now().toISOString() })
    await store.deleteLogUpTo(db, last.seq)
    return rows.length
  })

/** What this server's witnesses have seen; the first line that nobody here has signed is a fault of its own. */
const witnessesOf = async ({ settings, keyring }: Platform): Promise<Map<number, string> | ChainFault> => {
  const believed = believable(await readCheckpoints(checkpointsFile(settings.DATA_DIR)), keyring)
  if (!Array.isArray(believed)) return { seq: believed.forgedLine, id: null, reason: 'forged_checkpoint' }
  return new Map(believed.map(({ seq, hash }) => [seq, hash]))
}

const closeBefore = async (platform: Platform, before: Date): Promise<number | ChainFault> => {
  const witnesses = await witnessesOf(platform)
  if (!(witnesses instanceof Map)) return witnesses
  let rows = 0
  for (;;) {
    const closed = await closeSegment(platform, before, witnesses)
    if (typeof closed !== 'number') return closed
    rows += closed
    if (closed < segmentRows) return rows
  }
}

/** Nothing is deleted of a log that is not as it was written: it is the only proof of what somebody did to it. */
export const closeOldAudit = async (platform: Platform): Promise<void> => {
  const { log, now, settings } = platform
  if (settings.KEEP_AUDIT_DAYS === 0) return
  const rows = await closeBefore(platform, new Date(now().getTime() - settings.KEEP_AUDIT_DAYS * dayMs))
  if (typeof rows !== 'number')
    log.error({ fault: rows }, 'the audit log is not as it was written: nothing more of it is deleted')
  else if (rows > 0) log.info({ rows }, 'closed and deleted old rows of the audit log')
}
