// SQL of servers. Uses the clock of the database, because the clocks of servers differ.
import { taskStatus } from '@millrace/contract/task-status'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** Serializes servers that start at the same time. */
const joinLock = 7700_0090

export type ServerRow = {
  id: string
  place: string
  address: string
  version: string
  keeps_files_apart: boolean
  keeps_key_apart: boolean
  bus: string
}

export const lockJoining = async (db: Db): Promise<void> => {
  await sql`select pg_advisory_xact_lock(${joinLock})`.execute(db)
}

/** Deletes rows of earlier servers with the same data folder, which only one server can lock. */
export const deleteEarlierServers = async (db: Db, place: string, id: string): Promise<void> => {
  await db.deleteFrom('servers').where('place', '=', place).where('id', '<>', id).execute()
}

export const deleteAllServers = async (db: Db): Promise<void> => {
  await db.deleteFrom('servers').execute()
}

export const findOthers = (db: Db, id: string, leaseSeconds: number): Promise<(ServerRow & { seen_at: string })[]> =>
  db
    .selectFrom('servers')
    .select(['id', 'place', 'address', 'version', 'keeps_files_apart', 'keeps_key_apart', 'bus', 'seen_at'])
    .where('id', '<>', id)
    .where('seen_at', '>', sql<string>`now() - make_interval(secs => ${leaseSeconds})`)
    .orderBy('started_at')
    .execute()

export const listServers = (db: Db) =>
  db
    .selectFrom('servers')
    .select(['id', 'address', 'version', 'bus', 'started_at', 'draining'])
    .orderBy('started_at')
    .orderBy('id')
    .execute()

export const insertServer = async (db: Db, row: ServerRow): Promise<void> => {
  await db
    .insertInto('servers')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at: sql`now()` }))
    .execute()
}

/** False if the row is gone, because the lease has expired. */
export const renewLease = async (db: Db, id: string, draining: boolean): Promise<boolean> => {
  const renewed = await db
    .updateTable('servers')
    .set({ seen_at: sql`now()`, draining })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return renewed !== undefined
}

export const deleteExpired = (db: Db, leaseSeconds: number): Promise<{ id: string; address: string }[]> =>
  db
    .deleteFrom('servers')
    .where('seen_at', '<', sql<string>`now() - make_interval(secs => ${leaseSeconds})`)
    .returning(['id', 'address'])
    .execute()

export const deleteServer = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('servers').where('id', '=', id).execute()
}

export const findAddress = async (db: Db, id: string): Promise<string | undefined> => {
  const row = await db.selectFrom('servers').select('address').where('id', '=', id).limit(1).executeTakeFirst()
  return row?.address
}

/** The oldest running server; only this one reports metrics of the installation. */
export const findOldest = async (db: Db): Promise<string | undefined> => {
  const row = await db
    .selectFrom('servers')
    .select('id')
    .orderBy('started_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/**
 * Ends the connections of a server with an expired lease: its open transactions hold locks, and after a long pause it
 * must not finish work that was assigned to others.
 */
export const endConnectionsOf = async (db: Db, applicationName: string): Promise<number> => {
  const { rows } = await sql<{ ended: boolean }>`
    select pg_terminate_backend(pid) as ended from pg_stat_activity
    where datname = current_database() and application_name = ${applicationName}`.execute(db)
  return rows.length
}

/** The same for every server of this database, and unique per database. */
export const installationId = async (db: Db): Promise<string> => {
  const { rows } = await sql<{ id: string }>`
    select md5(checksum || applied_at::text) as id from schema_migrations order by name limit 1`.execute(db)
  return rows[0]?.id ?? 'none'
}

const count = async (db: Db, what: RawBuilder<{ count: number }>): Promise<number> =>
  (await what.execute(db)).rows[0]?.count ?? 0

export const countServers = (db: Db): Promise<number> => count(db, sql`select count(*)::int as count from servers`)

export const countConnectedEngines = (db: Db): Promise<number> =>
  count(db, sql`select count(*)::int as count from engines where connected and deleted_at is null`)

export const countWaitingTasks = (db: Db): Promise<number> =>
  count(
    db,
    sql`select count(*)::int as count from tasks where status = ${sql.lit(taskStatus.queued)} and deleted_at is null`,
  )

export const countTasksOnEngines = (db: Db): Promise<number> =>
  count(
    db,
    sql`select count(*)::int as count from tasks
      where status between ${sql.lit(taskStatus.dispatched)} and ${sql.lit(taskStatus.uploading)}`,
  )

export const countWaitingJobs = (db: Db): Promise<number> =>
  count(
    db,
    sql`select count(*)::int as count from graphile_worker.jobs
      where run_at <= now() and locked_at is null and attempts < max_attempts`,
  )
