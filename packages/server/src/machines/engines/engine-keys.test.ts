// Guarantees: the key of an engine works for that engine only, and serving all workspaces requires a key that platform
// staff created for that engine. A stolen key cannot act as another engine.
import { once } from 'node:events'
import { afterAll, beforeAll, expect, it } from 'vitest'
import WebSocket from 'ws'
import { ensureServiceAccount, mintKey } from '#accounts/access/service.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { register, registration } from './testing/engine-double.ts'

let world: World
let origin: string
let platformTeam: string
beforeAll(async () => {
  world = await createWorld()
  origin = await world.listen()
  platformTeam = (await register(world, { cloud: true })).team
})
afterAll(() => world?.close())

const keyFor = async (teamId: string, options: { source?: string; servesAll?: boolean } = {}): Promise<string> => {
  const ctx = world.ctx()
  const userId = await ensureServiceAccount(ctx.db, teamId)
  const { text } = await mintKey(ctx, {
    teamId,
    userId,
    createdBy: userId,
    name: 'engine',
    scope: 'workspace',
    scopes: ['engines:write', 'files:write'],
    holdsEngineScopes: true,
    source: options.source ?? '',
    servesAll: options.servesAll ?? false,
    expiresAt: null,
  })
  return text
}

const call = async (key: string, path: string, body: object) => {
  const response = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, ...((await response.json()) as { data?: { engine_id: string }; type?: string }) }
}

const connect = async (key: string, engineId: string): Promise<number> => {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/ws/engines/${engineId}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const refused = once(socket, 'unexpected-response').then(([, response]) => response.statusCode as number)
  const opened = once(socket, 'open').then(() => 101)
  const status = await Promise.race([refused, opened])
  refused.catch(() => undefined)
  opened.catch(() => undefined)
  socket.on('error', () => undefined)
  socket.terminate()
  return status
}

it('[S4] an engine’s key registers one engine and can never act as another', async () => {
  const key = await keyFor(world.team.id, { source: 'engine:made' })
  const other = await register(world)
  const first = await call(key, '/engines/register', registration({ name: 'mine' }))
  expect(first.status).toBe(200)
  const own = first.data?.engine_id ?? ''
  expect((await call(key, '/engines/register', registration({ id: own }))).status).toBe(200)
  expect((await call(key, '/engines/register', registration({ name: 'second' }))).status).toBe(403)
  expect((await call(key, '/engines/register', registration({ id: other.id }))).status).toBe(403)
  expect((await call(key, `/engines/${other.id}/stop`, {})).status).toBe(403)
  expect((await call(key, `/engines/${other.id}/visibility`, { visibility: 'public' })).status).toBe(403)
  expect(await connect(key, other.id)).toBe(403)
  expect(await connect(key, own)).toBe(101)
})

it('an engine’s key cannot spend: it can neither rent a machine nor extend a rental, not even its own', async () => {
  const key = await keyFor(world.team.id, { source: 'engine:spender' })
  const own = (await call(key, '/engines/register', registration({ name: 'spender' }))).data?.engine_id ?? ''
  const end_time = new Date(world.clock.now().getTime() + 3600_000).toISOString()
  const instance_type = { cloud: 'any', region: 'any', catalog_instance_type: 'any', rental_type: 'on_demand' }
  for (const [path, body] of [
    ['/engines', { name: 'another', end_time, instance_type }],
    [`/engines/${own}/extend`, { hours: 1 }],
  ] as const) {
    const { status, type } = await call(key, path, body)
    expect([status, type?.split('/').at(-1)], path).toEqual([403, 'forbidden'])
  }
})

it('[S5] a key of the platform’s workspace alone can neither create nor take over an engine that serves all workspaces', async () => {
  const infraOf = async (id: string | undefined) =>
    (
      await world.open.platform.db
        .selectFrom('engines')
        .select('infra')
        .where('id', '=', id ?? '')
        .executeTakeFirst()
    )?.infra
  const plain = await keyFor(platformTeam)
  const made = await call(plain, '/engines/register', registration())
  expect(await infraOf(made.data?.engine_id)).toBe('private')
  const cloud = await register(world, { cloud: true })
  expect((await call(plain, '/engines/register', registration({ id: cloud.id }))).status).toBe(403)
  expect(await connect(plain, cloud.id)).toBe(403)
  const chosen = await keyFor(platformTeam, { servesAll: true })
  expect(await infraOf((await call(chosen, '/engines/register', registration())).data?.engine_id)).toBe('cloud')
  expect(await connect(chosen, cloud.id)).toBe(101)
})

it('an admin who becomes a plain member can no longer run engines, even with older keys', async () => {
  const { userId } = world.people.admin
  const key = (await world.token('admin-key:engines:read,engines:write')) ?? ''
  const made = await call(key, '/engines/register', registration())
  expect(made.status).toBe(200)
  const engineId = made.data?.engine_id ?? ''
  const setRole = (role: string) =>
    world.call('owner', `POST /teams/${world.team.id}/members/${userId}/role`, { body: { role } })
  expect((await setRole('member')).status).toBe(200)
  expect(await call(key, '/engines/register', registration())).toMatchObject({ status: 403 })
  expect(await connect(key, engineId)).toBe(403)
  // The list of scopes becomes empty here, which must not count as the empty list for all scopes.
  const only = (await world.token('admin-key:engines:write')) ?? ''
  expect((await world.call({ token: only }, 'POST /secrets/list', { body: {} })).code).toBe('insufficient_scope')
  expect((await setRole('admin')).status).toBe(200)
  expect(await connect(key, engineId)).toBe(101)
})
