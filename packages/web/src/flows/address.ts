// The filters of the flow list, as they appear in the address.
import type { Filter } from '../api/address-filters.ts'
import { listAddress } from '../api/list-address.ts'
import { strings } from './strings.ts'

export const states = { published: strings.statuses.published, draft: strings.statuses.draft } as const

export const flowsAddress = listAddress({ state: states })

/** A flow is a draft until a version of it is published. */
export const stateFilter = (state: keyof typeof states | undefined): Filter | undefined =>
  state && { field: 'published_version_id', operator: state === 'published' ? 'is_not_null' : 'is_null' }
