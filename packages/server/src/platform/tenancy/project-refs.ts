// References from resources to projects.
import type { Db } from '../db/database.ts'

/** Projects to which a member may add resources of their workspace. */
export const isProjectFor = async (
  db: Db,
  id: string,
  { teamId, userId }: { teamId: string; userId: string },
): Promise<boolean> => {
  const found = await db
    .selectFrom('projects')
    .select('id')
    .where('id', '=', id)
    .where('team_id', '=', teamId)
    .where((where) => where.or([where('visibility', '<>', 'private'), where('user_id', '=', userId)]))
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
