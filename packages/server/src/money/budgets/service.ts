// Rules of budgets: workspace admins set them, and every member who can see the workspace's money can see them.
import type { Budget, BudgetPeriod, CreateBudget, UpdateBudget } from '@millrace/contract/budgets'
import type { ListRequest, Page } from '@millrace/contract/common'
import { newId, shortId } from '@millrace/contract/ids'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { wireTime } from '#platform/core/times.ts'
import { isDuplicate } from '#platform/db/violations.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { runList } from '#platform/tenancy/list/list.ts'
import type { ListSpec } from '#platform/tenancy/list/spec.ts'
import { resetsAt } from './periods.ts'
import { daysAt } from './spending.ts'
import * as store from './store.ts'

export type { RunCause, WorkOrigin } from './chain.ts'
export { brokenLimit, type OpenSpending, reserveSpending, settleSpending } from './spending.ts'

const toBudget = (row: store.BudgetRow, now: Date): Budget => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: null,
  team_id: row.team_id,
  user_id: row.user_id,
  subject_type: row.subject_type as Budget['subject_type'],
  subject_id: row.subject_id,
  period: row.period as BudgetPeriod,
  limit: row.limit,
  enforcement: row.enforcement as Budget['enforcement'],
  spent: row.spent,
  held: row.held,
  resets_at: wireTime(resetsAt(row.period as BudgetPeriod, now)),
})

const listSpec: ListSpec = {
  id: 'budgets.id',
  columns: {
    subject_type: { ref: 'budgets.subject_type', type: 'text' },
    subject_id: { ref: 'budgets.subject_id', type: 'text' },
    period: { ref: 'budgets.period', type: 'text' },
    limit: { ref: 'budgets.limit', type: 'number' },
    enforcement: { ref: 'budgets.enforcement', type: 'text' },
    created_at: { ref: 'budgets.created_at', type: 'time' },
    updated_at: { ref: 'budgets.updated_at', type: 'time' },
  },
  search: ['subject_type', 'subject_id'],
}

export const listBudgets = (ctx: Ctx, request: ListRequest): Promise<Page<Partial<Budget>>> =>
  runList(store.selectBudgets(ctx.db, ctx.actor.teamId, daysAt(ctx.now())), {
    db: ctx.db,
    spec: listSpec,
    request,
    toItem: (row) => toBudget(row, ctx.now()),
    notice: ctx.notice,
  })

const found = async (ctx: Ctx, id: string): Promise<store.BudgetRow> => {
  const row = await store.findBudget(ctx.db, ctx.actor.teamId, id, daysAt(ctx.now()))
  if (!row) throw fail('not_found', 'Budget not found')
  return row
}

const subjectOf = async (
  ctx: Ctx,
  { subject_type: type, subject_id: requested = '' }: CreateBudget,
): Promise<string> => {
  const { teamId } = ctx.actor
  if (type === 'workspace') {
    if (requested === '' || requested === teamId) return teamId
    throw fail('validation_error', '`subject_id` must be this workspace or omitted')
  }
  const id = requested === '' ? undefined : await store.findSubject(ctx.db, teamId, type, requested)
  if (id === undefined) throw fail('validation_error', `\`subject_id\` is not the id of a ${type} in this workspace`)
  return id
}

export const createBudget = (ctx: Ctx, given: CreateBudget): Promise<Budget> =>
  ctx.tx(async (ctx) => {
    const id = newId()
    const now = ctx.now().toISOString()
    const row = {
      id,
      team_id: ctx.actor.teamId,
      user_id: ctx.actor.userId,
      subject_type: given.subject_type,
      subject_id: await subjectOf(ctx, given),
      period: given.period,
      limit: given.limit,
      enforcement: given.enforcement ?? 'block',
      created_at: now,
      updated_at: now,
    }
    await store.insertBudget(ctx.db, row).catch((error: unknown) => {
      if (isDuplicate(error, 'budgets_one_each'))
        throw fail('already_exists', 'A budget for this subject and period already exists')
      throw error
    })
    await recordAudit(ctx, 'budget.created', { resourceType: 'budget', resourceId: id, meta: { ...given } })
    return toBudget(await found(ctx, id), ctx.now())
  })

export const updateBudget = (ctx: Ctx, id: string, change: UpdateBudget): Promise<Budget> =>
  ctx.tx(async (ctx) => {
    const row = await found(ctx, id)
    await store.updateBudget(ctx.db, row.team_id, row.id, { ...change, updated_at: ctx.now().toISOString() })
    await recordAudit(ctx, 'budget.updated', { resourceType: 'budget', resourceId: row.id, meta: { ...change } })
    return toBudget(await found(ctx, row.id), ctx.now())
  })

export const deleteBudget = (ctx: Ctx, id: string): Promise<{ success: boolean }> =>
  ctx.tx(async (ctx) => {
    const row = await found(ctx, id)
    await store.deleteBudget(ctx.db, row.team_id, row.id)
    await recordAudit(ctx, 'budget.deleted', { resourceType: 'budget', resourceId: row.id })
    return { success: true }
  })
