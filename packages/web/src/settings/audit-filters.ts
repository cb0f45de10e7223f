// The filters of the audit log: read from the URL, turned into a list request. Pure.
import type { ListRequest } from '@millrace/contract/common'
import { eqFilter, given, idText, oneOf, type Period, periods, present, sinceFilter } from '../api/address-filters.ts'
import { sortIn } from '../ui/use-sort.ts'

/** Without labels, so that the first load does not contain the texts of the settings. */
const actorKinds = { browser: true, session: true, key: true, run: true, operator: true, system: true } as const
export type ActorKind = keyof typeof actorKinds

export type AuditFilters = {
  /** A part of the action, such as `secret`. */
  action?: string
  by?: ActorKind
  since?: Period
  person?: string
  /** Resource id. */
  on?: string
  sort?: string
}

const actionText = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[\w.]{1,64}$/.test(value) ? value : undefined

const sortText = (value: unknown): string | undefined =>
  typeof value === 'string' && /^(created_at|action|resource_type|actor_kind|ip):(asc|desc)$/.test(value)
    ? value
    : undefined

/** Reads the URL; invalid values are ignored. */
export const auditFilters = (search: Record<string, unknown>): AuditFilters =>
  present({
    action: actionText(search.action),
    by: oneOf<ActorKind>(search.by, actorKinds),
    since: oneOf<Period>(search.since, periods),
    person: idText(search.person),
    on: idText(search.on),
    sort: sortText(search.sort),
  })

export const auditRequest = ({ action, by, since, person, on, sort }: AuditFilters, nowMs: number): ListRequest => ({
  sort: [sortIn({ field: 'created_at', dir: 'desc' }, sort)],
  filters: given([
    action === undefined ? undefined : { field: 'action', operator: 'contains', value: action },
    eqFilter('actor_kind', by),
    sinceFilter(since, nowMs),
    eqFilter('actor_user_id', person),
    eqFilter('resource_id', on),
  ]),
})
