// Files as other features refer to them: by the address in an app version or in the input or output of a task.
import type { File } from '@millrace/contract/files'
import { mediaUrl } from '#platform/blobs/signed-urls.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import type { Db } from '#platform/db/database.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { mediaKeyOf } from './addresses.ts'
import { fileDto } from './dto.ts'
import { removeFiles } from './files.ts'
import * as store from './store.ts'

export type KnownFile = {
  id: string
  team_id: string
  visibility: string
  content_type: string
  size: number
  /** Both are empty until the upload is complete. */
  sha256: string
  ready: boolean
}

/** The stored file with an address; undefined for any other address. */
export const fileByUri = async ({ db }: { db: Db }, uri: string): Promise<KnownFile | undefined> => {
  const key = mediaKeyOf(uri)
  const row = key === null ? undefined : await store.findByMediaKey(db, key)
  return (
    row && {
      id: row.id,
      team_id: row.team_id,
      visibility: row.visibility,
      content_type: row.content_type,
      size: row.size,
      sha256: row.sha256 ?? '',
      ready: row.blob_key !== null,
    }
  )
}

/**
 * SHA-256 (hex) of an app's code bundle. An address of this server must be a complete upload that the caller's
 * workspace may read. For code stored elsewhere, no checksum is known.
 */
export const bundleChecksum = async (ctx: Ctx, repositoryUri: string): Promise<string> => {
  if (!repositoryUri.startsWith(mediaUrl(ctx.settings.BASE_URL, ''))) return ''
  const refuse = (why: string) => fail('validation_error', `repository: ${why}`)
  const file = await fileByUri(ctx, repositoryUri)
  const isReadable =
    file?.team_id === ctx.actor.teamId || file?.visibility === 'public' || file?.visibility === 'unlisted'
  if (!file || !isReadable) throw refuse('this file does not exist in this workspace')
  if (!file.ready) throw refuse('the upload of this file is not complete')
  return file.sha256
}

/** Records by address, limited to one workspace because an address does not identify its owner. */
export const filesByUris = async (
  ctx: Ctx<Actor>,
  teamId: string,
  uris: readonly string[],
): Promise<Map<string, File>> => {
  const keys = new Map(uris.flatMap((uri) => keyed(uri)))
  if (keys.size === 0) return new Map()
  const rows = await store.findByMediaKeys(ctx.db, teamId, [...new Set(keys.values())])
  const files = new Map(rows.map((row) => [row.media_key, fileDto(ctx, row)]))
  return new Map(
    [...keys].flatMap(([uri, key]) => {
      const file = files.get(key)
      return file ? [[uri, file]] : []
    }),
  )
}

const keyed = (uri: string): [string, string][] => {
  const key = mediaKeyOf(uri)
  return key === null ? [] : [[uri, key]]
}

/**
 * Deletes files of any member of the workspace. The caller must have checked permission on the object that owns the
 * files.
 */
export const deleteFiles = (ctx: Ctx<Actor>, teamId: string, ids: readonly string[]): Promise<number> =>
  ctx.tx(async (ctx) => {
    const count = await removeFiles(ctx, teamId, ids)
    if (count > 0)
      await recordAudit(ctx, 'file.deleted', { resourceType: 'file', resourceId: '', teamId, meta: { ids } })
    return count
  })

/**
 * Assigns files that an engine uploaded for a task to the task's workspace. Must run in the transaction that ends the
 * task, with the addresses in its output. Other addresses are ignored.
 */
export const adoptOutputs = async (
  ctx: Ctx<Actor>,
  engineTeamId: string,
  uris: readonly string[],
  owner: { teamId: string; userId: string },
): Promise<void> => {
  const keys = [...new Set(uris.flatMap((uri) => mediaKeyOf(uri) ?? []))]
  if (keys.length > 0) await store.adoptFiles(ctx.db, engineTeamId, keys, owner, ctx.now().toISOString())
}
