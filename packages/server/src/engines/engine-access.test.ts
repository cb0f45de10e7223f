// Guards: an engine is managed by its workspace and by who administers the organization of it, on record; what belongs to a
// private one is named to its owner alone.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { givenApp, run, taskOf } from '../tasks/testing/given.ts'
import { readStream } from '../testing/read-stream.ts'
import { type As, createWorld, type World } from '../testing/world.ts'
import { register, serveOne, startEngine } from './testing/engine-double.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

describe('who administers the organization', () => {
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
  ] as const)('%s the engine of another of its workspaces', async (_claim, door, body, shown) => {
    const { id } = await register(world)
    const answer = await world.call('stranger', `POST /engines/${id}${door}`, { body })
    expect(answer).toMatchObject({ status: 200, data: { id, team_id: world.team.id, ...shown } })
  })

  it('and deletes it, which is on the record of that workspace', async () => {
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
  it('and its workers are named to its owner alone', async () => {
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

it('a stream ends for whom the engine is taken from, and goes on for who still sees it', async () => {
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

it('a list names the owners of engines and sockets where it is asked to', async () => {
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
