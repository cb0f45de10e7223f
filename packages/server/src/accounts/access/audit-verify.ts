// Verifies the whole audit log, one page at a time, and reports the first faulty row. Closed segments are verified by
// their seals; verification starts after them.
import type { Platform } from '#platform/core/ctx.ts'
import type { Db } from '#platform/db/database.ts'
import type { Keyring } from '#platform/keyring/keyring.ts'
import { findAuditHead } from '#platform/tenancy/audit.ts'
import {
  type ChainEnd,
  type ChainFault,
  closeChain,
  compareWithCheckpoints,
  followChain,
  isFault,
} from './audit-chain.ts'
import { checkpointsFile, readCheckpoints, verifiedCheckpoints } from './audit-checkpoints.ts'
import { followSegments } from './audit-segments.ts'
import { findChainAfter } from './audit-store.ts'

/** `rows`: the number of valid rows; `closed`: how many of them are covered by seals only. */
export type AuditVerdict =
  | { readonly ok: true; readonly rows: number; readonly closed: number }
  | ({ readonly ok: false; readonly rows: number } & ChainFault)

const pageRows = 1000

/** `witnesses`: row numbers and hashes from the checkpoints. */
export const verifyAudit = (
  { db, keyring }: { readonly db: Db; readonly keyring: Keyring },
  checkpoints: readonly { seq: number; hash: string }[] = [],
): Promise<AuditVerdict> =>
  // One snapshot: entries appended meanwhile appear neither in the rows nor in the head.
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (db) => {
      const seen = new Map(checkpoints.map(({ seq, hash }) => [seq, hash]))
      const newest = Math.max(0, ...seen.keys())
      const broken = (fault: ChainFault): AuditVerdict => ({ ok: false, rows: Math.max(0, fault.seq - 1), ...fault })
      const closed = await followSegments({ db, keyring })
      if (isFault(closed)) return broken(closed)
      let end: ChainEnd = closed
      let rows = await findChainAfter(db, null, pageRows)
      while (rows.length > 0) {
        const next = followChain(end, rows)
        if (isFault(next)) return broken(next)
        const foreign = compareWithCheckpoints(seen, rows)
        if (foreign) return broken(foreign)
        end = next
        rows = await findChainAfter(db, end.seq, pageRows)
      }
      const fault = closeChain(end, await findAuditHead(db))
      if (fault) return broken(fault)
      if (newest > end.seq) return broken({ seq: end.seq + 1, id: null, reason: 'missing' })
      return { ok: true, rows: end.seq, closed: closed.seq }
    })

/** Verifies the log against its chain and against the checkpoints in the data folder. */
export const verifyAuditOf = async ({ db, keyring, settings }: Platform): Promise<AuditVerdict> => {
  const checkpoints = verifiedCheckpoints(await readCheckpoints(checkpointsFile(settings.DATA_DIR)), keyring)
  return Array.isArray(checkpoints)
    ? verifyAudit({ db, keyring }, checkpoints)
    : { ok: false, rows: 0, seq: checkpoints.forgedLine, id: null, reason: 'forged_checkpoint' }
}
