// Texts of the filters of triggers and trigger events.
import type { TriggerFire, TriggerType } from '@millrace/contract/triggers'
import { uiStrings } from '../ui/strings.ts'
import type { TriggerState } from './address.ts'
import { strings } from './strings.ts'

export const types: Readonly<Record<TriggerType, string>> = {
  webhook: strings.types.webhook,
  cron: strings.types.cron,
  scheduled: strings.types.scheduled,
  manual: strings.types.manual,
}

export const states: Readonly<Record<TriggerState, string>> = { on: uiStrings.enabled, off: uiStrings.disabled }

export const outcomes: Readonly<Record<TriggerFire['status'], string>> = strings.outcomes
