// Schemas of budgets: spending limits per day or month.
import Type, { type Static } from 'typebox'
import { maxMicrocents } from './billing.ts'
import { baseFields, StringEnum, Timestamp } from './common.ts'

export const budgetSubjects = ['workspace', 'api_key', 'agent', 'flow', 'trigger'] as const
export type BudgetSubject = (typeof budgetSubjects)[number]
export const budgetPeriods = ['day', 'month'] as const
export type BudgetPeriod = (typeof budgetPeriods)[number]
export const budgetEnforcements = ['block', 'warn'] as const

const Limit = Type.Integer({ minimum: 0, maximum: maxMicrocents, description: 'Microcents' })

export const Budget = Type.Object({
  ...baseFields,
  team_id: Type.String(),
  user_id: Type.String(),
  subject_type: StringEnum(budgetSubjects),
  subject_id: Type.String(),
  period: StringEnum(budgetPeriods, { description: 'In UTC' }),
  limit: Limit,
  enforcement: StringEnum(budgetEnforcements),
  spent: Type.Integer({ description: 'Microcents spent in this period' }),
  held: Type.Integer({ description: 'Microcents reserved for active work' }),
  resets_at: Timestamp,
})
export type Budget = Static<typeof Budget>

export const CreateBudget = Type.Object({
  subject_type: StringEnum(budgetSubjects),
  subject_id: Type.Optional(Type.String({ maxLength: 64, description: 'Not needed for the workspace itself' })),
  period: StringEnum(budgetPeriods),
  limit: Limit,
  enforcement: Type.Optional(StringEnum(budgetEnforcements, { description: 'Default: block' })),
})
export type CreateBudget = Static<typeof CreateBudget>

export const UpdateBudget = Type.Object({
  limit: Type.Optional(Limit),
  enforcement: Type.Optional(StringEnum(budgetEnforcements)),
})
export type UpdateBudget = Static<typeof UpdateBudget>
