// Which flows a list shows, as its address says it.
import type { Filter } from '../api/address-filters.ts'
import { listAddress } from '../api/list-address.ts'

export const states = { published: 'Published', draft: 'Draft' } as const

export const flowsAddress = listAddress({ state: states })

/** A flow is a draft until a version of it is published. */
export const stateFilter = (state: keyof typeof states | undefined): Filter | undefined =>
  state && { field: 'published_version_id', operator: state === 'published' ? 'is_not_null' : 'is_null' }
