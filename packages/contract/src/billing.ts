// Schemas of billing: a workspace's account, transactions and usage.
import Type, { type Static } from 'typebox'
import { baseFields, Nullable, permissionFields, StringEnum, Timestamp } from './common.ts'

/** One dollar is 100,000,000 microcents. The limit is far below the largest integer that JSON represents exactly. */
export const maxMicrocents = 1_000_000_000_000_000

export const billingStatuses = ['active', 'spend_locked', 'manual_hold', 'suspended'] as const
export type BillingStatus = (typeof billingStatuses)[number]

export const Billing = Type.Object({
  ...baseFields,
  ...permissionFields,
  balance: Type.Integer({ description: 'Microcents' }),
  currency: Type.String(),
  status: StringEnum(billingStatuses),
})
export type Billing = Static<typeof Billing>

export const transactionTypes = ['grant', 'debit', 'refund', 'reversal', 'charge', 'release'] as const
export type TransactionType = (typeof transactionTypes)[number]

export const Transaction = Type.Object({
  ...baseFields,
  ...permissionFields,
  type: StringEnum(transactionTypes),
  amount: Type.Integer({ description: 'Microcents; positive amounts add to the balance, negative ones reduce it' }),
  reference: Type.String(),
  notes: Type.String(),
  reference_id: Type.Optional(Type.String()),
  reversal_id: Type.Optional(Type.String()),
})
export type Transaction = Static<typeof Transaction>

export const GrantCredits = Type.Object({
  team_id: Type.String(),
  amount: Type.Integer({ minimum: 1, maximum: maxMicrocents, description: 'Microcents' }),
  notes: Type.Optional(Type.String({ maxLength: 1000 })),
})
export type GrantCredits = Static<typeof GrantCredits>

export const SetBillingStatus = Type.Object({ team_id: Type.String(), status: StringEnum(billingStatuses) })
export type SetBillingStatus = Static<typeof SetBillingStatus>

export const UsageQuery = Type.Object({
  from: Type.Optional(Type.String({ description: 'RFC 3339 time or a date; default: 30 days before `to`' })),
  to: Type.Optional(Type.String({ description: 'Exclusive; default: now' })),
})

export const Usage = Type.Object({
  total: Type.Integer({ description: 'Microcents' }),
  by_app: Type.Array(
    Type.Object({
      app_id: Type.String(),
      ref: Type.String(),
      tasks: Type.Integer(),
      microcents: Type.Integer(),
    }),
  ),
  by_day: Type.Array(Type.Object({ date: Type.String(), microcents: Type.Integer() })),
})
export type Usage = Static<typeof Usage>

const meterFields = {
  tasks: Type.Integer({ description: 'Finished runs' }),
  cpu_seconds: Type.Number({ description: 'Processor time of runs' }),
  gpu_seconds: Type.Number({ description: 'Processor time multiplied by the number of reserved GPUs' }),
  ram_byte_seconds: Type.Number({ description: 'Processor time multiplied by the requested memory' }),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  input_bytes: Type.Integer(),
  output_bytes: Type.Integer(),
}

/** Usage of runs, including free ones. */
export const Metering = Type.Object({
  from: Type.String(),
  to: Type.String({ description: 'Exclusive' }),
  total: Type.Object(meterFields),
  by_app: Type.Array(Type.Object({ app_id: Type.String(), ref: Type.String(), ...meterFields })),
})
export type Metering = Static<typeof Metering>

const runCounts = {
  runs: Type.Integer(),
  failed: Type.Integer(),
  cancelled: Type.Integer(),
  microcents: Type.Integer({ description: 'Cost of the runs' }),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
}
const runTimes = {
  p50_ms: Nullable(Type.Number({ description: 'Median duration of completed runs, from creation to end' })),
  p95_ms: Nullable(Type.Number({ description: '95th percentile' })),
  p99_ms: Nullable(Type.Number({ description: '99th percentile' })),
}
const UsageGroup = Type.Object({
  id: Type.String(),
  name: Type.String({ description: 'Empty for a person, and for what the caller cannot read' }),
  ...runCounts,
  ...runTimes,
})
export type UsageGroup = Static<typeof UsageGroup>
const UsageGroups = Type.Array(UsageGroup, { description: 'Most runs first, at most 100' })

/** The runs of a period that the caller can list. */
export const UsageSummary = Type.Object({
  from: Type.String(),
  to: Type.String({ description: 'Exclusive' }),
  counted_since: Type.String({
    description: 'Equal to `from`, or later if there are more than 50,000 runs: earlier ones are left out',
  }),
  total: Type.Object({ ...runCounts, ...runTimes }),
  by_day: Type.Array(Type.Object({ date: Type.String({ description: 'In UTC' }), ...runCounts }), {
    description: 'Oldest first, without gaps',
  }),
  by_app: UsageGroups,
  by_agent: UsageGroups,
  by_flow: UsageGroups,
  by_person: UsageGroups,
  failures: Type.Array(
    Type.Object({
      app_id: Type.String(),
      ref: Type.String({ description: 'Empty for an app that the caller cannot read' }),
      cause: Type.String({ description: 'First line of the error, with ids and numbers replaced by `…`' }),
      example: Type.String({ description: 'First line of the newest error' }),
      count: Type.Integer(),
      first_seen: Timestamp,
      last_seen: Timestamp,
      last_task_id: Type.String(),
    }),
    { description: 'Most frequent first, at most 50' },
  ),
})
export type UsageSummary = Static<typeof UsageSummary>
