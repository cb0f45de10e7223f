// The filters of the flow list, as they appear in the address.
import type { Filter } from '../api/address-filters.ts'
import { listAddress } from '../api/list-address.ts'

/** Without labels, so that the first load does not contain the texts of the flow pages. */
const states = { published: true, draft: true } as const
export type FlowState = keyof typeof states

export const flowsAddress = listAddress({ state: states })

/** A flow is a draft until a version of it is published. */
export const stateFilter = (state: FlowState | undefined): Filter | undefined =>
  state && { field: 'published_version_id', operator: state === 'published' ? 'is_not_null' : 'is_null' }
