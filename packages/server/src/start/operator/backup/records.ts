// The records of a backup: a line of JSON each, with the number of bytes that follow.
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import type { Migration } from '#platform/db/migrate.ts'
import { BackupError, createTaker } from './sealed-file.ts'

/** The number of rows and a digest of all rows, independent of their order. */
export type TableFacts = { readonly name: string; readonly rows: number; readonly digest: string }

export type Manifest = {
  readonly type: 'manifest'
  readonly version: string
  readonly made_at: string
  readonly migrations: readonly Migration['name'][]
  readonly tables: readonly TableFacts[]
  /** Base64; only in a backup with a passphrase. Otherwise the master key is needed anyway. */
  readonly master_keys?: readonly string[]
}

export type BackupRecord =
  | Manifest
  /** Rows in PostgreSQL's text format, as a JSON array. */
  | { readonly type: 'rows'; readonly table: string; readonly body: Buffer }
  | { readonly type: 'blob'; readonly key: string }
  | { readonly type: 'bytes'; readonly body: Buffer }
  | { readonly type: 'blob_end'; readonly key: string; readonly sha256: string; readonly sizeBytes: number }
  | { readonly type: 'done'; readonly blobs: number }

const lineLimit = 4 * 1024 * 1024
const bodyLimit = 256 * 1024 * 1024

export async function* writeRecords(records: AsyncIterable<BackupRecord>): AsyncGenerator<Buffer> {
  for await (const record of records) {
    const { body, ...head } = 'body' in record ? record : { ...record, body: undefined }
    yield Buffer.from(`${JSON.stringify({ ...head, bytes: body?.length ?? 0 })}\n`)
    if (body) yield body
  }
}

export async function* readRecords(bytes: AsyncIterable<Buffer>): AsyncGenerator<BackupRecord> {
  const take = createTaker(bytes)
  let isDone = false
  for (let line = await take.line(lineLimit); line !== null; line = await take.line(lineLimit)) {
    const { bytes: count, ...head } = parseUntrustedJson(line) as { bytes: number } & Omit<BackupRecord, 'body'>
    if (!(count >= 0 && count <= bodyLimit)) throw new BackupError('A record of the backup has an invalid size')
    const body = count > 0 ? await take.bytes(count) : Buffer.alloc(0)
    isDone = head.type === 'done'
    yield { ...head, body: body ?? Buffer.alloc(0) } as BackupRecord
  }
  if (!isDone) throw new BackupError('The backup is incomplete: it was interrupted while it was created')
}
