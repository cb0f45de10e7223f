// SQL of what entries mention.
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

/** Replaces the previous mentions of the entry. */
export const replaceReferences = async (db: Db, knowledgeId: string, targetIds: readonly string[]): Promise<void> => {
  const targets = sql.val([...targetIds])
  await sql`
    with gone as (delete from knowledge_references
      where knowledge_id = ${knowledgeId} and not target_id = any(${targets}::text[]))
    insert into knowledge_references (knowledge_id, target_id)
    select ${knowledgeId}, unnest(${targets}::text[]) on conflict do nothing`.execute(db)
}

export const findTargets = async (db: Db, knowledgeId: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('knowledge_references')
    .select('target_id')
    .where('knowledge_id', '=', knowledgeId)
    .execute()
  return rows.map((row) => row.target_id)
}

/** Ids of existing entries that mention the entry and match `readable`, a condition on `knowledge`. */
export const findMentioning = async (
  db: Db,
  targetId: string,
  readable: RawBuilder<SqlBool>,
  limit: number,
): Promise<string[]> => {
  const rows = await db
    .selectFrom('knowledge_references')
    .innerJoin('knowledge', 'knowledge.id', 'knowledge_references.knowledge_id')
    .select('knowledge_references.knowledge_id')
    .where('knowledge_references.target_id', '=', targetId)
    .where('knowledge.deleted_at', 'is', null)
    .where(readable)
    .orderBy('knowledge_references.knowledge_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.knowledge_id)
}
