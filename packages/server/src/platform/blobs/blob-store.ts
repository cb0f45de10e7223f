// The seam between files and where their bytes live. Two implementations keep the same promises, held by
// testing/store-contract.ts: disk.ts (the default) and s3.ts. A store knows keys and bytes; names, owners, types and rights
// are the business of the files feature.
import type { Readable } from 'node:stream'

declare module '../core/ctx.ts' {
  interface Platform {
    readonly blobs: BlobStore
  }
}

export type BlobBody = Readable | AsyncIterable<Uint8Array>

export type PutOptions = {
  /** More bytes than this fail with `upload_too_large`, and nothing is stored. */
  maxBytes: number
  /** When known, any other number of bytes fails with `invalid_request`. */
  expectedBytes?: number
  /** Kept by stores that serve bytes themselves (presigned GET); the disk has no place for it. */
  contentType?: string
  /** Nobody else holds the body's chunks: the store may free or reuse their memory. */
  ownsChunks?: boolean
  signal?: AbortSignal
}

export type PutResult = { sizeBytes: number; sha256: string }

export type BlobStat = { sizeBytes: number; etag: string; modifiedAt: Date }

export type ReadOptions = {
  /** The value of an HTTP Range header; the store resolves it against the very bytes it opened. */
  range?: string
  /** The value of an HTTP If-Range header. */
  ifRange?: string
  signal?: AbortSignal
}

/** `start` and `end` are inclusive. The receiver of a stream owns its chunks, and reads it to the end or destroys it. */
export type BlobRead =
  | ({ kind: 'full'; stream: Readable } & BlobStat)
  | ({ kind: 'part'; stream: Readable; start: number; end: number } & BlobStat)
  | ({ kind: 'unsatisfiable' } & BlobStat)

export type ListedBlob = { key: string; sizeBytes: number; modifiedAt: Date }

export type PresignPutOptions = { expiresInSeconds: number; sizeBytes?: number; contentType?: string }
export type PresignGetOptions = { expiresInSeconds: number; contentType?: string; contentDisposition?: string }

/** A request that the holder may send until it expires. Every header listed is part of the signature. */
export type PresignedRequest = { method: 'PUT' | 'GET'; url: string; headers: Record<string, string> }

export type Presigner = {
  put(key: string, options: PresignPutOptions): Promise<PresignedRequest>
  get(key: string, options: PresignGetOptions): Promise<PresignedRequest>
}

export type BlobStore = {
  kind: 'disk' | 's3'
  /**
   * Resolves when the bytes are complete and durable; until then readers see what was there before. A failure leaves
   * nothing. Of two uploads to one key the one that completes last stays, whole. A body that is a stream is not destroyed
   * on a refusal, so that the caller can still answer on its socket.
   */
  put(key: string, body: BlobBody, options: PutOptions): Promise<PutResult>
  read(key: string, options?: ReadOptions): Promise<BlobRead | null>
  stat(key: string): Promise<BlobStat | null>
  /** Deleting what is not there is success. */
  delete(key: string): Promise<void>
  /** In no particular order. Meant for the orphan sweep, which compares keys with file records. */
  list(prefix: string): AsyncIterable<ListedBlob>
  /** Removes what broken uploads left behind and answers how many there were. Never touches an upload under way. */
  sweepUnfinished(options: { idleMs: number }): Promise<number>
  /** Rejects, with a sentence for the operator, when the store cannot be used as configured. */
  check(): Promise<void>
  /** Null when the store has no URLs of its own; the server then signs its own (signed-urls.ts). */
  presigner: Presigner | null
}
