// The filters of the audit log: what stands in the address, and what the server is asked. Pure.
import type { ListRequest } from '@millrace/contract/common'
import { eqFilter, given, idText, oneOf, type Period, periods, present, sinceFilter } from '../api/address-filters.ts'

/** Kinds of actors as the log names them, in words for people. */
export const actorKinds = {
  browser: 'people',
  session: 'sessions',
  key: 'keys',
  run: 'runs',
  operator: 'operator',
  system: 'system',
} as const
export type ActorKind = keyof typeof actorKinds

export type AuditFilters = {
  /** A part of the action, such as `secret`. */
  action?: string
  by?: ActorKind
  since?: Period
  person?: string
  /** The one thing that it happened to. */
  on?: string
}

const actionText = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[\w.]{1,64}$/.test(value) ? value : undefined

/** Reads the address; what makes no sense there is left out. */
export const auditFilters = (search: Record<string, unknown>): AuditFilters =>
  present({
    action: actionText(search.action),
    by: oneOf<ActorKind>(search.by, actorKinds),
    since: oneOf<Period>(search.since, periods),
    person: idText(search.person),
    on: idText(search.on),
  })

export const auditRequest = ({ action, by, since, person, on }: AuditFilters, nowMs: number): ListRequest => ({
  sort: [{ field: 'created_at', dir: 'desc' }],
  filters: given([
    action === undefined ? undefined : { field: 'action', operator: 'contains', value: action },
    eqFilter('actor_kind', by),
    sinceFilter(since, nowMs),
    eqFilter('actor_user_id', person),
    eqFilter('resource_id', on),
  ]),
})
