// Makes the index anew while everything goes on: each row is refreshed as if it had changed. For what no trigger saw, such
// as rows that were restored or written around the server; and a check whether index and rows agree.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

type Source = { source: string; table: string }

const batchSize = 200

/** What has joined the index, as its triggers say. */
const findSources = async (db: Db): Promise<Source[]> => {
  const { rows } = await sql<Source>`
    select split_part(encode(tgargs, 'escape'), '\\000', 1) as source, tgrelid::regclass::text as "table"
    from pg_trigger where tgname = 'search_index_change' order by 1`.execute(db)
  return rows
}

const refreshBatch = async (db: Db, { source, table }: Source, after: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    with batch as (
      select id from ${sql.table(table)} where id > ${after}
      union select id from search_documents where source = ${source} and id > ${after}
      order by id limit ${batchSize})
    select id, search_refresh(${source}, id) from batch order by id`.execute(db)
  return rows.map((row) => row.id)
}

/** How many rows were looked at. Each batch is a transaction of its own: nobody waits long. */
export const reindex = async (db: Db): Promise<number> => {
  let count = 0
  for (const source of await findSources(db))
    for (let after = ''; ; ) {
      const ids = await refreshBatch(db, source, after)
      count += ids.length
      after = ids.at(-1) ?? ''
      if (ids.length < batchSize) break
    }
  return count
}

const compared = sql`id, kind, team_id, user_id, visibility, listed, namespace, name, title, description, tags,
  resource_kind, origin, content_hash, confirmed_at, scope`

/** Rows that the index shows otherwise than they are, lacks, or has too many. */
export const countDisagreements = async (db: Db): Promise<number> => {
  let count = 0
  for (const { source } of await findSources(db)) {
    const view = sql.table(`search_source_${source}`)
    const indexed = sql`select ${compared} from search_documents where source = ${source}`
    const { rows } = await sql<{ count: number }>`select count(*) as count from (
      (select ${compared} from ${view} except ${indexed}) union all (${indexed} except select ${compared} from ${view})
    ) different`.execute(db)
    count += rows[0]?.count ?? 0
  }
  return count
}
