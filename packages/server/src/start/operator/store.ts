// SQL of the operator's commands: a workspace in any state.
import type { Db } from '#platform/db/database.ts'

export const getTeamRef = (db: Db, id: string) =>
  db.selectFrom('teams').select(['id', 'username']).where('id', '=', id).limit(1).executeTakeFirstOrThrow()
