// Guarantees: a coding agent on its owner's machine runs a chat: launching, prompts, events, questions, stops,
// disconnects. The simulated machine does only what the test instructs.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { failUnopened } from './launch.ts'
import { deleteOldRuns } from './retention.ts'
import { dial, type RemoteDouble, register, remoteRow, startRemote, until } from './testing/remote-double.ts'

const agents = [
  { kind: 'claude', command: '/bin/claude', version: '1', logged_in: true },
  { kind: 'goose', command: '/bin/goose', logged_in: false },
  { kind: 'codex', command: '/bin/codex', logged_in: true },
]
const nobody = '00000000000000000000000000'

type Machine = RemoteDouble & { profiles: Record<string, string> }

const machine = async (world: World, body: object = {}): Promise<Machine> => {
  const remote = await startRemote(world, { harnesses: agents, ...body })
  const { data } = await world.call('member', `GET /remotes/${remote.id}`)
  const profiles = Object.fromEntries(
    data.profiles.map((one: { harness_kind: string; id: string }) => [one.harness_kind, one.id]),
  )
  return { ...remote, profiles }
}

const launch = (world: World, remote: Machine, body: object = {}) =>
  world.call('member', `POST /remotes/${remote.id}/launch`, { body: { profile_id: remote.profiles.claude, ...body } })

type Given = { remote: Machine }
const given = async (world: World): Promise<Given> => ({ remote: await machine(world) })
const path = ({ remote }: Given) => ({ id: remote.id })
const body = ({ remote }: Given) => ({ profile_id: remote.profiles.claude })

scenarios('remotes.launch', given, [
  {
    claim: 'a chat that the agent runs',
    as: 'member',
    path,
    body: ({ remote }: Given) => ({
      profile_id: remote.profiles.claude,
      work_dir: '/srv/app',
      resume_session_id: 'old-1',
    }),
    status: 200,
    emits: ['remote'],
    audits: ['remote.launched'],
    check: async ({ data }, { remote }) => {
      expect(data).toMatchObject({ status: 'idle', work_dir: '/srv/app', visibility: 'private', agent_id: '' })
      expect((await remote.next('remote_session_open')).data).toEqual({
        chat_id: data.id,
        harness: 'claude',
        cwd: '/srv/app',
        resume_session_id: 'old-1',
      })
    },
  },
  { claim: 'no profile', as: 'member', path, body: {}, status: 400, code: 'validation_error' },
  {
    claim: 'a key without the scope to run agents, even with an invalid body',
    as: 'member-key:remotes:write',
    path,
    body: {},
    status: 403,
    code: 'insufficient_scope',
    check: ({ text }) => expect(text).toContain('agents:execute'),
  },
  {
    claim: 'a key without the scope to change remotes',
    as: 'member-key:agents:execute',
    path,
    body,
    status: 403,
    code: 'insufficient_scope',
  },
  { claim: 'another workspace', as: 'stranger', path, body, status: 404, code: 'not_found' },
  { claim: 'an administrator', as: 'owner', path, body, status: 404, code: 'not_found' },
  { claim: 'an unknown profile', as: 'member', path, body: { profile_id: nobody }, status: 404, code: 'not_found' },
  {
    claim: 'a profile of another remote',
    as: 'member',
    path,
    act: async (world, { remote }) => {
      const other = await machine(world)
      return launch(world, remote, { profile_id: other.profiles.claude })
    },
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'agents are disabled; reported before an offline machine',
    as: 'member',
    act: async (world) => {
      const remote = await register(world, { harnesses: agents, agents_enabled: false })
      const { data } = await world.call('member', `GET /remotes/${remote.id}`)
      return world.call('member', `POST /remotes/${remote.id}/launch`, { body: { profile_id: data.profiles[0].id } })
    },
    status: 403,
    code: 'agents_disabled',
  },
  {
    claim: 'not connected; reported before an unavailable agent',
    as: 'member',
    act: async (world) => {
      const remote = await register(world, { harnesses: [{ kind: 'goose', logged_in: false }] })
      const { data } = await world.call('member', `GET /remotes/${remote.id}`)
      return world.call('member', `POST /remotes/${remote.id}/launch`, { body: { profile_id: data.profiles[0].id } })
    },
    status: 409,
    code: 'remote_offline',
  },
  {
    claim: 'the agent is not signed in',
    as: 'member',
    act: (world, { remote }) => launch(world, remote, { profile_id: remote.profiles.goose }),
    status: 409,
    code: 'invalid_state',
  },
  {
    claim: 'the agent is busy',
    as: 'member',
    act: async (world, { remote }) => {
      await launch(world, remote)
      const { data } = await world.call('member', `GET /remotes/${remote.id}`)
      const statuses = data.profiles.map((one: { status: string }) => one.status)
      expect(statuses).toEqual(['busy', 'idle', 'unavailable'])
      return launch(world, remote)
    },
    status: 409,
    code: 'invalid_state',
  },
])

describe('a driven chat', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld({ runJobs: true, settings: { CHAT_MIN_BUSY_MS: '0' } })
  })
  afterAll(() => world.close())

  const seqs = new Map<string, number>()
  const does = (remote: RemoteDouble, chatId: string, type: string, payload: object, runId?: string): number => {
    const seq = (seqs.get(chatId) ?? 0) + 1
    seqs.set(chatId, seq)
    const event = { type, ...(runId && { run_id: runId }), payload }
    remote.send({ type: 'remote_session_event', data: { chat_id: chatId, seq, event } })
    return seq
  }
  const acked = async (remote: RemoteDouble, seq: number): Promise<void> => {
    while ((await remote.next('remote_session_ack')).data.seq < seq);
  }
  const opened = async (kind = 'claude', more: object = {}): Promise<{ remote: Machine; chatId: string }> => {
    const remote = await machine(world)
    const { data } = await launch(world, remote, { profile_id: remote.profiles[kind], ...more })
    const { chat_id } = (await remote.next('remote_session_open')).data
    remote.send({
      type: 'remote_session_opened',
      data: { chat_id, harness_session_id: 'agent-1', resumed: false, seq: 0 },
    })
    await until(async () => (await chatOf(data.id)).harness_session_id === 'agent-1')
    return { remote, chatId: data.id }
  }
  const chatOf = async (id: string) => (await world.call('member', `GET /chats/${id}`)).data
  const speak = (id: string, message: string) =>
    world.call('member', `POST /chats/${id}/messages`, { body: { message } })
  const answersOf = async (id: string) =>
    (await world.call('member', `GET /chats/${id}/messages`)).data.items
      .filter((one: { role: string }) => one.role === 'assistant')
      .reverse()
  const idle = (id: string) =>
    until(async () => {
      const chat = await chatOf(id)
      return chat.status === 'idle' && chat
    })
  const latest = async (id: string) => {
    const [message] = (await answersOf(id)).slice(-1)
    return (await world.call('member', `GET /agent-runs/${message.agent_run_id}`)).data
  }
  const back = async (remote: Machine): Promise<Machine> => {
    await remote.drop()
    const again = await dial(world, remote)
    await until(async () => (await remoteRow(world, remote.id)).connected)
    return { ...again, profiles: remote.profiles }
  }

  it('[S17] [S18] [S19] is opened, prompted, and answers', async () => {
    const { remote, chatId } = await opened()
    const said = await speak(chatId, 'hello there')
    expect(said.data).toMatchObject({ status: 'ready', role: 'user' })
    expect(await chatOf(chatId)).toMatchObject({ status: 'busy', name: 'hello there' })
    const { data } = await remote.next('remote_session_prompt')
    expect(data).toEqual({ chat_id: chatId, run_id: data.run_id, text: 'hello there', message_id: said.data.id })
    const run = (await world.call('member', `GET /agent-runs/${data.run_id}`)).data
    expect(run).toMatchObject({ state: 'working', remote_id: remote.id, profile_id: remote.profiles.claude })
    does(remote, chatId, 'content.delta', { kind: 'reasoning', delta: 'h\u0000m' })
    does(remote, chatId, 'content.delta', { kind: 'text', delta: 'Good ' }, data.run_id)
    const last = does(remote, chatId, 'content.delta', { kind: 'text', delta: 'day' })
    await acked(remote, last)
    // A duplicate, and a frame of another run: both are ignored.
    remote.send({
      type: 'remote_session_event',
      data: { chat_id: chatId, seq: last, event: { type: 'content.delta', payload: { kind: 'text', delta: 'day' } } },
    })
    does(remote, chatId, 'run.state_changed', { to_state: 'failed' }, nobody)
    does(remote, chatId, 'tool.started', { tool_invocation_id: 't1', tool_name: 'Read', arguments: '{"file":"a"}' })
    does(remote, chatId, 'tool.completed', {
      tool_invocation_id: 't1',
      tool_name: 'Read',
      status: 'completed',
      result: 'x',
    })
    does(remote, chatId, 'run.state_changed', { from_state: 'working', to_state: 'completed' })
    await idle(chatId)
    expect((await answersOf(chatId))[0]).toMatchObject({
      status: 'ready',
      content: [
        { type: 'reasoning', text: 'h\uFFFDm' },
        { type: 'text', text: 'Good day' },
      ],
      tool_invocations: [
        {
          tool_invocation_id: 't1',
          status: 'completed',
          result: 'x',
          function: { name: 'Read', arguments: { file: 'a' } },
        },
      ],
    })
    expect((await latest(chatId)).state).toBe('completed')
    expect(remote.received.some(({ type }) => type === 'remote_session_interrupt')).toBe(false)
    await remote.drop()
  })

  it('runs an agent that is bound to it: the session is opened and prompted, and its text is the answer', async () => {
    const remote = await machine(world)
    const made = await world.call('member', 'POST /agents', { body: { name: `coder-${remote.id.slice(-6)}` } })
    const driver = { remote_id: remote.id, profile_id: remote.profiles.claude }
    const route = `POST /agents/${made.data.id}`
    expect(await world.call('member', route, { body: { ...driver, profile_id: nobody } })).toMatchObject({
      status: 400,
      code: 'validation_error',
    })
    expect((await world.call('member', route, { body: driver })).data).toMatchObject({ ...driver, harness: 'claude' })
    const run = (as: 'member' | 'owner') =>
      world.call(as, 'POST /agents/run', { body: { agent_id: made.data.id, input: { text: 'mend it' } } })
    // Only the owner may use the machine, even if others may read the agent.
    expect(await run('owner')).toMatchObject({ status: 404, code: 'not_found' })
    const said = await run('member')
    expect(said.status, said.text).toBe(200)
    const chatId = said.data.user_message.chat_id
    expect((await remote.next('remote_session_open')).data).toMatchObject({ chat_id: chatId, harness: 'claude' })
    remote.send({
      type: 'remote_session_opened',
      data: { chat_id: chatId, harness_session_id: 'agent-9', resumed: false, seq: 0 },
    })
    const { data } = await remote.next('remote_session_prompt')
    expect(data).toMatchObject({ chat_id: chatId, text: 'mend it', message_id: said.data.user_message.id })
    expect((await world.call('member', `GET /agent-runs/${data.run_id}`)).data).toMatchObject({
      state: 'working',
      agent_id: made.data.id,
      ...driver,
    })
    does(remote, chatId, 'content.delta', { kind: 'text', delta: 'mended' }, data.run_id)
    does(remote, chatId, 'run.state_changed', { from_state: 'working', to_state: 'completed' })
    await idle(chatId)
    expect((await answersOf(chatId))[0]).toMatchObject({ status: 'ready', content: [{ type: 'text', text: 'mended' }] })
    await remote.drop()
    await until(async () => !(await remoteRow(world, remote.id)).connected)
    expect(await run('member')).toMatchObject({ status: 409, code: 'remote_offline' })
  })

  it('receives a message during a turn if the agent supports it, and after the turn if not', async () => {
    const { remote, chatId } = await opened()
    await speak(chatId, 'one')
    const first = (await remote.next('remote_session_prompt')).data
    const steered = await speak(chatId, 'rather two')
    expect(steered.data.status).toBe('ready')
    const second = (await remote.next('remote_session_prompt')).data
    expect([second.run_id, second.text]).toEqual([first.run_id, 'rather two'])
    const other = await opened('codex')
    await speak(other.chatId, 'one')
    const before = (await other.remote.next('remote_session_prompt')).data
    expect((await speak(other.chatId, 'two')).data.status).toBe('queued')
    does(other.remote, other.chatId, 'run.state_changed', { to_state: 'completed' })
    const after = (await other.remote.next('remote_session_prompt')).data
    expect(after.text).toBe('two')
    expect(after.run_id).not.toBe(before.run_id)
    await remote.drop()
    await other.remote.drop()
  })

  it('[S20] requests approval unless a rule decides', async () => {
    const { remote, chatId } = await opened()
    await speak(chatId, 'clean up')
    await remote.next('remote_session_prompt')
    const asks = (id: string, name = 'Bash') =>
      does(remote, chatId, 'approval.required', { tool_invocation_id: id, tool_name: name, arguments: {}, reason: 'x' })
    const question = () =>
      until(async () => {
        const chat = await chatOf(chatId)
        return chat.status === 'awaiting_input' && chat.pending_interrupts[0]
      })
    asks('a')
    const first = await question()
    expect(first).toMatchObject({ reason: 'tool_approval', meta: { tool_name: 'Bash' } })
    expect((await world.call('member-key:remotes:write', `POST /tools/${first.resource_id}/invoke`)).status).toBe(403)
    await world.call('member', `POST /tools/${first.resource_id}/invoke`)
    expect((await remote.next('remote_session_resolve')).data).toEqual({
      chat_id: chatId,
      request_id: 'a',
      decision: 'allow',
      scope: 'once',
    })
    asks('b')
    await world.call('member', `POST /tools/${(await question()).resource_id}/reject`, { body: { reason: 'too much' } })
    const refused = (await remote.next('remote_session_resolve')).data
    expect(refused).toMatchObject({ request_id: 'b', decision: 'deny', reason: expect.stringContaining('too much') })
    asks('c')
    await world.call('member', `POST /chats/${chatId}/tools/${(await question()).resource_id}/always-allow`, {
      body: {},
    })
    expect((await remote.next('remote_session_resolve')).data).toMatchObject({ request_id: 'c', decision: 'allow' })
    asks('d')
    expect((await remote.next('remote_session_resolve')).data).toMatchObject({ request_id: 'd', decision: 'allow' })
    asks('e', 'Write')
    await question()
    does(remote, chatId, 'approval.resolved', { tool_invocation_id: 'e', tool_name: 'Write', decision: 'deny' })
    await until(async () => (await chatOf(chatId)).status === 'busy')
    does(remote, chatId, 'run.state_changed', { to_state: 'completed' })
    await idle(chatId)
    const calls = (await answersOf(chatId))[0].tool_invocations
    const statuses = calls.map((one: { tool_invocation_id: string; status: string }) => one.status)
    expect(statuses[1]).toBe('cancelled')
    await remote.drop()
  })

  it('[S21] is stopped, and deleted', async () => {
    const { remote, chatId } = await opened()
    await speak(chatId, 'go')
    await remote.next('remote_session_prompt')
    await world.call('member', `POST /chats/${chatId}/stop`)
    expect((await remote.next('remote_session_interrupt')).data).toEqual({ chat_id: chatId })
    expect((await latest(chatId)).state).toBe('canceled')
    await world.call('member', `DELETE /chats/${chatId}`)
    expect((await remote.next('remote_session_close')).data).toEqual({ chat_id: chatId })
    remote.send({ type: 'remote_session_closed', data: { chat_id: chatId } })
    const row = () =>
      world.open.platform.db
        .selectFrom('harness_sessions')
        .select('status')
        .where('chat_id', '=', chatId)
        .executeTakeFirst()
    await until(async () => (await row())?.status === 'closed')
    await world.open.platform.db.deleteFrom('chats').where('id', '=', chatId).execute()
    await deleteOldRuns(world.open.platform)
    expect(await row()).toBeUndefined()
    await remote.drop()
  })

  it('[S22] continues after a disconnect, with what was missed', async () => {
    const { remote, chatId } = await opened()
    await speak(chatId, 'long work')
    await remote.next('remote_session_prompt')
    const seq = does(remote, chatId, 'content.delta', { kind: 'text', delta: 'begun ' })
    await acked(remote, seq)
    does(remote, chatId, 'approval.required', { tool_invocation_id: 'q', tool_name: 'Bash' })
    const call = await until(async () => (await chatOf(chatId)).pending_interrupts[0])
    await remote.drop()
    await until(async () => !(await remoteRow(world, remote.id)).connected)
    await world.call('member', `POST /tools/${call.resource_id}/invoke`)
    expect((await speak(chatId, 'are you there?')).code).toBe('remote_offline')
    const again = await back(remote)
    expect((await again.next('remote_session_replay')).data).toEqual({ chat_id: chatId, after_seq: seq + 1 })
    expect((await again.next('remote_session_prompt')).data.text).toBe('long work')
    expect((await again.next('remote_session_resolve')).data).toMatchObject({ request_id: 'q', decision: 'allow' })
    does(again, chatId, 'content.delta', { kind: 'text', delta: 'done' })
    does(again, chatId, 'run.state_changed', { to_state: 'completed' })
    await idle(chatId)
    expect((await answersOf(chatId))[0].content).toEqual([{ type: 'text', text: 'begun done' }])
    await again.drop()
  })

  it('[S23] fails when its session ends, and is reopened where it stopped', async () => {
    const { remote, chatId } = await opened()
    await speak(chatId, 'go')
    await remote.next('remote_session_prompt')
    remote.send({ type: 'remote_session_closed', data: { chat_id: chatId, error: 'it crashed' } })
    await idle(chatId)
    expect(await latest(chatId)).toMatchObject({ state: 'failed', error: 'it crashed' })
    await speak(chatId, 'again')
    expect((await remote.next('remote_session_open')).data).toMatchObject({ resume_session_id: 'agent-1' })
    expect((await remote.next('remote_session_prompt')).data.text).toBe('again')
    remote.send({
      type: 'remote_session_opened',
      data: { chat_id: chatId, harness_session_id: 'agent-1', resumed: true, seq: 0 },
    })
    seqs.delete(chatId)
    does(remote, chatId, 'run.state_changed', { to_state: 'completed' })
    await idle(chatId)
    const stranger = { chat_id: nobody, seq: 1, event: { type: 'content.delta' } }
    remote.send({ type: 'remote_session_event', data: stranger })
    expect((await remote.next('remote_session_close')).data).toEqual({ chat_id: nobody })
    await remote.drop()
  })

  it('[S24] fails with its machine', async () => {
    const { remote, chatId } = await opened()
    await speak(chatId, 'go')
    await remote.next('remote_session_prompt')
    await world.call('member', `DELETE /remotes/${remote.id}`)
    expect(await latest(chatId)).toMatchObject({ state: 'failed', error: 'remote_lost' })
    expect((await speak(chatId, 'hello?')).status).toBe(404)
  })

  it('fails if the machine does not open the session in time', async () => {
    const remote = await machine(world)
    const { data } = await launch(world, remote)
    await speak(data.id, 'go')
    await failUnopened(world.ctx())
    expect((await chatOf(data.id)).status).toBe('busy')
    world.clock.advance(61_000)
    await failUnopened(world.ctx())
    expect(await latest(data.id)).toMatchObject({ state: 'failed', error: expect.stringContaining('did not open') })
    await remote.drop()
  })

  it('is written in only by its owner, with the scopes for machines', async () => {
    const { remote, chatId } = await opened()
    await world.call('member', `POST /chats/${chatId}`, { body: { visibility: 'team' } })
    const say = (as: Parameters<World['call']>[0]) =>
      world.call(as, `POST /chats/${chatId}/messages`, { body: { message: 'rm -rf' } })
    expect((await say('owner')).code).toBe('forbidden')
    expect((await say('member-key:conversations:write')).code).toBe('insufficient_scope')
    const changed = await world.call('member', `POST /chats/${chatId}/agent`, { body: { agent: 'a/b' } })
    expect(changed.code).toBe('invalid_state')
    expect(remote.received.some(({ type }) => type === 'remote_session_prompt')).toBe(false)
    await remote.drop()
  })
})
