// The filters of the audit log: read from the URL, turned into a list request. Pure.
import type { ListRequest } from '@millrace/contract/common'
import { eqFilter, given, idText, oneOf, type Period, periods, present, sinceFilter } from '../api/address-filters.ts'
import { sortIn } from '../ui/use-sort.ts'
import { strings } from './strings.ts'

/** Actor kinds of the API with their labels. */
export const actorKinds = {
  browser: strings.audit.actors.browser,
  session: strings.audit.actors.session,
  key: strings.audit.actors.key,
  run: strings.audit.actors.run,
  operator: strings.audit.actors.operator,
  system: strings.audit.actors.system,
} as const
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
