// Guarantees: only the owner of a machine starts commands, with checks in the documented order; only permitted callers
// read their output, from any position.
import { sql } from 'kysely'
import { expect } from 'vitest'
import { type Scenario, scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import {
  ended,
  exec,
  outputOf,
  type RemoteDouble,
  register,
  runOf,
  startRemote,
  textOf,
} from './testing/remote-double.ts'

const nobody = '00000000000000000000000000'

type Given = { mine: RemoteDouble; run: string }
/** A remote with a running command that has written two chunks. */
const given = async (world: World): Promise<Given> => {
  const mine = await startRemote(world)
  const run = await exec(world, mine, { command: 'make', args: ['all'], env: ['TOKEN=hush'], stdin: true, pty: true })
  await mine.next('remote_exec_start')
  mine.print(run, 1, 'one ')
  mine.print(run, 2, 'two', 'stderr')
  while ((await mine.next('remote_exec_ack')).data.seq < 2);
  return { mine, run }
}
const remotePath = ({ mine }: Given) => ({ id: mine.id })
const runPath = ({ run }: Given) => ({ id: run })

const refusals = (path: (given: Given) => { id: string }, body?: unknown): Scenario<Given>[] => [
  { claim: 'no credential', as: null, path, body, status: 401, code: 'unauthorized' },
  {
    claim: 'a key without the scope',
    as: 'member-key:flows:read',
    path,
    body,
    status: 403,
    code: 'insufficient_scope',
  },
  { claim: 'another workspace', as: 'stranger', path, body, status: 404, code: 'not_found' },
  { claim: 'an administrator', as: 'admin', path, body, status: 404, code: 'not_found' },
  { claim: 'the owner of the workspace', as: 'owner', path, body, status: 404, code: 'not_found' },
  { claim: 'not there', as: 'member', path: { id: nobody }, body, status: 404, code: 'not_found' },
]

const ls = { command: 'ls' }

scenarios('execs.start', given, [
  {
    claim: 'replies at once and hides the values of the environment',
    as: 'member',
    path: remotePath,
    body: { command: 'ls', args: ['-l'], cwd: '/tmp', env: ['A=1', 'B='], timeout_ms: 5 },
    status: 200,
    emits: ['remote'],
    audits: ['remote.exec'],
    check: async ({ data, text }, { mine }) => {
      expect(data).toMatchObject({
        remote_id: mine.id,
        command: 'ls',
        args: ['-l'],
        cwd: '/tmp',
        env: ['A=***', 'B=***'],
        pty: false,
        timeout_ms: 5,
        exit_code: null,
        error: '',
        timed_out: false,
        last_seq: 0,
        requested_by: 'user',
        agent_run_id: null,
      })
      expect(text).not.toContain('A=1')
      const frame = await mine.next('remote_exec_start')
      expect(frame.data).toEqual({
        exec_run_id: data.id,
        command: 'ls',
        args: ['-l'],
        cwd: '/tmp',
        env: ['A=1', 'B='],
        pty: false,
        timeout_ms: 5,
      })
    },
  },
  {
    claim: 'an empty command',
    as: 'member',
    path: remotePath,
    body: { command: ' ' },
    status: 400,
    code: 'invalid_request',
  },
  { claim: 'no command', as: 'member', path: remotePath, body: {}, status: 400, code: 'invalid_request' },
  { claim: 'no JSON', as: 'member', path: remotePath, body: '{', status: 400, code: 'invalid_request' },
  {
    claim: 'a variable without a value',
    as: 'member',
    path: remotePath,
    body: { command: 'ls', env: ['A'] },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'null counts as missing',
    as: 'member',
    path: remotePath,
    body: { ...ls, cwd: null, args: null },
    status: 200,
    audits: ['remote.exec'],
    emits: ['remote'],
  },
  {
    claim: 'disabled commands are reported before an offline machine',
    as: 'member',
    act: async (world) =>
      world.call('member', `POST /remotes/${(await register(world, { exec_enabled: false })).id}/execs`, { body: ls }),
    status: 403,
    code: 'exec_disabled',
  },
  {
    claim: 'an invalid request is reported before disabled commands',
    as: 'member',
    act: async (world) =>
      world.call('member', `POST /remotes/${(await register(world, { exec_enabled: false })).id}/execs`, { body: {} }),
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'an unknown remote is reported before an invalid request',
    as: 'member',
    path: { id: nobody },
    body: {},
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'not connected',
    as: 'member',
    act: async (world) => world.call('member', `POST /remotes/${(await register(world)).id}/execs`, { body: ls }),
    status: 409,
    code: 'remote_offline',
  },
  {
    claim: 'the maximum of open commands per machine',
    as: 'member',
    act: async (world) => {
      const { mine, run } = await given(world)
      await sql`
        insert into exec_runs (id, team_id, user_id, owner_id, remote_id, command, status)
        select r.id || n, r.team_id, r.user_id, r.owner_id, r.remote_id, r.command, r.status
        from exec_runs r, generate_series(1, 999) n where r.id = ${run}`.execute(world.open.platform.db)
      return world.call('member', `POST /remotes/${mine.id}/execs`, { body: ls })
    },
    status: 409,
    code: 'invalid_state',
  },
  ...refusals(remotePath, ls),
])

scenarios('execs.list', given, [
  { claim: 'a broken cursor', as: 'member', query: { cursor: '%%%' }, status: 400, code: 'invalid_request' },
  {
    claim: 'running, of one remote, by source',
    as: 'member',
    route: 'POST /execs/list',
    body: ({ mine }: Given) => ({
      filters: [
        { field: 'remote_id', operator: 'eq', value: mine.id },
        { field: 'status', operator: 'eq', value: 'running' },
        { field: 'requested_by', operator: 'eq', value: 'user' },
        { field: 'command', operator: 'like', value: 'm%' },
      ],
    }),
    status: 200,
    check: ({ data, text }, { run }) => {
      expect(data.items.map(({ id }: { id: string }) => id)).toEqual([run])
      expect(text).not.toContain('hush')
    },
  },
  {
    claim: 'with their source, if the fields include it',
    as: 'member',
    route: 'POST /execs/list',
    body: { preloads: ['user', 'team'], limit: 1 },
    status: 200,
    check: ({ data }, _given, { people, team }) =>
      expect(data.items[0]).toMatchObject({ user: { id: people.member.userId }, team: { id: team.id } }),
  },
  {
    claim: 'an administrator sees none of a member’s commands',
    as: 'admin',
    route: 'POST /execs/list',
    body: { include_private: true },
    status: 200,
    check: ({ data }) => expect(data.items).toEqual([]),
  },
  {
    claim: 'a field that cannot be filtered',
    as: 'member',
    route: 'POST /execs/list',
    body: { filters: [{ field: 'env', operator: 'eq', value: 1 }] },
    status: 400,
    code: 'validation_error',
  },
])

scenarios('execs.get', given, [
  {
    claim: 'while it runs',
    as: 'member',
    path: runPath,
    status: 200,
    check: ({ data }) => {
      expect(data).toMatchObject({ status: 'running', last_seq: 2, output_bytes: 7, env: ['TOKEN=***'], pty: true })
      expect(data.started_at).not.toBeNull()
      expect(data.ended_at).toBeNull()
    },
  },
  ...refusals(runPath),
])

scenarios('execs.output', given, [
  {
    claim: 'from the beginning, in order, with offsets',
    as: 'member',
    path: runPath,
    status: 200,
    check: ({ data }, { run }) =>
      expect(data).toMatchObject([
        { exec_run_id: run, seq: 1, stream: 'stdout', data: 'b25lIA==', offset: 0 },
        { exec_run_id: run, seq: 2, stream: 'stderr', data: 'dHdv', offset: 4 },
      ]),
  },
  {
    claim: 'after a chunk',
    as: 'member',
    path: runPath,
    query: { after_seq: '1' },
    status: 200,
    check: ({ data }) => expect(data.map(({ seq }: { seq: number }) => seq)).toEqual([2]),
  },
  {
    claim: 'a waiting request returns as soon as there is more output',
    as: 'member',
    act: async (world, { mine, run }) => {
      const asked = world.call('member', `GET /execs/${run}/output`, { query: { after_seq: '2', wait_ms: '20000' } })
      await new Promise((resolve) => setTimeout(resolve, 50))
      mine.print(run, 3, 'three')
      return asked
    },
    status: 200,
    check: ({ data }) => expect(textOf(data)).toBe('three'),
  },
  {
    claim: 'waiting ends with the command',
    as: 'member',
    act: async (world, { mine, run }) => {
      const asked = world.call('member', `GET /execs/${run}/output`, { query: { after_seq: '2', wait_ms: '20000' } })
      mine.exit(run, 0)
      return asked
    },
    status: 200,
    check: ({ data }) => expect(data).toEqual([]),
  },
  {
    claim: 'at most 2000 chunks',
    as: 'member',
    act: async (world, { mine, run }) => {
      for (let seq = 3; seq <= 2105; seq += 1) mine.print(run, seq, 'x')
      while ((await mine.next('remote_exec_ack')).data.seq < 2105);
      return world.call('member', `GET /execs/${run}/output`)
    },
    status: 200,
    check: async ({ data }, { mine, run }, world) => {
      expect(data).toHaveLength(2000)
      expect(await outputOf(world, mine, run, { after_seq: '2000' })).toHaveLength(105)
    },
  },
  {
    claim: 'a position that is not a number',
    as: 'member',
    path: runPath,
    query: { after_seq: 'x' },
    status: 400,
    code: 'validation_error',
  },
  ...refusals(runPath),
])

scenarios('execs.signal', given, [
  {
    claim: 'kills a running command, whatever the signal',
    as: 'member',
    path: runPath,
    status: 200,
    emits: ['remote'],
    check: async ({ data }, { mine, run }, world) => {
      expect(data).toEqual({ ok: true })
      expect((await mine.next('remote_exec_signal')).data).toEqual({ exec_run_id: run, signal: 'SIGKILL' })
      mine.exit(run, 0)
      expect(await ended(world, mine, run)).toMatchObject({ status: 'killed', exit_code: null })
    },
  },
  {
    claim: 'a finished command does not change, and nothing is sent',
    as: 'member',
    act: async (world, { mine, run }) => {
      mine.exit(run, 3)
      await ended(world, mine, run)
      const answer = await world.call('member', `POST /execs/${run}/signal`)
      expect(await runOf(world, mine, run)).toMatchObject({ status: 'exited', exit_code: 3 })
      expect(mine.received.some(({ type }) => type === 'remote_exec_signal')).toBe(false)
      return answer
    },
    status: 200,
    check: ({ data }) => expect(data).toEqual({ ok: true }),
  },
  ...refusals(runPath),
])

const typed = { data: Buffer.from('yes\n').toString('base64') }

scenarios('execs.input', given, [
  {
    claim: 'input reaches the machine in order, including its end',
    as: 'member',
    act: async (world, { run }) => {
      await world.call('member', `POST /execs/${run}/input`, { body: typed })
      return world.call('member', `POST /execs/${run}/input`, { body: { eof: true } })
    },
    status: 200,
    check: async (_answer, { mine, run }) => {
      expect((await mine.next('remote_exec_input')).data).toEqual({ exec_run_id: run, seq: 1, ...typed })
      expect((await mine.next('remote_exec_input')).data).toMatchObject({ seq: 2, eof: true })
    },
  },
  {
    claim: 'a command without standard input',
    as: 'member',
    act: async (world, { mine }) =>
      world.call('member', `POST /execs/${await exec(world, mine, ls)}/input`, { body: typed }),
    status: 409,
    code: 'invalid_state',
  },
  { claim: 'no text', as: 'member', path: runPath, body: { data: 7 }, status: 400, code: 'validation_error' },
  {
    claim: 'limited to the unread input that a command may have',
    as: 'member',
    act: async (world, { run }) => {
      const body = { data: Buffer.alloc(64 * 1024).toString('base64') }
      for (let n = 0; n < 16; n += 1) await world.call('member', `POST /execs/${run}/input`, { body })
      return world.call('member', `POST /execs/${run}/input`, { body })
    },
    status: 409,
    code: 'invalid_state',
  },
  ...refusals(runPath, typed),
])

const size = { cols: 100, rows: 30 }

scenarios('execs.resize', given, [
  {
    claim: 'the machine receives the new size',
    as: 'member',
    path: runPath,
    body: size,
    status: 200,
    emits: ['remote'],
    check: async (_answer, { mine, run }) =>
      expect((await mine.next('remote_exec_resize')).data).toEqual({ exec_run_id: run, ...size }),
  },
  {
    claim: 'a command without a terminal',
    as: 'member',
    act: async (world, { mine }) =>
      world.call('member', `POST /execs/${await exec(world, mine, ls)}/resize`, { body: size }),
    status: 409,
    code: 'invalid_state',
  },
  { claim: 'no size', as: 'member', path: runPath, body: { cols: 0, rows: 1 }, status: 400, code: 'validation_error' },
  ...refusals(runPath, size),
])
