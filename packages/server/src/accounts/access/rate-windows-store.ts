// SQL of the rate limit windows; the owner is a workspace or the address of a caller without one.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

type Counted = { count: number; window_start: string }

/**
 * A window can move back by one: a server with a slow clock counts into the window that a faster clock opened. A window
 * further in the future came from a wrong clock and is replaced, so that it blocks no one.
 */
export const countIntoWindow = async (
  db: Db,
  owner: string,
  { name, windowStart, many }: { name: string; windowStart: string; many: number },
): Promise<Counted> => {
  const isOpen = sql`(rate_windows.window_start >= excluded.window_start
    and rate_windows.window_start <= excluded.window_start + interval '1 minute')`
  const { rows } = await sql<Counted>`
    insert into rate_windows (team_id, name, window_start, count) values (${owner}, ${name}, ${windowStart}::timestamptz, ${many})
    on conflict (team_id, name) do update set
      count = case when ${isOpen} then rate_windows.count + excluded.count else excluded.count end,
      window_start = case when ${isOpen} then rate_windows.window_start else excluded.window_start end
    returning count, window_start`.execute(db)
  return rows[0] ?? { count: many, window_start: windowStart }
}

export const findWindowCount = async (
  db: Db,
  owner: string,
  { name, windowStart }: { name: string; windowStart: string },
): Promise<number> => {
  const row = await db
    .selectFrom('rate_windows')
    .select('count')
    .where('team_id', '=', owner)
    .where('name', '=', name)
    .where('window_start', '>=', windowStart)
    .limit(1)
    .executeTakeFirst()
  return row?.count ?? 0
}

export const deleteWindowsOutside = async (db: Db, earliest: string, latest: string): Promise<void> => {
  await db
    .deleteFrom('rate_windows')
    .where((where) => where.or([where('window_start', '<', earliest), where('window_start', '>', latest)]))
    .execute()
}
