// Creates a backup of a running installation: all rows of one snapshot, then the bytes of all files, encrypted.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import pg from 'pg'
import type { BlobStore } from '#platform/blobs/blob-store.ts'
import type { MasterKey } from '#platform/keyring/key-file.ts'
import { version } from '#platform/settings/version.ts'
import { type BackupRecord, readRecords, type TableFacts, writeRecords } from './records.ts'
import { openBytes, type Seal, sealBytes } from './sealed-file.ts'
import * as store from './tables-store.ts'

export type BackupSource = {
  connectionString: string
  blobs: BlobStore
  masterKeys: readonly MasterKey[]
  now: () => Date
}

export type BackupReport = { tables: readonly TableFacts[]; blobs: number; bytes: number }

async function* tableRecords(client: pg.ClientBase, tables: readonly store.Table[]): AsyncGenerator<BackupRecord> {
  for (const table of tables)
    for await (const rows of store.readRows(client, table))
      yield { type: 'rows', table: table.name, body: Buffer.from(JSON.stringify(rows)) }
}

/** A file that is deleted during the backup may be missing, because it can no longer be requested. */
async function* blobRecords(blobs: BlobStore): AsyncGenerator<BackupRecord> {
  for await (const { key } of blobs.list('')) {
    const read = await blobs.read(key)
    if (read?.kind !== 'full') continue
    yield { type: 'blob', key }
    const hash = createHash('sha256')
    let sizeBytes = 0
    for await (const chunk of read.stream) {
      hash.update(chunk)
      sizeBytes += chunk.length
      yield { type: 'bytes', body: chunk }
    }
    yield { type: 'blob_end', key, sha256: hash.digest('hex'), sizeBytes }
  }
}

export const createBackup = async (source: BackupSource, file: string, seal: Seal): Promise<BackupReport> => {
  const client = new pg.Client({ connectionString: source.connectionString })
  await client.connect()
  let facts: TableFacts[] = []
  let blobs = 0
  async function* records(): AsyncGenerator<BackupRecord> {
    await store.beginSnapshot(client)
    const tables = await store.findTables(client)
    facts = []
    for (const table of tables) facts.push(await store.tableFacts(client, table))
    yield {
      type: 'manifest',
      version,
      made_at: source.now().toISOString(),
      migrations: await store.findMigrations(client),
      tables: facts,
      ...(seal.kind === 'passphrase' && { master_keys: source.masterKeys.map(({ key }) => key.toString('base64')) }),
    }
    yield* tableRecords(client, tables)
    for await (const record of blobRecords(source.blobs)) {
      if (record.type === 'blob_end') blobs += 1
      yield record
    }
    yield { type: 'done', blobs }
  }
  try {
    const packed = createGzip({ level: 3 })
    pipeline(Readable.from(writeRecords(records())), packed, ignoreError)
    const bytes = await writeFileAtomically(file, sealBytes(packed, seal))
    return { tables: facts, blobs, bytes }
  } finally {
    await client.end()
  }
}

/** The reader of the stream gets the error. */
const ignoreError = (): void => {}

/** The file gets its name only when it is complete and durable. */
const writeFileAtomically = async (file: string, chunks: AsyncIterable<Buffer>): Promise<number> => {
  const fresh = `${file}.part`
  await rm(fresh, { force: true })
  const handle = await open(fresh, 'wx', 0o600)
  let bytes = 0
  try {
    for await (const chunk of chunks) {
      await handle.writeFile(chunk)
      bytes += chunk.length
    }
    await handle.sync()
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  await rename(fresh, file)
  return bytes
}

/** All records of a backup file, decrypted and decompressed. */
export const recordsOf = (file: string, seal: Seal): AsyncGenerator<BackupRecord> => {
  const plain = createGunzip()
  pipeline(Readable.from(openBytes(createReadStream(file) as AsyncIterable<Buffer>, seal)), plain, ignoreError)
  return readRecords(plain)
}
