// SQL of errands: outbound requests that runs wait for. Each is leased by one server at a time.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { columnsOf } from '#platform/db/spelled-columns.ts'
import type { ErrandRow } from '../store.ts'

export const dueErrands = (now: string) =>
  sql`select 1 from agent_errands where available_at <= ${now}::timestamptz order by available_at limit 1`

/**
 * Leases pending errands, up to the limit of concurrent errands per workspace, so one busy workspace cannot delay
 * others. Other servers may lease them again after `until`.
 */
export const claimErrands = async (
  db: Db,
  claim: { serverId: string; now: string; until: string; limit: number; perTeam: number },
): Promise<ErrandRow[]> => {
  const { rows } = await sql<ErrandRow>`
    with underway as (
      select team_id, count(*) as n from agent_errands where available_at > ${claim.now}::timestamptz group by team_id),
    ranked as (
      select e.id, row_number() over (partition by e.team_id order by e.created_at, e.id) + coalesce(u.n, 0) as place
      from agent_errands e left join underway u on u.team_id = e.team_id
      where e.available_at <= ${claim.now}::timestamptz),
    chosen as (
      select e.id from agent_errands e join ranked r on r.id = e.id
      where r.place <= ${claim.perTeam} and e.available_at <= ${claim.now}::timestamptz
      order by r.place, e.created_at limit ${claim.limit} for update of e skip locked)
    update agent_errands e set available_at = ${claim.until}::timestamptz, server_id = ${claim.serverId} from chosen
    where e.id = chosen.id returning ${columnsOf('agent_errands', 'e')}`.execute(db)
  return rows
}

/** False if it was sent before; then it is unknown whether it arrived. */
export const markSent = async (db: Db, id: string, now: string): Promise<boolean> => {
  const { rows } = await sql<{ id: string }>`
    update agent_errands set sent_at = ${now}::timestamptz where id = ${id} and sent_at is null returning id`.execute(
    db,
  )
  return rows.length > 0
}

/** Releases the errands of servers that no longer exist, and returns their number. */
export const freeErrands = async (db: Db, now: string): Promise<number> => {
  const { rows } = await sql<{ id: string }>`
    update agent_errands e set available_at = ${now}::timestamptz, server_id = null
    where e.server_id is not null and not exists (select from servers s where s.id = e.server_id) returning e.id`.execute(
    db,
  )
  return rows.length
}

export const deleteErrand = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('agent_errands').where('id', '=', id).execute()
}
