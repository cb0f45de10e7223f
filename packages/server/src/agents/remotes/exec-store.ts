// SQL of commands: their rows and status transitions. Output is in output-store.ts.
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export type ExecRow = Selectable<Database['exec_runs']>

/** Commands are visible to the person who started them and to the owner of the machine. */
export const selectRuns = (db: Db, teamId: string, userId: string) =>
  db
    .selectFrom('exec_runs')
    .selectAll('exec_runs')
    .where('exec_runs.team_id', '=', teamId)
    .where((eb) => eb.or([eb('exec_runs.user_id', '=', userId), eb('exec_runs.owner_id', '=', userId)]))

export const findRun = async (db: Db, teamId: string, userId: string, id: string): Promise<ExecRow | undefined> => {
  const rows = await selectRuns(db, teamId, userId).where(idMatches('exec_runs.id', id)).limit(2).execute()
  return rows.length === 1 ? rows[0] : undefined
}

export const insertRun = (db: Db, run: Insertable<Database['exec_runs']>): Promise<ExecRow> =>
  db.insertInto('exec_runs').values(run).returningAll().executeTakeFirstOrThrow()

export const countOpen = async (db: Db, remoteId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('exec_runs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('remote_id', '=', remoteId)
    .where('status', 'in', ['pending', 'running'])
    .executeTakeFirstOrThrow()
  return Number(count)
}

export const findPending = (db: Db, remoteId: string, id: string): Promise<ExecRow | undefined> =>
  db
    .selectFrom('exec_runs')
    .selectAll()
    .where('id', '=', id)
    .where('remote_id', '=', remoteId)
    .where('status', '=', 'pending')
    .limit(1)
    .executeTakeFirst()

/** Marks the command as sent. Undefined if the connection is no longer the remote's current one. */
export const claimRun = async (
  db: Db,
  run: { id: string; remoteId: string; connection: number },
  now: string,
): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('exec_runs')
    .set({ status: 'running', started_at: now, updated_at: now, env_sealed: null })
    .where('id', '=', run.id)
    .where('remote_id', '=', run.remoteId)
    .where('status', '=', 'pending')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('remotes')
          .select('remotes.id')
          .where('remotes.id', '=', run.remoteId)
          .where('remotes.connection_number', '=', run.connection)
          .where('remotes.connected', '=', true)
          .where('remotes.deleted_at', 'is', null),
      ),
    )
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export const runningOf = (db: Db, remoteId: string): Promise<ExecRow[]> =>
  db
    .selectFrom('exec_runs')
    .selectAll()
    .where('remote_id', '=', remoteId)
    .where('status', '=', 'running')
    .orderBy('created_at')
    .execute()

export const findRunOf = (db: Db, remoteId: string, id: string): Promise<ExecRow | undefined> =>
  db
    .selectFrom('exec_runs')
    .selectAll()
    .where('id', '=', id)
    .where('remote_id', '=', remoteId)
    .limit(1)
    .executeTakeFirst()

/** Ends a command that was not sent; marks a running one for the signal. */
export const signalRun = (db: Db, id: string, now: string): Promise<ExecRow | undefined> =>
  db
    .updateTable('exec_runs')
    .set({
      signalled_at: sql`coalesce(signalled_at, ${now}::timestamptz)`,
      status: sql`case when status = 'pending' then 'killed' else status end`,
      error: sql`case when status = 'pending' then 'cancelled before it was sent' else error end`,
      ended_at: sql`case when status = 'pending' then ${now}::timestamptz else ended_at end`,
      updated_at: now,
    })
    .where('id', '=', id)
    .where('status', 'in', ['pending', 'running'])
    .returningAll()
    .executeTakeFirst()

export type Exit = { code: number | null; error: string; timedOut: boolean; durationMs: number | null }

export const endRun = (
  db: Db,
  run: { id: string; remoteId: string; connection: number },
  { code, error, timedOut, durationMs }: Exit,
  now: string,
): Promise<ExecRow | undefined> => {
  const killed = sql<boolean>`(${code}::integer is null or signalled_at is not null or ${timedOut}::boolean)`
  return db
    .updateTable('exec_runs')
    .set({
      status: sql`case when ${killed} then 'killed' else 'exited' end`,
      exit_code: sql`case when ${killed} then null else ${code}::integer end`,
      error,
      timed_out: timedOut,
      ended_at: now,
      updated_at: now,
      duration_ms: sql`coalesce(${durationMs}::bigint, (extract(epoch from ${now}::timestamptz - started_at) * 1000)::bigint)`,
    })
    .where('id', '=', run.id)
    .where('remote_id', '=', run.remoteId)
    .where('status', '=', 'running')
    .where(ofConnection(run))
    .returningAll()
    .executeTakeFirst()
}

/** Frames of an older connection are ignored; the machine repeats them on the new one. */
const ofConnection = ({ remoteId, connection }: { remoteId: string; connection: number }) =>
  sql<boolean>`exists (select from remotes r where r.id = ${remoteId} and r.connection_number = ${connection})`

/** Commands that were never sent and whose machine is offline. */
export const denyUndelivered = (db: Db, before: string, now: string): Promise<{ id: string }[]> =>
  db
    .updateTable('exec_runs')
    .set({
      status: 'denied',
      error: 'the remote disconnected before the command was sent',
      ended_at: now,
      updated_at: now,
    })
    .where('status', '=', 'pending')
    .where(({ or, eb, not, exists, selectFrom }) =>
      or([
        eb('created_at', '<=', before),
        not(
          exists(
            selectFrom('remotes')
              .select('remotes.id')
              .whereRef('remotes.id', '=', 'exec_runs.remote_id')
              .where('remotes.connected', '=', true)
              .where('remotes.deleted_at', 'is', null),
          ),
        ),
      ]),
    )
    .returning('id')
    .execute()

/** For machines that have been offline for so long that they count as lost. */
export const loseRuns = (db: Db, remoteIds: readonly string[], now: string): Promise<{ id: string }[]> =>
  db
    .updateTable('exec_runs')
    .set({
      status: sql`case when status = 'pending' then 'denied' else 'killed' end`,
      error: 'remote_lost',
      ended_at: now,
      updated_at: now,
      duration_ms: sql`(extract(epoch from ${now}::timestamptz - started_at) * 1000)::bigint`,
    })
    .where('remote_id', '=', sql<string>`any(${remoteIds}::text[])`)
    .where('status', 'in', ['pending', 'running'])
    .returning('id')
    .execute()

/** Commands and signals that the server with the socket should have sent by now. */
export const findOverdue = (db: Db, before: string) =>
  db
    .selectFrom('exec_runs')
    .innerJoin('remotes', 'remotes.id', 'exec_runs.remote_id')
    .select(['exec_runs.id', 'exec_runs.remote_id', 'exec_runs.status', 'exec_runs.signalled_at'])
    .where('remotes.connected', '=', true)
    .where('exec_runs.status', 'in', ['pending', 'running'])
    .where('exec_runs.updated_at', '<=', before)
    .where((eb) =>
      eb.or([
        eb('exec_runs.status', '=', 'pending'),
        eb('exec_runs.signalled_at', 'is not', null),
        eb('exec_runs.input_seq', '>', eb.ref('exec_runs.input_acked')),
      ]),
    )
    .limit(500)
    .execute()

/** Oldest first, up to the limit, with their output. */
export const deleteEndedBefore = async (db: Db, before: string, limit: number): Promise<number> => {
  const { numDeletedRows } = await db
    .deleteFrom('exec_runs')
    .where('id', 'in', (eb) =>
      eb.selectFrom('exec_runs').select('id').where('ended_at', '<', before).orderBy('ended_at').limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export const resizeRun = async (db: Db, id: string, cols: number, rows: number): Promise<void> => {
  await db.updateTable('exec_runs').set({ cols, rows }).where('id', '=', id).execute()
}
