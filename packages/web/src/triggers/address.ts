// The filters of the lists of triggers and trigger events, as the URL holds them.
import type { Filter } from '../api/address-filters.ts'
import { listAddress } from '../api/list-address.ts'
import { uiStrings } from '../ui/strings.ts'
import { strings } from './strings.ts'

export const types = {
  webhook: strings.types.webhook,
  cron: strings.types.cron,
  scheduled: strings.types.scheduled,
  manual: strings.types.manual,
} as const
export const states = { on: uiStrings.enabled, off: uiStrings.disabled } as const

export const triggersAddress = listAddress({ kind: types, is: states })

export const enabledFilter = (is: keyof typeof states | undefined): Filter | undefined =>
  is && { field: 'enabled', operator: 'eq', value: is === 'on' }

export const outcomes = {
  success: strings.outcomes.success,
  filtered: strings.outcomes.filtered,
  error: strings.outcomes.error,
} as const

export const eventsAddress = listAddress({ outcome: outcomes })
