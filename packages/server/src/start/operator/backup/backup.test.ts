// Guarantees: a backup made under load equals one snapshot of the installation in every row and byte and can be
// restored; it is unreadable without its key, and damage is detected.
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDiskStore } from '#platform/blobs/disk.ts'
import { type OwnDatabase, ownDatabase } from '#platform/bus/testing/database.ts'
import { readKeyFile } from '#platform/keyring/key-file.ts'
import { createWorld, type World } from '../../../testing/world.ts'
import { createBackup } from './backup.ts'
import { type BackupRecord, readRecords, writeRecords } from './records.ts'
import { restoreBackup, verifyBackup } from './restore.ts'
import { openBytes, type Seal } from './sealed-file.ts'
import * as store from './tables-store.ts'

const rounds = Number(process.env.BACKUP_ROUNDS ?? 8)
const seal: Seal = { kind: 'passphrase', passphrase: 'a long enough sentence' }

let world: World
let folder: string
let database: OwnDatabase
beforeAll(async () => {
  world = await createWorld()
  folder = await mkdtemp(join(tmpdir(), 'millrace-backup-'))
  database = await ownDatabase()
})
afterAll(async () => {
  await world?.close()
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

const source = async () => ({
  connectionString: world.connectionString,
  blobs: world.open.platform.blobs,
  masterKeys: (await readKeyFile(join(world.open.platform.settings.DATA_DIR, 'master.key'))) ?? [],
  now: world.clock.now,
})

/** Creates secrets, workspaces and files while the backup is made. */
const work = async (from: number, count: number): Promise<void> => {
  for (let n = from; n < from + count; n += 1) {
    await world.call('owner', 'POST /secrets', { body: { key: `KEY_${n}`, value: `väl "ue" \\ ${n}` } })
    await world.open.platform.blobs.put(`load/file-${n}`, fileOf(n), { maxBytes: 1e6 })
    await world.open.platform.jobs.add(world.open.platform.db, 'nothing', { n })
  }
}
async function* fileOf(n: number) {
  yield Buffer.alloc(1_000 + n, n)
}

const facts = async (connectionString: string) => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await store.beginSnapshot(client)
  const tables = []
  for (const table of await store.findTables(client)) tables.push(await store.tableFacts(client, table))
  await client.end()
  return tables
}

it('a backup made under load and restored elsewhere is equal in every row and byte', async () => {
  await work(0, rounds)
  const file = join(folder, 'one.backup')
  const [report] = await Promise.all([createBackup(await source(), file, seal), work(rounds, rounds)])
  const verified = await verifyBackup(file, seal)
  expect(verified.manifest.tables).toEqual(report.tables)
  expect(verified.manifest.master_keys).toHaveLength(1)

  const blobs = await openDiskStore(join(folder, 'blobs'))
  const restored = await restoreBackup(
    { connectionString: database.connectionString, blobs },
    file,
    seal,
    async () => {},
  )
  expect(restored.blobs).toBe(report.blobs)
  const after = await facts(database.connectionString)
  const untouched = (name: string) => !name.startsWith('graphile_worker.')
  expect(after.filter(({ name }) => untouched(name))).toEqual(report.tables.filter(({ name }) => untouched(name)))
  const jobsBefore = report.tables.find(({ name }) => name.endsWith('_private_jobs'))?.rows ?? 0
  expect(jobsBefore).toBeGreaterThanOrEqual(rounds)
  expect(after.find(({ name }) => name.endsWith('_private_jobs'))?.rows).toBe(jobsBefore)
  for (let n = 0; n < rounds; n += 1) {
    const read = await blobs.read(`load/file-${n}`)
    if (read?.kind !== 'full') throw new Error(`File ${n} is missing`)
    expect(await buffer(read.stream)).toEqual(Buffer.alloc(1_000 + n, n))
  }
  // The next sequence value is free.
  const client = new pg.Client({ connectionString: database.connectionString })
  await client.connect()
  await client.query(`select graphile_worker.add_job('nothing', '{}'::json)`)
  await client.end()
})

it('an installation with accounts is not overwritten', async () => {
  const file = join(folder, 'one.backup')
  const target = { connectionString: database.connectionString, blobs: world.open.platform.blobs }
  await expect(restoreBackup(target, file, seal, async () => {})).rejects.toThrow('only into an empty installation')
})

it('a backup with a wrong passphrase, truncated or with one changed bit cannot be decrypted', async () => {
  const whole = await readFile(join(folder, 'one.backup'))
  expect(whole.includes('KEY_1')).toBe(false)
  const other: Seal = { kind: 'passphrase', passphrase: 'another long sentence' }
  await expect(verifyBackup(join(folder, 'one.backup'), other)).rejects.toThrow(
    'wrong passphrase or key, or a damaged file',
  )
  await expect(verifyBackup(join(folder, 'one.backup'), { kind: 'master', keys: [] })).rejects.toThrow(
    '--passphrase-file',
  )
  const file = join(folder, 'damaged.backup')
  await writeFile(file, whole)
  await truncate(file, whole.length - 40)
  await expect(verifyBackup(file, seal)).rejects.toThrow('truncated')
  const flipped = Buffer.from(whole)
  flipped[whole.length - 30] = (flipped[whole.length - 30] ?? 0) ^ 1
  await writeFile(file, flipped)
  await expect(verifyBackup(file, seal)).rejects.toThrow('damaged')
  await writeFile(file, 'something else\n')
  await expect(verifyBackup(file, seal)).rejects.toThrow('not a Millrace backup')
})

it('a backup with the master key contains no key and needs that key', async () => {
  const from = await source()
  const file = join(folder, 'two.backup')
  await createBackup(from, file, { kind: 'master', keys: from.masterKeys })
  const { manifest } = await verifyBackup(file, { kind: 'master', keys: from.masterKeys })
  expect(manifest.master_keys).toBeUndefined()
  await expect(verifyBackup(file, { kind: 'master', keys: [] })).rejects.toThrow('MASTER_KEY')
})

it('a failed backup leaves no file', async () => {
  const from = await source()
  const broken = {
    ...from.blobs,
    list: async function* (): AsyncGenerator<never> {
      yield* [] as never[]
      throw new Error('the store is gone')
    },
  }
  const file = join(folder, 'three.backup')
  await expect(createBackup({ ...from, blobs: broken }, file, seal)).rejects.toThrow('the store is gone')
  await expect(readFile(file)).rejects.toThrow('ENOENT')
  await expect(readFile(`${file}.part`)).rejects.toThrow('ENOENT')
})

it('records without an end are rejected', async () => {
  async function* records(): AsyncGenerator<BackupRecord> {
    yield { type: 'rows', table: 't', body: Buffer.from('[]') }
  }
  const read = async () => {
    for await (const record of readRecords(writeRecords(records()))) expect(record.type).toBe('rows')
  }
  await expect(read()).rejects.toThrow('interrupted while it was created')
})

it('a hostile length of a frame is refused before its bytes are read', async () => {
  let read = 0
  async function* hostile() {
    yield Buffer.from('{"millrace_backup":1,"sealed":"passphrase","salt":"AAAA"}\n')
    yield Buffer.from([0xff, 0xff, 0xff, 0xff])
    for (; read < 64; read += 1) yield Buffer.alloc(64 * 1024)
  }
  const opened = async () => {
    for await (const _bytes of openBytes(hostile(), seal)) expect.fail('nothing can be decrypted')
  }
  await expect(opened()).rejects.toThrow('The backup cannot be decrypted')
  expect(read).toBe(0)
})

it.each([
  ['no salt', '{"millrace_backup":1,"sealed":"passphrase"}'],
  ['an unknown encryption', '{"millrace_backup":1,"sealed":"none","salt":"AAAA"}'],
  ['null', 'null'],
])('a header with %s is no backup', async (_case, head) => {
  const file = join(folder, 'hostile.millrace')
  await writeFile(file, `${head}\n`)
  await expect(verifyBackup(file, seal)).rejects.toThrow('This is not a Millrace backup')
})
