// Which triggers and which of their fires a list shows, as its address says it.
import type { Filter } from '../api/address-filters.ts'
import { listAddress } from '../api/list-address.ts'

export const kinds = { webhook: 'Webhook', cron: 'Clock', scheduled: 'Once', manual: 'By hand' } as const
export const switched = { on: 'On', off: 'Off' } as const

export const triggersAddress = listAddress({ kind: kinds, is: switched })

export const switchedFilter = (is: keyof typeof switched | undefined): Filter | undefined =>
  is && { field: 'enabled', operator: 'eq', value: is === 'on' }

export const outcomes = { success: 'Started', filtered: 'Turned away', error: 'Failed' } as const

export const firesAddress = listAddress({ outcome: outcomes })
