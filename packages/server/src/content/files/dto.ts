// A file row as a wire object.
import type { ContentRating, File } from '@millrace/contract/files'
import { mediaUrl, uploadUrl } from '#platform/blobs/signed-urls.ts'
import { type Actor, isMember } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { resourceFields } from '#platform/tenancy/resource.ts'
import type { FileRow } from './store.ts'

export const fileDto = (ctx: Ctx<Actor>, row: FileRow): File => ({
  ...resourceFields(row),
  visibility: row.visibility,
  uri: mediaUrl(ctx.settings.BASE_URL, row.media_key),
  upload_url: uploadUrlOf(ctx, row),
  path: row.path,
  remote_path: row.media_key,
  filename: row.filename,
  content_type: row.content_type,
  size: row.size,
  category: row.category,
  rating: row.rating as ContentRating,
})

/**
 * The holder of the URL can write, so it is shown only to the creator and only until the file is uploaded or the URL
 * expires.
 */
const uploadUrlOf = ({ actor, now, settings, uploadKey }: Ctx<Actor>, row: FileRow): string => {
  const isCreator = isMember(actor) && actor.userId === row.user_id && actor.teamId === row.team_id
  const expiresAtMs = Date.parse(row.upload_expires_at)
  if (!isCreator || row.uploaded_at !== null || expiresAtMs <= now().getTime()) return ''
  const grant = { fileId: row.id, maxBytes: row.max_bytes, expiresAtSeconds: Math.floor(expiresAtMs / 1000) }
  return uploadUrl(settings.BASE_URL, uploadKey, grant)
}
