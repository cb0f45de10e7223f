// How the store is browsed: what stands in the address, and what the server is asked. Pure.
import type { AppCategory } from '@millrace/contract/apps'
import type { ListRequest } from '@millrace/contract/common'
import { eqFilter, given, oneOf, present } from '../api/address-filters.ts'

export const kinds = { apps: 'Apps', skills: 'Skills' } as const
export type Kind = keyof typeof kinds

export const categories: Readonly<Record<AppCategory, string>> = {
  text: 'Text',
  chat: 'Chat',
  image: 'Image',
  video: 'Video',
  audio: 'Audio',
  '3d': '3D',
  multimodal: 'Multimodal',
  decision: 'Decision',
  flow: 'Flow',
  social: 'Social',
  utilities: 'Utilities',
  other: 'Other',
}

/** Without a choice, those that are ranked highest come first. */
export const orders = { newest: 'Newest first', name: 'By name' } as const
export type Order = keyof typeof orders

export type StoreFilters = {
  kind?: Kind
  /** Of apps alone, as are tags. */
  category?: AppCategory
  tag?: string
  featured?: boolean
  order?: Order
}

const tagText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= 64 ? value : undefined

/** Reads the address; what makes no sense there is left out. */
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
