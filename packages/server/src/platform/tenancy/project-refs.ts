// Projects as rows that are put into one refer to them.
import type { Db } from '../db/database.ts'

/** Projects that a member may put things of their workspace into. */
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
