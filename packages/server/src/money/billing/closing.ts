// Closes old parts of the ledger that the operator does not retain. The oldest transactions of a workspace are
// verified, their sums are stored under a seal that only this installation can create, and then they are deleted.
import type { Platform } from '#platform/core/ctx.ts'
import type { Db } from '#platform/db/database.ts'
import { type Keyring, platformKeyTeam } from '#platform/keyring/keyring.ts'
import { type SealedColumn, sealBinding } from '#platform/keyring/sealed-columns.ts'
import * as store from './closing-store.ts'
import {
  type AccountEnd,
  followLedger,
  isLedgerFault,
  type LedgerFault,
  type LedgerRow,
  ledgerStart,
} from './ledger-chain.ts'
import { findLedgerPage, pageRows } from './verify-store.ts'

export const sealedClosings: SealedColumn = {
  table: 'ledger_closings',
  column: 'seal_sealed',
  teamColumn: null,
  idColumns: ['team_id'],
}

type Sums = readonly (readonly [account: string, owner: string, amount: number])[]
type Closing = AccountEnd & { readonly team_id: string; readonly sums: Sums }

const dayMs = 24 * 3600_000
const pageTeams = 500

const bindingOf = (teamId: string): string => sealBinding(sealedClosings.table, teamId, sealedClosings.column)

const textOf = ({ team_id, seq, hash, balance, sums }: Closing): string =>
  JSON.stringify([team_id, seq, hash, balance, sums])

/** The point where a workspace's ledger continues after the closed part. */
export const endOfClosed = async (
  { db, keyring }: { readonly db: Db; readonly keyring: Keyring },
  teamId: string,
): Promise<Closing | LedgerFault> => {
  const row = await store.findClosing(db, teamId)
  if (!row) return { ...ledgerStart, team_id: teamId, sums: [] }
  const closing: Closing = { ...row, sums: row.sums as unknown as Sums }
  const plain = await keyring.open(db, row.seal_sealed, bindingOf(teamId)).catch(() => null)
  return plain?.toString() === textOf(closing) ? closing : { seq: row.seq, id: null, reason: 'forged_closing' }
}

/** Sorted, so that the same entries always produce the same text. */
const addUp = (sums: Sums, rows: readonly LedgerRow[]): Sums => {
  const byOwner = new Map(sums.map(([account, owner, amount]) => [JSON.stringify([account, owner]), amount]))
  for (const [account, owner, amount] of rows.flatMap(({ entries }) => entries)) {
    const key = JSON.stringify([account, owner])
    byOwner.set(key, (byOwner.get(key) ?? 0) + amount)
  }
  return [...byOwner]
    .toSorted(([one], [two]) => (one < two ? -1 : 1))
    .map(([key, amount]) => [...(JSON.parse(key) as [string, string]), amount] as const)
}

/** Closes a page of transactions older than `before`. Returns their number, or the fault that prevents closing. */
const closePage = (platform: Platform, teamId: string, before: Date): Promise<number | LedgerFault> =>
  platform.db.transaction().execute(async (db) => {
    const { keyring, now } = platform
    await store.lockClosing(db, teamId)
    const end = await endOfClosed({ db, keyring }, teamId)
    if (isLedgerFault(end)) return end
    const page = await findLedgerPage(db, teamId, end.seq)
    const newer = page.findIndex((row) => Number(row.created_epoch) * 1000 >= before.getTime())
    const rows = newer === -1 ? page : page.slice(0, newer)
    if (rows.length === 0) return 0
    const next = followLedger(end, rows)
    if (isLedgerFault(next)) return next
    const closing: Closing = { ...next, team_id: teamId, sums: addUp(end.sums, rows) }
    const seal_sealed = await keyring.seal(db, platformKeyTeam, textOf(closing), bindingOf(teamId))
    await store.writeClosing(db, teamId, {
      ...next,
      sums: JSON.stringify(closing.sums),
      seal_sealed,
      closed_at: now().toISOString(),
    })
    await store.allowClosing(db)
    await store.deleteEntriesUpTo(db, teamId, closing.seq)
    await store.deleteTransactionsUpTo(db, teamId, closing.seq)
    return rows.length
  })

/** A ledger with a fault keeps all its rows; other workspaces are closed anyway. */
const closeTeam = async (platform: Platform, teamId: string, before: Date): Promise<number> => {
  let rows = 0
  for (;;) {
    const closed = await closePage(platform, teamId, before)
    if (typeof closed !== 'number') {
      platform.log.error({ team: teamId, fault: closed }, 'the ledger fails verification; no transactions were deleted')
      return rows
    }
    rows += closed
    if (closed < pageRows) return rows
  }
}

export const closeOldLedgers = async (platform: Platform): Promise<void> => {
  const { db, log, now, settings } = platform
  if (settings.KEEP_LEDGER_DAYS === 0) return
  const before = new Date(now().getTime() - settings.KEEP_LEDGER_DAYS * dayMs)
  let rows = 0
  let after = ''
  for (;;) {
    const teams = await store.findTeamsToClose(db, before.toISOString(), after, pageTeams)
    for (const team of teams) rows += await closeTeam(platform, team, before)
    const last = teams.at(-1)
    if (last === undefined) break
    after = last
  }
  if (rows > 0) log.info({ rows }, 'closed and deleted old transactions')
}
