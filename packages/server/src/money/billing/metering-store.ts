// SQL of resource usage. Everything is computed from task rows, so metering adds no work to a run.
import { taskStatus } from '@millrace/contract/task-status'
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

export type MeterRow = {
  app_id: string
  ref: string
  tasks: number
  cpu_seconds: number
  gpu_seconds: number
  ram_byte_seconds: number
  input_tokens: number
  output_tokens: number
  input_bytes: number
  output_bytes: number
}

/** Reported by the app, as meters of its output or as the token usage of model apps. */
export const tokensOf = (side: 'inputs' | 'outputs', usage: 'prompt_tokens' | 'completion_tokens') => sql`greatest(
  coalesce((select sum((part ->> 'tokens')::numeric) from jsonb_array_elements(case
    when jsonb_typeof(t.output -> 'output_meta' -> ${side}::text) = 'array' then t.output -> 'output_meta' -> ${side}::text else '[]' end) part
  where jsonb_typeof(part -> 'tokens') = 'number'), 0),
  case when jsonb_typeof(t.output -> 'usage' -> ${usage}::text) = 'number' then (t.output -> 'usage' ->> ${usage}::text)::numeric else 0 end)`

/** A process works for a task from setup to end. */
const seconds = sql`coalesce((
  select extract(epoch from t.finished_at - min((event ->> 'event_time')::timestamptz))
  from jsonb_array_elements(t.events) event
  where (event ->> 'status')::int between ${taskStatus.setting_up} and ${taskStatus.uploading}), 0)`

/** Per app, largest usage first. */
export const sumMeters = async (db: Db, teamId: string, from: string, to: string): Promise<MeterRow[]> => {
  const { rows } = await sql<MeterRow>`
    with used as (
      select t.app_id, t.gpu_count, t.ram, greatest(0, ${seconds})::float8 as seconds,
        ${tokensOf('inputs', 'prompt_tokens')} as input_tokens, ${tokensOf('outputs', 'completion_tokens')} as output_tokens,
        octet_length(t.input::text) as input_bytes, coalesce(octet_length(t.output::text), 0) as output_bytes
      from tasks t
      where t.team_id = ${teamId} and t.deleted_at is null and t.status >= ${taskStatus.completed}
        and t.created_at >= ${from}::timestamptz and t.created_at < ${to}::timestamptz)
    select used.app_id, apps.namespace || '/' || apps.name as ref, count(*) as tasks, sum(seconds)::float8 as cpu_seconds,
      sum(seconds * used.gpu_count)::float8 as gpu_seconds, sum(seconds * used.ram)::float8 as ram_byte_seconds,
      sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens,
      sum(input_bytes)::bigint as input_bytes, sum(output_bytes)::bigint as output_bytes
    from used join apps on apps.id = used.app_id
    group by 1, 2 order by 4 desc, 1 limit 1000`.execute(db)
  return rows
}
