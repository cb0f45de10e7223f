// SQL of artifacts and their versions. Only the queries that need the content read it.
import { isId, isShortId } from '@millrace/contract/ids'
import { type InferResult, type Insertable, sql, type Updateable } from 'kysely'
import { lockedOrAlone } from '#platform/db/alone.ts'
import type { Db } from '#platform/db/database.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { movedColumns, type TeamMove } from '#platform/tenancy/named-rows.ts'
import { defaultVisibility, teamOrg } from '#platform/tenancy/visibility.ts'
import { readArtifactId } from './names.ts'

export const selectArtifacts = (db: Db) =>
  db
    .selectFrom('artifacts')
    .select([
      'artifacts.id',
      'artifacts.team_id',
      'artifacts.user_id',
      'artifacts.visibility',
      'artifacts.namespace',
      'artifacts.name',
      'artifacts.title',
      'artifacts.description',
      'artifacts.favicon',
      'artifacts.type',
      'artifacts.images',
      'artifacts.version_id',
      'artifacts.shared_version_id',
      'artifacts.views',
      'artifacts.created_at',
      'artifacts.updated_at',
      'artifacts.deleted_at',
    ])
    .select(teamOrg('artifacts'))
    .where('artifacts.deleted_at', 'is', null)

export type ArtifactRow = InferResult<ReturnType<typeof selectArtifacts>>[number]

const byId = (db: Db, text: string) => {
  const parsed = readArtifactId(text)
  if (parsed === null) return selectArtifacts(db).where(sql<boolean>`false`)
  return 'id' in parsed
    ? selectArtifacts(db).where('artifacts.id', '=', parsed.id)
    : selectArtifacts(db).where(sql<boolean>`left(artifacts.id, 12) = ${parsed.shortId}`)
}

/** By full or short id; none if two artifacts share the short id. */
export const findArtifact = async (db: Db, id: string): Promise<ArtifactRow | undefined> => {
  const rows = await byId(db, id).limit(2).execute()
  return rows.length === 1 ? rows[0] : undefined
}

export const lockArtifact = async (db: Db, id: string): Promise<ArtifactRow | undefined> => {
  const rows = await byId(db, id).limit(2).forUpdate('artifacts').execute()
  return rows.length === 1 ? rows[0] : undefined
}

const byRef = (db: Db, namespace: string, name: string) =>
  selectArtifacts(db).where('artifacts.namespace', '=', namespace).where('artifacts.name', '=', name)

export const findArtifactByRef = (db: Db, namespace: string, name: string): Promise<ArtifactRow | undefined> =>
  byRef(db, namespace, name).limit(1).executeTakeFirst()

/** Waits for a concurrent transaction that inserts the same ref. */
export const lockArtifactByRef = (db: Db, namespace: string, name: string): Promise<ArtifactRow | undefined> =>
  lockedOrAlone(db, `artifacts ${namespace}/${name}`, () =>
    byRef(db, namespace, name).forUpdate('artifacts').limit(1).executeTakeFirst(),
  )

/** Returns false if an artifact that is not deleted has the ref. */
export const insertArtifact = async (db: Db, artifact: Insertable<Database['artifacts']>): Promise<boolean> => {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('artifacts')
    .values({ visibility: defaultVisibility(artifact.team_id), ...artifact })
    .onConflict((conflict) => conflict.columns(['namespace', 'name']).where('deleted_at', 'is', null).doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

export const updateArtifact = async (db: Db, id: string, change: Updateable<Database['artifacts']>): Promise<void> => {
  await db.updateTable('artifacts').set(change).where('id', '=', id).where('deleted_at', 'is', null).execute()
}

export const countView = async (db: Db, id: string): Promise<void> => {
  await db.updateTable('artifacts').set({ views: sql`views + 1` }).where('id', '=', id).execute()
}

export const moveArtifact = async (db: Db, id: string, to: TeamMove): Promise<void> => {
  await db
    .updateTable('artifacts')
    .set(movedColumns('artifacts', to))
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}

export const selectVersions = (db: Db, artifactId: string) =>
  db
    .selectFrom('artifact_versions')
    .select([
      'artifact_versions.id',
      'artifact_versions.artifact_id',
      'artifact_versions.number',
      'artifact_versions.content_hash',
      'artifact_versions.md5',
      'artifact_versions.size_bytes',
      'artifact_versions.label',
      'artifact_versions.notes',
      'artifact_versions.origin',
      'artifact_versions.generated_by',
      'artifact_versions.capabilities',
      'artifact_versions.created_by',
      'artifact_versions.created_at',
    ])
    .where('artifact_versions.artifact_id', '=', artifactId)

export type VersionRow = InferResult<ReturnType<typeof selectVersions>>[number]

/** By id, short id or number. */
export const findVersion = async (db: Db, artifactId: string, text: string): Promise<VersionRow | undefined> => {
  const versions = selectVersions(db, artifactId).limit(2)
  const isNumber = /^[1-9]\d{0,8}$/.test(text) && !isShortId(text)
  if (!isNumber && !isId(text) && !isShortId(text)) return undefined
  const rows = await (isNumber
    ? versions.where('artifact_versions.number', '=', Number(text))
    : versions.where(isId(text) ? sql<boolean>`id = ${text}` : sql<boolean>`left(id, 8) = ${text}`)
  ).execute()
  return rows.length === 1 ? rows[0] : undefined
}

export const findVersions = (db: Db, ids: readonly string[]) =>
  db
    .selectFrom('artifact_versions')
    .select(['id', 'artifact_id', 'number', 'content_hash', 'md5', 'size_bytes', 'label', 'notes', 'origin'])
    .select(['generated_by', 'capabilities', 'created_by', 'created_at'])
    .where('id', 'in', [...ids])
    .execute()

/** Assigns the next number. The artifact must be locked or new. */
export const insertVersion = async (
  db: Db,
  version: Omit<Insertable<Database['artifact_versions']>, 'number'>,
): Promise<void> => {
  await db
    .insertInto('artifact_versions')
    .values({
      ...version,
      number: sql<number>`(select coalesce(max(number), 0) + 1 from artifact_versions where artifact_id = ${version.artifact_id})`,
    })
    .execute()
}

export const findContent = async (db: Db, artifactId: string, versionId: string): Promise<Buffer | undefined> => {
  const row = await db
    .selectFrom('artifact_versions')
    .select('content')
    .where('artifact_id', '=', artifactId)
    .where('id', '=', versionId)
    .limit(1)
    .executeTakeFirst()
  return row?.content
}

/** Removes artifacts that were deleted before a time, with all versions; returns their number. */
export const purgeDeleted = async (db: Db, before: string, limit: number): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    with gone as (delete from artifacts where id in (
      select id from artifacts where deleted_at < ${before}::timestamptz limit ${limit}) returning id),
    versions as (delete from artifact_versions where artifact_id in (select id from gone))
    select count(*) as count from gone`.execute(db)
  return rows[0]?.count ?? 0
}
