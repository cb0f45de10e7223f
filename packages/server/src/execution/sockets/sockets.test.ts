// Guarantees: a run of a stream function has a socket, both ends connect at the relay, and the row shows the outcome.
import { toBase64 } from '@millrace/contract/engine-frames'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { about, startEngine } from '#machines/engines/testing/engine-double.ts'
import { type Scenario, scenarios } from '../../testing/scenarios.ts'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { finish, givenApp, run, unknownId } from '../tasks/testing/given.ts'
import { openEnd, refusedStatus } from './testing/live.ts'

const version = {
  repository: 'https://bundles.example.com/live.zip',
  kernel: 'node-22',
  functions: { run: { kind: 'stream', input_schema: { type: 'object' } } },
}

const given = async (world: World) => {
  const app = await givenApp(world, version)
  const live = await run(world, app)
  const over = await run(world, app)
  await finish(world, over.id)
  return { app, task: live.id, live: live.socket?.id ?? '', over: over.socket?.id ?? '' }
}
type Given = Awaited<ReturnType<typeof given>>
const live = ({ live }: Given) => ({ id: live })
const over = ({ over }: Given) => ({ id: over })

const refusals: Scenario<Given>[] = [
  { claim: 'no credential', as: null, path: live, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:flows:read', path: live, status: 403, code: 'insufficient_scope' },
  { claim: 'another workspace', as: 'stranger', path: live, status: 404, code: 'not_found' },
  { claim: 'not there', as: 'owner', path: { id: unknownId }, status: 404, code: 'not_found' },
]

scenarios('sockets.list', given, [
  {
    claim: 'the socket of a task',
    as: 'member',
    route: 'POST /sockets/list',
    body: ({ task }: Given) => ({ limit: 1, filters: [{ field: 'task_id', operator: 'eq', value: task }] }),
    status: 200,
    check: ({ data }, { live, task }) =>
      expect(data.items).toMatchObject([{ id: live, task_id: task, status: 'pending' }]),
  },
  { claim: 'by the other route', as: 'owner', status: 200 },
  {
    claim: 'an unknown field',
    as: 'owner',
    route: 'POST /sockets/list',
    body: { filters: [{ field: 'token', operator: 'eq', value: 1 }] },
    status: 400,
    code: 'validation_error',
  },
])

scenarios('sockets.get', given, [
  {
    claim: 'before an end has connected',
    as: 'member',
    path: live,
    status: 200,
    check: ({ data }) => expect(data).toMatchObject({ status: 'pending', client_frames: 0 }),
  },
  {
    claim: 'after the end of its task',
    as: 'member',
    path: over,
    status: 200,
    check: ({ data }) => expect(data).toMatchObject({ status: 'closed', outcome: 'never_paired' }),
  },
  ...refusals,
])

scenarios('sockets.access', given, [
  {
    claim: 'a fresh token',
    as: 'member',
    path: live,
    status: 200,
    check: ({ data }, { live }) => {
      expect(data.id).toBe(live)
      expect(data.url).toMatch(/^ws:.*\/ws\/sockets\/[^?]+$/)
    },
  },
  { claim: 'not for a closed socket', as: 'owner', path: over, status: 409, code: 'invalid_state' },
  {
    claim: 'not for a colleague once the task is private, because the socket has the visibility of its task',
    as: 'member',
    act: async (world, { task, live }) => {
      await world.call('owner', `POST /tasks/${task}/visibility`, { body: { visibility: 'private' } })
      expect((await world.call('member', `GET /sockets/${live}`)).status).toBe(404)
      expect((await world.call('owner', `GET /sockets/${live}`)).data).toMatchObject({ visibility: 'private' })
      return world.call('member', `POST /sockets/${live}/access`)
    },
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'not for an administrator either, who may read it but not act for its owner',
    as: 'admin',
    act: async (world, { task, live }) => {
      await world.call('owner', `POST /tasks/${task}/visibility`, { body: { visibility: 'private' } })
      expect((await world.call('admin', `GET /sockets/${live}`)).status).toBe(200)
      expect((await world.call('owner', `POST /sockets/${live}/access`)).status).toBe(200)
      return world.call('admin', `POST /sockets/${live}/access`)
    },
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'not for another workspace, even if the task is public',
    as: 'stranger',
    act: async (world, { task, live }) => {
      await world.call('owner', `POST /tasks/${task}/visibility`, { body: { visibility: 'public' } })
      return world.call('stranger', `POST /sockets/${live}/access`)
    },
    status: 403,
    code: 'forbidden',
  },
  ...refusals,
])

scenarios('sockets.delete', given, [
  { claim: 'a closed one', as: 'owner', path: over, status: 200, audits: ['socket.deleted'] },
  { claim: 'not one in use', as: 'owner', path: live, status: 409, code: 'invalid_state' },
  ...refusals,
])

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/** The address for this test; the configured one has another port. */
const here = async (url: string): Promise<string> =>
  `${(await world.listen()).replace('http', 'ws')}${new URL(url).pathname}`

it('caller and function exchange frames until the caller closes', async () => {
  const engine = await startEngine(world, { cloud: true })
  const { id, socket } = await run(world, await givenApp(world, version))
  const sent = await engine.next('task_run')
  const worker = sent.data.socket
  if (!socket || !worker) throw new Error('The run has no socket')
  const client = await openEnd(`${await here(socket.url)}?access_token=${socket.token}`)
  const inside = await openEnd(await here(worker.url), { authorization: `Bearer ${worker.token}` })
  client.socket.send('ping')
  expect(await inside.next()).toBe('ping')
  inside.socket.send(Buffer.from('pong'))
  expect(await client.next()).toEqual(Buffer.from('pong'))
  client.socket.close(1000, 'bye')
  expect((await inside.closed).code).toBe(1000)
  engine.send({ type: 'task_completed', data: { ...about(sent), output: toBase64('{}') } })
  const row = await until(async () => {
    const { data } = await world.call('owner', `GET /sockets/${socket.id}`)
    return data.status === 'closed' && data
  })
  expect(row).toMatchObject({ outcome: 'client_closed', close_code: 1000, close_reason: 'bye' })
  expect(row).toMatchObject({ client_frames: 1, client_bytes: 4, worker_frames: 1, worker_bytes: 4, task_id: id })
  await engine.drop()
})

it('an end that uses the short id of the socket reaches the other end', async () => {
  const engine = await startEngine(world, { cloud: true })
  const { socket } = await run(world, await givenApp(world, version))
  const { data } = await engine.next('task_run')
  if (!socket || !data.socket) throw new Error('The run has no socket')
  const address = (await here(socket.url)).replace(socket.id, socket.id.slice(0, 8))
  const client = await openEnd(`${address}?access_token=${socket.token}`)
  const inside = await openEnd(await here(data.socket.url), { authorization: `Bearer ${data.socket.token}` })
  client.socket.send('ping')
  expect(await inside.next()).toBe('ping')
  client.socket.close(1000)
  await engine.drop()
})

it('the relay refuses wrong tokens', async () => {
  const app = await givenApp(world, version)
  const [one, two] = [await run(world, app), await run(world, app)]
  const url = await here(one.socket?.url ?? '')
  expect(await refusedStatus(url)).toBe(401)
  expect(await refusedStatus(`${url}?access_token=x.y.z`)).toBe(401)
  expect(await refusedStatus(`${url}?access_token=${two.socket?.token}`)).toBe(404)
  await finish(world, one.id)
  expect(await refusedStatus(`${url}?access_token=${one.socket?.token}`)).toBe(409)
})

it('the end of the task closes a caller without a peer', async () => {
  const { id, socket } = await run(world, await givenApp(world, version))
  const client = await openEnd(`${await here(socket?.url ?? '')}?access_token=${socket?.token}`)
  await finish(world, id)
  expect((await client.closed).code).toBe(1000)
})
