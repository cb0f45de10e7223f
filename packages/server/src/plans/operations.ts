// The doors of plans.
import { Entitlement, EntitlementUsage, Plan } from '@millrace/contract/plans'
import Type from 'typebox'
import { operation } from '../core/operation.ts'
import { entitlementUsage, listEntitlements, listPlans } from './service.ts'

export const planOperations = [
  operation({
    name: 'entitlements.list',
    door: 'GET /entitlements',
    summary: 'What the plan, its add-ons and the operator give this workspace',
    scope: 'authenticated',
    reply: Type.Array(Entitlement),
    run: (ctx) => listEntitlements(ctx),
  }),
  operation({
    name: 'entitlements.usage',
    door: 'GET /entitlements/usage',
    summary: 'Each resource with its limit and what is used of it',
    scope: 'authenticated',
    reply: Type.Array(EntitlementUsage),
    run: (ctx) => entitlementUsage(ctx),
  }),
  operation({
    name: 'plans.list',
    door: 'GET /plans',
    summary: 'The plans of this deployment',
    scope: 'public',
    reply: Type.Array(Plan),
    run: (ctx) => listPlans(ctx),
  }),
]
