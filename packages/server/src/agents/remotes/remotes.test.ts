// Guarantees: a machine is registered, seen and changed by its owner; administrators of the workspace see it, which is
// audited; other members do not see it; its profiles follow what it reports.
import { expect } from 'vitest'
import { type Scenario, scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { dial, freshKey, type Registered, type RemoteDouble, register, startRemote } from './testing/remote-double.ts'

const nobody = '00000000000000000000000000'
const withScope = (other: string) => `member-key:${other}` as const

type Given = { mine: Registered }
const given = async (world: World): Promise<Given> => ({
  mine: await register(world, {
    harnesses: [{ kind: 'codex', command: '/bin/codex', version: '1.0', logged_in: true }],
  }),
})
const path = ({ mine }: Given) => ({ id: mine.id })

const reads = (body?: unknown): Scenario<Given>[] => [
  { claim: 'no credential', as: null, path, body, status: 401, code: 'unauthorized' },
  {
    claim: 'a key without the scope',
    as: withScope('flows:read'),
    path,
    body,
    status: 403,
    code: 'insufficient_scope',
  },
  { claim: 'another workspace', as: 'stranger', path, body, status: 404, code: 'not_found' },
  { claim: 'not there', as: 'member', path: { id: nobody }, body, status: 404, code: 'not_found' },
]
/** A machine of the workspace's owner is hidden from members. */
const hiddenFromTeammates = (body?: unknown): Scenario<Given> => ({
  claim: 'a teammate without a role sees nothing',
  as: 'member',
  path: { id: '' },
  act: async (world) => {
    const theirs = await register(world, {}, 'owner')
    return world.call('member', `GET /remotes/${theirs.id}`, { body })
  },
  status: 404,
  code: 'not_found',
})

const info = { hostname: 'mill', cpus: [{ name: 'cpu', cores: 4 }] }

scenarios('remotes.register', given, [
  {
    claim: 'no field is required; missing fields are empty',
    as: 'member',
    body: {},
    status: 200,
    audits: ['remote.registered'],
    check: ({ data, text }) => {
      expect(data).toMatchObject({ name: '', status: 'pending', heartbeat_at: null, system_info: null, profiles: [] })
      expect(data).toMatchObject({
        exec_enabled: false,
        agents_enabled: false,
        remote_version: '',
        visibility: 'private',
      })
      expect(text).not.toContain('public_key')
    },
  },
  {
    claim: 'the hostname is the default name',
    as: 'member',
    body: { public_key: 'aG9zdA==', system_info: info },
    status: 200,
    audits: ['remote.registered'],
    check: ({ data }) => {
      expect(data.name).toBe('mill')
      expect(data.system_info).toEqual({
        hostname: 'mill',
        os: '',
        cpus: [{ name: 'cpu', cores: 4, frequency: '' }],
        ram: { total: 0 },
      })
    },
  },
  {
    claim: 'the same key yields the same remote; kinds that are no longer reported are unavailable',
    as: 'member',
    body: ({ mine }: Given) => ({
      public_key: mine.publicKey,
      name: 'desk',
      exec_enabled: false,
      harnesses: [
        { kind: 'claude', command: '/bin/claude', logged_in: true, capabilities: { steer: false } },
        { kind: 'goose', command: '/bin/goose', logged_in: false },
      ],
    }),
    status: 200,
    check: ({ data }, { mine }) => {
      expect(data).toMatchObject({ id: mine.id, name: 'desk', exec_enabled: false, status: 'pending' })
      const profiles = data.profiles.map((one: Record<string, unknown>) => [one.harness_kind, one.status, one.command])
      expect(profiles).toEqual([
        ['claude', 'idle', '/bin/claude'],
        ['codex', 'unavailable', '/bin/codex'],
        ['goose', 'unavailable', '/bin/goose'],
      ])
      expect(data.profiles[0]).toMatchObject({
        remote_id: mine.id,
        display_name: 'Claude Code',
        vendor: 'Anthropic',
        max_concurrent: 1,
        args: [],
        capabilities: { steer: false, resume: true },
      })
    },
  },
  {
    claim: 'a profile that is reported again is the same one',
    as: 'member',
    body: ({ mine }: Given) => ({ public_key: mine.publicKey }),
    status: 200,
    check: async ({ data }, { mine }, world) => {
      const again = await world.call('member', 'POST /remotes', {
        body: { public_key: mine.publicKey, harnesses: [{ kind: 'codex', command: '/new/codex', logged_in: true }] },
      })
      expect(again.data.profiles).toHaveLength(1)
      expect(again.data.profiles[0]).toMatchObject({ id: data.profiles[0].id, status: 'idle', command: '/new/codex' })
    },
  },
  {
    claim: 'a name changed by hand is retained',
    as: 'member',
    act: async (world, { mine }) => {
      await world.call('member', `POST /remotes/${mine.id}`, { body: { name: 'mine', public_key: mine.publicKey } })
      return world.call('member', 'POST /remotes', { body: { name: 'laptop', public_key: mine.publicKey } })
    },
    status: 200,
    check: ({ data }, { mine }) => expect(data).toMatchObject({ id: mine.id, name: 'mine' }),
  },
  {
    claim: 'an empty key never matches',
    as: 'member',
    act: async (world) => {
      const first = await world.call('member', 'POST /remotes', { body: { name: 'a' } })
      const second = await world.call('member', 'POST /remotes', { body: { name: 'b' } })
      expect(second.data.id).not.toBe(first.data.id)
      return second
    },
    status: 200,
  },
  {
    claim: 'the same key of another person yields another remote',
    as: 'owner',
    body: ({ mine }: Given) => ({ public_key: mine.publicKey }),
    status: 200,
    audits: ['remote.registered'],
    check: ({ data }, { mine }) => expect(data.id).not.toBe(mine.id),
  },
  {
    claim: 'an unknown kind',
    as: 'member',
    body: { harnesses: [{ kind: 'hal' }] },
    status: 400,
    code: 'validation_error',
  },
])

const remoteListed = (id: string) => (items: { id: string }[]) => items.some((item) => item.id === id)

scenarios('remotes.list', given, [
  { claim: 'a broken cursor', as: 'member', query: { cursor: '%%%' }, status: 400, code: 'invalid_request' },
  {
    claim: 'the caller’s own, with profiles and without keys',
    as: 'member',
    status: 200,
    check: ({ data, text }, { mine }) => {
      const item = data.items.find(({ id }: { id: string }) => id === mine.id)
      expect(item.profiles).toMatchObject([{ harness_kind: 'codex', status: 'idle' }])
      expect(text).not.toContain(mine.publicKey)
    },
  },
  {
    claim: 'by status and name, by the POST form of the list',
    as: 'member',
    route: 'POST /remotes/list',
    body: {
      filters: [
        { field: 'status', operator: 'eq', value: 'pending' },
        { field: 'exec_enabled', operator: 'eq', value: true },
      ],
      sort: [{ field: 'name', dir: 'asc' }],
      search: { term: 'lap' },
    },
    status: 200,
    check: ({ data }, { mine }) => expect(remoteListed(mine.id)(data.items)).toBe(true),
  },
  {
    claim: 'not a teammate’s; an administrator’s access is audited',
    as: 'admin',
    status: 200,
    check: async ({ data }, { mine }, world) => {
      expect(remoteListed(mine.id)(data.items)).toBe(false)
      const all = await world.call('admin', 'POST /remotes/list', { body: { include_private: true } })
      expect(remoteListed(mine.id)(all.data.items)).toBe(true)
      expect(await world.audits()).toContain('team_admin.list_private')
    },
  },
  {
    claim: 'a field that cannot be filtered',
    as: 'member',
    route: 'POST /remotes/list',
    body: { filters: [{ field: 'public_key', operator: 'eq', value: 'x' }] },
    status: 400,
    code: 'validation_error',
  },
])

scenarios('remotes.harnesses', () => undefined, [
  {
    claim: 'without a credential',
    as: null,
    status: 200,
    check: ({ data }) => {
      expect(data.map(({ id }: { id: string }) => id)).toEqual(['claude', 'codex', 'cursor', 'gemini', 'goose', 'kiro'])
      expect(Object.keys(data[0])).toEqual(['id', 'display_name', 'vendor', 'driver', 'capabilities'])
    },
  },
])

scenarios('remotes.get', given, [
  { claim: 'by its owner', as: 'member', path, status: 200 },
  { claim: 'by its short id', as: 'member', path: ({ mine }: Given) => ({ id: mine.id.slice(0, 8) }), status: 200 },
  { claim: 'by an administrator, audited', as: 'admin', path, status: 200, audits: ['team_admin.permission_bypass'] },
  hiddenFromTeammates(),
  ...reads(),
])

scenarios('remotes.update', given, [
  {
    claim: 'missing fields are cleared, including the key',
    as: 'member',
    path,
    body: { name: 'only a name' },
    status: 200,
    audits: ['remote.updated'],
    check: async ({ data }, { mine }, world) => {
      expect(data).toMatchObject({ name: 'only a name', exec_enabled: false, system_info: null, remote_version: '' })
      const again = await world.call('member', 'POST /remotes', { body: { public_key: mine.publicKey } })
      expect(again.data.id).not.toBe(mine.id)
    },
  },
  {
    claim: 'a new key replaces the old one',
    as: 'member',
    path,
    body: () => ({ name: 'laptop', public_key: 'cm90YXRlZA==' }),
    status: 200,
    audits: ['remote.updated'],
    check: async (_answer, { mine }, world) => {
      const again = await world.call('member', 'POST /remotes', { body: { public_key: 'cm90YXRlZA==' } })
      expect(again.data.id).toBe(mine.id)
      await world.call('member', `DELETE /remotes/${mine.id}`)
    },
  },
  {
    claim: 'not the key of another machine of the same person',
    as: 'member',
    act: async (world, { mine }) => {
      const other = await register(world)
      return world.call('member', `POST /remotes/${mine.id}`, { body: { public_key: other.publicKey } })
    },
    status: 409,
    code: 'conflict',
  },
  {
    claim: 'by an administrator, audited',
    as: 'admin',
    path,
    body: { name: 'x' },
    status: 200,
    audits: ['team_admin.permission_bypass', 'remote.updated'],
  },
  { claim: 'an invalid name', as: 'member', path, body: { name: 7 }, status: 400, code: 'validation_error' },
  ...reads({ name: 'x' }),
])

type Live = { mine: RemoteDouble }
const live = async (world: World): Promise<Live> => ({ mine: await startRemote(world) })

scenarios('remotes.delete', live, [
  {
    claim: 'its connection is closed, agents lose it, and its key registers a new one',
    as: 'member',
    path: ({ mine }: Live) => ({ id: mine.id }),
    status: 200,
    emits: ['remote'],
    audits: ['remote.deleted'],
    check: async ({ data }, { mine }, world) => {
      expect(data).toEqual({ success: true })
      expect((await mine.closed).code).toBe(1008)
      expect((await world.call('member', `GET /remotes/${mine.id}`)).status).toBe(404)
      const again = await world.call('member', 'POST /remotes', { body: { public_key: mine.publicKey } })
      expect(again.data.id).not.toBe(mine.id)
      await expect(dial(world, mine)).rejects.toThrow('404')
    },
  },
  {
    claim: 'an agent that was bound to it is unbound',
    as: 'member',
    act: async (world, { mine }) => {
      const agent = await world.call('member', 'POST /agents', {
        body: {
          name: `a${freshKey()
            .toLowerCase()
            .replace(/[^a-z0-9]/g, '')}`.slice(0, 60),
        },
      })
      const route = `POST /agents/${agent.data.id}`
      expect((await world.call('member', route, { body: { remote_id: mine.id } })).data.remote_id).toBe(mine.id)
      await world.call('member', `DELETE /remotes/${mine.id}`)
      return world.call('member', `GET /agents/${agent.data.id}`)
    },
    status: 200,
    check: ({ data }) => expect(data).toMatchObject({ remote_id: null, profile_id: null }),
  },
  ...(reads() as Scenario<Live>[]),
])

scenarios('remotes.heartbeat', given, [
  {
    claim: 'a pending one stays pending; the reply has no envelope',
    as: 'member',
    path,
    status: 200,
    check: async ({ json }, { mine }, world) => {
      expect(json).toEqual({ revived: false })
      const { data } = await world.call('member', `GET /remotes/${mine.id}`)
      expect(data.status).toBe('pending')
      expect(data.heartbeat_at).not.toBeNull()
    },
  },
  {
    claim: 'a lost one is restored, but accepts no commands yet',
    as: 'member',
    act: async (world) => {
      const remote = await startRemote(world)
      await remote.drop()
      await expect
        .poll(async () => (await world.call('member', `GET /remotes/${remote.id}`)).data.status)
        .toBe('disconnected')
      const answer = await world.call('member', `POST /remotes/${remote.id}/heartbeat`, { body: {} })
      expect((await world.call('member', `GET /remotes/${remote.id}`)).data.status).toBe('running')
      const refused = await world.call('member', `POST /remotes/${remote.id}/execs`, { body: { command: 'ls' } })
      expect(refused.code).toBe('remote_offline')
      return answer
    },
    status: 200,
    check: ({ json }) => expect(json).toEqual({ revived: true }),
  },
  { claim: 'not by an administrator', as: 'admin', path, status: 404, code: 'not_found' },
  { claim: 'an invalid status', as: 'member', path, body: { status: 7 }, status: 400, code: 'validation_error' },
  ...reads(),
])

scenarios('remotes.sessions', live, [
  {
    claim: 'returns the machine’s answer',
    as: 'member',
    act: async (world, { mine }) => {
      const asked = world.call('member', `GET /remotes/${mine.id}/sessions`, { query: { cwd: '/src' } })
      const question = await mine.next('remote_sessions_list')
      expect(question.data.cwd).toBe('/src')
      mine.send({
        type: 'remote_sessions_listed',
        data: {
          request_id: question.data.request_id,
          sessions: [{ harness: 'codex', id: 's1', cwd: '/src', updated: '2026-01-01T00:00:00Z', live: false }],
        },
      })
      return asked
    },
    status: 200,
    check: ({ data }) => expect(data).toMatchObject([{ harness: 'codex', id: 's1', live: false }]),
  },
  {
    claim: 'nobody there',
    as: 'member',
    act: async (world) => world.call('member', `GET /remotes/${(await register(world)).id}/sessions`),
    status: 409,
    code: 'remote_offline',
  },
  {
    claim: 'not by an administrator',
    as: 'admin',
    path: ({ mine }: Live) => ({ id: mine.id }),
    status: 404,
    code: 'not_found',
  },
  ...(reads() as Scenario<Live>[]),
])

const allow = { effect: 'allow', specifier: 'git *' }

scenarios('remotes.rules', given, [
  {
    claim: 'in the order of creation',
    as: 'member',
    act: async (world, { mine }) => {
      await world.call('member', `POST /remotes/${mine.id}/rules`, { body: allow })
      return world.call('member', `GET /remotes/${mine.id}/rules`)
    },
    status: 200,
    check: ({ data }, { mine }) =>
      expect(data).toMatchObject([{ effect: 'allow', kind: 'RemoteExec', selector: mine.id, specifier: 'git *' }]),
  },
  ...reads(),
])

scenarios('remotes.add_rule', given, [
  {
    claim: 'defaults to this remote',
    as: 'member',
    path,
    body: { effect: 'deny', specifier: 'rm *', label: 'no' },
    status: 200,
    audits: ['tool_rule.created'],
    check: ({ data }, { mine }) =>
      expect(data).toMatchObject({ effect: 'deny', kind: 'RemoteExec', selector: mine.id, label: 'no' }),
  },
  {
    claim: 'a key cannot add an allow rule',
    as: 'member-key:remotes',
    path,
    body: allow,
    status: 403,
    code: 'requires_sign_in',
  },
  { claim: 'no effect', as: 'member', path, body: {}, status: 400, code: 'validation_error' },
  ...reads(allow),
])

type Ruled = Given & { ask: string }
const ruled = async (world: World): Promise<Ruled> => {
  const { mine } = await given(world)
  const { data } = await world.call('member', `POST /remotes/${mine.id}/rules`, { body: { effect: 'ask' } })
  return { mine, ask: data.id }
}
const rulePath = ({ mine, ask }: Ruled) => ({ id: mine.id, ruleId: ask })

scenarios('remotes.delete_rule', ruled, [
  { claim: 'by its owner', as: 'member', path: rulePath, status: 200, audits: ['tool_rule.deleted'] },
  {
    claim: 'a key cannot remove an ask rule',
    as: 'member-key:remotes',
    path: rulePath,
    status: 403,
    code: 'requires_sign_in',
  },
  { claim: 'another workspace', as: 'stranger', path: rulePath, status: 404, code: 'not_found' },
  {
    claim: 'no such rule',
    as: 'member',
    path: ({ mine }: Ruled) => ({ id: mine.id, ruleId: nobody }),
    status: 404,
    code: 'not_found',
  },
])
