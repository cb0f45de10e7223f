// Maps ledger rows to their wire form.
import type { Billing, BillingStatus, Transaction, TransactionType } from '@millrace/contract/billing'
import { shortId } from '@millrace/contract/ids'
import type { AccountRow, TransactionRow } from './store.ts'

export const billingDto = (row: AccountRow, userId: string): Billing => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: null,
  user_id: userId,
  user: null,
  team_id: row.team_id,
  team: null,
  visibility: 'team',
  balance: row.balance,
  currency: 'usd',
  status: row.status as BillingStatus,
})

export const transactionDto = (row: TransactionRow): Transaction => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.created_at,
  deleted_at: null,
  user_id: row.user_id,
  user: null,
  team_id: row.team_id,
  team: null,
  visibility: 'team',
  type: row.type as TransactionType,
  amount: row.amount,
  reference: row.reference,
  notes: row.notes,
  ...(row.reference_id === '' ? {} : { reference_id: row.reference_id }),
  ...(row.reversal_id === '' ? {} : { reversal_id: row.reversal_id }),
})
