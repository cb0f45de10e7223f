// SQL of the usage summary: the runs that a caller can list, grouped by day, app, agent, flow, person and cause of failure.
import { taskStatus } from '@millrace/contract/task-status'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Actor } from '#platform/core/actor.ts'
import type { Db } from '#platform/db/database.ts'
import { listedFor, readableBy } from '#platform/tenancy/visibility.ts'
import { tokensOf } from './metering-store.ts'

export type SummarySpan = { from: string; to: string; limit: number }

const dimensions = ['day', 'app', 'agent', 'flow', 'person'] as const
export type Dimension = (typeof dimensions)[number]

export type SummaryRow = {
  dimension: Dimension | 'total'
  /** A date, an id, or empty in the row of totals. */
  key: string
  /** Null when the caller cannot read the app, agent or flow. */
  name: string | null
  runs: number
  failed: number
  cancelled: number
  microcents: number
  input_tokens: number
  output_tokens: number
  oldest: string
  /** p50, p95 and p99 of the duration of completed runs; null without one. */
  took_ms: [number, number, number] | null
}

/** A task that represents a flow run or an agent in a flow executes nothing, so it is left out. */
const runsIn = (actor: Actor, { from, to }: SummarySpan): RawBuilder<SqlBool> =>
  sql`t.deleted_at is null and ${listedFor(actor, 't', { includeOthers: false, includePrivate: false })}
    and t.created_at >= ${from}::timestamptz and t.created_at < ${to}::timestamptz
    and t.app_id <> '' and t.sub_flow_run_id is null`

/** `grouping()` sets the bit of every column that a row is not grouped by. */
const kindOf = (dimension: Dimension): number => 31 - 2 ** (dimensions.length - 1 - dimensions.indexOf(dimension))
const is = (dimension: Dimension) => sql`kind = ${kindOf(dimension)}::int`

/** Days are complete; of every other dimension the `groups` with the most runs. */
export const summarizeRuns = async (
  db: Db,
  actor: Actor,
  { groups, ...span }: SummarySpan & { groups: number },
): Promise<SummaryRow[]> => {
  const { rows } = await sql<SummaryRow>`
    with counted as materialized (
      select t.created_at, extract(epoch from t.finished_at - t.created_at) * 1000 as took, t.status, t.cost,
        (t.created_at at time zone 'UTC')::date as day, t.app_id as app, t.agent_id as agent, f.flow_id as flow,
        t.user_id as person, ${tokensOf('inputs', 'prompt_tokens')} as input_tokens,
        ${tokensOf('outputs', 'completion_tokens')} as output_tokens
      from tasks t left join flow_runs f on f.id = t.flow_run_id
      where ${runsIn(actor, span)} order by t.created_at desc limit ${span.limit}::int),
    grouped as (
      select grouping(day, app, agent, flow, person) as kind, day, app, agent, flow, person, count(*) as runs,
        count(*) filter (where status = ${taskStatus.failed}) as failed,
        count(*) filter (where status = ${taskStatus.cancelled}) as cancelled, sum(cost)::bigint as microcents,
        sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens, min(created_at) as oldest,
        percentile_disc(array[0.5, 0.95, 0.99]) within group (order by took)
          filter (where status = ${taskStatus.completed})::float8[] as took_ms
      from counted group by grouping sets ((), (day), (app), (agent), (flow), (person))),
    ranked as (select *, row_number() over (partition by kind order by runs desc, app, agent, flow, person) as place from grouped)
    select case when ${is('day')} then 'day' when ${is('app')} then 'app' when ${is('agent')} then 'agent'
        when ${is('flow')} then 'flow' when ${is('person')} then 'person' else 'total' end as dimension,
      coalesce(day::text, app, agent, flow, person, '') as key,
      coalesce(apps.namespace || '/' || apps.name, nullif(agents.title, ''), agents.name, nullif(flows.title, ''), flows.name) as name,
      runs, failed, cancelled, microcents, input_tokens, output_tokens, oldest, took_ms
    from ranked
      left join apps on ${is('app')} and apps.id = app and ${readableBy(actor, 'apps')}
      left join agents on ${is('agent')} and agents.id = agent and ${readableBy(actor, 'agents')}
      left join flows on ${is('flow')} and flows.id = flow and ${readableBy(actor, 'flows')}
    where (${is('day')} or place <= ${groups}::int) and runs > 0 and (kind = 31 or coalesce(day::text, app, agent, flow, person) is not null)
    order by kind, runs desc, key`.execute(db)
  return rows
}

export type FailureRow = {
  app_id: string
  ref: string | null
  cause: string
  example: string
  count: number
  first_seen: string
  last_seen: string
  last_task_id: string
}

/** Errors that differ only in ids and numbers have the same cause. */
export const groupFailures = async (
  db: Db,
  actor: Actor,
  { groups, ...span }: SummarySpan & { groups: number },
): Promise<FailureRow[]> => {
  const { rows } = await sql<FailureRow>`
    with failed as materialized (
      select t.id, t.app_id, t.created_at, left(split_part(t.error, chr(10), 1), 300) as line from tasks t
      where ${runsIn(actor, span)} and t.status = ${taskStatus.failed} order by t.created_at desc limit ${span.limit}::int),
    grouped as (
      select app_id, regexp_replace(line, '[0-9a-fA-F-]{8,}|[0-9]+', '…', 'g') as cause, count(*) as count,
        min(created_at) as first_seen, max(created_at) as last_seen,
        (array_agg(id order by created_at desc))[1] as last_task_id, (array_agg(line order by created_at desc))[1] as example
      from failed group by 1, 2 order by 3 desc, 5 desc limit ${groups}::int)
    select app_id, apps.namespace || '/' || apps.name as ref, cause, example, count, first_seen, last_seen, last_task_id
    from grouped left join apps on apps.id = app_id and ${readableBy(actor, 'apps')}
    order by count desc, last_seen desc`.execute(db)
  return rows
}
