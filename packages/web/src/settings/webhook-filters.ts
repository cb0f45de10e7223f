// The filters of the webhooks that were sent: what stands in the address, and what the server is asked. Pure.
import type { ListRequest } from '@millrace/contract/common'
import { given, oneOf, type Period, periods, present, sinceFilter } from '../api/address-filters.ts'
import { type StatusFilter, statusFilters } from '../runs/filters.ts'
import { sortIn } from '../ui/use-sort.ts'

export type WebhookFilters = { status?: StatusFilter; since?: Period; sort?: string }

const sortText = (value: unknown): string | undefined =>
  typeof value === 'string' && /^(created_at|status):(asc|desc)$/.test(value) ? value : undefined

/** Reads the address; what makes no sense there is left out. */
export const webhookFilters = (search: Record<string, unknown>): WebhookFilters =>
  present({
    status: oneOf<StatusFilter>(search.status, statusFilters),
    since: oneOf<Period>(search.since, periods),
    sort: sortText(search.sort),
  })

/** Never further back than a week: runs that have a webhook are looked for among all of them. */
export const longest: Period = '7d'

export const webhooksRequest = ({ status, since, sort }: WebhookFilters, nowMs: number): ListRequest => ({
  limit: 20,
  sort: [sortIn({ field: 'created_at', dir: 'desc' }, sort)],
  filters: given([
    { field: 'has_webhook', operator: 'eq', value: true },
    status && { field: 'status', operator: 'in', value: [...statusFilters[status]] },
    sinceFilter(since ?? longest, nowMs),
  ]),
})
