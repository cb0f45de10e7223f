// SQL of the set-up link of an empty installation. An installation has one, before any workspace exists.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

const stateName = 'owner_link'

export type OwnerLink = { hash: string; expires_at: string }

export const saveLink = async (db: Db, link: OwnerLink): Promise<void> => {
  await sql`insert into server_state (name, value) values (${stateName}, ${JSON.stringify(link)}::jsonb)
    on conflict (name) do update set value = excluded.value, updated_at = now()`.execute(db)
}

export const findLink = async (db: Db): Promise<OwnerLink | undefined> => {
  const row = await db
    .selectFrom('server_state')
    .select('value')
    .where('name', '=', stateName)
    .limit(1)
    .executeTakeFirst()
  return row?.value as OwnerLink | undefined
}

/** Locked, so that of two visitors with the link only the first succeeds. */
export const lockLink = async (db: Db): Promise<OwnerLink | undefined> => {
  const row = await db
    .selectFrom('server_state')
    .select('value')
    .where('name', '=', stateName)
    .forUpdate()
    .limit(1)
    .executeTakeFirst()
  return row?.value as OwnerLink | undefined
}

export const deleteLink = async (db: Db): Promise<void> => {
  await db.deleteFrom('server_state').where('name', '=', stateName).execute()
}
