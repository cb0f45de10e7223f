// Blobs in S3. The SDK is loaded only when this store is opened. S3 operations are atomic per object: a put is one
// request, or a multipart upload that is completed at the end. The bucket must belong to Millrace alone, because the
// sweeps process all objects in it.
import { Readable } from 'node:stream'
import { fail } from '../core/errors.ts'
import type { BlobBody, BlobRead, BlobStat, BlobStore, ListedBlob, PutOptions, ReadOptions } from './blob-store.ts'
import { meter } from './body.ts'
import { assertBlobKey, assertBlobPrefix } from './keys.ts'
import { chooseRange, rangeStillApplies } from './ranges.ts'
import { connectS3, errorName, httpStatus, type S3Connection, s3Answered, s3AnsweredOrNull } from './s3-client.ts'
import { beginMultipart, type Multipart, sweepMultiparts } from './s3-multipart.ts'
import { type Part, partBytesFor, partsOf } from './s3-parts.ts'
import { openPresigner } from './s3-presigner.ts'
import type { S3Settings } from './s3-settings.ts'

export type S3StoreOptions = {
  /** Called when a failed upload could not be aborted; the sweep removes it later. */
  onLeftover?: (key: string, error: unknown) => void
}

export const openS3Store = async (settings: S3Settings, options: S3StoreOptions = {}): Promise<BlobStore> => {
  const s3 = await connectS3(settings)
  const underWay = new Set<string>()
  return {
    kind: 's3',
    presigner: await openPresigner(s3),
    put: (key, body, put) => putObject(s3, key, body, put, underWay, options),
    read: (key, read = {}) => readObject(s3, key, read),
    stat: (key) => statObject(s3, key),
    delete: async (key) => {
      assertBlobKey(key)
      await s3AnsweredOrNull(s3.client.send(new s3.sdk.DeleteObjectCommand(s3.at(key))))
    },
    list: (prefix) => listObjects(s3, prefix),
    sweepUnfinished: ({ idleMs }) => sweepMultiparts(s3, idleMs, underWay),
    check: () => checkBucket(s3, settings),
  }
}

const putObject = async (
  s3: S3Connection,
  key: string,
  body: BlobBody,
  options: PutOptions,
  underWay: Set<string>,
  { onLeftover }: S3StoreOptions,
) => {
  assertBlobKey(key)
  const metered = meter(body, options)
  const partBytes = Math.max(1, Math.min(partBytesFor(options.maxBytes), options.expectedBytes ?? Infinity))
  let multipart: Multipart | null = null
  try {
    for await (const part of partsOf(metered.chunks, partBytes)) {
      if (part.isLast && !multipart) {
        await putSingle(s3, key, part, options)
        break
      }
      multipart ??= await beginMultipart(s3, key, options, underWay)
      await multipart.add(part)
      if (part.isLast) await multipart.complete()
    }
  } catch (error) {
    await multipart?.abort().catch((leftover: unknown) => onLeftover?.(key, leftover))
    throw error
  }
  return metered.result()
}

const putSingle = async ({ sdk, client, at }: S3Connection, key: string, part: Part, options: PutOptions) => {
  const { contentType, signal } = options
  const command = new sdk.PutObjectCommand({
    ...at(key),
    Body: part.bytes,
    ContentLength: part.bytes.length,
    ...(contentType && { ContentType: contentType }),
  })
  await s3Answered(client.send(command, signal && { abortSignal: signal }), signal)
}

const readObject = async (s3: S3Connection, key: string, options: ReadOptions): Promise<BlobRead | null> => {
  assertBlobKey(key)
  if (options.range === undefined) return getFull(s3, key, options)
  // The range is resolved and read against one version; an overwrite in between restarts the read.
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const found = await statObject(s3, key)
    if (!found) return null
    const range = rangeStillApplies(options.ifRange, found) ? options.range : undefined
    const choice = chooseRange(range, found.sizeBytes)
    if (choice.kind === 'full') return getFull(s3, key, options)
    if (choice.kind === 'unsatisfiable') return { kind: 'unsatisfiable', ...found }
    const stream = await getPart(s3, key, choice, found, options.signal)
    if (stream) return { ...choice, stream, ...found }
  }
  throw fail('unavailable', 'The file changed while it was read')
}

const getFull = async (s3: S3Connection, key: string, { signal }: ReadOptions): Promise<BlobRead | null> => {
  const command = new s3.sdk.GetObjectCommand(s3.at(key))
  const output = await s3AnsweredOrNull(s3.client.send(command, signal && { abortSignal: signal }), signal)
  return output && { kind: 'full', stream: streamOf(output.Body), ...toStat(output) }
}

/** Null if the object is gone or has changed. */
const getPart = async (
  s3: S3Connection,
  key: string,
  { start, end }: { start: number; end: number },
  { etag }: BlobStat,
  signal?: AbortSignal,
): Promise<Readable | null> => {
  const command = new s3.sdk.GetObjectCommand({ ...s3.at(key), Range: `bytes=${start}-${end}`, IfMatch: etag })
  const pending = s3.client.send(command, signal && { abortSignal: signal }).catch((error: unknown) => {
    if (httpStatus(error) === 412) return null
    throw error
  })
  const output = await s3AnsweredOrNull(pending, signal)
  return output && streamOf(output.Body)
}

const streamOf = (body: unknown): Readable => {
  if (body instanceof Readable) return body
  throw new Error('S3 answered without a body')
}

const statObject = async (s3: S3Connection, key: string): Promise<BlobStat | null> => {
  assertBlobKey(key)
  const output = await s3AnsweredOrNull(s3.client.send(new s3.sdk.HeadObjectCommand(s3.at(key))))
  return output && toStat(output)
}

const toStat = (head: { ContentLength?: number; ETag?: string; LastModified?: Date }): BlobStat => {
  const { ContentLength: sizeBytes, ETag: etag, LastModified: modifiedAt } = head
  if (sizeBytes === undefined || etag === undefined || modifiedAt === undefined) {
    throw new Error('S3 described an object without its length, ETag or date')
  }
  return { sizeBytes, etag, modifiedAt }
}

async function* listObjects({ sdk, client, bucket }: S3Connection, prefix: string): AsyncGenerator<ListedBlob> {
  assertBlobPrefix(prefix)
  const pages = sdk.paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix })[Symbol.asyncIterator]()
  for (let page = await s3Answered(pages.next()); !page.done; page = await s3Answered(pages.next())) {
    for (const { Key: key, Size: sizeBytes, LastModified: modifiedAt } of page.value.Contents ?? []) {
      if (key !== undefined && sizeBytes !== undefined && modifiedAt) yield { key, sizeBytes, modifiedAt }
    }
  }
}

const checkBucket = async ({ sdk, client, bucket }: S3Connection, { endpoint }: S3Settings): Promise<void> => {
  try {
    await client.send(new sdk.HeadBucketCommand({ Bucket: bucket }))
  } catch (error) {
    const answer = [httpStatus(error), errorName(error)].filter(Boolean).join(' ')
    const where = endpoint ?? 'Amazon S3'
    throw new Error(`The bucket ${bucket} at ${where} cannot be used (${answer}). Check the S3_ settings.`)
  }
}
