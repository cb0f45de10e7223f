// Verifies the ledger of every workspace, one page of transactions at a time, and reports the first faulty transaction.
// A closed part is verified by its seal; verification starts after it.
import type { Db } from '#platform/db/database.ts'
import type { Keyring } from '#platform/keyring/keyring.ts'
import { endOfClosed } from './closing.ts'
import { type AccountEnd, closeLedger, followLedger, isLedgerFault, type LedgerFault } from './ledger-chain.ts'
import { findAccountsPage, findLedgerPage } from './verify-store.ts'

export type LedgerVerdict =
  | { readonly ok: true; readonly accounts: number; readonly transactions: number }
  | ({ readonly ok: false; readonly team_id: string } & LedgerFault)

type Parts = { readonly db: Db; readonly keyring: Keyring }

const verifyAccount = async (parts: Parts, account: AccountEnd & { team_id: string }): Promise<LedgerFault | null> => {
  const closed = await endOfClosed(parts, account.team_id)
  if (isLedgerFault(closed)) return closed
  let end: AccountEnd = closed
  // Starts at the first stored row, so that a row inserted into the closed part is found.
  let after = 0
  for (;;) {
    const rows = await findLedgerPage(parts.db, account.team_id, after)
    if (rows.length === 0) return closeLedger(end, account)
    const next = followLedger(end, rows)
    if (isLedgerFault(next)) return next
    end = next
    after = next.seq
  }
}

export const verifyLedger = ({ db, keyring }: Parts): Promise<LedgerVerdict> =>
  // One snapshot: postings made meanwhile appear neither in the transactions nor in the accounts.
  db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (db) => {
      const seen = { accounts: 0, transactions: 0 }
      let after = ''
      for (;;) {
        const accounts = await findAccountsPage(db, after)
        for (const account of accounts) {
          const fault = await verifyAccount({ db, keyring }, account)
          if (fault) return { ok: false, team_id: account.team_id, ...fault }
          seen.accounts += 1
          seen.transactions += account.seq
        }
        const last = accounts.at(-1)
        if (!last) return { ok: true, ...seen }
        after = last.team_id
      }
    })
