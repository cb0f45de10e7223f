// Receives the bytes of a record, from the holder of its upload URL or from the server itself. Bytes are complete and
// durable before a record points at them, and a failed upload leaves nothing behind.
import type { Readable } from 'node:stream'
import type { FileCategory } from '@millrace/contract/files'
import { maxFileBytes } from '@millrace/contract/files'
import type { BlobBody, PutOptions, PutResult } from '#platform/blobs/blob-store.ts'
import { safeContentType } from '#platform/blobs/content-types.ts'
import { assertUploadUrl } from '#platform/blobs/signed-urls.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { newBlobKey } from './addresses.ts'
import { dropBytesJob } from './delete-bytes-job.ts'
import { planFile } from './files.ts'
import { requireRoom, requireRoomForUpload, roomLeft } from './storage.ts'
import * as store from './store.ts'

export type Upload = {
  fileId: string
  /** The parts of the signature from the query. */
  exp: unknown
  sig: unknown
  contentType: string | undefined
  /** As announced; undefined if unknown. */
  sizeBytes: number | undefined
  body: Readable
  /** True if the chunks of the body are not shared. */
  ownsChunks: boolean
}

export const receiveUpload = async (ctx: Ctx<Actor>, upload: Upload): Promise<void> => {
  const { fileId, exp, sig, sizeBytes } = upload
  const file = await store.findUpload(ctx.db, fileId)
  // An id that was never signed and a deleted record get the same answer.
  if (!file) throw fail('forbidden', 'The upload URL is not valid')
  assertUploadUrl(ctx.uploadKey, { fileId, maxBytes: file.max_bytes, exp, sig }, ctx.now().getTime())

  const maxBytes = Math.min(file.max_bytes, await roomLeft(ctx, file.team_id, fileId))
  if (sizeBytes !== undefined && sizeBytes > maxBytes) throw fail('upload_too_large', { meta: { max_bytes: maxBytes } })
  const contentType = safeContentType(upload.contentType)
  const options: PutOptions = {
    maxBytes,
    contentType,
    ownsChunks: upload.ownsChunks,
    ...(sizeBytes !== undefined && { expectedBytes: sizeBytes }),
  }
  await withBytes(ctx, file.team_id, upload.body, options, (blobKey, result) =>
    ctx.tx((ctx) => attach(ctx, fileId, { blobKey, contentType, ...result })),
  )
}

/**
 * Points the record at the new bytes and drops the previous bytes in the same transaction. From here on the upload
 * counts.
 */
const attach = async (ctx: Ctx<Actor>, fileId: string, bytes: store.StoredBytes): Promise<void> => {
  const file = await store.lockFile(ctx.db, fileId)
  if (!file) throw fail('not_found', 'The file was deleted during its upload')
  await requireRoomForUpload(ctx, file.team_id, bytes.sizeBytes, fileId)
  await store.setBytes(ctx.db, fileId, bytes, ctx.now().toISOString())
  if (file.blob_key !== null) await dropBytesJob.add(ctx, [file.blob_key])
}

/** Stores a body under a new key and calls `keep`; if `keep` fails, deletes the bytes. */
const withBytes = async <T>(
  { blobs, log }: Ctx<Actor>,
  teamId: string,
  body: BlobBody,
  options: PutOptions,
  keep: (blobKey: string, result: PutResult) => Promise<T>,
): Promise<T> => {
  const blobKey = newBlobKey(teamId)
  const result = await blobs.put(blobKey, body, options)
  try {
    return await keep(blobKey, result)
  } catch (error) {
    // If this fails, the sweep removes the unreferenced bytes.
    await blobs
      .delete(blobKey)
      .catch((deleteError: unknown) =>
        log.warn({ err: deleteError, blobKey }, 'could not delete the bytes of a failed upload'),
      )
    throw error
  }
}

export type NewBytes = {
  body: Uint8Array | BlobBody
  filename?: string
  content_type?: string
  category?: FileCategory
}

/** Creates a file that is ready at once. If the transaction fails, the sweep removes its bytes. */
export const storeBytes = async (ctx: Ctx, { body, category = 'files', ...name }: NewBytes): Promise<store.FileRow> => {
  const { teamId } = ctx.actor
  const maxBytes = Math.min(maxFileBytes, await roomLeft(ctx, teamId, ''))
  const chunks = body instanceof Uint8Array ? once(body) : body
  const planned = planFile(ctx.actor, name, category, ctx.now())
  return withBytes(ctx, teamId, chunks, { maxBytes, contentType: name.content_type }, (blobKey, result) =>
    ctx.tx(async (ctx) => {
      const { sizeBytes: size, sha256 } = result
      await requireRoom(ctx, teamId, size)
      const now = ctx.now().toISOString()
      const ready = { blob_key: blobKey, sha256, size, max_bytes: size, uploaded_at: now, upload_expires_at: now }
      const content_type = planned.content_type || safeContentType(undefined)
      const [row] = await store.insertFiles(ctx.db, [{ ...planned, content_type, ...ready }])
      if (!row) throw fail('internal_error', { cause: new Error('The file row was not stored') })
      return row
    }),
  )
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
