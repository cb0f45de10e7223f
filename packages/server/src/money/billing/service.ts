// Billing functions for other features, and the rules of a workspace's account.
import {
  type Billing,
  type GrantCredits,
  maxMicrocents,
  type SetBillingStatus,
  type Transaction,
} from '@millrace/contract/billing'
import type { ListRequest, Page } from '@millrace/contract/common'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import type { ListSpec } from '#platform/tenancy/list/spec.ts'
import { billingDto, transactionDto } from './dto.ts'
import { platformOwner, postTransaction, requireSpending } from './ledger.ts'
import * as store from './store.ts'

export type { LedgerEntry } from './book.ts'
export { inBatch } from './group-commit.ts'
export { platformOwner, postTransaction, requireSpending } from './ledger.ts'
export { type LedgerVerdict, verifyLedger } from './verify.ts'

const accountOf = async (ctx: Ctx, teamId: string): Promise<Billing> => {
  await store.insertAccount(ctx.db, teamId, ctx.now().toISOString())
  const account = await store.findAccount(ctx.db, teamId)
  if (!account) throw new Error('The account was not written')
  const owner = await store.findOwner(ctx.db, teamId)
  return billingDto(account, owner?.user_id ?? '')
}

export const getBilling = (ctx: Ctx): Promise<Billing> => accountOf(ctx, ctx.actor.teamId)

/** The only source of money: a grant by the platform's staff. */
export const grantCredits = (ctx: Ctx, { team_id, amount, notes }: GrantCredits): Promise<Transaction> =>
  ctx.tx(async (ctx) => {
    const team = await teamOf(ctx, team_id)
    const { balance } = await requireSpending(ctx, team.id, { evenIfStopped: true })
    if (balance + amount > maxMicrocents)
      throw fail(
        'validation_error',
        `\`amount\`: a workspace holds at most ${maxMicrocents} microcents; this workspace has ${balance}`,
      )
    const row = await postTransaction(ctx, {
      teamId: team.id,
      type: 'grant',
      notes,
      entries: [
        { account: 'workspace', owner: team.id, amount },
        { account: 'platform', owner: platformOwner, amount: -amount },
      ],
    })
    await recordAudit(ctx, 'billing.granted', {
      resourceType: 'transaction',
      resourceId: row.id,
      teamId: team.id,
      meta: { amount },
    })
    return transactionDto(row)
  })

export const setStatus = (ctx: Ctx, { team_id, status }: SetBillingStatus): Promise<Billing> =>
  ctx.tx(async (ctx) => {
    const team = await teamOf(ctx, team_id)
    const now = ctx.now().toISOString()
    await store.insertAccount(ctx.db, team.id, now)
    await store.updateStatus(ctx.db, team.id, status, now)
    await recordAudit(ctx, 'billing.status_changed', {
      resourceType: 'billing',
      resourceId: team.id,
      teamId: team.id,
      meta: { status },
    })
    return accountOf(ctx, team.id)
  })

const teamOf = async (ctx: Ctx, id: string) => {
  const team = await store.findTeam(ctx.db, id)
  if (!team) throw fail('not_found', 'Workspace not found')
  return team
}

const listSpec: ListSpec = {
  id: 'transactions.id',
  columns: {
    type: { ref: 'transactions.type', type: 'text' },
    amount: { ref: 'transactions.amount', type: 'number' },
    reference_id: { ref: 'transactions.reference_id', type: 'text' },
    created_at: { ref: 'transactions.created_at', type: 'time' },
  },
  search: ['type', 'reference_id'],
}

export const listTransactions = (ctx: Ctx, request: ListRequest): Promise<Page<Partial<Transaction>>> =>
  runOwnedList(store.selectTransactions(ctx.db, ctx.actor.teamId), {
    db: ctx.db,
    spec: listSpec,
    request,
    toItem: transactionDto,
    notice: ctx.notice,
  })
