// Guarantees: a session leases a worker to one caller of a workspace. The lease lasts while the session is used, ends
// with its idle time or on request, and runs one task at a time.
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { finish, givenApp, run, unknownId } from '../tasks/testing/given.ts'

const given = async (world: World) => {
  const app = await givenApp(world)
  const begin = async (timeout = 60) => {
    const { id, session_id: session = '' } = await run(world, app, { session: 'new', session_timeout: timeout })
    await finish(world, id)
    return session
  }
  const over = await begin()
  await world.call('owner', `DELETE /sessions/${over}`)
  return { active: await begin(), short: await begin(1), over }
}

type Given = Awaited<ReturnType<typeof given>>
const active = ({ active }: Given) => ({ id: active })

const refusals = [
  { claim: 'no credential', as: null, path: active, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:flows:read', path: active, status: 403, code: 'insufficient_scope' },
  { claim: 'another workspace', as: 'stranger', path: active, status: 404, code: 'session_not_found' },
  { claim: 'not there', as: 'owner', path: { id: unknownId }, status: 404, code: 'session_not_found' },
] as const

scenarios('sessions.list', given, [
  {
    claim: 'lists the active sessions of the workspace',
    as: 'member',
    status: 200,
    check: ({ data }, given) => {
      const ids = data.map((session: { id: string }) => session.id)
      expect(ids).toContain(given.active)
      expect(ids).not.toContain(given.over)
    },
  },
])

scenarios('sessions.get', given, [
  {
    claim: 'an idle session has the time at which it ends',
    as: 'member',
    path: active,
    status: 200,
    check: ({ data }, _given, world) => {
      expect(data).toMatchObject({ status: 'active', call_count: 1, idle_timeout: 60, ended_at: null })
      expect(Date.parse(data.expires_at)).toBe(world.clock.now().getTime() + 60_000)
    },
  },
  ...refusals,
])

scenarios('sessions.keepalive', given, [
  {
    claim: 'restarts the idle time',
    as: 'owner',
    act: (world, { active }) => {
      world.clock.advance(30_000)
      return world.call('owner', `POST /sessions/${active}/keepalive`)
    },
    status: 200,
    check: ({ data }, _given, world) => expect(Date.parse(data.expires_at)).toBe(world.clock.now().getTime() + 60_000),
  },
  {
    claim: 'too late',
    as: 'owner',
    act: (world, { short }) => {
      world.clock.advance(1_001)
      return world.call('owner', `POST /sessions/${short}/keepalive`)
    },
    status: 410,
    code: 'session_expired',
  },
  { claim: 'over', as: 'owner', path: ({ over }) => ({ id: over }), status: 410, code: 'session_ended' },
  ...refusals,
])

scenarios('sessions.end', given, [
  {
    claim: 'ends the session; ending it twice is harmless',
    as: 'owner',
    path: active,
    status: 200,
    check: async (_answer, { active }, world) => {
      expect((await world.call('owner', `DELETE /sessions/${active}`)).status).toBe(200)
      expect((await world.call('owner', `GET /sessions/${active}`)).data.status).toBe('ended')
    },
  },
  ...refusals,
])
