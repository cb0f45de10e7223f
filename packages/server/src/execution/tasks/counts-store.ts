// SQL that counts runs by time and outcome.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { statusCode } from './fragments.ts'

export type CountRow = {
  /** Null in the row of totals, which is the only row with `oldest` and `took_ms`. */
  bucket: number | null
  completed: number
  failed: number
  cancelled: number
  active: number
  oldest: string | null
  /** Median and 95th percentile of the duration of completed runs. */
  took_ms: [number, number] | null
}

export type CountSpan = { since: string; until: string; stepSeconds: number; limit: number }

const isCompleted = sql<SqlBool>`status = ${statusCode('completed')}`
const outcomes = sql`count(*) filter (where ${isCompleted}) as completed,
  count(*) filter (where status = ${statusCode('failed')}) as failed,
  count(*) filter (where status = ${statusCode('cancelled')}) as cancelled,
  count(*) filter (where status < ${statusCode('completed')}) as active`

/**
 * Counts the newest runs since the start, up to a limit. A run created after the end (by the clock of another server)
 * counts in the last bucket.
 */
export const countTasks = async (
  db: Db,
  seen: RawBuilder<SqlBool>,
  { since, until, stepSeconds, limit }: CountSpan,
): Promise<CountRow[]> => {
  const start = sql`${since}::timestamptz`
  const { rows } = await sql<CountRow>`
    with counted as materialized (
      select created_at, finished_at, status from tasks
      where deleted_at is null and ${seen} and created_at >= ${start}
      order by created_at desc limit ${limit}::int),
    placed as (
      select date_bin(make_interval(secs => ${stepSeconds}::int), least(created_at, ${until}::timestamptz), ${start}) as at, ${outcomes}
      from counted group by 1),
    times as (
      select percentile_disc(array[0.5, 0.95]) within group (order by finished_at - created_at) as took from counted where ${isCompleted})
    select (extract(epoch from at - ${start}) / ${stepSeconds}::int)::int as bucket, completed, failed, cancelled, active,
      null::timestamptz as oldest, null::float8[] as took_ms from placed
    union all
    select null, ${outcomes}, min(created_at),
      (select array[extract(epoch from took[1]) * 1000, extract(epoch from took[2]) * 1000]::float8[] from times where took is not null)
    from counted`.execute(db)
  return rows
}
