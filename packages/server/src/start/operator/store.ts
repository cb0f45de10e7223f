// SQL of the operator's own commands: a workspace whatever has become of it.
import type { Db } from '#platform/db/database.ts'

export const getTeamRef = (db: Db, id: string) =>
  db.selectFrom('teams').select(['id', 'username']).where('id', '=', id).limit(1).executeTakeFirstOrThrow()
