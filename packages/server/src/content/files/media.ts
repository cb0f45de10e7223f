// Serves the bytes of a file to callers that know its address.
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { contentHeaders } from '#platform/blobs/content-headers.ts'
import { contentRange, unsatisfiedContentRange } from '#platform/blobs/ranges.ts'
import type { Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { isMediaKey } from './addresses.ts'
import { isNotModified, requestedRange, type Validators } from './conditions.ts'
import * as store from './store.ts'

export type MediaRequest = {
  key: string
  headers: IncomingHttpHeaders
  /** HEAD: the same headers without a body. */
  headOnly: boolean
  download: boolean
}

export type MediaAnswer = { status: 200 | 206 | 304 | 416; headers: Record<string, string>; body: Readable | null }

type ReadyRow = store.FileRow & { blob_key: string; sha256: string; uploaded_at: string }

const isReady = (row: store.FileRow | undefined): row is ReadyRow => row !== undefined && row.blob_key !== null

const fileNotFound = () => fail('not_found', 'File not found')

export const openMedia = async (
  platform: Pick<Platform, 'db' | 'blobs'>,
  request: MediaRequest,
): Promise<MediaAnswer> => {
  const { db, blobs } = platform
  const { key, headers } = request
  if (!isMediaKey(key)) throw fileNotFound()
  const row = await store.findByMediaKey(db, key)
  if (!isReady(row)) throw fileNotFound()
  const validators: Validators = { etag: `"${row.sha256}"`, modifiedAt: new Date(row.uploaded_at) }
  const common = {
    ...contentHeaders({ contentType: row.content_type, filename: row.filename, download: request.download }),
    etag: validators.etag,
    'last-modified': validators.modifiedAt.toUTCString(),
  }
  if (isNotModified(headers, validators)) return { status: 304, headers: common, body: null }
  const full = { status: 200, headers: { ...common, 'content-length': String(row.size) } } as const
  if (request.headOnly) return { ...full, body: null }

  const found = await blobs.read(row.blob_key, { range: requestedRange(headers, validators) })
  // The file was overwritten between the two reads; its bytes now have another key.
  if (!found) return reopen(db, row, () => openMedia(platform, request))
  switch (found.kind) {
    case 'unsatisfiable':
      return { status: 416, headers: { ...common, 'content-range': unsatisfiedContentRange(row.size) }, body: null }
    case 'part': {
      const { start, end, stream } = found
      const part = { 'content-range': contentRange(start, end, row.size), 'content-length': String(end - start + 1) }
      return { status: 206, headers: { ...common, ...part }, body: stream }
    }
    case 'full':
      return { ...full, body: found.stream }
  }
}

const reopen = async (db: Platform['db'], before: ReadyRow, again: () => Promise<MediaAnswer>) => {
  const now = await store.findByMediaKey(db, before.media_key)
  if (!now || now.blob_key === before.blob_key) throw fileNotFound()
  return again()
}
