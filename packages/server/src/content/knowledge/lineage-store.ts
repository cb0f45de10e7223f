// SQL of lineage. Every list is limited, because a skill may have thousands of forks; rows that the reader may not read
// do not count toward the limit.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { type EntryRow, selectEntries } from './store.ts'

const maxShown = 200
const deepest = 100

export const findForks = (db: Db, parentId: string, readable: RawBuilder<SqlBool>): Promise<EntryRow[]> =>
  selectEntries(db)
    .where('knowledge.parent_id', '=', parentId)
    .where(readable)
    .orderBy('knowledge.created_at')
    .orderBy('knowledge.id')
    .limit(maxShown)
    .execute()

/** Other entries with the same content, except forks of this one. */
export const findSameContent = (
  db: Db,
  { id, content_hash }: EntryRow,
  readable: RawBuilder<SqlBool>,
): Promise<EntryRow[]> =>
  selectEntries(db)
    .where('knowledge.content_hash', '=', content_hash)
    .where('knowledge.id', '<>', id)
    .where(sql<boolean>`knowledge.parent_id is distinct from ${id}`)
    .where(readable)
    .orderBy('knowledge.created_at')
    .orderBy('knowledge.id')
    .limit(maxShown)
    .execute()

/** Number of versions of an entry that are newer than the given one. */
export const countVersionsSince = async (db: Db, knowledgeId: string, versionId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from knowledge_versions v
    where v.knowledge_id = ${knowledgeId}
      and v.created_at > (select created_at from knowledge_versions where id = ${versionId})`.execute(db)
  return rows[0]?.count ?? 0
}

/** True if `ancestorId` is the entry or one of its ancestors; includes deleted entries in between. */
export const isBelow = async (db: Db, id: string, ancestorId: string): Promise<boolean> => {
  const { rows } = await sql<{ below: boolean }>`
    with recursive line (id, parent_id) as (
      select id, parent_id from knowledge where id = ${id}
      union select k.id, k.parent_id from line join knowledge k on k.id = line.parent_id
    ) select exists (select from line where id = ${ancestorId}) as below`.execute(db)
  return rows[0]?.below ?? false
}

/** Number of ancestors of an entry, including deleted ones. */
export const countAncestors = async (db: Db, id: string): Promise<number> => {
  const { rows } = await sql<{ depth: number | null }>`
    with recursive line (id, depth) as (
      select parent_id, 1 from knowledge where id = ${id} and parent_id is not null
      union all
      select k.parent_id, line.depth + 1 from line join knowledge k on k.id = line.id
      where k.parent_id is not null and line.depth < ${deepest}
    ) select max(depth) as depth from line`.execute(db)
  return rows[0]?.depth ?? 0
}
