// Schemas of plans: limits of a workspace and their usage.
import Type, { type Static } from 'typebox'
import { baseFields, PathText, StringEnum, Timestamp } from './common.ts'

export const entitlementSources = ['tier', 'addon', 'trial', 'whitelist', 'override'] as const
export type EntitlementSource = (typeof entitlementSources)[number]

const EntitlementType = StringEnum(['limit', 'boolean'])
const Enforcement = StringEnum(['block', 'warn'])

export const Entitlement = Type.Object({
  ...baseFields,
  scope: StringEnum(['org', 'team', 'member']),
  team_id: Type.String(),
  org_id: Type.Optional(Type.String()),
  user_id: Type.Optional(Type.String()),
  resource: Type.String(),
  type: EntitlementType,
  enabled: Type.Boolean(),
  unlimited: Type.Boolean(),
  limit: Type.Integer(),
  source: StringEnum(entitlementSources),
  enforcement: Enforcement,
  expires_at: Type.Optional(Timestamp),
  team_plan_id: Type.Optional(Type.String()),
})
export type Entitlement = Static<typeof Entitlement>

export const EntitlementUsage = Type.Object({
  resource: Type.String(),
  label: Type.String(),
  type: EntitlementType,
  enabled: Type.Boolean(),
  unlimited: Type.Boolean(),
  limit: Type.Integer(),
  current: Type.Number(),
  enforcement: Enforcement,
})
export type EntitlementUsage = Static<typeof EntitlementUsage>

export const PlanLimit = Type.Object({
  type: EntitlementType,
  label: Type.Optional(Type.String()),
  unit: Type.Optional(Type.String()),
  enabled: Type.Optional(Type.Boolean()),
  unlimited: Type.Optional(Type.Boolean()),
  limit: Type.Optional(Type.Integer()),
  enforcement: Type.Optional(Enforcement),
})
export type PlanLimit = Static<typeof PlanLimit>

export const Plan = Type.Object({
  ...baseFields,
  name: Type.String(),
  description: Type.String(),
  display_order: Type.Integer(),
  active: Type.Boolean(),
  self_serve: Type.Optional(Type.Boolean()),
  plan_type: StringEnum(['base', 'addon']),
  credits_monthly: Type.Integer({ description: 'Microcents' }),
  active_version: Type.Optional(Type.Integer()),
  stackable: Type.Boolean(),
  limits: Type.Record(Type.String(), PlanLimit),
})
export type Plan = Static<typeof Plan>

export const PlanPath = Type.Object({ name: PathText })

/** The name of a new plan. */
export const NewPlanPath = Type.Object({
  name: Type.String({ maxLength: 64, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' }),
})

export const SetPlan = Type.Object({
  description: Type.Optional(Type.String({ maxLength: 500 })),
  plan_type: Plan.properties.plan_type,
  limits: Type.Record(Type.String(), PlanLimit, {
    description: 'Missing limits are those of the default plan',
  }),
})
export type SetPlan = Static<typeof SetPlan>
