// Filters in the address: parsed, with invalid values ignored, and converted to server filters. Pure.
import type { ListRequest } from '@millrace/contract/common'

export const periods = { '1h': 3_600_000, '24h': 86_400_000, '7d': 7 * 86_400_000 } as const
export type Period = keyof typeof periods

export type Filter = NonNullable<ListRequest['filters']>[number]

export const oneOf = <T extends string>(value: unknown, choices: object): T | undefined =>
  typeof value === 'string' && Object.hasOwn(choices, value) ? (value as T) : undefined

export const idText = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[\w-]{1,64}$/.test(value) ? value : undefined

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Removes keys without a value. */
export const present = <T extends object>(found: T): Present<T> =>
  Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as Present<T>

/** `nowMs` rounded down to the minute, so that the query key stays the same for a while. */
export const sinceFilter = (period: Period | undefined, nowMs: number): Filter | undefined =>
  period && {
    field: 'created_at',
    operator: 'gte',
    value: new Date(Math.floor(nowMs / 60_000) * 60_000 - periods[period]).toISOString(),
  }

export const eqFilter = (field: string, value: string | undefined): Filter | undefined =>
  value === undefined ? undefined : { field, operator: 'eq', value }

export const given = (filters: readonly (Filter | undefined)[]): Filter[] =>
  filters.filter((filter): filter is Filter => filter !== undefined)
