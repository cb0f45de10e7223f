// The one place where money moves. Every movement is a transaction whose entries add up to zero, written together with
// whatever it pays for.
import { newId } from '@millrace/contract/ids'
import { teamSubject } from '../bus/subjects.ts'
import { type Actor, isMember } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import { isViolated } from '../db/violations.ts'
import { toTransaction } from './dto.ts'
import * as store from './store.ts'

/** Whose money: the workspace's own, what it has set aside for work under way, and those who earn it. */
export type Account = 'workspace' | 'held' | 'platform' | 'provider' | 'author'

export type Entry = { readonly account: Account; readonly owner: string; readonly amount: number }

export type Posting = {
  readonly teamId: string
  readonly type: 'grant' | 'debit' | 'refund' | 'reversal' | 'charge' | 'release' | 'settlement'
  readonly entries: readonly Entry[]
  /** What kind of thing it was for, such as `engine` or `task`, and which one. */
  readonly reference?: string
  readonly referenceId?: string
  readonly reversalId?: string
  readonly notes?: string
  /** Who caused it; the actor when left out. */
  readonly userId?: string
}

const order = ({ account, owner }: Entry): string => `${account}/${owner}`

/** The owner of the platform's own account. */
export const platformOwner = 'platform'

/** Refuses with `payment_required` what the balance does not cover; nothing has happened then. */
export const postTransaction = async (ctx: Ctx<Actor>, posting: Posting): Promise<store.TransactionRow> => {
  const now = ctx.now().toISOString()
  const entries = posting.entries.filter(({ amount }) => amount !== 0).sort((a, b) => (order(a) < order(b) ? -1 : 1))
  const write = () =>
    store.post(ctx.db, {
      id: newId(),
      teamId: posting.teamId,
      type: posting.type,
      userId: posting.userId ?? (isMember(ctx.actor) ? ctx.actor.userId : ''),
      reference: posting.reference ?? '',
      referenceId: posting.referenceId ?? '',
      reversalId: posting.reversalId ?? '',
      notes: posting.notes ?? '',
      now,
      entries: entries.map(({ account, owner, amount }) => [account, owner, amount] as const),
    })
  await store.insertAccount(ctx.db, posting.teamId, now)
  const row = await write().catch((error: unknown) => {
    if (isViolated(error, 'billing_accounts_covered'))
      throw fail('payment_required', 'The prepaid balance of this workspace does not cover this')
    throw error
  })
  if (row.type !== 'settlement')
    ctx.emit({ subject: teamSubject(posting.teamId), data: { name: 'transactions', data: toTransaction(row) } })
  return row
}

/** Refuses a workspace whose spending was stopped; its balance, which nobody else changes until the transaction ends. */
export const requireSpending = async (
  ctx: Ctx<Actor>,
  teamId: string,
  { evenIfStopped = false }: { evenIfStopped?: boolean } = {},
): Promise<{ balance: number }> => {
  const account = await store.lockAccount(ctx.db, teamId)
  if (!account) return { balance: 0 }
  if (account.status !== 'active' && !evenIfStopped)
    throw fail('payment_required', {
      detail: `The account of this workspace is ${account.status.replaceAll('_', ' ')}: paid work is not accepted`,
      meta: { status: account.status },
    })
  return { balance: account.balance }
}
