// HTTP operations of plans.
import { Success } from '@millrace/contract/common'
import { Entitlement, EntitlementUsage, NewPlanPath, Plan, PlanPath, SetPlan } from '@millrace/contract/plans'
import Type from 'typebox'
import { operation } from '#platform/core/operation.ts'
import { definePlan, deletePlan, entitlementUsage, listEntitlements, listPlans } from './service.ts'

export const planOperations = [
  operation({
    name: 'entitlements.list',
    route: 'GET /entitlements',
    summary: 'Entitlements of this workspace from its plan, add-ons and the operator',
    scope: 'authenticated',
    reply: Type.Array(Entitlement),
    run: (ctx) => listEntitlements(ctx),
  }),
  operation({
    name: 'entitlements.usage',
    route: 'GET /entitlements/usage',
    summary: 'Each resource with its limit and usage',
    scope: 'authenticated',
    reply: Type.Array(EntitlementUsage),
    run: (ctx) => entitlementUsage(ctx),
  }),
  operation({
    name: 'plans.list',
    route: 'GET /plans',
    summary: 'The plans of this deployment',
    scope: 'public',
    reply: Type.Array(Plan),
    run: (ctx) => listPlans(ctx),
  }),
  operation({
    name: 'plans.set',
    route: 'PUT /plans/:name',
    summary: 'Create or change a plan or an add-on',
    scope: 'admin:write',
    path: NewPlanPath,
    body: SetPlan,
    reply: Plan,
    fails: ['validation_error', 'conflict'],
    run: (ctx, { path, body }) => definePlan(ctx, path.name, body),
  }),
  operation({
    name: 'plans.delete',
    route: 'DELETE /plans/:name',
    summary: 'Delete a plan or an add-on that no workspace has',
    scope: 'admin:write',
    path: PlanPath,
    reply: Success,
    fails: ['not_found', 'conflict'],
    run: async (ctx, { path }) => {
      await deletePlan(ctx, path.name)
      return { success: true }
    },
  }),
]
