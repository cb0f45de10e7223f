// SQL that rebuilds and verifies the index, across workspaces.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'

export type IndexSource = { source: string; table: string }

/** The tables of the index, derived from their triggers. */
export const findSources = async (db: Db): Promise<IndexSource[]> => {
  const { rows } = await sql<IndexSource>`
    select split_part(encode(tgargs, 'escape'), '\\000', 1) as source, tgrelid::regclass::text as "table"
    from pg_trigger where tgname = 'search_index_change' order by 1`.execute(db)
  return rows
}

/** Refreshes the next rows by id and returns their ids. */
export const refreshAfter = async (
  db: Db,
  { source, table }: IndexSource,
  after: string,
  limit: number,
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    with batch as (
      select id from ${sql.table(table)} where id > ${after}
      union select id from search_documents where source = ${source} and id > ${after}
      order by id limit ${limit})
    select id, search_refresh(${source}, id) from batch order by id`.execute(db)
  return rows.map((row) => row.id)
}

const compared = sql`id, kind, team_id, user_id, visibility, listed, namespace, name, title, description, tags,
  resource_kind, origin, content_hash, confirmed_at, scope`

/** Number of rows of a source that are missing, superfluous or different in the index. */
export const countDifferences = async (db: Db, source: string): Promise<number> => {
  const view = sql.table(`search_source_${source}`)
  const indexed = sql`select ${compared} from search_documents where source = ${source}`
  const { rows } = await sql<{ count: number }>`select count(*) as count from (
    (select ${compared} from ${view} except ${indexed}) union all (${indexed} except select ${compared} from ${view})
  ) different`.execute(db)
  return rows[0]?.count ?? 0
}
