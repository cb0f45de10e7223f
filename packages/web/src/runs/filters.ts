// The filters of the run list: the address and the request. Pure.
import type { ListRequest } from '@millrace/contract/common'
import { taskStatus } from '@millrace/contract/task-status'
import { eqFilter, given, idText, oneOf, type Period, periods, present, sinceFilter } from '../api/address-filters.ts'

export const statusFilters = {
  active: [1, 2, 3, 4, 5, 6, 7, 8, 9],
  completed: [taskStatus.completed],
  failed: [taskStatus.failed],
  cancelled: [taskStatus.cancelled],
} as const
export type StatusFilter = keyof typeof statusFilters

/** The origin of runs: a person or program, a flow, or an agent. */
export const originFilters = {
  apps: [
    { field: 'flow_run_id', operator: 'is_null' },
    { field: 'chat_id', operator: 'is_null' },
  ],
  flows: [{ field: 'flow_run_id', operator: 'is_not_null' }],
  agents: [{ field: 'chat_id', operator: 'is_not_null' }],
} as const
export type OriginFilter = keyof typeof originFilters

export type RunFilters = {
  of?: OriginFilter
  status?: StatusFilter
  since?: Period
  app?: string
  engine?: string
  flow_run?: string
  /** A member who started the runs. */
  person?: string
  sort?: string
}

const sortText = (value: unknown): string | undefined =>
  typeof value === 'string' && /^(created_at|updated_at|status):(asc|desc)$/.test(value) ? value : undefined

/** Reads the address and leaves out invalid values. */
export const runFilters = (search: Record<string, unknown>): RunFilters =>
  present({
    of: oneOf<OriginFilter>(search.of, originFilters),
    status: oneOf<StatusFilter>(search.status, statusFilters),
    since: oneOf<Period>(search.since, periods),
    app: idText(search.app),
    engine: idText(search.engine),
    flow_run: idText(search.flow_run),
    person: idText(search.person),
    sort: sortText(search.sort),
  })

export const listRequest = (filters: RunFilters, nowMs: number): ListRequest => {
  const { of, status, since, app, engine, flow_run, person, sort = 'created_at:desc' } = filters
  const [field = 'created_at', dir] = sort.split(':')
  return {
    sort: [{ field, dir: dir === 'asc' ? 'asc' : 'desc' }],
    filters: given([
      ...(of ? originFilters[of] : []),
      status && { field: 'status', operator: 'in', value: [...statusFilters[status]] },
      sinceFilter(since, nowMs),
      eqFilter('app_id', app),
      eqFilter('engine_id', engine),
      eqFilter('flow_run_id', flow_run),
      eqFilter('user_id', person),
    ]),
  }
}
