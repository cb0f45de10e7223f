// The filters of the list of runs: what stands in the address, and what the server is asked. Pure.
import type { ListRequest } from '@millrace/contract/common'
import { taskStatus } from '@millrace/contract/task-status'

export const statusFilters = {
  active: [1, 2, 3, 4, 5, 6, 7, 8, 9],
  completed: [taskStatus.completed],
  failed: [taskStatus.failed],
  cancelled: [taskStatus.cancelled],
} as const
export type StatusFilter = keyof typeof statusFilters

export const periods = { '1h': 3_600_000, '24h': 86_400_000, '7d': 7 * 86_400_000 } as const
export type Period = keyof typeof periods

export type RunFilters = {
  status?: StatusFilter
  since?: Period
  app?: string
  engine?: string
  flow_run?: string
  sort?: string
}

const oneOf = <T extends string>(value: unknown, choices: object): T | undefined =>
  typeof value === 'string' && Object.hasOwn(choices, value) ? (value as T) : undefined

const idText = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[\w-]{1,64}$/.test(value) ? value : undefined

const sortText = (value: unknown): string | undefined =>
  typeof value === 'string' && /^(created_at|updated_at|status):(asc|desc)$/.test(value) ? value : undefined

/** Reads the address; what makes no sense there is left out. */
export const runFilters = (search: Record<string, unknown>): RunFilters => {
  const found = {
    status: oneOf<StatusFilter>(search.status, statusFilters),
    since: oneOf<Period>(search.since, periods),
    app: idText(search.app),
    engine: idText(search.engine),
    flow_run: idText(search.flow_run),
    sort: sortText(search.sort),
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
}

type Filter = NonNullable<ListRequest['filters']>[number]

/** `nowMs` cut to the minute, so that the same question is asked by the same words for a while. */
export const listRequest = (filters: RunFilters, nowMs: number): ListRequest => {
  const { status, since, app, engine, flow_run, sort = 'created_at:desc' } = filters
  const asked: (Filter | undefined)[] = [
    status && { field: 'status', operator: 'in', value: [...statusFilters[status]] },
    since && {
      field: 'created_at',
      operator: 'gte',
      value: new Date(Math.floor(nowMs / 60_000) * 60_000 - periods[since]).toISOString(),
    },
    app === undefined ? undefined : { field: 'app_id', operator: 'eq', value: app },
    engine === undefined ? undefined : { field: 'engine_id', operator: 'eq', value: engine },
    flow_run === undefined ? undefined : { field: 'flow_run_id', operator: 'eq', value: flow_run },
  ]
  const [field = 'created_at', dir] = sort.split(':')
  return {
    sort: [{ field, dir: dir === 'asc' ? 'asc' : 'desc' }],
    filters: asked.filter((filter): filter is Filter => filter !== undefined),
  }
}
