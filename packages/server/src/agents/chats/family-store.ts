// SQL of the descendants of a chat: the chats of its sub-agents and handlers, at every depth.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { teamOrg } from '#platform/tenancy/visibility.ts'

/** Includes deleted chats, whose tasks may still be readable. */
export const findBelow = async (db: Db, chatId: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    with recursive below as (
      select id from chats where parent_id = ${chatId}
      union all select c.id from chats c join below b on c.parent_id = b.id)
    select id from below`.execute(db)
  return rows.map(({ id }) => id)
}

/** Deepest first: a child is locked before its parent. */
export const lockChats = async (db: Db, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return
  await db
    .selectFrom('chats')
    .select('id')
    .where('id', 'in', [...ids])
    .orderBy('depth', 'desc')
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Sets the visibility of these chats where it is one of the given ones; returns the updated rows. */
export const narrowChats = async (
  db: Db,
  ids: readonly string[],
  { from, to, now }: { from: readonly string[]; to: string; now: string },
) => {
  if (ids.length === 0) return []
  return db
    .updateTable('chats')
    .set({ visibility: to, updated_at: now, event_seq: sql`event_seq + 1` })
    .where('id', 'in', [...ids])
    .where('visibility', 'in', [...from])
    .returning(['id', 'team_id', 'user_id', 'visibility', 'deleted_at', 'event_seq', teamOrg('chats')])
    .execute()
}
