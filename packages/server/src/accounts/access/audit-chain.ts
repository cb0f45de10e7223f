// Verifies the hash chain of the audit log row by row. The hash is computed here and not by the database's own
// function, so that write access to the database is not enough to forge the result. Pure.
import { createHash } from 'node:crypto'
import type { AuditFault } from '@millrace/contract/access'

/** A stored row, with times and JSON in PostgreSQL's text format. */
export type ChainRow = {
  seq: number
  id: string
  created_epoch: string
  team_id: string
  actor_user_id: string
  actor_kind: string
  actor_id: string
  action: string
  resource_type: string
  resource_id: string
  meta_text: string
  ip: string
  user_agent: string
  previous_hash: string
  hash: string
}

/** SHA-256 over the text of `jsonb_build_array(…)`, the format that `audit_append` sealed. */
export const chainHash = (row: ChainRow): string => {
  const before = [row.id, row.created_epoch, row.team_id, row.actor_user_id, row.actor_kind, row.actor_id, row.action]
  const texts = [...before, row.resource_type, row.resource_id].map((text) => JSON.stringify(text))
  const after = [row.ip, row.user_agent, row.previous_hash].map((text) => JSON.stringify(text))
  const sealed = `[${[row.seq, ...texts, row.meta_text, ...after].join(', ')}]`
  return createHash('sha256').update(sealed, 'utf8').digest('hex')
}

export type ChainFault = { readonly seq: number; readonly id: string | null; readonly reason: AuditFault }

/** The end of the chain so far: the last valid row. */
export type ChainEnd = { readonly seq: number; readonly hash: string; readonly id: string | null }

export const chainStart: ChainEnd = { seq: 0, hash: '', id: null }

/** The first fault among the rows after `end`, or the new end. */
export const followChain = (end: ChainEnd, rows: readonly ChainRow[]): ChainEnd | ChainFault => {
  let last = end
  for (const row of rows) {
    if (row.seq <= last.seq) return { seq: row.seq, id: row.id, reason: 'unexpected' }
    if (row.seq !== last.seq + 1) return { seq: last.seq + 1, id: null, reason: 'missing' }
    if (row.hash !== chainHash(row)) return { seq: row.seq, id: row.id, reason: 'edited' }
    if (row.previous_hash !== last.hash) return { seq: row.seq, id: row.id, reason: 'out_of_place' }
    last = { seq: row.seq, hash: row.hash, id: row.id }
  }
  return last
}

/**
 * Compares the end with the head row, which records the newest entry, so that rows removed from or added to the end are
 * found.
 */
export const closeChain = (end: ChainEnd, head: { seq: number; hash: string } | undefined): ChainFault | null => {
  if (!head || end.seq < head.seq) return { seq: end.seq + 1, id: null, reason: 'missing' }
  if (end.seq > head.seq)
    return { seq: head.seq + 1, id: end.seq === head.seq + 1 ? end.id : null, reason: 'unexpected' }
  return end.hash === head.hash ? null : { seq: end.seq, id: end.id, reason: 'edited' }
}

/** Finds where the chain differs from the checkpoints; `rows` are valid and consecutive. */
export const compareWithCheckpoints = (
  checkpoints: ReadonlyMap<number, string>,
  rows: readonly Pick<ChainRow, 'seq' | 'id' | 'hash'>[],
): ChainFault | null => {
  const foreign = rows.find(({ seq, hash }) => (checkpoints.get(seq) ?? hash) !== hash)
  return foreign ? { seq: foreign.seq, id: foreign.id, reason: 'rewritten' } : null
}

export const isFault = (value: ChainEnd | ChainFault): value is ChainFault => 'reason' in value
