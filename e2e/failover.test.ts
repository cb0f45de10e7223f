// Guarantees: the server survives a failover of PostgreSQL without a restart: every connection breaks, then nothing
// answers, then a read-only server, then a writable one. Requests meanwhile are only answered with a retryable error;
// everything acknowledged exists exactly once. FAILOVER_MS sets the read-only time.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTcpProxy, type TcpProxy } from '../packages/server/src/testing/tcp-proxy.ts'
import { createDatabase, type TestDatabase } from './support/database.ts'
import { type SignedIn, signIn } from './support/operator.ts'
import { type ServerProcess, startServer } from './support/server.ts'

const readOnlyMs = Number(process.env.FAILOVER_MS ?? 1_500)
const awayMs = readOnlyMs / 3

vi.setConfig({ testTimeout: 240_000 + readOnlyMs * 4 })

let database: TestDatabase
let cable: TcpProxy
let server: ServerProcess
let owner: SignedIn

beforeAll(async () => {
  database = await createDatabase()
  const direct = new URL(database.url)
  const { rows } = await database.query(`select current_setting('port') as port`)
  cable = await startTcpProxy(`${direct.searchParams.get('host')}/.s.PGSQL.${rows[0].port}`)
  const env = {
    DATABASE_URL: `postgres://${direct.username}:${direct.password}@127.0.0.1:${cable.port}${direct.pathname}`,
    ENGINE_CPU_WORKERS: '1',
    ENGINE_RUNTIME: 'process',
    CONSOLE: 'false',
    RATE_LIMIT_RUN: '0',
  }
  server = await startServer({ env })
  owner = await signIn(server.dataDir, 'failover@example.com', 'failover', env)
})
afterAll(async () => {
  await server?.remove()
  await cable?.close()
  await database?.drop()
})

type Answer = { status: number; data: { id: string; status: number; events: { status: number }[] } }

const call = async (route: string, body?: object, once?: string): Promise<Answer> => {
  const [method = 'GET', path] = route.split(' ')
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${owner.session_token}`,
      'x-team-id': owner.team_id,
      'content-type': 'application/json',
      ...(once !== undefined && { 'idempotency-key': once, 'webhook-id': once }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const { data } = (await answer.json()) as { data: Answer['data'] }
  return { status: answer.status, data }
}

it('loses nothing acknowledged and needs no restart', async () => {
  const trigger = await call('POST /triggers', {
    name: 'Hook',
    type: 'webhook',
    action: 'run_app',
    app_id: (await call('GET /apps/millrace/echo')).data.id,
  })
  const runs = new Map<string, string>()
  const hooks = new Set<string>()
  /** Number of replies per status other than success. */
  const refusals = new Map<number, number>()
  let stopped = false
  /** Repeats the same request until it is acknowledged. */
  const keepAsking = async (worker: string, ask: (name: string) => Promise<boolean>): Promise<void> => {
    for (let number = 0; !stopped; number += 1)
      for (const name = `${worker}${number}`; !(await ask(name)); ) await sleep(50)
  }
  const took = (status: number): boolean => {
    if (status < 300) return true
    refusals.set(status, (refusals.get(status) ?? 0) + 1)
    return false
  }
  const run = async (name: string): Promise<boolean> => {
    const { status, data } = await call('POST /run', { app: 'millrace/echo', input: { text: name } }, name)
    if (status === 200) runs.set(name, data.id)
    await sleep(50)
    return took(status)
  }
  const hook = async (name: string): Promise<boolean> => {
    const { status } = await call(`POST /triggers/${trigger.data.id}/hook`, { text: name }, name)
    if (status < 300) hooks.add(name)
    await sleep(50)
    return took(status)
  }
  const load = [keepAsking('r', run), keepAsking('s', run), keepAsking('h', hook)]
  const untilServed = async (): Promise<void> => {
    for (const before = [runs.size, hooks.size] as const; runs.size < before[0] + 5 || hooks.size < before[1] + 3; )
      await sleep(20)
  }
  await untilServed()

  const name = new URL(database.url).pathname.slice(1)
  const mend = cable.part()
  await sleep(awayMs)
  await database.query(`alter database ${name} set default_transaction_read_only = on`)
  mend()
  // Reads succeed meanwhile.
  while ((await call('GET /me')).status !== 200) await sleep(50)
  await sleep(readOnlyMs)
  await database.query(`alter database ${name} set default_transaction_read_only = off`)
  await untilServed()
  stopped = true
  await Promise.all(load)

  // There were rejections, all of them retryable.
  expect([...refusals.keys()]).toEqual([503])
  expect((await call('GET /me')).status).toBe(200)
  for (const id of runs.values()) {
    let task = await call(`GET /tasks/${id}`)
    for (; task.data.status < 10; task = await call(`GET /tasks/${id}`)) await sleep(50)
    expect([task.data.status, task.data.events.filter(({ status }) => status >= 10).length]).toEqual([10, 1])
  }
  const fired = async (): Promise<string[]> => {
    const { rows } = await database.query(`select input ->> 'text' as name from tasks where input ->> 'text' like 'h%'`)
    return rows.map((row) => row.name)
  }
  while ((await fired()).length < hooks.size) await sleep(50)
  expect((await fired()).sort()).toEqual([...hooks].sort())
  expect(new Set(runs.values()).size).toBe(runs.size)
})
