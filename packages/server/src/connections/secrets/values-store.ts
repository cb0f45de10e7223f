// SQL for reading values: one statement for all names that a run needs.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { prepared } from '#platform/db/prepared.ts'
import { type SecretScope, secretsWithValue } from './store.ts'

export type ValueRow = { key: string; secret_id: string; version: number; id: string; value_sealed: Buffer }

export const findValue = (db: Db, teamId: string, scope: SecretScope, key: string) =>
  secretsWithValue(db)
    .select(['secret_versions.id', 'secret_versions.value_sealed'])
    .where('secrets.team_id', '=', teamId)
    .where('secrets.scope', '=', scope)
    .where('secrets.key', '=', key)
    .where('secrets.deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()

const nearestValues = prepared(
  (_db, teamId: string, userId: string | null, keys: readonly string[]) => sql<ValueRow>`
    select distinct on (s.key) s.key, s.id as secret_id, s.version, v.id, v.value_sealed
    from secrets s
    join secret_versions v on v.secret_id = s.id and v.number = s.version
    left join credentials c on c.id = s.credential_id and c.deleted_at is null
    where s.deleted_at is null and s.scope = 'team' and s.key = any(${keys}::text[])
      and (
        (s.team_id = ${teamId} and (c.scope is distinct from 'user' or ${userId}::text is null or c.user_id = ${userId}))
        or (c.scope = 'org' and c.status = 'connected' and c.org_id = (select org_id from teams where id = ${teamId}))
        or (c.scope = 'platform' and c.status = 'connected'))
    order by s.key, s.team_id = ${teamId} desc, c.scope = 'org' desc`,
)

/**
 * For each name, the secret with the highest precedence: the workspace's own (except another person's connection), then
 * the organization's, then the platform's.
 */
export const findValuesForRun = (
  db: Db,
  teamId: string,
  userId: string | null,
  keys: readonly string[],
): Promise<ValueRow[]> => nearestValues(db, teamId, userId, keys)

export const findValuesOfCredential = (db: Db, credentialId: string): Promise<ValueRow[]> =>
  secretsWithValue(db)
    .select([
      'secrets.key',
      'secrets.id as secret_id',
      'secrets.version',
      'secret_versions.id',
      'secret_versions.value_sealed',
    ])
    .where('secrets.credential_id', '=', credentialId)
    .where('secrets.deleted_at', 'is', null)
    .orderBy('secrets.key')
    .execute()
