// Guarantees: two servers on one database are one platform. The second one does not disturb engines of the first; runs,
// streams and live sockets work across servers without additional statements at the end of a run; a key revoked on one
// server is invalid on the other; a server with an expired lease reconnects; an incompatible server is refused with the
// settings to change.
import { toBase64 } from '@millrace/contract/engine-frames'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { dial, exec, outputOf, register, remoteRow, runOf, textOf } from '#agents/remotes/testing/remote-double.ts'
import { stillQueuedSubject } from '#execution/dispatch/subjects.ts'
import { openEnd } from '#execution/sockets/testing/live.ts'
import { givenApp, run } from '#execution/tasks/testing/given.ts'
import { about, serveOne, startEngine } from '#machines/engines/testing/engine-double.ts'
import { readStream } from '../../testing/read-stream.ts'
import { openReplica, type Replica } from '../../testing/replica.ts'
import { until } from '../../testing/until.ts'
import type { World } from '../../testing/world.ts'
import { refusalOf } from './refusals.ts'
import type { ServerRow } from './store.ts'
import { createFleetWorld } from './testing/fleet-world.ts'

let world: World
let other: Replica | undefined

beforeAll(async () => {
  world = await createFleetWorld()
})
afterAll(async () => {
  await other?.close()
  await world?.close()
})

const serversNow = () =>
  world.open.platform.db.selectFrom('servers').select(['id', 'address', 'draining']).orderBy('started_at').execute()

const setAddress = async (id: string, address: string): Promise<void> => {
  await world.open.platform.db.updateTable('servers').set({ address }).where('id', '=', id).execute()
}

const bearer = async () => ({ authorization: `Bearer ${world.people.owner.token}`, 'x-team-id': world.team.id })

/** Calls the other server. */
const runThere = async (appId: string): Promise<{ id: string }> => {
  const asked = await fetch(`${await other?.listen()}/run`, {
    method: 'POST',
    headers: { ...(await bearer()), 'content-type': 'application/json' },
    body: JSON.stringify({ app_id: appId, input: { text: 'hi' } }),
  })
  return ((await asked.json()) as { data: { id: string } }).data
}

it('a second server does not disturb the first one’s engine and can run apps on it', async () => {
  const engine = await startEngine(world, { cloud: true })
  const app = await givenApp(world)
  const second = await openReplica(world)
  other = second
  const origin = await second.listen()
  await setAddress(second.open.platform.server.id, origin)
  await setAddress(world.open.platform.server.id, await world.listen())
  expect((await serversNow()).map(({ id }) => id)).toEqual([
    world.open.platform.server.id,
    second.open.platform.server.id,
  ])
  const row = await world.open.platform.db
    .selectFrom('engines')
    .select(['connected', 'server_id'])
    .where('id', '=', engine.id)
    .executeTakeFirstOrThrow()
  expect(row).toEqual({ connected: true, server_id: world.open.platform.server.id })

  const data = await runThere(app.id)
  const stream = await readStream(`${origin}/tasks/${data.id}/stream`, await bearer())
  expect((await stream.next())?.data.id).toBe(data.id)
  await serveOne(engine, { text: 'from the other side' })
  const events = await stream.rest()
  expect(events.at(-1)?.event).toBe('done')
  expect(events.at(-2)?.data).toMatchObject({ status: 10, output: { text: 'from the other side' } })
  const numbers = events.flatMap(({ id, event }) => (id === undefined || event === 'done' ? [] : [Number(id)]))
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
  await engine.drop()
})

it('a run assigned by the other server ends with one statement, as one assigned by the holder', async () => {
  const engine = await startEngine(world, { cloud: true })
  const app = await givenApp(world)
  const asked = vi.spyOn(pg.Client.prototype, 'query')
  const { id } = await runThere(app.id)
  await serveOne(engine)
  const { calls, contexts } = asked.mock
  const texts = calls.map(([query]) => (typeof query === 'string' ? query : (query as unknown as pg.QueryConfig).text))
  const ends = texts.flatMap((text, index) =>
    /^\s*with available as/.test(text) && JSON.stringify(calls[index]).includes(id) ? [index] : [],
  )
  const before = ends.map((end) => texts.findLast((_, index) => index < end && contexts[index] === contexts[end]))
  asked.mockRestore()
  expect(before.length).toBeGreaterThan(0)
  expect(before).not.toContain('begin')
  await engine.drop()
})

it('the holder of a worker is notified of every waiting task', async () => {
  const engine = await startEngine(world, { cloud: true })
  const app = await givenApp(world)
  const publish = vi.spyOn((other as Replica).open.platform.bus, 'publish')
  const told = (): number => publish.mock.calls.filter(([subject]) => subject === stillQueuedSubject).length
  for (let round = 1; round <= 2; round += 1) {
    await runThere(app.id)
    const frame = await engine.next('task_run')
    const before = told()
    await runThere(app.id)
    await until(() => told() > before)
    engine.send({ type: 'task_completed', data: { ...about(frame), output: toBase64('{}') } })
    await engine.next('task_ack')
    await serveOne(engine)
  }
  publish.mockRestore()
  await engine.drop()
})

it('the two ends of a live socket are connected across servers', async () => {
  const engine = await startEngine(world, { cloud: true })
  const app = await givenApp(world, {
    repository: 'https://bundles.example.com/live.zip',
    kernel: 'node-22',
    functions: { run: { kind: 'stream', input_schema: { type: 'object' } } },
  })
  const task = await run(world, app)
  const frame = await engine.next('task_run')
  engine.send({ type: 'task_accepted', data: about(frame) })
  const at = async (server: { listen(): Promise<string> }, end: { url: string; token: string }) =>
    `${(await server.listen()).replace('http', 'ws')}${new URL(end.url).pathname}?access_token=${end.token}`
  const [near, far] = [task.socket, frame.data.socket]
  if (!near || !far || !other) throw new Error('The run has no socket')
  const client = await openEnd(await at(other, near))
  client.socket.send('hello')
  const worker = await openEnd(await at(world, far))
  expect(await worker.next()).toBe('hello')
  worker.socket.send(Buffer.from([1, 2, 3]))
  expect(await client.next()).toEqual(Buffer.from([1, 2, 3]))
  client.socket.close(1000)
  expect((await worker.closed).code).toBe(1000)
  await engine.drop()
})

it('a command on a machine of another server can be read, written to and killed from this one', async () => {
  const registered = await register(world, {}, 'owner')
  const remote = await dial(world, registered, await other?.listen())
  await until(async () => (await remoteRow(world, remote.id)).connected)
  expect((await remoteRow(world, remote.id)).server_id).toBe(other?.open.platform.server.id)
  const id = await exec(world, remote, { command: 'cat', stdin: true })
  expect((await remote.next('remote_exec_start')).data).toMatchObject({ exec_run_id: id, command: 'cat' })
  await world.call('owner', `POST /execs/${id}/input`, { body: { data: 'aGk=' } })
  expect((await remote.next('remote_exec_input')).data).toMatchObject({ seq: 1, data: 'aGk=' })
  const waiting = outputOf(world, remote, id, { wait_ms: '20000' })
  remote.print(id, 1, 'hi')
  expect(textOf(await waiting)).toBe('hi')
  await world.call('owner', `POST /execs/${id}/signal`)
  await remote.next('remote_exec_signal')
  remote.exit(id, null)
  await until(async () => (await runOf(world, remote, id)).status === 'killed')
  await world.call('owner', `DELETE /remotes/${remote.id}`)
  expect((await remote.closed).code).toBe(1008)
})

it('a key revoked on one server is invalid on the other', async () => {
  const { data } = await world.call('owner', 'POST /apikeys', { body: { name: 'shared' } })
  expect(await other?.status(data.key, 'GET /me')).toBe(200)
  await world.call('owner', `DELETE /apikeys/${data.id}`)
  await expect.poll(() => other?.status(data.key, 'GET /me')).toBe(401)
})

it('a server with an expired lease closes its sockets and joins again', async () => {
  const engine = await startEngine(world, { cloud: true })
  const { db, server } = world.open.platform
  await db.deleteFrom('servers').where('id', '=', server.id).execute()
  expect((await engine.closed).code).toBe(1012)
  await until(async () => (await serversNow()).some(({ id }) => id === server.id))
})

it('a stopped server is no longer listed and its engines can connect elsewhere', async () => {
  await other?.close()
  other = undefined
  expect((await serversNow()).map(({ id }) => id)).toEqual([world.open.platform.server.id])
})

const fits: ServerRow = {
  id: 'a',
  place: 'p',
  address: 'http://10.0.0.1:7700',
  version: '1',
  keeps_files_apart: false,
  keeps_key_apart: false,
  bus: 'PostgreSQL',
}

it.each([
  ['all settings are equal', {}, {}, null],
  [
    'this server stores files on its disk',
    { keeps_files_apart: true },
    {},
    /this server stores files.*Set S3_ENDPOINT/,
  ],
  ['the other server stores files on its disk', {}, { keeps_files_apart: true }, /it stores files.*Set S3_ENDPOINT/],
  ['a key file', { keeps_key_apart: true }, {}, /master key.*Set MASTER_KEY/],
  ['two kinds of bus', { bus: 'NATS' }, {}, /over PostgreSQL, but this server uses NATS.*NATS_URL/],
] as const)('%s', (_claim, self, there, expected) => {
  const refusal = refusalOf({ ...fits, ...self }, { ...fits, ...there, id: 'b' })
  if (expected === null) expect(refusal).toBeNull()
  else expect(refusal).toMatch(expected)
})
