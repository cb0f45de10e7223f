// Walks the whole audit log, a page of rows at a time, and names the first row that is not as it was written.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import {
  type ChainEnd,
  type ChainFault,
  type ChainRow,
  chainStart,
  closeChain,
  followChain,
  isFault,
} from './audit-chain.ts'

/** `rows`: how many are sound, counted from the first. */
export type AuditVerdict =
  | { readonly ok: true; readonly rows: number }
  | ({ readonly ok: false; readonly rows: number } & ChainFault)

const pageRows = 1000

const findPage = async (db: Db, after: number | null): Promise<ChainRow[]> => {
  const { rows } = await sql<ChainRow>`
    select seq, id, extract(epoch from created_at)::text as created_epoch, team_id, actor_user_id, actor_kind, actor_id,
      action, resource_type, resource_id, meta::text as meta_text, ip, user_agent, previous_hash, hash
    from audit_log where ${after}::bigint is null or seq > ${after}::bigint
    order by seq limit ${pageRows}`.execute(db)
  return rows
}

const findHead = (db: Db) => db.selectFrom('audit_head').select(['seq', 'hash']).limit(1).executeTakeFirst()

export const verifyAudit = (db: Db): Promise<AuditVerdict> =>
  // One snapshot: rows appended meanwhile are neither in the walk nor in the head it is compared with.
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (db) => {
      let end: ChainEnd = chainStart
      let rows = await findPage(db, null)
      while (rows.length > 0) {
        const next = followChain(end, rows)
        if (isFault(next)) return { ok: false, rows: Math.max(0, next.seq - 1), ...next }
        end = next
        rows = await findPage(db, end.seq)
      }
      const fault = closeChain(end, await findHead(db))
      return fault ? { ok: false, rows: fault.seq - 1, ...fault } : { ok: true, rows: end.seq }
    })
