// SQL of apps. Every row includes the organization of its workspace, which the visibility rules need.
import { isShortId } from '@millrace/contract/ids'
import { type InferResult, type Insertable, sql, type Updateable } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import { shortRead } from '#platform/db/prepared.ts'
import { rowStamp } from '#platform/db/row-stamp.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { movedColumns, type TeamMove } from '#platform/tenancy/named-rows.ts'
import { defaultVisibility, teamOrg } from '#platform/tenancy/visibility.ts'

const appColumns = [
  'apps.id',
  'apps.team_id',
  'apps.user_id',
  'apps.visibility',
  'apps.namespace',
  'apps.name',
  'apps.title',
  'apps.description',
  'apps.agent_description',
  'apps.category',
  'apps.tags',
  'apps.images',
  'apps.version_id',
  'apps.pricing',
  'apps.status',
  'apps.status_message',
  'apps.status_changed_at',
  'apps.created_at',
  'apps.updated_at',
  'apps.deleted_at',
] as const

/** All apps that are not deleted; callers add further conditions. */
export const selectApps = (db: Db) =>
  db.selectFrom('apps').select(appColumns).select(teamOrg('apps')).where('apps.deleted_at', 'is', null)

export type AppRow = InferResult<ReturnType<typeof selectApps>>[number]

/**
 * The stamp of the app's row is sufficient to detect changes of access: the visibility of apps does not depend on the
 * organization.
 */
const appStamp = rowStamp('apps')

export type StampedApp = AppRow & { stamp?: string }

/** Every run and every read of an app starts with one of these statements. */
const appsOfId = shortRead((db, id: string) => selectApps(db).select(appStamp.as('stamp')).where('apps.id', '=', id))
const appsOfRef = shortRead((db, namespace: string, name: string) =>
  selectApps(db).select(appStamp.as('stamp')).where('apps.namespace', '=', namespace).where('apps.name', '=', name),
)

/** By full or short id; undefined if two apps share the short id. */
export const findApp = async (db: Db, id: string): Promise<StampedApp | undefined> => {
  const rows: StampedApp[] = isShortId(id)
    ? await selectApps(db).where(idMatches('apps.id', id)).limit(2).execute()
    : await appsOfId(db, id)
  return rows.length === 1 ? rows[0] : undefined
}

export const findAppByRef = async (db: Db, namespace: string, name: string): Promise<StampedApp | undefined> =>
  (await appsOfRef(db, namespace, name))[0]

export const lockApp = async (db: Db, id: string) => {
  const rows = await selectApps(db).where(idMatches('apps.id', id)).limit(2).forUpdate('apps').execute()
  return rows.length === 1 ? rows[0] : undefined
}

export const lockAppByRef = (db: Db, namespace: string, name: string) =>
  selectApps(db)
    .where('apps.namespace', '=', namespace)
    .where('apps.name', '=', name)
    .forUpdate('apps')
    .limit(1)
    .executeTakeFirst()

/** Includes deleted apps: their past runs stay accessible. */
export const findAppsByIds = (db: Db, ids: readonly string[]) =>
  db
    .selectFrom('apps')
    .select(appColumns)
    .select(teamOrg('apps'))
    .where('apps.id', 'in', [...ids])
    .execute()

/** False when another app has the ref. */
export const insertApp = async (db: Db, app: Insertable<Database['apps']>): Promise<boolean> => {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('apps')
    .values({ visibility: defaultVisibility(app.team_id), ...app })
    .onConflict((conflict) => conflict.columns(['namespace', 'name']).where('deleted_at', 'is', null).doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

export const updateApp = async (db: Db, id: string, change: Updateable<Database['apps']>): Promise<void> => {
  await db.updateTable('apps').set(change).where('id', '=', id).where('deleted_at', 'is', null).execute()
}

export const moveApp = async (db: Db, id: string, to: TeamMove): Promise<void> => {
  await db
    .updateTable('apps')
    .set(movedColumns('apps', to))
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}

/** Plans count all apps that are not public as private. */
export const countPrivateApps = async (db: Db, teamId: string): Promise<number> => {
  const { count } = await db
    .selectFrom('apps')
    .select(sql<number>`count(*)`.as('count'))
    .where('team_id', '=', teamId)
    .where('visibility', '<>', 'public')
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}

export const selectVersions = (db: Db, appId: string) =>
  db.selectFrom('app_versions').selectAll().where('app_versions.app_id', '=', appId)

export type VersionRow = InferResult<ReturnType<typeof selectVersions>>[number]

export const findVersion = async (db: Db, appId: string, id: string) => {
  const rows = await selectVersions(db, appId).where(idMatches('app_versions.id', id)).limit(2).execute()
  return rows.length === 1 ? rows[0] : undefined
}

export const findVersionsByIds = (db: Db, ids: readonly string[]) =>
  db
    .selectFrom('app_versions')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute()

export const insertVersion = (db: Db, version: Insertable<Database['app_versions']>): Promise<VersionRow> =>
  db.insertInto('app_versions').values(version).returningAll().executeTakeFirstOrThrow()

const variantsWithoutEnv = sql`(
  select coalesce(jsonb_object_agg(key, value || '{"env": {}}'), '{}') from jsonb_each(app_versions.variants))`

/**
 * Copies the active version of an app to another app; optionally without the environments of the version and its
 * variants.
 */
export const copyVersion = (
  db: Db,
  copy: { from: string; id: string; appId: string; createdBy: string; now: string; withEnv: boolean },
): Promise<VersionRow> =>
  db
    .insertInto('app_versions')
    .columns([...versionContents, 'env', 'variants', 'id', 'app_id', 'created_by', 'created_at'])
    .expression((query) =>
      query
        .selectFrom('app_versions')
        .select(versionContents)
        .select([
          (copy.withEnv ? sql.ref('env') : sql`'{}'::jsonb`).as('env'),
          (copy.withEnv ? sql.ref('variants') : variantsWithoutEnv).as('variants'),
          sql<string>`${copy.id}`.as('id'),
          sql<string>`${copy.appId}`.as('app_id'),
          sql<string>`${copy.createdBy}`.as('created_by'),
          sql<string>`${copy.now}::timestamptz`.as('created_at'),
        ])
        .where('id', '=', copy.from),
    )
    .returningAll()
    .executeTakeFirstOrThrow()

const versionContents = [
  'metadata',
  'repository',
  'checksum',
  'kernel',
  'setup_schema',
  'functions',
  'default_function',
  'resources',
  'required_secrets',
  'required_credentials',
  'flow_version_id',
] as const

export type LicenseRow = NonNullable<Awaited<ReturnType<typeof findLicense>>>

export const findLicense = (db: Db, appId: string, userId: string) =>
  db
    .selectFrom('app_licenses')
    .selectAll()
    .where('app_id', '=', appId)
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst()

export const upsertLicense = (db: Db, license: Insertable<Database['app_licenses']>): Promise<LicenseRow> =>
  db
    .insertInto('app_licenses')
    .values(license)
    .onConflict((conflict) =>
      conflict.columns(['app_id', 'user_id']).doUpdateSet({ license: license.license, updated_at: license.updated_at }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()

const listingColumns = [
  'apps.id',
  'apps.category',
  'apps.subcategory',
  'apps.tags',
  'apps.namespace',
  'apps.name',
  'apps.title',
  'apps.description',
  'apps.images',
  'apps.is_featured',
  'apps.rank',
  'apps.submitted_version_id',
  'apps.pricing',
] as const

export const selectListings = (db: Db) =>
  db
    .selectFrom('apps')
    .select(listingColumns)
    .where('apps.deleted_at', 'is', null)
    .where('apps.visibility', '=', 'public')
    .where('apps.status', '<>', 'retired')
    .where('apps.delisted', '=', false)

/** The store listing of an app, even if the store does not show it: for store administrators. */
export const findListing = (db: Db, id: string) =>
  db.selectFrom('apps').select(listingColumns).where('apps.id', '=', id).limit(1).executeTakeFirstOrThrow()

export type ListingRow = InferResult<ReturnType<typeof selectListings>>[number]

/** A condition for lists. */
export const carriesTag = (tag: string) => sql<boolean>`apps.tags @> array[${tag}]::text[]`
