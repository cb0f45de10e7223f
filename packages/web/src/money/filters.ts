// The filters of the transactions: the address and the request. Pure.
import type { TransactionType } from '@millrace/contract/billing'
import type { ListRequest } from '@millrace/contract/common'
import { eqFilter, given, oneOf, type Period, periods, present, sinceFilter } from '../api/address-filters.ts'
import { sortIn } from '../ui/use-sort.ts'
import { strings } from './strings.ts'

/** Repeated here because the router uses them: the contract would add its schemas to the first load. */
export const transactionKinds: Readonly<Record<TransactionType, string>> = strings.kinds

export type MoneyFilters = { type?: TransactionType; since?: Period; sort?: string }

const sortText = (value: unknown): string | undefined =>
  typeof value === 'string' && /^(created_at|type|amount):(asc|desc)$/.test(value) ? value : undefined

/** Reads the address and leaves out invalid values. */
export const moneyFilters = (search: Record<string, unknown>): MoneyFilters =>
  present({
    type: oneOf<TransactionType>(search.type, transactionKinds),
    since: oneOf<Period>(search.since, periods),
    sort: sortText(search.sort),
  })

export const transactionsRequest = ({ type, since, sort }: MoneyFilters, nowMs: number): ListRequest => ({
  sort: [sortIn({ field: 'created_at', dir: 'desc' }, sort)],
  filters: given([eqFilter('type', type), sinceFilter(since, nowMs)]),
})
