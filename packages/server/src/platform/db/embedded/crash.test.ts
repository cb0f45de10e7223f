// Guarantees: after any process is killed at any time, the next start continues with every acknowledged row.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { until } from '../../../testing/until.ts'
import { findRunningPostgres, startPostgres } from './postgres.ts'
import { isPostmasterOf } from './postmaster-file.ts'
import { isAlive, signal } from './processes.ts'
import { adopted, emptyFolder, query, startOwner, stoppedFolder, tidyUp } from './testing/setup.ts'

afterAll(tidyUp)

const acknowledged = (lines: readonly string[]) => lines.filter((line) => line.startsWith('row ')).length
const serverPid = (lines: readonly string[]) => Number(lines.find((line) => line.startsWith('ready '))?.slice(6))
const rowCount = async (url: string) => Number((await query(url, 'select count(*)::int from rows'))[0])

test('the server process is killed: the running PostgreSQL is adopted with all rows and its old sessions are ended', async () => {
  const dataDir = await stoppedFolder()
  const owner = startOwner(dataDir, 'ready')
  await until(() => acknowledged(owner.lines) > 50)
  await owner.kill()
  const leftOver = serverPid(owner.lines)
  const lines: string[] = []
  const orphan = new pg.Client({ connectionString: (await findRunningPostgres(dataDir))?.connectionString })
  const lost = new Promise((done) => orphan.on('error', done))
  await orphan.connect()

  const server = await startPostgres({ dataDir, log: (line) => lines.push(line) })
  expect(server.pid).toBe(leftOver)
  expect(lines).toEqual([expect.stringContaining(`process ${leftOver}`)])
  expect(await lost).toMatchObject({ code: '57P01' })
  expect(await rowCount(server.connectionString)).toBeGreaterThanOrEqual(acknowledged(owner.lines))
  await server.stop()
  expect(await isPostmasterOf(join(dataDir, 'postgres'), leftOver)).toBe(false)
})

test('both are killed: PostgreSQL recovers every acknowledged row', async () => {
  const dataDir = await stoppedFolder()
  const owner = startOwner(dataDir, 'ready')
  await until(() => acknowledged(owner.lines) > 50)
  signal(serverPid(owner.lines), 'SIGKILL')
  await owner.kill()
  const server = await startPostgres({ dataDir })
  expect(server.pid).not.toBe(serverPid(owner.lines))
  expect(await rowCount(server.connectionString)).toBeGreaterThanOrEqual(acknowledged(owner.lines))
  await server.stop()
})

test('PostgreSQL alone is killed: it is restarted at the same address while its owner keeps running', async () => {
  const dataDir = await stoppedFolder()
  const server = await startPostgres({ dataDir })
  await query(server.connectionString, 'create table rows as select 1 as number')
  const firstPid = server.pid
  signal(firstPid, 'SIGKILL')
  await until(() => server.pid !== firstPid)
  expect(await rowCount(server.connectionString)).toBe(1)
  await server.stop()
  expect(await isPostmasterOf(join(dataDir, 'postgres'), server.pid)).toBe(false)
})

test('Ctrl-C reaches the process group of the owner, not PostgreSQL', async () => {
  const dataDir = await stoppedFolder()
  const owner = startOwner(dataDir, 'ready')
  await until(() => acknowledged(owner.lines) > 0)
  process.kill(-Number(owner.child.pid), 'SIGINT')
  await owner.ended
  // A PostgreSQL that received the signal would be replaced, not adopted.
  const server = await startPostgres({ dataDir })
  expect(server.pid).toBe(serverPid(owner.lines))
  await server.stop()
})

test('stale locks with the process id of an unrelated process are removed, and that process is not touched', async () => {
  const dataDir = await stoppedFolder()
  const pgDir = join(dataDir, 'postgres')
  // The unrelated process runs as the database's user, so PostgreSQL itself would take it for a running server.
  await (await startPostgres({ dataDir })).stop()
  const { uid, gid } = statSync(pgDir)
  const stranger = adopted(spawn('sleep', ['60'], { uid, gid, cwd: '/' }))
  const stale = [stranger.pid, pgDir, 1_700_000_000, 5432, pgDir, '', '0 0', 'ready   ', ''].join('\n')
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) writeFileSync(join(pgDir, name), stale, { mode: 0o666 })
  const server = await startPostgres({ dataDir })
  expect(await query(server.connectionString, 'select 1')).toEqual([1])
  await server.stop()
  expect(isAlive(Number(stranger.pid))).toBe(true)
})

test('a first start is killed halfway: the next one starts over and removes its remains', async () => {
  const dataDir = emptyFolder()
  const drafts = () => readdirSync(dataDir).filter((name) => name.startsWith('postgres.init-'))
  const owner = startOwner(dataDir, 'ready')
  await until(() => drafts().some((name) => existsSync(join(dataDir, name, 'data', 'PG_VERSION'))))
  await owner.kill()
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  mkdirSync(join(dataDir, 'postgres.init-older', 'data'), { recursive: true })

  const server = await startPostgres({ dataDir })
  expect(await query(server.connectionString, 'select 1')).toEqual([1])
  await server.stop()
  expect(drafts()).toEqual([])
})

test('a PostgreSQL whose owner was killed during its start competes with the next start: exactly one serves', async () => {
  const dataDir = await stoppedFolder()
  const rivals = await Promise.all([startPostgres({ dataDir }), startPostgres({ dataDir })])
  const [pid, ...others] = new Set(rivals.map((rival) => rival.pid))
  expect(others).toEqual([])
  expect(await isPostmasterOf(join(dataDir, 'postgres'), Number(pid))).toBe(true)
  await Promise.all(rivals.map((rival) => rival.stop()))
})
