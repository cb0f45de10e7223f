// SQL of vectors: finds documents without one, and writes vectors.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

export type Unembedded = { id: string; meaning: string; meaning_hash: string }

/** Documents without a vector of their current text, oldest first. */
const waiting = sql`from search_documents where vector_hash is distinct from meaning_hash order by updated_at, id`

export const unembedded = sql`select 1 ${waiting} limit 1`

/** A subquery that has one row if `condition` is true, and none if it is false. */
export const rowIf = (condition: string) => sql`select 1 where ${condition}::boolean`

/** Takes no locks: two servers may do the same work, but writers never wait. */
export const findUnembedded = async (db: Db, limit: number): Promise<Unembedded[]> => {
  const { rows } = await sql<Unembedded>`
    select id, meaning, meaning_hash ${waiting} limit ${limit}`.execute(db)
  return rows
}

export type NewVector = { id: string; meaning_hash: string; components: Buffer }

export const saveVectors = async (db: Db, model: string, vectors: readonly NewVector[]): Promise<void> => {
  await db
    .insertInto('search_vectors')
    .values(vectors.map(({ id, components }) => ({ id, model, components })))
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((row) => ({
        model: row.ref('excluded.model'),
        components: row.ref('excluded.components'),
      })),
    )
    .execute()
  await sql`update search_documents d set vector_hash = made.hash
    from unnest(${sql.val(vectors.map(({ id }) => id))}::text[], ${sql.val(vectors.map((one) => one.meaning_hash))}::text[])
      as made (id, hash) where d.id = made.id`.execute(db)
}

/** Marks documents that the model refused as done, without a vector, until they change. */
export const saveRefused = async (db: Db, documents: readonly Unembedded[]): Promise<void> => {
  await sql`
    with gone as (delete from search_vectors where id = any(${sql.val(documents.map(({ id }) => id))}::text[]))
    update search_documents d set vector_hash = refused.hash
    from unnest(${sql.val(documents.map(({ id }) => id))}::text[], ${sql.val(documents.map((one) => one.meaning_hash))}::text[])
      as refused (id, hash) where d.id = refused.id`.execute(db)
}

/** Marks the next vectors by id that belong to another model or have another length, and returns the last id. */
export const clearVectorsAfter = async (
  db: Db,
  { model, length }: { model: string; length: number | null },
  after: string,
  limit: number,
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    with looked_at as (
      select id, model <> ${model} or coalesce(octet_length(components) <> ${length}::int, false) as other
      from search_vectors where id > ${after} order by id limit ${limit}),
    forgotten as (
      update search_documents d set vector_hash = null from looked_at
      where looked_at.other and d.id = looked_at.id and d.vector_hash is not null)
    select id from looked_at order by id`.execute(db)
  return rows.map((row) => row.id)
}

export const hasVectors = async (db: Db, model: string): Promise<boolean> => {
  const { rows } = await sql<{
    some: boolean
  }>`select exists (select from search_vectors where model = ${model}) as some`.execute(db)
  return rows[0]?.some ?? false
}

export const deleteOrphanedVectors = async (db: Db): Promise<void> => {
  await sql`delete from search_vectors v where not exists (select from search_documents d where d.id = v.id)`.execute(
    db,
  )
}
