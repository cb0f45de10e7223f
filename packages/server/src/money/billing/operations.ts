// HTTP operations of billing.
import {
  Billing,
  GrantCredits,
  Metering,
  SetBillingStatus,
  Transaction,
  Usage,
  UsageQuery,
  UsageSummary,
} from '@millrace/contract/billing'
import { ListRequest, PageOf } from '@millrace/contract/common'
import Type from 'typebox'
import { operation } from '#platform/core/operation.ts'
import * as billing from './service.ts'
import { summaryOf } from './summary.ts'
import { meteringOf, usageOf } from './usage.ts'

export const billingOperations = [
  operation({
    name: 'billing.get',
    route: 'GET /billing',
    summary: "Balance and status of the workspace's account",
    scope: 'billing:read',
    reply: Billing,
    run: (ctx) => billing.getBilling(ctx),
  }),
  operation({
    name: 'billing.transactions',
    route: ['GET /transactions', 'POST /transactions/list'],
    summary: 'Transactions that changed the balance; their amounts add up to it',
    scope: 'billing:read',
    list: true,
    body: ListRequest,
    reply: PageOf(Type.Partial(Transaction)),
    run: (ctx, { body }) => billing.listTransactions(ctx, body),
  }),
  operation({
    name: 'billing.usage',
    route: 'GET /usage',
    summary: 'Spending of the workspace by app and day',
    scope: 'billing:read',
    query: UsageQuery,
    reply: Usage,
    fails: ['validation_error'],
    run: (ctx, { query }) => usageOf(ctx, query),
  }),
  operation({
    name: 'billing.resources',
    route: 'GET /usage/resources',
    summary: 'Processor time, memory, tokens and bytes of runs, whether they cost anything or not',
    scope: 'billing:read',
    query: UsageQuery,
    reply: Metering,
    fails: ['validation_error'],
    run: (ctx, { query }) => meteringOf(ctx, query),
  }),
  operation({
    name: 'billing.summary',
    route: 'GET /usage/summary',
    summary: 'Runs, failures, tokens and money by day, app, agent, flow and person, and failures by cause',
    scope: 'billing:read',
    andScope: 'apps:read',
    query: UsageQuery,
    reply: UsageSummary,
    fails: ['validation_error'],
    run: (ctx, { query }) => summaryOf(ctx, query),
  }),
  operation({
    name: 'billing.grant',
    route: 'POST /billing/grants',
    summary: 'Credit a workspace',
    scope: 'admin:write',
    body: GrantCredits,
    reply: Transaction,
    fails: ['validation_error', 'not_found'],
    run: (ctx, { body }) => billing.grantCredits(ctx, body),
  }),
  operation({
    name: 'billing.status',
    route: 'POST /billing/status',
    summary: 'Stop or resume the spending of a workspace',
    scope: 'admin:write',
    body: SetBillingStatus,
    reply: Billing,
    fails: ['validation_error', 'not_found'],
    run: (ctx, { body }) => billing.setStatus(ctx, body),
  }),
]
