// HTTP operations of budgets.
import { Budget, CreateBudget, UpdateBudget } from '@millrace/contract/budgets'
import { IdPath, ListRequest, PageOf, Success } from '@millrace/contract/common'
import Type from 'typebox'
import { operation } from '#platform/core/operation.ts'
import * as budgets from './service.ts'

export const budgetOperations = [
  operation({
    name: 'budgets.list',
    route: ['GET /budgets', 'POST /budgets/list'],
    summary: 'Spending limits, with the amounts spent and reserved',
    scope: 'billing:read',
    list: true,
    body: ListRequest,
    reply: PageOf(Type.Partial(Budget)),
    run: (ctx, { body }) => budgets.listBudgets(ctx, body),
  }),
  operation({
    name: 'budgets.create',
    route: 'POST /budgets',
    summary: 'Limit the spending of a workspace, key, agent, flow or trigger per day or month',
    scope: 'billing:write',
    role: 'admin',
    body: CreateBudget,
    reply: Budget,
    fails: ['validation_error', 'already_exists'],
    run: (ctx, { body }) => budgets.createBudget(ctx, body),
  }),
  operation({
    name: 'budgets.update',
    route: 'PUT /budgets/:id',
    summary: 'Change the limit of a budget, or whether it blocks',
    scope: 'billing:write',
    role: 'admin',
    path: IdPath,
    body: UpdateBudget,
    reply: Budget,
    fails: ['validation_error', 'not_found'],
    run: (ctx, { path, body }) => budgets.updateBudget(ctx, path.id, body),
  }),
  operation({
    name: 'budgets.delete',
    route: 'DELETE /budgets/:id',
    summary: 'Remove a budget',
    scope: 'billing:write',
    role: 'admin',
    path: IdPath,
    reply: Success,
    fails: ['not_found'],
    run: (ctx, { path }) => budgets.deleteBudget(ctx, path.id),
  }),
]
