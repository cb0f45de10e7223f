// A workspace's account while its row is locked. Transactions are appended in memory, each chained to the previous one
// by a hash, and written together, so several transactions cost one statement. Pure.
import { newId } from '@millrace/contract/ids'
import { wireTime } from '#platform/core/times.ts'
import { type AccountEnd, type LedgerRow, ledgerHash } from './ledger-chain.ts'

/** The owner of the money: the workspace itself, the amount reserved for running work, and those who earn it. */
export type Account = 'workspace' | 'held' | 'platform' | 'provider' | 'author'

export type LedgerEntry = { readonly account: Account; readonly owner: string; readonly amount: number }

export type Posting = {
  readonly teamId: string
  readonly type: 'grant' | 'debit' | 'refund' | 'reversal' | 'charge' | 'release' | 'settlement'
  readonly entries: readonly LedgerEntry[]
  /** The kind of the paid object, such as `engine` or `task`, and its id. */
  readonly reference?: string
  readonly referenceId?: string
  readonly reversalId?: string
  readonly notes?: string
  /** The person who caused the transaction; defaults to the actor. */
  readonly userId?: string
}

/** As stored in the table, with the time in both formats. */
export type SealedRow = LedgerRow & { readonly type: Posting['type']; readonly created_at: string }

export type Book = {
  readonly teamId: string
  readonly status: string
  /** The number of transactions in the table. */
  readonly written: number
  end: AccountEnd
  readonly rows: SealedRow[]
}

export type BookMark = { readonly end: AccountEnd; readonly length: number }

export const openBook = (account: { team_id: string; status: string } & AccountEnd): Book => ({
  teamId: account.team_id,
  status: account.status,
  written: account.seq,
  end: { seq: account.seq, hash: account.hash, balance: account.balance },
  rows: [],
})

export const markBook = ({ end, rows }: Book): BookMark => ({ end, length: rows.length })

/** Discards the transactions appended since the mark. */
export const rollBackBook = (book: Book, mark: BookMark): void => {
  book.rows.length = mark.length
  book.end = mark.end
}

const order = ({ account, owner }: LedgerEntry): string => `${account}/${owner}`

const sum = (entries: readonly LedgerEntry[]): number => entries.reduce((total, { amount }) => total + amount, 0)

/** Seconds since 1970 with microseconds, in the database's format. */
const epochText = (at: Date): string => `${(at.getTime() / 1000).toFixed(3)}000`

/** Returns null and appends nothing when the balance does not cover the posting. */
export const append = (
  book: Book,
  posting: Posting,
  { userId, at }: { userId: string; at: Date },
): SealedRow | null => {
  const entries = posting.entries.filter(({ amount }) => amount !== 0).sort((a, b) => (order(a) < order(b) ? -1 : 1))
  if (sum(entries) !== 0) throw new Error('The entries of a transaction add up to zero')
  const amount = sum(entries.filter(({ account }) => account === 'workspace'))
  const balance = book.end.balance + amount
  if (balance < 0) return null
  const open: SealedRow = {
    id: newId(),
    team_id: book.teamId,
    seq: book.end.seq + 1,
    type: posting.type,
    amount,
    user_id: posting.userId ?? userId,
    reference: posting.reference ?? '',
    reference_id: posting.referenceId ?? '',
    reversal_id: posting.reversalId ?? '',
    notes: posting.notes ?? '',
    created_at: wireTime(at),
    created_epoch: epochText(at),
    entries: entries.map(({ account, owner, amount }) => [account, owner, amount] as const),
    previous_hash: book.end.hash,
    hash: '',
  }
  const row = { ...open, hash: ledgerHash(open) }
  book.rows.push(row)
  book.end = { seq: row.seq, hash: row.hash, balance }
  return row
}
