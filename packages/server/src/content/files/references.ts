// Files as other features name them: by the address that stands in an app version, a task's input or its output.
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
  /** Both empty until the bytes are there. */
  sha256: string
  ready: boolean
}

/** The stored file that an address stands for; undefined for any other address. */
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
 * SHA-256 (hex) of an app's code bundle. An address of ours must be a complete upload that the caller's workspace may
 * read; of code that lies elsewhere the server knows no checksum.
 */
export const bundleChecksum = async (ctx: Ctx, repositoryUri: string): Promise<string> => {
  if (!repositoryUri.startsWith(mediaUrl(ctx.settings.BASE_URL, ''))) return ''
  const refuse = (why: string) => fail('validation_error', `repository: ${why}`)
  const file = await fileByUri(ctx, repositoryUri)
  const isReadable =
    file?.team_id === ctx.actor.teamId || file?.visibility === 'public' || file?.visibility === 'unlisted'
  if (!file || !isReadable) throw refuse('there is no such file in this workspace')
  if (!file.ready) throw refuse('the upload of this file is not complete')
  return file.sha256
}

/** Records behind addresses, by address. Only those of one workspace: an address alone says nothing about its owner. */
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

/** For good, whoever of the workspace made them: the caller has been asked about whatever they belong to. */
export const deleteFiles = (ctx: Ctx<Actor>, teamId: string, ids: readonly string[]): Promise<number> =>
  ctx.tx(async (ctx) => {
    const count = await removeFiles(ctx, teamId, ids)
    if (count > 0)
      await recordAudit(ctx, 'file.deleted', { resourceType: 'file', resourceId: '', teamId, meta: { ids } })
    return count
  })

/**
 * Files that an engine uploaded for a task pass to the task's workspace. To be called in the transaction that ends the
 * task, with the addresses in its output; addresses of anything else are left alone.
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
