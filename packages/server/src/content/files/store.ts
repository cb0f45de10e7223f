// SQL of files. Records are found by id, by media key or by blob key.
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db } from '#platform/db/database.ts'
import { idMatches } from '#platform/db/ids.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { teamOrg } from '#platform/tenancy/visibility.ts'

export type FileRow = Selectable<Database['files']>
export type NewFile = Insertable<Database['files']>

export const insertFiles = (db: Db, files: readonly NewFile[]): Promise<FileRow[]> =>
  db
    .insertInto('files')
    .values([...files])
    .returningAll()
    .execute()

/** The base query of lists; the caller adds the visibility condition. */
export const allFiles = (db: Db) => db.selectFrom('files').selectAll('files')

/** By full or short id, with the organization of the owner. */
export const findFile = (db: Db, id: string) =>
  db
    .selectFrom('files')
    .selectAll('files')
    .select(teamOrg('files'))
    .where(idMatches('files.id', id))
    .limit(1)
    .executeTakeFirst()

export const lockFile = (db: Db, id: string) =>
  db
    .selectFrom('files')
    .selectAll('files')
    .select(teamOrg('files'))
    .where(idMatches('files.id', id))
    .forUpdate('files')
    .limit(1)
    .executeTakeFirst()

/** By exact id, for the holder of an upload URL. */
export const findUpload = (db: Db, id: string) =>
  db
    .selectFrom('files')
    .select(['id', 'team_id', 'max_bytes', 'size', 'uploaded_at', 'upload_expires_at'])
    .where('id', '=', id)
    .limit(1)
    .executeTakeFirst()

export const findByMediaKey = (db: Db, mediaKey: string): Promise<FileRow | undefined> =>
  db.selectFrom('files').selectAll().where('media_key', '=', mediaKey).limit(1).executeTakeFirst()

export const findByMediaKeys = (db: Db, teamId: string, mediaKeys: readonly string[]): Promise<FileRow[]> =>
  db
    .selectFrom('files')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('media_key', 'in', [...mediaKeys])
    .execute()

export type StoredBytes = { blobKey: string; sizeBytes: number; sha256: string; contentType: string }

/** Points a record at complete bytes. The uploader's type is used only if the creator named none. */
export const setBytes = async (db: Db, id: string, bytes: StoredBytes, now: string): Promise<void> => {
  await db
    .updateTable('files')
    .set({
      blob_key: bytes.blobKey,
      size: bytes.sizeBytes,
      sha256: bytes.sha256,
      content_type: sql`case when content_type = '' then ${bytes.contentType} else content_type end`,
      uploaded_at: now,
      updated_at: now,
    })
    .where('id', '=', id)
    .execute()
}

export const setVisibility = (db: Db, id: string, visibility: FileRow['visibility'], now: string): Promise<FileRow> =>
  db
    .updateTable('files')
    .set({ visibility, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()

/**
 * Assigns outputs that an engine has just uploaded to the workspace whose task made them. Only once, as the migration
 * explains.
 */
export const adoptFiles = async (
  db: Db,
  engineTeamId: string,
  mediaKeys: readonly string[],
  owner: { teamId: string; userId: string },
  now: string,
): Promise<void> => {
  await db
    .updateTable('files')
    .set({ team_id: owner.teamId, user_id: owner.userId, visibility: 'team', adopted: true, updated_at: now })
    .where('team_id', '=', engineTeamId)
    .where('media_key', 'in', [...mediaKeys])
    .where('adopted', '=', false)
    .execute()
}

export const deleteFiles = (db: Db, teamId: string, ids: readonly string[]) =>
  db
    .deleteFrom('files')
    .where('team_id', '=', teamId)
    .where('id', 'in', [...ids])
    .returning(['id', 'blob_key'])
    .execute()

/** Deletes the oldest engine uploads that no output names. */
export const deleteNeverAdopted = async (db: Db, createdBefore: string, limit: number): Promise<number> => {
  const oldest = db
    .selectFrom('files')
    .select('id')
    .where('adopted', '=', sql.lit(false))
    .where('created_at', '<', createdBefore)
    .orderBy('created_at')
    .limit(limit)
  const { numDeletedRows } = await db
    .deleteFrom('files')
    .where('id', 'in', oldest)
    // A task that ended meanwhile may name the file in its output.
    .where('adopted', '=', sql.lit(false))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

export const deleteNeverUploaded = async (db: Db, createdBefore: string, limit: number): Promise<number> => {
  const oldest = db
    .selectFrom('files')
    .select('id')
    .where('uploaded_at', 'is', null)
    .where('created_at', '<', createdBefore)
    .orderBy('created_at')
    .limit(limit)
  const { numDeletedRows } = await db
    .deleteFrom('files')
    .where('id', 'in', oldest)
    .where('uploaded_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Returns the given blob keys that a record uses. Across workspaces, because a blob key does not name an owner. */
export const findReferencedBlobs = async (db: Db, blobKeys: readonly string[]): Promise<string[]> => {
  const rows = await db
    .selectFrom('files')
    .select('blob_key')
    .where('blob_key', 'in', [...blobKeys])
    .execute()
  return rows.flatMap(({ blob_key }) => (blob_key === null ? [] : [blob_key]))
}

/** Stored bytes plus the announced bytes of records that can still be uploaded. */
export const sumBytes = async (db: Db, teamId: string, now: string, exceptId = ''): Promise<number> => {
  const { bytes } = await db
    .selectFrom('files')
    .select(sql<number>`coalesce(sum(size), 0)`.as('bytes'))
    .where('team_id', '=', teamId)
    .where('id', '<>', exceptId)
    .where((where) => where.or([where('uploaded_at', 'is not', null), where('upload_expires_at', '>', now)]))
    .executeTakeFirstOrThrow()
  return bytes
}
