// SQL that loads a server's memory of words and vectors and reads its changes, across workspaces.
import { sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { shortRead } from '#platform/db/prepared.ts'

export type MemoryRow = {
  id: string
  kind: string
  team_id: string
  user_id: string
  visibility: string
  listed: boolean
  /** A JSON list that is parsed by the holder of the tables. */
  words: string
  heads: string
  /** The JSON of a result. */
  shown: string
  /** Null without a vector of the current model. */
  components: Buffer | null
}

/** Which vectors to load; none while the length is unknown. */
export type VectorKind = { model: string; length: number | null }

/** A lateral lookup per vector, independent of the planner's estimates of the table sizes. */
const selectRows = ({ model, length }: VectorKind, documents: ReturnType<typeof sql>) => sql<MemoryRow>`
  select d.id, d.kind, d.team_id, d.user_id, d.visibility, d.listed, to_json(tsvector_to_array(d.words))::text as words,
    to_json(tsvector_to_array(d.heads))::text as heads, json_build_object('kind', d.kind, 'namespace', d.namespace, 'name', d.name,
      'title', d.title, 'description', d.description, 'tags', d.tags, 'resource_kind', d.resource_kind, 'origin', d.origin,
      'content_hash', d.content_hash, 'confirmed_at', d.confirmed_at)::text as shown, v.components
  from (${documents}) d left join lateral (
    select components from search_vectors v
    where v.id = d.id and v.model = ${model} and octet_length(v.components) = ${length}::int limit 1) v on true
  order by d.id`

const columns = sql`id, kind, team_id, user_id, visibility, listed, words, heads, namespace, name, title, description, tags,
  resource_kind, origin, content_hash, confirmed_at`

export const findRowsAfter = async (db: Db, made: VectorKind, after: string, limit: number): Promise<MemoryRow[]> => {
  const documents = sql`select ${columns} from search_documents where id > ${after} order by id limit ${limit}`
  return (await selectRows(made, documents).execute(db)).rows
}

export const findRows = async (db: Db, made: VectorKind, ids: readonly string[]): Promise<MemoryRow[]> => {
  const documents = sql`select ${columns} from search_documents where id = any(${sql.val([...ids])}::text[])`
  return (await selectRows(made, documents).execute(db)).rows
}

/** True if there are more vectors than the limit. */
export const hasMoreVectors = async (db: Db, model: string, than: number): Promise<boolean> => {
  const { rows } = await sql<{ more: boolean }>`
    select exists (select from search_vectors where model = ${model} offset ${than}) as more`.execute(db)
  return rows[0]?.more ?? false
}

export const hasMoreDocuments = async (db: Db, than: number): Promise<boolean> => {
  const { rows } = await sql<{ more: boolean }>`
    select exists (select from search_documents offset ${than}) as more`.execute(db)
  return rows[0]?.more ?? false
}

/**
 * `horizon`: all transactions below it have ended and are visible. `life`: identifies the database server; after a
 * failover or a restored backup, another server may lack earlier changes and restarts the numbers of transactions.
 */
export type LogPoint = { horizon: number; life: string }

const point = sql`pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon, pg_postmaster_start_time()::text as life`

export const findPoint = async (db: Db): Promise<LogPoint> => {
  const { rows } = await sql<LogPoint>`select ${point}`.execute(db)
  return rows[0] ?? { horizon: 0, life: '' }
}

export type Changes = LogPoint & { numbers: number[]; ids: string[] }

/**
 * No transaction has a higher number. For a range with one open end, a generic plan assumes a third of the log, and
 * every search would read the whole log.
 */
const lastTransaction = '9223372036854775807'

const selectChanges = shortRead(
  (_db, since: number, limit: number) => sql<Changes>`
    select ${point}, coalesce(array_agg(number::float8), '{}') as numbers, coalesce(array_agg(id), '{}') as ids
    from (select number, id from search_changes
      where transaction between ${since}::bigint and ${lastTransaction} limit ${limit}::bigint) changed`,
)

/** Changes since a horizon, and the point from which to continue. */
export const findChanges = async (db: Db, since: number, limit: number): Promise<Changes> => {
  const [changes] = await selectChanges(db, since, limit)
  return changes ?? { horizon: since, life: '', numbers: [], ids: [] }
}

export const findTeamsOfOrg = async (db: Db, orgId: string): Promise<string[]> =>
  (await db.selectFrom('teams').select('id').where('org_id', '=', orgId).execute()).map(({ id }) => id)

export const deleteChanges = async (db: Db, before: string): Promise<void> => {
  await db.deleteFrom('search_changes').where('changed_at', '<', before).execute()
}
