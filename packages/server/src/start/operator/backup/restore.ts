// Restores a backup into an empty database, in one transaction that commits only if every table and file matches its
// checksum. Verifying reads the same records and writes nothing.
import { createHash } from 'node:crypto'
import { PassThrough } from 'node:stream'
import pg from 'pg'
import type { BlobStore } from '#platform/blobs/blob-store.ts'
import { recordsOf } from './backup.ts'
import type { BackupRecord, Manifest } from './records.ts'
import { BackupError, type Seal } from './sealed-file.ts'
import * as store from './tables-store.ts'

export type RestoreTarget = { connectionString: string; blobs: BlobStore }

export type RestoreReport = { manifest: Manifest; rows: number; blobs: number }

type BlobEnd = Extract<BackupRecord, { type: 'blob_end' }>

/** Handles the parts of a backup as they are read. */
type Visitor = {
  manifest(manifest: Manifest): Promise<void>
  rows(table: string, rows: readonly string[]): Promise<void>
  blob(key: string): { write(bytes: Buffer): Promise<void>; end(): Promise<void>; drop(): void }
}

const visitRecords = async (records: AsyncIterable<BackupRecord>, visitor: Visitor): Promise<RestoreReport> => {
  let manifest: Manifest | undefined
  const counted = new Map<string, number>()
  let blobs = 0
  let open: (ReturnType<Visitor['blob']> & { hash: ReturnType<typeof createHash>; sizeBytes: number }) | undefined
  const close = async ({ key, sha256, sizeBytes }: BlobEnd): Promise<void> => {
    if (!open || open.sizeBytes !== sizeBytes || open.hash.digest('hex') !== sha256)
      throw new BackupError(`The file ${key} in the backup does not match its checksum`)
    await open.end()
    open = undefined
    blobs += 1
  }
  try {
    for await (const record of records) {
      if (record.type === 'manifest') {
        manifest = record
        await visitor.manifest(record)
      } else if (record.type === 'rows') {
        const rows = JSON.parse(record.body.toString()) as string[]
        counted.set(record.table, (counted.get(record.table) ?? 0) + rows.length)
        await visitor.rows(record.table, rows)
      } else if (record.type === 'blob')
        open = { ...visitor.blob(record.key), hash: createHash('sha256'), sizeBytes: 0 }
      else if (record.type === 'bytes' && open) {
        open.hash.update(record.body)
        open.sizeBytes += record.body.length
        await open.write(record.body)
      } else if (record.type === 'blob_end') await close(record)
      else if (record.type === 'done' && record.blobs !== blobs)
        throw new BackupError(`The backup should contain ${record.blobs} files but contains ${blobs}`)
    }
  } catch (error) {
    open?.drop()
    throw error
  }
  if (!manifest) throw new BackupError('The backup has no manifest')
  for (const { name, rows } of manifest.tables)
    if ((counted.get(name) ?? 0) !== rows)
      throw new BackupError(`The backup should contain ${rows} rows of ${name} but contains ${counted.get(name) ?? 0}`)
  return { manifest, rows: manifest.tables.reduce((sum, table) => sum + table.rows, 0), blobs }
}

export const verifyBackup = (file: string, seal: Seal): Promise<RestoreReport> =>
  visitRecords(recordsOf(file, seal), {
    manifest: async () => {},
    rows: async () => {},
    blob: () => ({ write: async () => {}, end: async () => {}, drop: () => {} }),
  })

const assertFits = async (client: pg.ClientBase, manifest: Manifest): Promise<void> => {
  const here = await store.findMigrations(client)
  const missing = manifest.migrations.filter((name) => !here.includes(name))
  const added = here.filter((name) => !manifest.migrations.includes(name))
  if (missing.length + added.length > 0)
    throw new BackupError(
      `The backup was made by Millrace ${manifest.version}, whose tables differ from these (${[...missing, ...added][0]}). Restore it with that version, then start the newer one.`,
    )
}

const putBlob = (blobs: BlobStore, key: string) => {
  const body = new PassThrough()
  const stored = blobs.put(key, body, { maxBytes: Number.MAX_SAFE_INTEGER })
  // Awaited after the last byte; an earlier failure ends the writing.
  stored.catch((error: unknown) => body.destroy(error instanceof Error ? error : new Error(String(error))))
  return {
    write: (bytes: Buffer) =>
      new Promise<void>((resolve, reject) => body.write(bytes, (error) => (error ? reject(error) : resolve()))),
    end: async () => {
      body.end()
      await stored
    },
    drop: () => body.destroy(new Error('The restore was interrupted')),
  }
}

/** `onManifest` may throw; nothing is written before it returns. */
export const restoreBackup = async (
  target: RestoreTarget,
  file: string,
  seal: Seal,
  onManifest: (manifest: Manifest) => Promise<void>,
): Promise<RestoreReport> => {
  const client = new pg.Client({ connectionString: target.connectionString })
  await client.connect()
  try {
    await client.query(`set statement_timeout = 0; set timezone = 'UTC'; set extra_float_digits = 1`)
    if (await store.isServed(client)) throw new BackupError('A server uses this database. Stop it before the restore.')
    if (!(await store.isEmpty(client)))
      throw new BackupError('This installation has accounts. A backup can be restored only into an empty installation.')
    await client.query('begin')
    const tables = await store.findTables(client)
    const byName = new Map(tables.map((table) => [table.name, table]))
    const writeRows = store.createRowWriter(client)
    let closeTables = async (): Promise<void> => {}
    const report = await visitRecords(recordsOf(file, seal), {
      manifest: async (manifest) => {
        await assertFits(client, manifest)
        await onManifest(manifest)
        closeTables = await store.openTables(client, tables)
      },
      rows: async (name, rows) => {
        const table = byName.get(name)
        if (!table) throw new BackupError(`Table ${name} not found`)
        await writeRows(table, rows)
      },
      blob: (key) => putBlob(target.blobs, key),
    })
    for (const before of report.manifest.tables) {
      const table = byName.get(before.name)
      const after = table && (await store.tableFacts(client, table))
      if (after?.rows !== before.rows || after.digest !== before.digest)
        throw new BackupError(`The table ${before.name} does not match its checksum in the backup`)
    }
    await store.freeJobs(client)
    await closeTables()
    await client.query('commit')
    return report
  } finally {
    await client.end()
  }
}
