// Guarantees: the embedded server starts, keeps its data, is private, durable and small, and stops in order.
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { until } from '../../../testing/until.ts'
import { connectOrStart } from './connect-or-start.ts'
import { claimDataFolder } from './data-folder.ts'
import { findRunningPostgres, startPostgres } from './postgres.ts'
import { isPostmasterOf, readPostmasterNote } from './postmaster-file.ts'
import { emptyFolder, query, startOwner, stoppedFolder, tidyUp } from './testing/setup.ts'

afterAll(tidyUp)

test('a first start creates the database and a second one finds its rows', async () => {
  const dataDir = join(emptyFolder(), 'with space & ünicode', 'data')
  const lines: string[] = []
  const first = await startPostgres({ dataDir, log: (line) => lines.push(line) })
  expect(first.version).toMatch(/^18\./)
  expect(await query(first.connectionString, 'select current_database(), current_user')).toEqual([
    'millrace',
    'millrace',
  ])
  await query(first.connectionString, "create table kept as select unnest(array['ärger', 'Zebra', 'apfel']) as word")
  await first.stop()
  expect(await isPostmasterOf(join(dataDir, 'postgres'), first.pid)).toBe(false)

  const second = await startPostgres({ dataDir, log: (line) => lines.push(line) })
  // Collation by code point on every machine, and case mapping beyond ASCII.
  expect(await query(second.connectionString, 'select upper(word) from kept order by word')).toEqual([
    'ZEBRA',
    'APFEL',
    'ÄRGER',
  ])
  await second.stop()
  expect(lines).toEqual([expect.stringContaining('creating the database in')])
  expect(readFileSync(join(dataDir, 'postgres.log'), 'utf8')).not.toMatch(/ERROR|FATAL|PANIC/)
})

test('it is durable, private and small, and postgresql.conf overrides the settings', async () => {
  const dataDir = await stoppedFolder()
  const operatorFile = join(dataDir, 'postgres', 'postgresql.conf')
  writeFileSync(operatorFile, `${readFileSync(operatorFile, 'utf8')}work_mem = '7MB'\n`)
  const server = await startPostgres({ dataDir, settings: { max_connections: '23' } })
  const settings = {
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    data_checksums: 'on',
    server_encoding: 'UTF8',
    listen_addresses: '',
    password_encryption: 'scram-sha-256',
    max_connections: '23',
    work_mem: '7MB',
  }
  for (const [name, value] of Object.entries(settings)) {
    expect([name, ...(await query(server.connectionString, `show ${name}`))]).toEqual([name, value])
  }
  const processes = await query(
    server.connectionString,
    `select backend_type from pg_stat_activity where backend_type not in ('client backend', 'autovacuum worker') order by 1`,
  )
  expect(processes).toEqual(['autovacuum launcher', 'background writer', 'checkpointer', 'walwriter'])
  await server.stop()
})

test('it accepts only the random password, also over the socket, and only the owner can read it', async () => {
  const dataDir = await stoppedFolder()
  const server = await startPostgres({ dataDir })
  const file = join(dataDir, 'postgres.password')
  const password = readFileSync(file, 'utf8').trim()
  expect(password).toMatch(/^[0-9a-f]{64}$/)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(dataDir, 'postgres')).mode & 0o777).toBe(0o700)
  const guessed = server.connectionString.replace(password, 'f'.repeat(64))
  await expect(query(guessed, 'select 1')).rejects.toMatchObject({ code: '28P01' })
  await server.stop()

  rmSync(file)
  await expect(startPostgres({ dataDir })).rejects.toThrow(`${file} is missing`)
})

test('a data folder whose path is too long for a socket works', async () => {
  const dataDir = join(emptyFolder(), 'd'.repeat(60), 'e'.repeat(60))
  mkdirSync(dirname(dataDir), { recursive: true })
  const server = await startPostgres({ dataDir })
  expect(await query(server.connectionString, 'select 1')).toEqual([1])
  expect(await findRunningPostgres(dataDir)).toEqual({ connectionString: server.connectionString })
  const note = await readPostmasterNote(join(dataDir, 'postgres'))
  expect(statSync(note?.socketDir ?? '').mode & 0o777).toBe(0o700)
  await server.stop()
  expect(existsSync(note?.socketDir ?? '')).toBe(false)
})

test('a second process connects to a running server, or starts one and stops it', async () => {
  const dataDir = await stoppedFolder()
  expect(await findRunningPostgres(dataDir)).toBeNull()
  expect(await findRunningPostgres(join(dataDir, 'nowhere'))).toBeNull()

  const alone = await connectOrStart({ dataDir })
  expect(await query(alone.connectionString, 'select 1')).toEqual([1])
  await expect(claimDataFolder(dataDir)).rejects.toThrow('in use')
  await alone.close()
  expect(await findRunningPostgres(dataDir)).toBeNull()

  const owner = startOwner(dataDir, 'ready')
  await until(() => owner.lines.includes('claimed'))
  // The server is still starting, so the client waits for it.
  const guest = await connectOrStart({ dataDir })
  expect(await query(guest.connectionString, 'select 1')).toEqual([1])
  await guest.close()
  expect(await findRunningPostgres(dataDir)).not.toBeNull()
  await owner.kill()
})
