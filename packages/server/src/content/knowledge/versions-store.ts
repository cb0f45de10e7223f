// SQL of versions and their texts.
import { type InferResult, type Insertable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'

export const selectVersions = (db: Db, knowledgeId: string) =>
  db.selectFrom('knowledge_versions').selectAll().where('knowledge_versions.knowledge_id', '=', knowledgeId)

export type VersionRow = InferResult<ReturnType<typeof selectVersions>>[number]

export const findVersion = async (db: Db, knowledgeId: string, id: string): Promise<VersionRow | undefined> => {
  const rows = await selectVersions(db, knowledgeId).where(idMatches('knowledge_versions.id', id)).limit(2).execute()
  return rows.length === 1 ? rows[0] : undefined
}

/** By exact id, of any entry. */
export const findVersions = (db: Db, ids: readonly string[]): Promise<VersionRow[]> =>
  db
    .selectFrom('knowledge_versions')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute()

export const insertVersion = async (db: Db, version: Insertable<Database['knowledge_versions']>): Promise<void> => {
  await db.insertInto('knowledge_versions').values(version).execute()
}

export const confirmVersion = async (db: Db, id: string, now: string): Promise<void> => {
  await db.updateTable('knowledge_versions').set({ last_confirmed_at: now }).where('id', '=', id).execute()
}

export const countVersions = async (db: Db, knowledgeId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('knowledge_versions')
    .select(sql<number>`count(*)`.as('count'))
    .where('knowledge_id', '=', knowledgeId)
    .executeTakeFirstOrThrow()
  return count
}

/** Texts that are already stored are shared with earlier versions. */
export const insertContents = async (
  db: Db,
  knowledgeId: string,
  texts: readonly { hash: string; content: string }[],
): Promise<void> => {
  if (texts.length === 0) return
  await db
    .insertInto('knowledge_contents')
    .values(texts.map(({ hash, content }) => ({ knowledge_id: knowledgeId, hash, content })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export const findContents = async (
  db: Db,
  knowledgeId: string,
  hashes: readonly string[],
): Promise<Map<string, string>> => {
  const rows = await db
    .selectFrom('knowledge_contents')
    .select(['hash', 'content'])
    .where('knowledge_id', '=', knowledgeId)
    .where('hash', 'in', [...hashes])
    .execute()
  return new Map(rows.map((row) => [row.hash, row.content]))
}
