// The period, the groups and the measure of the usage page: part of its address. Pure.
import { oneOf, present } from '../api/address-filters.ts'

export const periodDays = { '7d': 7, '30d': 30, '90d': 90 } as const
export type UsagePeriod = keyof typeof periodDays

export const groupings = ['app', 'agent', 'flow', 'person'] as const
export type Grouping = (typeof groupings)[number]

export const measures = ['runs', 'tokens', 'cost'] as const
export type Measure = (typeof measures)[number]

export type UsageAddress = { period?: UsagePeriod; by?: Grouping; show?: Measure }

const choices = (values: readonly string[]): object => Object.fromEntries(values.map((value) => [value, true]))

/** Reads the address and leaves out invalid values. */
export const usageAddress = (search: Record<string, unknown>): UsageAddress =>
  present({
    period: oneOf<UsagePeriod>(search.period, periodDays),
    by: oneOf<Grouping>(search.by, choices(groupings)),
    show: oneOf<Measure>(search.show, choices(measures)),
  })

const dayMs = 86_400_000

/** The first day of the period that ends today, in UTC. */
export const firstDay = (period: UsagePeriod, nowMs: number): string =>
  new Date(nowMs - (periodDays[period] - 1) * dayMs).toISOString().slice(0, 10)
