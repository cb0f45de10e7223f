// The filters of the list of webhooks: read from the URL, turned into a list request. Pure.
import type { ListRequest } from '@millrace/contract/common'
import { given, oneOf, type Period, periods, present, sinceFilter } from '../api/address-filters.ts'
import { type StatusFilter, statusFilters } from '../runs/filters.ts'
import { sortIn } from '../ui/use-sort.ts'

export type WebhookFilters = { status?: StatusFilter; since?: Period; sort?: string }

const sortText = (value: unknown): string | undefined =>
  typeof value === 'string' && /^(created_at|status):(asc|desc)$/.test(value) ? value : undefined

/** Reads the URL; invalid values are ignored. */
export const webhookFilters = (search: Record<string, unknown>): WebhookFilters =>
  present({
    status: oneOf<StatusFilter>(search.status, statusFilters),
    since: oneOf<Period>(search.since, periods),
    sort: sortText(search.sort),
  })

/** One week, because `has_webhook` has no index of its own. */
export const maxPeriod: Period = '7d'

export const webhooksRequest = ({ status, since, sort }: WebhookFilters, nowMs: number): ListRequest => ({
  limit: 20,
  sort: [sortIn({ field: 'created_at', dir: 'desc' }, sort)],
  filters: given([
    { field: 'has_webhook', operator: 'eq', value: true },
    status && { field: 'status', operator: 'in', value: [...statusFilters[status]] },
    sinceFilter(since ?? maxPeriod, nowMs),
  ]),
})
