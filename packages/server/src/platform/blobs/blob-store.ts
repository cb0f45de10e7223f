// The interface of file storage. Two implementations pass the same tests (testing/store-contract.ts): disk.ts (the
// default) and s3.ts. A store handles keys and bytes; names, owners, types and permissions belong to the files feature.
import type { Readable } from 'node:stream'

declare module '../core/ctx.ts' {
  interface Platform {
    readonly blobs: BlobStore
  }
}

export type BlobBody = Readable | AsyncIterable<Uint8Array>

export type PutOptions = {
  /** More bytes fail with `upload_too_large`, and nothing is stored. */
  maxBytes: number
  /** If set, any other number of bytes fails with `invalid_request`. */
  expectedBytes?: number
  /** Stored by stores that serve bytes themselves (presigned GET); ignored on disk. */
  contentType?: string
  /** The store may free or reuse the memory of the body's chunks. */
  ownsChunks?: boolean
  signal?: AbortSignal
}

export type PutResult = { sizeBytes: number; sha256: string }

export type BlobStat = { sizeBytes: number; etag: string; modifiedAt: Date }

export type ReadOptions = {
  /** The HTTP Range header; resolved against the opened version of the blob. */
  range?: string
  /** The HTTP If-Range header. */
  ifRange?: string
  signal?: AbortSignal
}

/**
 * `start` and `end` are inclusive. The receiver of a stream owns its chunks and must read it to the end or destroy it.
 */
export type BlobRead =
  | ({ kind: 'full'; stream: Readable } & BlobStat)
  | ({ kind: 'part'; stream: Readable; start: number; end: number } & BlobStat)
  | ({ kind: 'unsatisfiable' } & BlobStat)

export type ListedBlob = { key: string; sizeBytes: number; modifiedAt: Date }

export type PresignPutOptions = { expiresInSeconds: number; sizeBytes?: number; contentType?: string }
export type PresignGetOptions = { expiresInSeconds: number; contentType?: string; contentDisposition?: string }

/** A request that is valid until it expires. The signature covers all listed headers. */
export type PresignedRequest = { method: 'PUT' | 'GET'; url: string; headers: Record<string, string> }

export type Presigner = {
  put(key: string, options: PresignPutOptions): Promise<PresignedRequest>
  get(key: string, options: PresignGetOptions): Promise<PresignedRequest>
}

export type BlobStore = {
  kind: 'disk' | 's3'
  /**
   * Resolves when all bytes are durable; until then readers get the previous content. A failure stores nothing. Of
   * concurrent uploads to one key, the one that completes last wins completely. A refused stream is not destroyed, so
   * that the caller can still respond on its socket.
   */
  put(key: string, body: BlobBody, options: PutOptions): Promise<PutResult>
  read(key: string, options?: ReadOptions): Promise<BlobRead | null>
  stat(key: string): Promise<BlobStat | null>
  /** Succeeds if the blob does not exist. */
  delete(key: string): Promise<void>
  /** Unordered. Used by the orphan sweep, which compares keys with file rows. */
  list(prefix: string): AsyncIterable<ListedBlob>
  /** Removes the remains of failed uploads and returns their number. Never touches an upload in progress. */
  sweepUnfinished(options: { idleMs: number }): Promise<number>
  /** Rejects with a message for the operator if the store is not usable as configured. */
  check(): Promise<void>
  /** Null if the store has no presigned URLs; the server then signs its own (signed-urls.ts). */
  presigner: Presigner | null
}
