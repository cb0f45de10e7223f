// SQL of flows and their versions. Rows include the organization of the owning team, which visibility checks need.
import type { FlowGraph } from '@millrace/contract/flows'
import { isShortId } from '@millrace/contract/ids'
import { type InferResult, type Insertable, sql, type Updateable } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import { prepared } from '#platform/db/prepared.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { movedColumns, type TeamMove } from '#platform/tenancy/named-rows.ts'
import { defaultVisibility, teamOrg } from '#platform/tenancy/visibility.ts'
import type { History } from './graph/history.ts'

const flowColumns = [
  'flows.id',
  'flows.team_id',
  'flows.user_id',
  'flows.visibility',
  'flows.namespace',
  'flows.name',
  'flows.title',
  'flows.description',
  'flows.card_image',
  'flows.thumbnail',
  'flows.banner_image',
  'flows.draft_version_id',
  'flows.published_version_id',
  'flows.app_id',
  'flows.created_at',
  'flows.updated_at',
] as const

/** All flows; the caller adds conditions. */
export const selectFlows = (db: Db) => db.selectFrom('flows').select(flowColumns).select(teamOrg('flows'))

export type FlowRow = InferResult<ReturnType<typeof selectFlows>>[number]

/** Prepared, because every run of a flow starts with this query. */
const flowsOfId = prepared((db, id: string) => selectFlows(db).where('flows.id', '=', id))

/** By full or short id; none if two flows share the short id. */
export const findFlow = async (db: Db, id: string): Promise<FlowRow | undefined> => {
  const rows = isShortId(id)
    ? await selectFlows(db).where(idMatches('flows.id', id)).limit(2).execute()
    : await flowsOfId(db, id)
  return rows.length === 1 ? rows[0] : undefined
}

export const lockFlow = async (db: Db, id: string): Promise<FlowRow | undefined> => {
  const rows = await selectFlows(db).where(idMatches('flows.id', id)).limit(2).forUpdate('flows').execute()
  return rows.length === 1 ? rows[0] : undefined
}

export const findFlowByRef = (db: Db, namespace: string, name: string): Promise<FlowRow | undefined> =>
  selectFlows(db).where('flows.namespace', '=', namespace).where('flows.name', '=', name).limit(1).executeTakeFirst()

/** Returns false if another flow has the ref. */
export const insertFlow = async (db: Db, flow: Insertable<Database['flows']>): Promise<boolean> => {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('flows')
    .values({ visibility: defaultVisibility(flow.team_id), ...flow })
    .onConflict((conflict) => conflict.columns(['namespace', 'name']).doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

export const updateFlow = async (db: Db, id: string, change: Updateable<Database['flows']>): Promise<void> => {
  await db.updateTable('flows').set(change).where('id', '=', id).execute()
}

/** Its app is not moved. */
export const moveFlow = async (db: Db, id: string, to: TeamMove): Promise<void> => {
  await db
    .updateTable('flows')
    .set({ ...movedColumns('flows', to), app_id: null })
    .where('id', '=', id)
    .execute()
}

export const deleteFlow = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('flows').where('id', '=', id).execute()
}

export const touchVersions = async (db: Db, flowId: string, now: string): Promise<void> => {
  await db.updateTable('flow_versions').set({ updated_at: now }).where('flow_id', '=', flowId).execute()
}

/** Deletes versions whose flow was deleted before a time, unless a run or an app needs them. */
export const deleteOrphanedVersions = async (db: Db, before: string): Promise<void> => {
  await sql`
    delete from flow_versions v where v.updated_at < ${before}::timestamptz
      and not exists (select from flows f where f.id = v.flow_id)
      and not exists (select from flow_runs r where r.flow_id = v.flow_id and r.flow_version_id = v.id)
      and not exists (select from app_versions a where a.flow_version_id = v.id)`.execute(db)
}

export const takenNames = async (db: Db, namespace: string, names: readonly string[]): Promise<Set<string>> => {
  const rows = await db
    .selectFrom('flows')
    .select('name')
    .where('namespace', '=', namespace)
    .where('name', 'in', [...names])
    .execute()
  return new Set(rows.map((row) => row.name))
}

const versionColumns = ['id', 'flow_id', 'graph_version', 'graph', 'frozen', 'created_at', 'updated_at'] as const

export const selectVersions = (db: Db, flowId: string) =>
  db.selectFrom('flow_versions').select(versionColumns).where('flow_versions.flow_id', '=', flowId)

type StoredVersion = InferResult<ReturnType<typeof selectVersions>>[number]
export type VersionRow = Omit<StoredVersion, 'graph'> & { graph: FlowGraph }

export const typedVersion = (row: StoredVersion): VersionRow => ({ ...row, graph: row.graph as FlowGraph })

export const findVersions = async (db: Db, ids: readonly string[]): Promise<Map<string, VersionRow>> => {
  const rows = await db
    .selectFrom('flow_versions')
    .select(versionColumns)
    .where('id', 'in', [...ids])
    .execute()
  return new Map(rows.map((row) => [row.id, typedVersion(row)]))
}

export const findVersionOfFlow = async (db: Db, flowId: string, id: string): Promise<VersionRow | undefined> => {
  const rows = await selectVersions(db, flowId).where(idMatches('flow_versions.id', id)).limit(2).execute()
  return rows.length === 1 && rows[0] ? typedVersion(rows[0]) : undefined
}

export const insertVersion = async (
  db: Db,
  version: Omit<Insertable<Database['flow_versions']>, 'graph'> & { graph: FlowGraph },
): Promise<void> => {
  await db
    .insertInto('flow_versions')
    .values({ ...version, graph: JSON.stringify(version.graph) })
    .execute()
}

/**
 * Makes a draft immutable and returns the number of its graph. Waits for a concurrent edit. Undefined if it was frozen
 * already.
 */
export const freezeVersion = async (db: Db, id: string): Promise<number | undefined> => {
  const row = await db
    .updateTable('flow_versions')
    .set({ frozen: true })
    .where('id', '=', id)
    .where('frozen', '=', false)
    .returning('graph_version')
    .executeTakeFirst()
  return row?.graph_version
}

export const findGraphVersion = (db: Db, id: string) =>
  db.selectFrom('flow_versions').select(['graph_version', 'frozen']).where('id', '=', id).limit(1).executeTakeFirst()

/** The draft and its history, locked for an edit. */
export const lockDraft = async (db: Db, flowId: string): Promise<(VersionRow & { history: History }) | undefined> => {
  const row = await db
    .selectFrom('flows')
    .innerJoin('flow_versions as v', 'v.id', 'flows.draft_version_id')
    .select([
      'v.id',
      'v.flow_id',
      'v.graph_version',
      'v.graph',
      'v.frozen',
      'v.created_at',
      'v.updated_at',
      'flows.history',
    ])
    .where('flows.id', '=', flowId)
    .forUpdate()
    .limit(1)
    .executeTakeFirst()
  return row && { ...row, graph: row.graph as FlowGraph, history: row.history as History }
}

export type EditedDraft = { flowId: string; versionId: string; graph: FlowGraph; history: History; now: string }

/** Overwrites the draft with an edit, and its undo history. */
export const updateDraft = async (db: Db, edit: EditedDraft, graphVersion: number): Promise<void> => {
  await sql`
    with version as (
      update flow_versions set graph = ${JSON.stringify(edit.graph)}::json, graph_version = ${graphVersion},
        updated_at = ${edit.now}::timestamptz
      where id = ${edit.versionId} and not frozen)
    update flows set history = ${JSON.stringify(edit.history)}::json, updated_at = ${edit.now}::timestamptz
    where id = ${edit.flowId}`.execute(db)
}

/** Inserts a new draft with an edit of a frozen one. */
export const insertDraft = async (
  db: Db,
  edit: EditedDraft,
  graphVersion: number,
  createdBy: string,
): Promise<void> => {
  await sql`
    with version as (
      insert into flow_versions (id, flow_id, graph_version, graph, created_by, created_at, updated_at)
      values (${edit.versionId}, ${edit.flowId}, ${graphVersion}, ${JSON.stringify(edit.graph)}::json, ${createdBy},
        ${edit.now}::timestamptz, ${edit.now}::timestamptz))
    update flows set draft_version_id = ${edit.versionId}, history = ${JSON.stringify(edit.history)}::json,
      updated_at = ${edit.now}::timestamptz
    where id = ${edit.flowId}`.execute(db)
}
