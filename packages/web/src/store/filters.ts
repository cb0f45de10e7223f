// The filters of the store: the address and the request. Pure.
import type { AppCategory } from '@millrace/contract/apps'
import type { ListRequest } from '@millrace/contract/common'
import { eqFilter, given, oneOf, present } from '../api/address-filters.ts'
import { strings } from './strings.ts'

export const kinds = strings.kinds
export type Kind = keyof typeof kinds

export const categories: Readonly<Record<AppCategory, string>> = strings.categories

/** The default order is by rank. */
export const orders = strings.orders
export type Order = keyof typeof orders

export type StoreFilters = {
  kind?: Kind
  /** For apps only, like tags. */
  category?: AppCategory
  tag?: string
  featured?: boolean
  order?: Order
}

const tagText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= 64 ? value : undefined

/** Reads the address and leaves out invalid values. */
export const storeFilters = (search: Record<string, unknown>): StoreFilters => {
  const kind = oneOf<Kind>(search.kind, kinds)
  const ofApps = kind !== 'skills'
  return present({
    kind,
    category: ofApps ? oneOf<AppCategory>(search.category, categories) : undefined,
    tag: ofApps ? tagText(search.tag) : undefined,
    featured: search.featured === true ? true : undefined,
    order: oneOf<Order>(search.order, orders),
  })
}

const sorts: Readonly<Record<Order | 'rank', NonNullable<ListRequest['sort']>>> = {
  rank: [
    { field: 'rank', dir: 'desc' },
    { field: 'created_at', dir: 'desc' },
  ],
  newest: [{ field: 'created_at', dir: 'desc' }],
  name: [{ field: 'name', dir: 'asc' }],
}

export const storeRequest = ({ category, tag, featured, order }: StoreFilters, term: string): ListRequest => ({
  sort: sorts[order ?? 'rank'],
  filters: given([
    eqFilter('category', category),
    eqFilter('tag', tag),
    featured ? { field: 'is_featured', operator: 'eq', value: true } : undefined,
  ]),
  ...(term === '' ? {} : { search: { term } }),
})
