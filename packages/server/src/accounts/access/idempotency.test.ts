// Guarantees: the same key and body replay the first answer exactly, for 24 hours; another body is refused; concurrent
// calls do the work once; answers are stored encrypted.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { sweepIdempotencyKeys } from './idempotency.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const team = (key: string, username: string, as: 'owner' | 'stranger' = 'owner') =>
  world.call(as, 'POST /teams', { body: { name: username, username }, headers: { 'idempotency-key': key } })

it('replays the first answer', async () => {
  const first = await team('k1', 'first-team')
  const second = await team('k1', 'first-team')
  expect(first.status).toBe(200)
  expect(second.json).toEqual(first.json)
  expect(second.headers['idempotent-replayed']).toBe('true')
})

it('refuses another body under the same key', async () => {
  await team('k2', 'second-team')
  expect(await team('k2', 'other-body')).toMatchObject({ status: 409, code: 'idempotency_conflict' })
})

it('keys of different people do not meet', async () => {
  await team('k3', 'third-team')
  expect((await team('k3', 'third-team-b', 'stranger')).status).toBe(200)
})

it('a narrower sign-in of the same person gets its own answer, never the value of a wider key', async () => {
  const create = (token: string) =>
    world.call({ token }, 'POST /apikeys', { body: { name: 'mine' }, headers: { 'idempotency-key': 'k-narrow' } })
  const wide = await create(world.people.owner.token)
  const scopes = ['apikeys:write', 'apps:read']
  const { data } = await world.call('owner', 'POST /auth/sessions/token', { body: { scopes } })
  const narrow = await create(data.token)
  expect([wide.data.scopes, narrow.data.scopes]).toEqual([[], ['apps:read']])
  expect(narrow.data.key).not.toBe(wide.data.key)
})

it('twenty at once do the work once', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => team('k4', 'fourth-team')))
  expect(new Set(answers.map((answer) => answer.text)).size).toBe(1)
  expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200))
})

it('a refusal stores nothing: the next try is a fresh one', async () => {
  expect((await team('k5', 'first-team')).status).toBe(409)
  expect((await team('k5', 'fifth-team')).status).toBe(200)
})

it('after 24 hours the key is free again', async () => {
  await team('k6', 'sixth-team')
  world.clock.advance(24 * 3600_000 + 1000)
  expect((await team('k6', 'sixth-team')).code).toBe('conflict')
})

it('an answer that shows a secret replays exactly and is stored sealed', async () => {
  const create = () =>
    world.call('owner', 'POST /apikeys', { body: { name: 'sealed' }, headers: { 'idempotency-key': 'k7' } })
  const [first, second] = [await create(), await create()]
  expect(second.data.key).toBe(first.data.key)
  const rows = await world.open.platform.db.selectFrom('idempotency_keys').select('answer_sealed').execute()
  expect(rows.some((row) => row.answer_sealed?.includes(first.data.key))).toBe(false)
})

it('answers nobody can ask for again are swept, the others stay', async () => {
  const { db } = world.open.platform
  await db.deleteFrom('idempotency_keys').execute()
  await team('k8', 'eighth-team')
  world.clock.advance(23 * 3600_000)
  await team('k9', 'ninth-team')
  world.clock.advance(2 * 3600_000)
  await sweepIdempotencyKeys(db, world.open.platform.now())
  expect((await db.selectFrom('idempotency_keys').select('key').execute()).map(({ key }) => key)).toEqual(['k9'])
  expect((await team('k9', 'ninth-team')).headers['idempotent-replayed']).toBe('true')
})

it('what changes nothing, or comes from nobody, is answered anew: a stranger fills no table', async () => {
  const { db } = world.open.platform
  await db.deleteFrom('idempotency_keys').execute()
  const calls = [
    ['owner', 'POST /apps/list', { limit: -1 }],
    [null, 'POST /apps/list', { limit: -1 }],
    [null, 'POST /search', { query: 'anything' }],
    [null, 'POST /auth/magic-link/send', { email: 'once@example.com' }],
  ] as const
  for (const [index, [as, route, body]] of [...calls, ...calls].entries()) {
    const headers = { 'idempotency-key': `k10-${index % calls.length}` }
    const answer = await world.call(as, route, { body, headers })
    expect([route, answer.status, answer.headers['idempotent-replayed']]).toEqual([route, 200, undefined])
  }
  expect(await db.selectFrom('idempotency_keys').select('key').execute()).toEqual([])
})
