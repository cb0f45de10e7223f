// SQL by which a server's memory of vectors follows the rows, those of every workspace.
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

export type VectorRow = {
  id: string
  kind: string
  team_id: string
  user_id: string
  visibility: string
  listed: boolean
  components: Buffer
}

export type Made = { model: string; length: number }

const selectVectors = ({ model, length }: Made) => sql`
  select v.id, d.kind, d.team_id, d.user_id, d.visibility, d.listed, v.components
  from search_vectors v join search_documents d on d.id = v.id
  where v.model = ${model} and octet_length(v.components) = ${length}`

export const findVectorsAfter = async (db: Db, made: Made, after: string, limit: number): Promise<VectorRow[]> => {
  const { rows } = await sql<VectorRow>`
    ${selectVectors(made)} and v.id > ${after} order by v.id limit ${limit}`.execute(db)
  return rows
}

export const findVectors = async (db: Db, made: Made, ids: readonly string[]): Promise<VectorRow[]> => {
  const { rows } = await sql<VectorRow>`
    ${selectVectors(made)} and v.id = any(${sql.val([...ids])}::text[])`.execute(db)
  return rows
}

/** Whether there are more than so many. */
export const hasMoreVectors = async (db: Db, model: string, than: number): Promise<boolean> => {
  const { rows } = await sql<{ more: boolean }>`
    select exists (select from search_vectors where model = ${model} offset ${than}) as more`.execute(db)
  return rows[0]?.more ?? false
}

/** Every change before it is committed and can be seen. */
export const findHorizon = async (db: Db): Promise<number> => {
  const { rows } = await sql<{ horizon: number }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon`.execute(db)
  return rows[0]?.horizon ?? 0
}

export type Changes = { horizon: number; numbers: number[]; ids: string[] }

/**
 * No transaction has a higher number. A range that is open at one end is taken for a third of the log by a plan that was made
 * before its beginning was known, and then every search reads the whole log.
 */
const lastTransaction = '9223372036854775807'

/** What changed since a horizon, and the next one. */
export const findChanges = async (db: Db, since: number, limit: number): Promise<Changes> => {
  const { rows } = await sql<Changes>`
    select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon,
      coalesce(array_agg(number::float8), '{}') as numbers, coalesce(array_agg(id), '{}') as ids
    from (select number, id from search_changes where transaction between ${since} and ${lastTransaction} limit ${limit}) changed`.execute(
    db,
  )
  return rows[0] ?? { horizon: since, numbers: [], ids: [] }
}

export const findTeamsOfOrg = async (db: Db, orgId: string): Promise<string[]> =>
  (await db.selectFrom('teams').select('id').where('org_id', '=', orgId).execute()).map(({ id }) => id)

export const deleteChanges = async (db: Db, before: string): Promise<void> => {
  await db.deleteFrom('search_changes').where('changed_at', '<', before).execute()
}
