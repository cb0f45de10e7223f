// Guards: two real servers over one database, behind a balancer, are one platform while one of them is killed, frozen
// past its lease, and the database becomes read-only: no acknowledged run is lost, none ends twice, a revoked key is
// dead on both within a second, and a stop in order hands everything over.
// FLEET_RUNS sets how many runs are started, FLEET_ROUNDS how often the servers are disturbed.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type StrictS3, startStrictS3 } from '../packages/server/src/blobs/testing/strict-s3.ts'
import { type Balancer, startBalancer } from './support/balancer.ts'
import { createDatabase, type TestDatabase } from './support/database.ts'
import type { SignedIn } from './support/operator.ts'
import { type ServerProcess, startServer } from './support/server.ts'
import { freePort } from './support/tcp-proxy.ts'
import { download, hashOf, madeUpBytes, upload } from './support/uploads.ts'

vi.setConfig({ hookTimeout: 300_000, testTimeout: 600_000 })

const runs = Number(process.env.FLEET_RUNS ?? 12)
const rounds = Number(process.env.FLEET_ROUNDS ?? 1)
/** Longer than a server's lease. */
const frozenMs = 11_000
const readOnlyMs = 3_000

const millrace = fileURLToPath(new URL('../packages/cli/bin/millrace.mjs', import.meta.url))

type Place = { port: number; dataDir: string; server: ServerProcess }

let database: TestDatabase
let store: StrictS3
let balancer: Balancer
let env: Record<string, string>
let places: Place[]
let owner: SignedIn

const start = ({ port, dataDir }: Omit<Place, 'server'>): Promise<ServerProcess> =>
  startServer({ dataDir, env, args: ['--port', String(port)], startLimitMs: 120_000 })

beforeAll(async () => {
  database = await createDatabase()
  store = await startStrictS3()
  const ports = [await freePort(), await freePort()]
  balancer = await startBalancer(ports)
  env = {
    DATABASE_URL: database.url,
    BASE_URL: balancer.url,
    MASTER_KEY: randomBytes(32).toString('base64'),
    S3_ENDPOINT: store.settings.endpoint ?? '',
    S3_BUCKET: store.settings.bucket,
    S3_REGION: store.settings.region,
    S3_ACCESS_KEY_ID: store.settings.accessKeyId,
    S3_SECRET_ACCESS_KEY: store.settings.secretAccessKey,
    RATE_LIMIT_RUN: '0',
    RATE_LIMIT_GET_TASK: '0',
    ENGINE_CPU_WORKERS: '1',
    ENGINE_RUNTIME: 'process',
    DRAIN_SECONDS: '1',
    CONSOLE: 'false',
  }
  places = []
  for (const port of ports) {
    const dataDir = await mkdtemp(join(tmpdir(), 'millrace-e2e-fleet-'))
    places.push({ port, dataDir, server: await start({ port, dataDir }) })
  }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [millrace, 'admin', 'sign-in', '--email', 'fleet@example.com', '--team', 'fleet', '--json'],
    { env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } },
  )
  owner = JSON.parse(stdout) as SignedIn
})
afterAll(async () => {
  for (const { server } of places ?? []) {
    process.kill(server.pid, 'SIGCONT')
    await server.remove()
  }
  await balancer?.close()
  await store?.stop()
  await database?.drop()
})

/** Past the balancer, whose address all servers go by. */
const at = (place: Place | undefined): string => `http://127.0.0.1:${place?.port}`

type Answer = { status: number; data: { id: string; status: number; key: string; events?: { status: number }[] } }

const call = async (origin: string, door: string, body?: object, token = owner.session_token, key?: string) => {
  const [method = 'GET', path = '/'] = door.split(' ')
  const answer = await fetch(`${origin}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(token === owner.session_token && { 'x-team-id': owner.team_id }),
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    signal: AbortSignal.timeout(20_000),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const { data } = (await answer.json()) as { data: Answer['data'] }
  return { status: answer.status, data }
}

/** Asked again, under the same key, until it is acknowledged: the run may have been made the first time. */
const runOnce = async (key: string): Promise<string> => {
  for (;;) {
    const answer = await call(
      balancer.url,
      'POST /run',
      { app: 'millrace/echo', input: { text: key } },
      undefined,
      key,
    ).catch(() => null)
    if (answer?.status === 200) return answer.data.id
    await sleep(200)
  }
}

const endOf = async (id: string): Promise<Answer['data']> => {
  for (;;) {
    const answer = await call(balancer.url, `GET /tasks/${id}`).catch(() => null)
    if (answer?.status === 200 && answer.data.status >= 10) return answer.data
    await sleep(200)
  }
}

const isUp = async (place: Place): Promise<void> => {
  while (!(await fetch(`${at(place)}/readyz`).catch(() => null))?.ok) await sleep(100)
}

const killAndRestart = async (place: Place): Promise<void> => {
  await place.server.kill()
  await sleep(1_000)
  place.server = await start(place)
}

const freeze = async (place: Place): Promise<void> => {
  process.kill(place.server.pid, 'SIGSTOP')
  await sleep(frozenMs)
  process.kill(place.server.pid, 'SIGCONT')
}

/** As a failover looks from here: every connection breaks, and for a while the database only reads. */
const failOver = async (): Promise<void> => {
  const name = (await database.query('select current_database() as name')).rows[0].name
  const breakAll = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  await database.query(`alter database ${name} set default_transaction_read_only = on`)
  await database.query(breakAll)
  await sleep(readOnlyMs)
  await database.query(`alter database ${name} set default_transaction_read_only = off`)
}

it('each server has its place, and both serve', async () => {
  const { rows } = await database.query('select address from servers order by started_at')
  expect(rows).toHaveLength(2)
  for (const place of places) await isUp(place)
  // Both engines come along, each with a key of its own, through the balancer.
  while ((await database.query('select 1 from engines where connected')).rowCount !== 2) await sleep(100)
})

it('a key revoked on one server is dead on the other within a second', async () => {
  const [one, two] = places
  const { data } = await call(at(one), 'POST /apikeys', { name: 'soon gone' })
  expect((await call(at(two), 'GET /me', undefined, data.key)).status).toBe(200)
  expect((await call(at(one), `DELETE /apikeys/${data.id}`)).status).toBe(200)
  await sleep(1_000)
  expect((await call(at(two), 'GET /me', undefined, data.key)).status).toBe(401)
})

it('what begins on one server goes on on the other: an upload, and a request that is repeated', async () => {
  const [one, two] = places
  const asked = { app: 'millrace/echo', input: { text: 'once' } }
  const first = await call(at(one), 'POST /run', asked, undefined, 'asked-of-both')
  const again = await call(at(two), 'POST /run', asked, undefined, 'asked-of-both')
  expect([first.status, again.status, again.data.id]).toEqual([200, 200, first.data.id])

  const sizeBytes = 300_000
  const file = { uri: '', filename: 'begun.bin', size: sizeBytes }
  const { data } = await call(at(one), 'POST /files', { files: [file] })
  const [made] = data as unknown as { id: string; uri: string; upload_url: string }[]
  // The link names the balancer; either server may be behind it.
  const elsewhere = made?.upload_url.replace(balancer.url, at(two)) ?? ''
  expect(await upload(elsewhere, { seed: 'fleet', sizeBytes })).toBe(200)
  const got = await download(made?.uri.replace(balancer.url, at(one)) ?? '', {
    authorization: `Bearer ${owner.session_token}`,
    'x-team-id': owner.team_id,
  })
  expect([got.status, got.sha256]).toEqual([200, hashOf(madeUpBytes('fleet', sizeBytes))])
})

it('kills, a freeze and a failover lose no run and end none twice', async () => {
  const ids: string[] = []
  let stop = false
  const load = async (worker: number): Promise<void> => {
    for (let n = 0; !stop || ids.length < runs; n += 1) {
      ids.push(await runOnce(`run-${worker}-${n}`))
      await sleep(ids.length < runs ? 50 : 1_000)
    }
  }
  const loads = [load(0), load(1)]
  const [one, two] = places
  if (!one || !two) throw new Error('Two servers are needed')
  for (let round = 0; round < rounds; round += 1) {
    await killAndRestart(one)
    await freeze(two)
    await isUp(two)
    await failOver()
  }
  stop = true
  await Promise.all(loads)
  for (const place of places) await isUp(place)
  for (const id of ids) {
    const task = await endOf(id)
    expect([task.status, task.events?.filter(({ status }) => status >= 10).length]).toEqual([10, 1])
  }
  expect(new Set(ids).size).toBe(ids.length)
  expect((await database.query('select 1 from servers')).rowCount).toBe(2)
})

it('a server that is told to stop says so first, and no request is refused meanwhile', async () => {
  const [one] = places
  if (!one) throw new Error('Two servers are needed')
  let stop = false
  const refused: unknown[] = []
  const asking = (async () => {
    while (!stop) {
      const status = await call(balancer.url, 'GET /me').then(
        (answer) => answer.status,
        (error: unknown) => error,
      )
      if (status !== 200) refused.push(status)
      await sleep(20)
    }
  })()
  await one.server.stop()
  await sleep(500)
  stop = true
  await asking
  expect(refused).toEqual([])
  expect((await database.query('select 1 from servers')).rowCount).toBe(1)
  one.server = await start(one)
})

it('a third server with files on its own disk is refused with what to set', async () => {
  const alone = Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('S3_')))
  const refused = startServer({ env: alone, startLimitMs: 120_000 })
  await expect(refused).rejects.toThrow(/keeps files in a folder of its own.*Set S3_ENDPOINT/s)
})
