// Multipart uploads, and the sweep of abandoned ones.
import type { ListMultipartUploadsCommandOutput, MultipartUpload } from '@aws-sdk/client-s3'
import type { PutOptions } from './blob-store.ts'
import { isBlobKey } from './keys.ts'
import { type S3Connection, s3Answered } from './s3-client.ts'
import type { Part } from './s3-parts.ts'

export type Multipart = { add(part: Part): Promise<void>; complete(): Promise<void>; abort(): Promise<void> }

export const beginMultipart = async (
  { sdk, client, at }: S3Connection,
  key: string,
  { contentType, signal }: PutOptions,
  underWay: Set<string>,
): Promise<Multipart> => {
  const abortable = signal && { abortSignal: signal }
  const begin = new sdk.CreateMultipartUploadCommand({ ...at(key), ...(contentType && { ContentType: contentType }) })
  const { UploadId: uploadId } = await s3Answered(client.send(begin, abortable), signal)
  if (!uploadId) throw new Error('S3 began a multipart upload without an id')
  underWay.add(uploadId)
  const parts: { PartNumber: number; ETag: string }[] = []
  return {
    async add({ number, bytes }) {
      const command = new sdk.UploadPartCommand({
        ...at(key),
        UploadId: uploadId,
        PartNumber: number,
        Body: bytes,
        ContentLength: bytes.length,
      })
      const { ETag: etag } = await s3Answered(client.send(command, abortable), signal)
      if (!etag) throw new Error('S3 stored a part without an ETag')
      parts.push({ PartNumber: number, ETag: etag })
    },
    async complete() {
      const upload = { ...at(key), UploadId: uploadId, MultipartUpload: { Parts: parts } }
      await s3Answered(client.send(new sdk.CompleteMultipartUploadCommand(upload), abortable), signal)
      underWay.delete(uploadId)
    },
    async abort() {
      underWay.delete(uploadId)
      // Without the caller's signal, which may be the reason for the abort.
      await s3Answered(client.send(new sdk.AbortMultipartUploadCommand({ ...at(key), UploadId: uploadId })))
    },
  }
}

/** Aborts uploads without activity for `idleMs`: crashed servers leave them, and S3 charges for their parts. */
export const sweepMultiparts = async (s3: S3Connection, idleMs: number, underWay: Set<string>): Promise<number> => {
  let removed = 0
  for await (const { Key: key, UploadId: uploadId, Initiated: initiated } of allMultiparts(s3)) {
    if (!key || !uploadId || !isBlobKey(key) || underWay.has(uploadId)) continue
    const lastSeenMs = Math.max(initiated?.getTime() ?? 0, await newestPartMs(s3, key, uploadId))
    if (Date.now() - lastSeenMs < idleMs) continue
    await s3Answered(s3.client.send(new s3.sdk.AbortMultipartUploadCommand({ ...s3.at(key), UploadId: uploadId })))
    removed += 1
  }
  return removed
}

async function* allMultiparts({ sdk, client, bucket }: S3Connection): AsyncGenerator<MultipartUpload> {
  let position: { KeyMarker?: string; UploadIdMarker?: string } | null = {}
  while (position) {
    const page: ListMultipartUploadsCommandOutput = await s3Answered(
      client.send(new sdk.ListMultipartUploadsCommand({ Bucket: bucket, ...position })),
    )
    yield* page.Uploads ?? []
    const more = page.IsTruncated === true && page.NextKeyMarker !== undefined
    position = more
      ? { KeyMarker: page.NextKeyMarker, ...(page.NextUploadIdMarker && { UploadIdMarker: page.NextUploadIdMarker }) }
      : null
  }
}

const newestPartMs = async ({ sdk, client, at }: S3Connection, key: string, uploadId: string): Promise<number> => {
  let newestMs = 0
  const pages = sdk.paginateListParts({ client }, { ...at(key), UploadId: uploadId })
  for await (const page of pages) {
    for (const part of page.Parts ?? []) newestMs = Math.max(newestMs, part.LastModified?.getTime() ?? 0)
  }
  return newestMs
}
