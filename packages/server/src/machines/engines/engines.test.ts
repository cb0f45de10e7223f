// Guarantees: a workspace registers, sees and controls its own engines; their status changes only as the transition
// table allows.
import { expect } from 'vitest'
import { givenApp } from '#execution/tasks/testing/given.ts'
import { listen } from '../../testing/read-stream.ts'
import { type Scenario, scenarios } from '../../testing/scenarios.ts'
import { until } from '../../testing/until.ts'
import type { As, World } from '../../testing/world.ts'
import { engineSubject } from './reports.ts'
import { type EngineDouble, type Registered, register, registration, startEngine } from './testing/engine-double.ts'

const nobody = '00000000000000000000000000'

type Given = { engine: EngineDouble; offline: Registered }

const given = async (world: World): Promise<Given> => ({
  engine: await startEngine(world, { cpuWorkers: 2 }),
  offline: await register(world, { name: 'offline' }),
})

const path = ({ engine }: Given) => ({ id: engine.id })
const offline = ({ offline }: Given) => ({ id: offline.id })

/**
 * Private to the owner: another administrator has audited access through the bypass, and all other members have none.
 */
const givenPrivate = async (world: World): Promise<string> => {
  const { id } = await register(world, { name: 'own engine' })
  await world.call('owner', `POST /engines/${id}/visibility`, { body: { visibility: 'private' } })
  return id
}

/**
 * Actions of an administrator on a member's private engine are audited, in addition to the audit event of the action.
 */
const onRecord = (route: string, audits: readonly string[], body?: unknown): Scenario<Given> => ({
  claim: 'a private engine of another member, by an admin, audited',
  as: 'admin',
  act: async (world) => {
    const id = await givenPrivate(world)
    const [method, action] = route.split(' ')
    return world.call('admin', `${method} /engines/${id}${action}`, { body })
  },
  status: 200,
  audits: [...audits, 'team_admin.permission_bypass'],
})

const refusals = (body?: unknown): Scenario<Given>[] => [
  { claim: 'no credential', as: null, path, body, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:engines:read', path, body, status: 403, code: 'insufficient_scope' },
  { claim: 'another workspace', as: 'stranger', path, body, status: 404, code: 'not_found' },
  { claim: 'not there', as: 'owner', path: { id: nobody }, body, status: 404, code: 'not_found' },
  { claim: 'a wildcard is not an id', as: 'owner', path: { id: '%%%%%%%%' }, body, status: 404, code: 'not_found' },
]

const isOffline = (body?: unknown): Scenario<Given> => ({
  claim: 'not while it is offline',
  as: 'owner',
  path: offline,
  body,
  status: 409,
  code: 'engine_offline',
})

scenarios('engines.register', () => undefined, [
  {
    claim: 'an engine and its workers',
    as: 'owner',
    body: registration({ cpuWorkers: 3 }),
    status: 200,
    emits: ['engine', 'team/engines'],
    check: async ({ data }, _given, world) => {
      expect(data.workers).toHaveLength(3)
      expect(data.workers[0]).toMatchObject({ gpus: [], cpus: [{ cores: 4 }], rams: [{ total: 8_000_000_000 }] })
      const { data: engine } = await world.call('owner', `GET /engines/${data.engine_id}`)
      expect(engine).toMatchObject({ status: 'pending', name: 'double', config: { api_key: '' } })
    },
    audits: ['engine.registered'],
  },
  {
    claim: 'an id of another workspace counts as unknown',
    as: 'stranger',
    act: async (world) => {
      const { id } = await register(world)
      const answer = await world.call('stranger', 'POST /engines/register', { body: registration({ id }) })
      expect(answer.data.engine_id).not.toBe(id)
      return answer
    },
    status: 200,
  },
  { claim: 'a broken body', as: 'owner', body: { api_url: 'x' }, status: 400, code: 'validation_error' },
  {
    claim: 'more GPUs than the maximum',
    as: 'owner',
    body: registration({ workers: { gpu: [{ gpus: Array(257).fill(0) }] } }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'more memory than the maximum',
    as: 'owner',
    body: { ...registration(), system_info: { ...registration().system_info, ram: { total: 1e30 } } },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a member’s key', as: 'member-key:', body: registration(), status: 403, code: 'insufficient_scope' },
  { claim: 'a member’s sign-in', as: 'member', body: registration(), status: 403, code: 'insufficient_scope' },
])

scenarios('engines.list', given, [
  {
    claim: 'lists the engines of the workspace with their workers',
    as: 'member',
    status: 200,
    check: ({ data }, { engine }) => {
      const found = data.items.find((item: { id: string }) => item.id === engine.id)
      expect(found.workers.map((worker: { id: string }) => worker.id)).toEqual(engine.workers)
    },
  },
  {
    claim: 'a field alone',
    as: 'owner',
    route: 'POST /engines/list',
    body: { fields: ['name'] },
    status: 200,
    check: ({ data }) => expect(Object.keys(data.items[0]).sort()).toEqual(['id', 'name']),
  },
  {
    claim: 'an unknown field',
    as: 'owner',
    route: 'POST /engines/list',
    body: { filters: [{ field: 'public_key', operator: 'eq', value: '' }] },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'an anonymous caller sees no engines',
    as: null,
    status: 200,
    check: ({ data }) => expect(data.items).toEqual([]),
  },
])

const resources = (gpu: object, ram?: number) => ({ resources: { gpu, ...(ram === undefined ? {} : { ram }) } })

scenarios('engines.match', async (world: World) => ({ ...(await given(world)), app: await givenApp(world) }), [
  {
    claim: 'own workers that match',
    as: 'member',
    body: resources({ count: 0 }),
    status: 200,
    check: ({ data }, { engine }) => {
      const own = data.private.workers.filter((worker: { engine_id: string }) => worker.engine_id === engine.id)
      expect(own).toHaveLength(2)
      expect(own[0]).toMatchObject({ engine_name: 'double', status: 'idle' })
      expect(data.cloud).toEqual({ can_run: false, min_price: 0, max_price: 0 })
    },
  },
  {
    claim: 'no worker has eight GPUs',
    as: 'owner',
    body: resources({ count: 8 }),
    status: 200,
    check: ({ data }) => expect(data.private.workers).toEqual([]),
  },
  {
    claim: 'the requirements of an app',
    as: 'owner',
    body: ({ app }: { app: { id: string } }) => ({ app_ids: [app.id] }),
    status: 200,
  },
  {
    claim: 'an anonymous caller only learns whether the cloud matches',
    as: null,
    body: resources({}),
    status: 200,
    check: ({ data }) => expect(data.private.workers).toEqual([]),
  },
  { claim: 'nothing asked', as: 'owner', body: {}, status: 400, code: 'invalid_request' },
  { claim: 'an unknown type', as: 'owner', body: resources({ type: 'abacus' }), status: 400, code: 'validation_error' },
])

const readRefusals: Scenario<Given>[] = [
  { claim: 'nobody', as: null, path, status: 404, code: 'not_found' },
  { claim: 'another workspace', as: 'stranger', path, status: 404, code: 'not_found' },
  { claim: 'not there', as: 'owner', path: { id: nobody }, status: 404, code: 'not_found' },
]

scenarios('engines.get', given, [
  {
    claim: 'running once it is connected',
    as: 'member',
    path,
    status: 200,
    check: ({ data }) =>
      expect(data).toMatchObject({
        status: 'running',
        workers: [{ status: 'idle', index: 0 }, { index: 1 }],
      }),
  },
  ...readRefusals,
])

scenarios('engines.stream', given, [
  {
    claim: 'a stopped engine is one event and the end',
    as: 'member',
    act: async (world, { offline }) => {
      await world.call('owner', `POST /engines/${offline.id}/stop`)
      return world.call('member', `GET /engines/${offline.id}/stream`)
    },
    status: 200,
    check: ({ text }) => expect(text.match(/^event: \w+/gm)).toEqual(['event: update', 'event: done']),
  },
  {
    claim: 'a deleted engine is stopped, which ends the stream',
    as: 'member',
    act: async (world, { engine }) => {
      const followed = world.call('member', `GET /engines/${engine.id}/stream`)
      await until(async () => world.open.platform.bus.hasListener(engineSubject(engine.id)))
      await world.call('owner', `DELETE /engines/${engine.id}`)
      return followed
    },
    status: 200,
    emits: ['engine', 'engine_frames', 'machine_gone', 'team/engines'],
    audits: ['engine.deleted'],
    check: ({ text }) => {
      expect(text.match(/^event: \w+/gm)?.at(-1)).toBe('event: done')
      expect(text).toContain('"status":"stopped","stop_reason":"deleted"')
    },
  },
  ...readRefusals,
])

scenarios('engines.update', given, [
  {
    claim: 'is renamed',
    as: 'owner',
    path,
    body: { name: 'Big mill' },
    status: 200,
    emits: ['engine', 'team/engines'],
    check: ({ data }) => expect(data.name).toBe('Big mill'),
  },
  {
    claim: 'a layout for the next start',
    as: 'owner',
    path,
    body: { config: { workers: { cpu: { count: 9 } } } },
    status: 200,
    emits: ['engine', 'team/engines'],
    check: ({ data }) => {
      expect(data.config.workers).toEqual({ gpu: [], cpu: { count: 9 } })
      expect(data.workers).toHaveLength(2)
    },
  },
  onRecord('POST ', ['engine.registered'], { name: 'Another' }),
  {
    claim: 'a private engine is unknown to a key of the workspace',
    as: 'workspace-key:engines:write',
    act: async (world) =>
      world.call('workspace-key:engines:write', `POST /engines/${await givenPrivate(world)}`, { body: { name: 'x' } }),
    status: 404,
    code: 'not_found',
  },
  { claim: 'nothing to change', as: 'owner', path, body: {}, status: 400, code: 'invalid_request' },
  { claim: 'an empty name', as: 'owner', path, body: { name: '' }, status: 400, code: 'validation_error' },
  ...refusals({ name: 'x' }),
])

const shownAs = (world: World, id: string, status: string) =>
  until(async () => {
    const { data } = await world.call('owner', `GET /engines/${id}`)
    return data.status === status && data
  })

scenarios('engines.drain', given, [
  {
    claim: 'notifies the engine, which is stopping once idle and stopped after it disconnects',
    as: 'owner',
    path,
    status: 200,
    emits: ['engine', 'engine_frames', 'team/engines'],
    check: async ({ data }, { engine }, world) => {
      expect(data.status).toBe('draining')
      await engine.next('engine_drain')
      expect(await shownAs(world, engine.id, 'stopping')).toMatchObject({ stop_reason: 'drained' })
      await engine.drop()
      expect(await shownAs(world, engine.id, 'stopped')).toMatchObject({ stop_reason: 'drained' })
      expect((await world.call('owner', `POST /engines/${engine.id}/drain`)).data.status).toBe('stopped')
    },
    audits: ['engine.drained'],
  },
  isOffline(),
  ...refusals(),
])

const isStopping = (route: string): Scenario<Given> => ({
  claim: 'a stopping engine',
  as: 'owner',
  act: async (world, { engine }) => {
    await world.call('owner', `POST /engines/${engine.id}/stop`)
    return world.call('owner', `POST /engines/${engine.id}/${route}`)
  },
  status: 409,
  code: 'invalid_state',
})

scenarios('engines.upgrade', given, [
  {
    claim: 'notifies the engine with the version',
    as: 'owner',
    path,
    body: { version: 'v2' },
    status: 200,
    emits: ['engine', 'engine_frames', 'team/engines'],
    check: async ({ data }, { engine }) => {
      expect(data.status).toBe('restarting')
      expect((await engine.next('engine_update')).data).toEqual({ version: 'v2' })
    },
  },
  { claim: 'an invalid version', as: 'owner', path, body: { version: 2 }, status: 400, code: 'validation_error' },
  isStopping('update'),
  isOffline(),
  ...refusals(),
])

scenarios('engines.restart', given, [
  {
    claim: 'notifies the engine',
    as: 'owner',
    path,
    status: 200,
    emits: ['engine', 'engine_frames', 'team/engines'],
    check: async ({ data }, { engine }) => {
      expect(data.status).toBe('restarting')
      expect((await engine.next('engine_update')).data).toEqual({ restart_only: true })
    },
  },
  isStopping('restart'),
  isOffline(),
  ...refusals(),
])

scenarios('engines.stop', given, [
  {
    claim: 'stops its workers immediately and the engine after it disconnects',
    as: 'owner',
    path,
    status: 200,
    emits: ['engine', 'engine_frames', 'team/engines'],
    check: async ({ data }, { engine }, world) => {
      expect(data).toMatchObject({ status: 'stopping', stop_reason: 'stopped' })
      expect(data.workers[0].status).toBe('inactive')
      await engine.next('engine_stop')
      expect((await world.call('owner', `POST /engines/${engine.id}/stop`)).data.status).toBe('stopping')
      await engine.drop()
      expect(await shownAs(world, engine.id, 'stopped')).toMatchObject({ stop_reason: 'stopped' })
    },
    audits: ['engine.stopped'],
  },
  {
    claim: 'also offline',
    as: 'owner',
    path: offline,
    status: 200,
    audits: ['engine.stopped'],
    emits: ['engine', 'team/engines'],
    check: ({ data }) => expect(data.status).toBe('stopped'),
  },
  onRecord('POST /stop', ['engine.registered', 'engine.stopped']),
  ...refusals(),
])

scenarios('engines.visibility', given, [
  {
    claim: 'is changed',
    as: 'owner',
    path,
    body: { visibility: 'public' },
    status: 200,
    emits: ['engine', 'team/engines'],
    check: ({ data }) => expect(data.visibility).toBe('public'),
  },
  {
    claim: 'the workspace’s stream publishes a private engine to its owner only',
    as: 'member',
    act: async (world) => {
      const hidden = await givenPrivate(world)
      const happen = async () => {
        await world.call('owner', `POST /engines/${hidden}`, { body: { name: 'unheard' } })
        await register(world, { name: 'heard' })
      }
      const heardBy = (as: As) =>
        listen(world, { as, path: '/events', accept: 'application/x-ndjson', happen, until: /"heard"/ })
      expect((await heardBy('owner')).text).toContain('unheard')
      return heardBy('member')
    },
    status: 200,
    check: ({ text }) => expect(text).not.toContain('unheard'),
  },
  {
    claim: 'an unknown visibility',
    as: 'owner',
    path,
    body: { visibility: 'x' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'public, by neither the owner nor an admin',
    as: 'workspace-key:engines:write',
    path,
    body: { visibility: 'public' },
    status: 403,
    code: 'team_role_required',
  },
  ...refusals({ visibility: 'team' }),
])

scenarios('engines.transfer', given, [
  {
    claim: 'to another workspace of the owner',
    as: 'owner',
    act: async (world, { offline }) => {
      const team = await world.call('owner', 'POST /teams', {
        body: { name: 'Second', username: `second-${offline.id.slice(0, 6)}` },
      })
      const answer = await world.call('owner', `POST /engines/${offline.id}/transfer`, {
        body: { team_id: team.data.id },
      })
      expect(answer.data?.team_id).toBe(team.data.id)
      return answer
    },
    status: 200,
    audits: ['engine.transferred'],
  },
  {
    claim: 'not with the workspace’s own key, which has no role',
    as: 'workspace-key:engines:write',
    path: offline,
    body: { team_id: nobody },
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'not by a member',
    as: 'member',
    path: offline,
    body: { team_id: nobody },
    status: 403,
    code: 'insufficient_scope',
  },
  {
    claim: 'to a workspace of which the caller is not a member',
    as: 'owner',
    path: offline,
    act: async (world, { offline }) =>
      world.call('owner', `POST /engines/${offline.id}/transfer`, { body: { team_id: world.otherTeam.id } }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'not to a workspace in which the caller may run no engines: its runs would be sent there',
    as: 'member',
    act: async (world) => {
      const team = world.people.member.personalTeamId
      const own = { team, body: { local_engine_state: { name: 'trojan' } } }
      const { data } = await world.call('member', 'POST /engines/register', own)
      const body = { team_id: world.team.id }
      const answer = await world.call('member', `POST /engines/${data.engine_id}/transfer`, { team, body })
      expect((await world.call('member', `GET /engines/${data.engine_id}`, { team })).data.team_id).toBe(team)
      return answer
    },
    status: 403,
    code: 'team_role_required',
  },
  { claim: 'to nowhere', as: 'owner', path, body: {}, status: 400, code: 'validation_error' },
  ...refusals({ team_id: nobody }),
])

scenarios('engines.delete', given, [
  {
    claim: 'notifies the engine to stop and deletes it',
    as: 'owner',
    path,
    status: 200,
    emits: ['engine', 'engine_frames', 'machine_gone', 'team/engines'],
    check: async (_answer, { engine }, world) => {
      await engine.next('engine_stop')
      expect((await world.call('owner', `GET /engines/${engine.id}`)).status).toBe(404)
    },
    audits: ['engine.deleted'],
  },
  onRecord('DELETE ', ['engine.registered', 'engine.deleted']),
  ...refusals(),
])
