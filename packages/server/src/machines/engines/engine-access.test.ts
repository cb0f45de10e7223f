// Guarantees: members of an engine's workspace and administrators of its organization manage it, with audit events;
// data of a private engine is visible to its owner only.
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { ensureServiceAccount, mintKey } from '#accounts/access/service.ts'
import { givenApp, run, taskOf } from '#execution/tasks/testing/given.ts'
import { closeCodes } from '#platform/ws/machine-sockets.ts'
import { readStream } from '../../testing/read-stream.ts'
import { type As, createWorld, type World } from '../../testing/world.ts'
import { register, registration, serveOne, startEngine } from './testing/engine-double.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

describe('an administrator of the organization', () => {
  beforeAll(async () => {
    const { data } = await world.call('platform', 'POST /organizations', { body: { name: 'Guild', username: 'guild' } })
    for (const team_id of [world.team.id, world.otherTeam.id])
      await world.call('platform', `POST /organizations/${data.id}/teams`, { body: { team_id } })
    await world.call('platform', `POST /organizations/${data.id}/admins`, { body: { email: 'stranger@example.com' } })
  })

  it.each([
    ['renames', '', { name: 'Theirs' }, { name: 'Theirs' }],
    ['stops', '/stop', undefined, { status: 'stopped' }],
    ['shows', '/visibility', { visibility: 'org' }, { visibility: 'org' }],
  ] as const)('%s an engine in another of its workspaces', async (_claim, route, body, shown) => {
    const { id } = await register(world)
    const answer = await world.call('stranger', `POST /engines/${id}${route}`, { body })
    expect(answer).toMatchObject({ status: 200, data: { id, team_id: world.team.id, ...shown } })
  })

  it('deletes it, audited in that workspace', async () => {
    const { id } = await register(world)
    expect((await world.call('stranger', `DELETE /engines/${id}`)).status).toBe(200)
    expect((await world.call('owner', `GET /engines/${id}`)).status).toBe(404)
    const { data } = await world.call('owner', 'GET /audit-log')
    const ofEngine = data.items.filter((row: { resource_id: string }) => row.resource_id === id)
    expect(ofEngine.map((row: { action: string }) => row.action).sort()).toEqual([
      'engine.deleted',
      'engine.registered',
      'team_admin.permission_bypass',
    ])
  })

  it('not another member of the organization', async () => {
    const { id } = await register(world, { as: 'stranger' })
    expect((await world.call('owner', `POST /engines/${id}/stop`)).status).toBe(404)
    await world.call('stranger', `POST /engines/${id}/visibility`, { body: { visibility: 'org' } })
    expect((await world.call('owner', `POST /engines/${id}/stop`)).status).toBe(403)
  })
})

describe('a private engine', () => {
  it('only the owner sees its workers', async () => {
    const engine = await startEngine(world)
    const app = await givenApp(world)
    const { id } = await run(world, app)
    await serveOne(engine)
    const workersFor = async (as: 'owner' | 'admin' | 'member') => {
      const { data } = await world.call(as, 'POST /engines/resources', { body: { resources: { ram: 0 } } })
      return data.private.workers.map((worker: { id: string }) => worker.id)
    }
    expect(await workersFor('member')).toEqual(engine.workers)
    expect((await taskOf(world, id, 'member')).engine).toMatchObject({ id: engine.id })
    await world.call('owner', `POST /engines/${engine.id}/visibility`, { body: { visibility: 'private' } })
    expect(await workersFor('owner')).toEqual(engine.workers)
    expect(await taskOf(world, id)).toMatchObject({ engine: { id: engine.id }, worker: { id: engine.workers[0] } })
    for (const colleague of ['admin', 'member'] as const) {
      expect(await workersFor(colleague)).toEqual([])
      expect(await taskOf(world, id, colleague)).toMatchObject({ status: 10, engine: null, worker: null })
    }
    await engine.drop()
  })
})

describe('a run', () => {
  const privateEngine = async () => {
    const engine = await startEngine(world)
    await world.call('owner', `POST /engines/${engine.id}/visibility`, { body: { visibility: 'private' } })
    return engine
  }

  it('of a colleague never lands on a private engine, and says that no engine is connected', async () => {
    const engine = await privateEngine()
    const app = await givenApp(world)
    for (const infra of ['private', 'private_first'] as const) {
      const theirs = await world.call('member', 'POST /run', { body: { app_id: app.id, infra, input: { text: 'hi' } } })
      expect(theirs.status, theirs.text).toBe(200)
      expect(theirs.json.messages).toMatchObject([{ code: 'no_engine' }])
      expect((await taskOf(world, theirs.data.id, 'member')).status).toBe(2)
      const mine = await run(world, app, { infra })
      expect((await serveOne(engine)).data.task.id).toBe(mine.id)
      expect((await taskOf(world, theirs.data.id, 'member')).status).toBe(2)
      await world.call('member', `POST /tasks/${theirs.data.id}/cancel`)
    }
    await engine.drop()
  })

  it('of a colleague starts when the engine is shown to the workspace', async () => {
    const engine = await privateEngine()
    const app = await givenApp(world)
    const { data } = await world.call('member', 'POST /run', {
      body: { app_id: app.id, infra: 'private', input: { text: 'hi' } },
    })
    await world.call('owner', `POST /engines/${engine.id}/visibility`, { body: { visibility: 'team' } })
    expect((await serveOne(engine)).data.task.id).toBe(data.id)
    await engine.drop()
  })
})

describe('running a private engine', () => {
  const statusOf = async (id: string, token: string | null): Promise<number> => {
    const address = `${(await world.listen()).replace('http', 'ws')}/ws/engines/${id}`
    const headers = { authorization: `Bearer ${token}`, 'x-team-id': world.team.id }
    const socket = new WebSocket(address, { headers })
    const opened = once(socket, 'open').then(() => 101)
    const refused = once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode as number)
    for (const end of [opened, refused]) end.catch(() => undefined)
    socket.on('error', () => undefined)
    return Promise.race([opened, refused]).finally(() => socket.terminate())
  }
  const bypasses = async (id: string): Promise<number> => {
    const { data } = await world.call('owner', 'GET /audit-log')
    const isBypass = (row: { action: string; resource_id: string }) =>
      row.resource_id === id && row.action === 'team_admin.permission_bypass'
    return data.items.filter(isBypass).length
  }

  it('requires its owner or an audited administrator; a workspace key is refused', async () => {
    const { id } = await register(world)
    await world.call('owner', `POST /engines/${id}/visibility`, { body: { visibility: 'private' } })
    const stranger = 'workspace-key:engines:write' as const
    const refused = await world.call(stranger, 'POST /engines/register', { body: registration({ id }) })
    expect(refused).toMatchObject({ status: 404, code: 'not_found' })
    expect(await statusOf(id, await world.token(stranger))).toBe(404)
    expect(await bypasses(id)).toBe(0)
    for (const as of ['owner', 'admin'] as const) {
      const { data } = await world.call(as, 'POST /engines/register', { body: registration({ id }) })
      expect(data.engine_id).toBe(id)
      expect(await statusOf(id, await world.token(as))).toBe(101)
    }
    expect(await bypasses(id)).toBe(2)
  })

  it('is allowed with the key of the engine, for every owner', async () => {
    const { id } = await register(world)
    await world.call('owner', `POST /engines/${id}/visibility`, { body: { visibility: 'private' } })
    const ctx = world.ctx()
    const { text: token } = await mintKey(ctx, {
      teamId: world.team.id,
      userId: await ensureServiceAccount(ctx.db, world.team.id),
      createdBy: world.people.owner.userId,
      name: 'engine',
      scope: 'workspace',
      scopes: ['engines:write'],
      holdsEngineScopes: true,
      source: `engine:${id}`,
      engineId: id,
      expiresAt: null,
    })
    const { data } = await world.call({ token }, 'POST /engines/register', { body: registration({ id }) })
    expect(data.engine_id).toBe(id)
    expect(await statusOf(id, token)).toBe(101)
  })
})

it('an engine that is transferred loses the connection that its former workspace opened', async () => {
  const engine = await startEngine(world)
  const { data: team } = await world.call('owner', 'POST /teams', { body: { name: 'Next', username: 'next-owner' } })
  const body = { team_id: team.id }
  const answer = await world.call('owner', `POST /engines/${engine.id}/transfer`, { body })
  expect(answer.status, answer.text).toBe(200)
  expect(await engine.closed).toEqual({ code: closeCodes.refused, reason: 'Engine not found' })
})

it('a stream ends for readers who lose access and continues for the others', async () => {
  const { id } = await register(world)
  const show = (visibility: string) => world.call('owner', `POST /engines/${id}/visibility`, { body: { visibility } })
  await show('public')
  const follow = async (as: As) => {
    const credential = as && { authorization: `Bearer ${await world.token(as)}`, 'x-team-id': world.team.id }
    const stream = await readStream(`${await world.listen()}/engines/${id}/stream`, credential ?? {})
    expect(await stream.next()).toMatchObject({ event: 'update', data: { id } })
    return stream
  }
  const [nobody, colleague, owner] = [await follow(null), await follow('member'), await follow('owner')]
  await show('private')
  await world.call('owner', `POST /engines/${id}`, { body: { name: 'a secret name' } })
  for (const stream of [nobody, colleague])
    expect(await stream.rest()).toMatchObject([{ event: 'error', data: { status: 404 } }])
  await world.call('owner', `POST /engines/${id}/stop`)
  const rest = await owner.rest()
  expect(rest[0]).toMatchObject({ event: 'update', data: { visibility: 'private' } })
  expect(rest.slice(-2)).toMatchObject([{ event: 'update', data: { status: 'stopped' } }, { event: 'done' }])
})

it('a list includes the owners of engines and sockets on request', async () => {
  await register(world)
  await run(
    world,
    await givenApp(world, {
      repository: 'https://bundles.example.com/live.zip',
      kernel: 'node-22',
      functions: { run: { kind: 'stream', input_schema: { type: 'object' } } },
    }),
  )
  for (const list of ['engines', 'sockets']) {
    const preloads = ['user', 'team']
    const { data } = await world.call('owner', `POST /${list}/list`, { body: { preloads, limit: 1 } })
    expect(data.items[0]).toMatchObject({
      user: { id: world.people.owner.userId, role: 'user' },
      team: { id: world.team.id, username: 'mill' },
    })
    const plain = await world.call('owner', `POST /${list}/list`, { body: { limit: 1 } })
    expect(plain.data.items[0]).toMatchObject({ user: null, team: null })
    const narrow = await world.call('owner', `POST /${list}/list`, { body: { preloads, fields: ['status'], limit: 1 } })
    expect(Object.keys(narrow.data.items[0]).sort()).toEqual(['id', 'status'])
  }
})
