// The doors of plans.
import { Success } from '@millrace/contract/common'
import { Entitlement, EntitlementUsage, NewPlanPath, Plan, PlanPath, SetPlan } from '@millrace/contract/plans'
import Type from 'typebox'
import { operation } from '#platform/core/operation.ts'
import { definePlan, deletePlan, entitlementUsage, listEntitlements, listPlans } from './service.ts'

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
  operation({
    name: 'plans.set',
    door: 'PUT /plans/:name',
    summary: 'Define a plan or an add-on, or change the one of that name',
    scope: 'admin:write',
    path: NewPlanPath,
    body: SetPlan,
    reply: Plan,
    fails: ['validation_error', 'conflict'],
    run: (ctx, { path, body }) => definePlan(ctx, path.name, body),
  }),
  operation({
    name: 'plans.delete',
    door: 'DELETE /plans/:name',
    summary: 'Take a plan or an add-on away that no workspace has',
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
