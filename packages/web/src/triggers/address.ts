// The filters of the lists of triggers and trigger events, as written in the URL. Without labels, so that the first load
// does not contain the texts of the trigger pages.
import type { TriggerFire, TriggerType } from '@millrace/contract/triggers'
import type { Filter } from '../api/address-filters.ts'
import { listAddress } from '../api/list-address.ts'

const types: Record<TriggerType, true> = { webhook: true, cron: true, scheduled: true, manual: true }
const states = { on: true, off: true } as const
export type TriggerState = keyof typeof states

export const triggersAddress = listAddress({ kind: types, is: states })

export const enabledFilter = (is: TriggerState | undefined): Filter | undefined =>
  is && { field: 'enabled', operator: 'eq', value: is === 'on' }

const outcomes: Record<TriggerFire['status'], true> = { success: true, filtered: true, error: true }

export const eventsAddress = listAddress({ outcome: outcomes })
