// Verifies the hash chain of one workspace's ledger, transaction by transaction: the sealed content, entries that add
// up to zero, and an account that equals the sum of its transactions. Pure; the hash is computed here and not in the
// database.
import { createHash } from 'node:crypto'

/** A stored transaction, with times in PostgreSQL's text format and its entries as they were sealed. */
export type LedgerRow = {
  team_id: string
  seq: number
  id: string
  created_epoch: string
  type: string
  amount: number
  user_id: string
  reference: string
  reference_id: string
  reversal_id: string
  notes: string
  entries: readonly (readonly [string, string, number])[]
  previous_hash: string
  hash: string
}

export type AccountEnd = { readonly seq: number; readonly hash: string; readonly balance: number }

export type LedgerReason =
  /** The transaction differs from its sealed content. */
  | 'edited'
  | 'missing'
  | 'out_of_place'
  /** The entries do not add up to zero, or the workspace's entries do not equal the amount. */
  | 'unbalanced'
  | 'overdrawn'
  /** The account differs from the sum of its transactions. */
  | 'wrong_balance'
  /** The record of the closed part does not carry this installation's seal. */
  | 'forged_closing'

export type LedgerFault = { readonly seq: number; readonly id: string | null; readonly reason: LedgerReason }

const text = (value: string): string => JSON.stringify(value)

const entryText = ([account, owner, amount]: readonly [string, string, number]): string =>
  `[${text(account)}, ${text(owner)}, ${amount}]`

/** SHA-256 over the text of the `jsonb` array that `ledger_hash` in the database sealed. */
export const ledgerHash = (row: LedgerRow): string => {
  const parts = [
    text(row.team_id),
    row.seq,
    text(row.id),
    text(row.created_epoch),
    text(row.type),
    row.amount,
    ...[row.user_id, row.reference, row.reference_id, row.reversal_id, row.notes].map(text),
    `[${row.entries.map(entryText).join(', ')}]`,
    text(row.previous_hash),
  ]
  return createHash('sha256')
    .update(`[${parts.join(', ')}]`, 'utf8')
    .digest('hex')
}

export const ledgerStart: AccountEnd = { seq: 0, hash: '', balance: 0 }

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0)

const faultOf = (end: AccountEnd, row: LedgerRow): LedgerReason | null => {
  if (row.seq !== end.seq + 1) return row.seq > end.seq ? 'missing' : 'out_of_place'
  if (row.hash !== ledgerHash(row)) return 'edited'
  if (row.previous_hash !== end.hash) return 'out_of_place'
  const own = row.entries.filter(([account]) => account === 'workspace').map(([, , amount]) => amount)
  if (sum(row.entries.map(([, , amount]) => amount)) !== 0 || sum(own) !== row.amount) return 'unbalanced'
  return end.balance + row.amount < 0 ? 'overdrawn' : null
}

/** Returns the first fault among the rows after `end`, or the new end. */
export const followLedger = (end: AccountEnd, rows: readonly LedgerRow[]): AccountEnd | LedgerFault => {
  let last = end
  for (const row of rows) {
    const reason = faultOf(last, row)
    if (reason !== null) return { seq: row.seq, id: row.id, reason }
    last = { seq: row.seq, hash: row.hash, balance: last.balance + row.amount }
  }
  return last
}

/** Compares the end of the chain with the account row, which records the newest transaction and the balance. */
export const closeLedger = (end: AccountEnd, account: AccountEnd): LedgerFault | null => {
  if (end.seq < account.seq) return { seq: end.seq + 1, id: null, reason: 'missing' }
  if (end.seq > account.seq || end.hash !== account.hash) return { seq: end.seq, id: null, reason: 'out_of_place' }
  return end.balance === account.balance ? null : { seq: end.seq, id: null, reason: 'wrong_balance' }
}

export const isLedgerFault = (value: AccountEnd | LedgerFault): value is LedgerFault => 'reason' in value
