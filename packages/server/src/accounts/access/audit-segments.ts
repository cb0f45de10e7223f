// Closes old parts of the audit log that the operator does not retain. The oldest segment is verified, closed under a
// seal that only this installation can create, and deleted. Verification of the rest starts at the last seal.
import type { Platform } from '#platform/core/ctx.ts'
import type { Db } from '#platform/db/database.ts'
import { type Keyring, platformKeyTeam } from '#platform/keyring/keyring.ts'
import { type SealedColumn, sealBinding } from '#platform/keyring/sealed-columns.ts'
import {
  type ChainEnd,
  type ChainFault,
  type ChainRow,
  chainStart,
  compareWithCheckpoints,
  followChain,
  isFault,
} from './audit-chain.ts'
import { checkpointsFile, readCheckpoints, verifiedCheckpoints } from './audit-checkpoints.ts'
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
/** One transaction per segment: short enough not to block others, long enough that a year produces few. */
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

/** The point where the log continues after the closed segments; every seal and the order of the seals are verified. */
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

/** Verifies the last seal only: earlier seals were verified when it was created. */
const endOfLast = async (sealing: Sealing): Promise<ChainEnd | ChainFault> => {
  const last = await store.findLastSegment(sealing.db)
  if (!last) return chainStart
  return (await isSealed(sealing, last)) ? { seq: last.to_seq, hash: last.hash, id: null } : forged(last)
}

const isBefore = (row: ChainRow, before: Date): boolean => Number(row.created_epoch) * 1000 < before.getTime()

const timeOf = (row: ChainRow): string => new Date(Number(row.created_epoch) * 1000).toISOString()

/** Closes one segment of rows older than `before`. Returns the number of rows, or the fault that prevents closing. */
const closeSegment = (
  platform: Platform,
  before: Date,
  checkpoints: ReadonlyMap<number, string>,
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
    const foreign = compareWithCheckpoints(checkpoints, rows)
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

/** The checkpoints of this server; the first line without a valid signature is a fault of its own. */
const checkpointHashes = async ({ settings, keyring }: Platform): Promise<Map<number, string> | ChainFault> => {
  const verified = verifiedCheckpoints(await readCheckpoints(checkpointsFile(settings.DATA_DIR)), keyring)
  if (!Array.isArray(verified)) return { seq: verified.forgedLine, id: null, reason: 'forged_checkpoint' }
  return new Map(verified.map(({ seq, hash }) => [seq, hash]))
}

const closeBefore = async (platform: Platform, before: Date): Promise<number | ChainFault> => {
  const checkpoints = await checkpointHashes(platform)
  if (!(checkpoints instanceof Map)) return checkpoints
  let rows = 0
  for (;;) {
    const closed = await closeSegment(platform, before, checkpoints)
    if (typeof closed !== 'number') return closed
    rows += closed
    if (closed < segmentRows) return rows
  }
}

/** A log with a fault keeps all its rows, because they are the only evidence. */
export const closeOldAudit = async (platform: Platform): Promise<void> => {
  const { log, now, settings } = platform
  if (settings.KEEP_AUDIT_DAYS === 0) return
  const rows = await closeBefore(platform, new Date(now().getTime() - settings.KEEP_AUDIT_DAYS * dayMs))
  if (typeof rows !== 'number') log.error({ fault: rows }, 'the audit log fails verification; no more rows are deleted')
  else if (rows > 0) log.info({ rows }, 'closed and deleted old audit log entries')
}
