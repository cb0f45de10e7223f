// Guarantees: who may read, write, stop, answer and delete in chats; what each operation rejects, and with which code.

import { shortId } from '@millrace/contract/ids'
import { expect } from 'vitest'
import { listen } from '../../testing/read-stream.ts'
import { type Scenario, scenarios, sharedWorld } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { givenAgent } from '../agents/testing/given.ts'
import {
  answer,
  archived,
  chatWith,
  client,
  foreign,
  foreignRefusal,
  type GivenChats,
  givenChats,
  hidden,
  live,
  messagesOf,
  own,
  readRefusals,
  says,
  unknownId,
  writeRefusals,
} from './testing/given.ts'

/** Created once for a table: later rows see the changes of earlier ones. */
const once = <G>(make: (world: World) => Promise<G>): ((world: World) => Promise<G>) => {
  const made = new WeakMap<World, Promise<G>>()
  return (world) => {
    const known = made.get(world) ?? make(world)
    made.set(world, known)
    return known
  }
}

const shared = sharedWorld()

/** A table with its own rows, in the shared world of this file. */
const table = <G>(name: string, make: (world: World) => Promise<G>, rows: readonly Scenario<G>[]): void =>
  scenarios(name, once(make), rows, shared)

const hi = { input: { text: 'hi' } }
const byAgent = ({ agent }: GivenChats) => ({ agent_id: agent.id, ...hi })
const refused = (claim: string, body: (given: GivenChats) => unknown, status = 400, code = 'validation_error') => ({
  claim,
  as: 'owner' as const,
  body,
  status,
  code,
})

table('agents.run', givenChats, [
  {
    claim: 'an agent by its ref',
    as: 'member',
    body: ({ agent }: GivenChats) => ({ agent: `mill/${agent.name}`, chat_id: null, ...hi }),
    status: 200,
    emits: ['chat', 'tasks', 'team/chats'],
    check: ({ data }) =>
      expect(data).toMatchObject({ user_message: { status: 'ready' }, assistant_message: { status: 'pending' } }),
  },
  {
    claim: 'older clients send the ref as agent_ref, also with the chat',
    as: 'member',
    body: ({ agent }: GivenChats) => ({ agent_ref: `mill/${agent.name}`, chat_id: null, ...hi }),
    status: 200,
    emits: ['chat', 'tasks', 'team/chats'],
    check: async ({ data }, { agent }, world) => {
      const { chat_id } = data.user_message
      const body = { agent_ref: `mill/${agent.name}`, chat_id, ...hi }
      const next = await world.call('member', 'POST /agents/run', { body })
      expect(next).toMatchObject({ status: 200, data: { user_message: { chat_id } } })
      const { data: chat } = await world.call('member', `GET /chats/${chat_id}`)
      expect(chat.agent_id).toBe(agent.id)
    },
  },
  {
    claim: 'agent_ref is ignored beside another name of the agent',
    as: 'member',
    body: ({ agent }: GivenChats) => ({ agent_id: agent.id, agent_ref: 'mill/none', ...hi }),
    status: 200,
    emits: ['chat', 'tasks', 'team/chats'],
  },
  {
    claim: 'older clients name the core app of an ad-hoc config in core_app_ref',
    as: 'owner',
    body: ({ model }: GivenChats) => ({ agent_config: { core_app_ref: `mill/${model.name}` }, ...hi }),
    status: 200,
    emits: ['chat', 'tasks', 'team/chats'],
  },
  {
    claim: 'the same ad-hoc config is stored once',
    as: 'owner',
    body: ({ model }: GivenChats) => ({ agent_config: { core_app: { id: model.id } }, agent_name: 'x', ...hi }),
    status: 200,
    emits: ['chat', 'tasks', 'team/chats'],
    check: async (_answer, { model }, world) => {
      const body = { agent_config: { core_app: { id: model.id } }, agent_name: 'x', ...hi }
      await world.call('owner', 'POST /agents/run', { body })
      const { db } = world.open.platform
      const rows = await db
        .selectFrom('agent_versions')
        .select('id')
        .where('agent_id', 'is', null)
        .where('name', '=', 'x')
        .execute()
      expect(rows).toHaveLength(1)
    },
  },
  {
    claim: 'a chat of the workspace',
    as: 'member',
    body: ({ live }: GivenChats) => ({ chat_id: live, ...hi }),
    status: 200,
    emits: ['chat'],
  },
  refused('named twice', ({ agent }) => ({ agent_id: agent.id, agent: `mill/${agent.name}`, ...hi })),
  refused('a version without its agent', ({ agent }) => ({ agent_version_id: agent.version_id, ...hi })),
  refused('neither agent nor chat', () => hi),
  refused('nothing said', ({ agent }) => ({ agent_id: agent.id, input: { text: ' ' } })),
  refused('no core app', () => ({ agent_config: { system_prompt: 'x' }, ...hi })),
  refused('an unknown agent', () => ({ agent: 'mill/none', ...hi }), 404, 'not_found'),
  refused('an unknown agent_ref', () => ({ agent_ref: 'mill/none', ...hi }), 404, 'not_found'),
  refused(
    'an unknown version',
    ({ agent }) => ({ agent_id: agent.id, agent_version_id: 'zzzzzzzz', ...hi }),
    404,
    'not_found',
  ),
  refused('a public chat of another workspace', ({ foreign }) => ({ chat_id: foreign, ...hi }), 403, 'forbidden'),
  {
    claim: 'for a key without agents:read a private agent does not exist',
    as: 'key:agents:execute',
    body: byAgent,
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'a key cannot auto-approve all tools',
    as: 'key:agents:execute,agents:read',
    body: ({ model }: GivenChats) => ({
      agent_config: { core_app: { id: model.id }, permissions: { allow_all_tools: true } },
      ...hi,
    }),
    status: 403,
    code: 'requires_sign_in',
  },
  {
    claim: 'an administrator cannot write in a member’s private chat',
    as: 'admin',
    body: ({ hidden }: GivenChats) => ({ chat_id: hidden, ...hi }),
    status: 404,
    code: 'not_found',
  },
  { claim: 'no credential', as: null, body: byAgent, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:agents:read', body: byAgent, status: 403, code: 'insufficient_scope' },
  {
    claim: 'a deleted chat',
    as: 'owner',
    status: 409,
    code: 'chat_archived',
    act: async (world, { own }) => {
      await world.call('owner', `DELETE /chats/${own}`)
      return world.call('owner', 'POST /agents/run', { body: { chat_id: own, ...hi } })
    },
  },
])

table('chats.create', givenChats, [
  {
    claim: 'with an agent',
    as: 'member',
    body: ({ agent }: GivenChats) => ({ agent: `mill/${agent.name}`, name: 'Plans' }),
    status: 200,
    check: ({ data }) => expect(data).toMatchObject({ name: 'Plans', status: 'idle', visibility: 'private' }),
  },
  {
    claim: 'with an app that one can chat with',
    as: 'owner',
    body: ({ model }: GivenChats) => ({ agent: `mill/${model.name}` }),
    status: 200,
  },
  { claim: 'no agent named', as: 'owner', body: {}, status: 400, code: 'invalid_request' },
  { claim: 'an unknown agent', as: 'owner', body: { agent: 'mill/none' }, status: 404, code: 'not_found' },
  {
    claim: 'context that is not a text',
    as: 'owner',
    body: { agent: 'mill/none', context: { a: 1 } },
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'a required variable is missing',
    as: 'owner',
    status: 400,
    code: 'validation_error',
    act: async (world, { model }) => {
      const agent = await givenAgent(world, 'owner', {
        core_app: { id: model.id },
        context: [{ name: 'who', required: true }],
      })
      return world.call('owner', 'POST /chats', { body: { agent: agent.id } })
    },
  },
  { claim: 'no credential', as: null, body: {}, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:conversations:read', body: {}, status: 403, code: 'insufficient_scope' },
])

table('chats.list', givenChats, [
  {
    claim: 'the agent only if the fields include it',
    as: 'owner',
    query: { preloads: '["agent"]', fields: '["name"]' },
    status: 200,
    check: ({ data }) => {
      for (const item of data.items) expect(Object.keys(item).sort()).toEqual(['id', 'name'])
    },
  },
  {
    claim: 'own and shared chats, with their run',
    as: 'owner',
    status: 200,
    check: ({ data }, { live, own, hidden }) => {
      const ids = data.items.map((item: { id: string }) => item.id)
      expect(ids).toContain(live)
      expect(ids).not.toContain(hidden)
      const item = (chat: string) => data.items.find(({ id }: { id: string }) => id === chat)
      expect(item(live)).toMatchObject({ status: 'busy', active_run_id: expect.any(String) })
      expect(item(own)).toMatchObject({ status: 'idle', active_run_id: null })
    },
  },
  {
    claim: 'by status',
    as: 'owner',
    query: { filters: JSON.stringify([{ field: 'status', operator: 'in', value: ['busy'] }]) },
    status: 200,
    check: ({ data }) => expect(data.items.every((item: { status: string }) => item.status === 'busy')).toBe(true),
  },
  { claim: 'signed out: public chats only', as: null, status: 200 },
  {
    claim: 'an unknown column',
    as: 'owner',
    query: { filters: JSON.stringify([{ field: 'x', value: 1 }]) },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a broken cursor', as: 'owner', query: { cursor: '%%%' }, status: 400, code: 'invalid_request' },
])

table('chats.get', givenChats, [
  {
    claim: 'without its messages',
    as: 'member',
    path: live,
    status: 200,
    check: ({ data }, { agent }) => {
      expect(data).toMatchObject({
        status: 'busy',
        agent: { id: agent.id },
        agent_data: { memory: {} },
        pending_interrupts: [],
      })
      expect(data).not.toHaveProperty('chat_messages')
    },
  },
  { claim: 'a public one', as: null, path: foreign, status: 200 },
  {
    claim: 'an administrator reads a member’s chat',
    as: 'admin',
    path: hidden,
    status: 200,
    audits: ['team_admin.permission_bypass'],
  },
  ...readRefusals,
  { claim: 'not there', as: 'owner', path: { id: unknownId }, status: 404, code: 'not_found' },
])

table('chats.status', givenChats, [
  {
    claim: 'the status only',
    as: 'member',
    path: live,
    status: 200,
    check: ({ data }) => expect(data).toMatchObject({ status: 'busy' }),
  },
  {
    claim: 'a run that ended at once is reported busy for a moment in an existing chat',
    as: 'owner',
    status: 200,
    act: async (world, { own }) => {
      await world.call('owner', `POST /chats/${own}/messages`, { body: { message: 'again' } })
      await answer(world, own, says('ok'))
      expect((await world.call('owner', `GET /chats/${own}`)).data).toMatchObject({
        status: 'busy',
        active_run: { state: 'working' },
      })
      const floored = await world.call('owner', `GET /chats/${own}/status`)
      world.clock.advance(2_500)
      expect((await world.call('owner', `GET /chats/${own}/status`)).data.status).toBe('idle')
      return floored
    },
    check: ({ data }) => expect(data.status).toBe('busy'),
  },
  ...readRefusals,
])

table(
  'chats.stream',
  givenChats,
  readRefusals.concat([
    {
      claim: 'a stream of a chat',
      as: 'owner',
      path: live,
      status: 200,
      act: (world, { live }) => listen(world, { as: 'owner', path: `/chats/${live}/stream`, until: /\n\n/ }),
      check: ({ text }, { live }) => expect(text).toMatch(new RegExp(`^event: chats\\n.*data: .*"id":"${live}"`, 's')),
    },
  ]),
)

table('chats.trace', givenChats, [
  {
    claim: 'runs, messages and calls',
    as: 'owner',
    path: live,
    status: 200,
    check: ({ data }, { live }) => {
      expect(data).toMatchObject({ graph_id: live, total_steps: 3 })
      expect(data.edges).toHaveLength(2)
    },
  },
  ...readRefusals,
])

table('chats.messages', givenChats, [
  {
    claim: 'newest first',
    as: 'owner',
    path: live,
    status: 200,
    check: ({ data }) => expect(data.items.map((item: { role: string }) => item.role)).toEqual(['assistant', 'user']),
  },
  {
    claim: 'by the POST form of the list',
    as: 'owner',
    route: 'POST /chats/:id/messages/list',
    path: live,
    body: { limit: 1 },
    status: 200,
    check: ({ data }) => expect(data.items).toMatchObject([{ role: 'assistant' }]),
  },
  {
    claim: 'with the people who are asked for',
    as: 'owner',
    path: live,
    query: { preloads: '["user"]', fields: '["user"]' },
    status: 200,
    check: ({ data }) => {
      for (const item of data.items)
        expect(item).toEqual({ id: expect.any(String), user: expect.objectContaining({ role: 'user' }) })
    },
  },
  {
    claim: 'an unknown column',
    as: 'owner',
    path: live,
    query: { filters: JSON.stringify([{ field: 'x', value: 1 }]) },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a broken cursor', as: 'owner', path: live, query: { cursor: '%%%' }, status: 400, code: 'invalid_request' },
  ...readRefusals,
])

const said = { message: 'hi' }
table('chats.send', givenChats, [
  {
    claim: 'replies with the message itself',
    as: 'member',
    path: live,
    body: said,
    status: 200,
    emits: ['chat'],
    check: ({ data }) => expect(data).toMatchObject({ role: 'user', status: 'queued' }),
  },
  {
    claim: 'without text; the error uses this operation’s field name',
    as: 'owner',
    path: live,
    body: {},
    status: 400,
    code: 'validation_error',
    check: ({ json }) =>
      expect(json).toMatchObject({ detail: expect.stringMatching(/^message is required/), meta: { field: 'message' } }),
  },
  ...writeRefusals(said),
  foreignRefusal(said),
  archived('POST /chats/:id/messages', said),
])

table('chats.update', givenChats, [
  {
    claim: 'a name',
    as: 'owner',
    path: live,
    body: { name: 'N', description: 'D' },
    status: 200,
    emits: ['chat', 'team/chats'],
    check: ({ data }) => expect(data).toMatchObject({ name: 'N', description: 'D' }),
  },
  { claim: 'nothing to change', as: 'owner', path: live, body: { id: 'x' }, status: 400, code: 'invalid_request' },
  {
    claim: 'a colleague cannot publish it',
    as: 'member',
    path: live,
    body: { visibility: 'public' },
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'a project of another workspace',
    as: 'owner',
    act: async (world, { live }) => {
      const { data } = await world.call('stranger', 'POST /projects', { body: { name: 'theirs', type: 'other' } })
      return world.call('owner', `POST /chats/${live}`, { body: { project_id: data.id } })
    },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'an unknown visibility',
    as: 'owner',
    path: live,
    body: { visibility: 'org' },
    status: 400,
    code: 'validation_error',
  },
  ...writeRefusals({ name: 'x' }),
  foreignRefusal({ name: 'x' }),
  archived('POST /chats/:id', { name: 'x' }),
])

table('chats.set_visibility', givenChats, [
  {
    claim: 'the workspace sees it',
    as: 'owner',
    path: own,
    body: { visibility: 'team' },
    status: 200,
    emits: ['chat', 'team/chats'],
    audits: ['chat.visibility_changed'],
    check: async ({ data }, { own }, world) => {
      expect(data.visibility).toBe('team')
      expect((await world.call('member', `GET /chats/${own}`)).status).toBe(200)
    },
  },
  {
    claim: 'a colleague cannot publish it',
    as: 'member',
    path: live,
    body: { visibility: 'public' },
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'a visibility that chats do not have',
    as: 'owner',
    path: live,
    body: { visibility: 'unlisted' },
    status: 400,
    code: 'validation_error',
  },
  ...writeRefusals({ visibility: 'team' }),
  foreignRefusal({ visibility: 'team' }),
  archived('POST /chats/:id/visibility', { visibility: 'team' }),
])

table('chats.delete', givenChats, [
  {
    claim: 'stops the active run; a second deletion finds nothing',
    as: 'owner',
    path: own,
    status: 200,
    emits: ['chat', 'team/chats'],
    audits: ['chat.deleted'],
    check: async (_answer, { own }, world) => {
      expect((await world.call('owner', `DELETE /chats/${own}`)).status).toBe(404)
      expect((await world.call('owner', `GET /chats/${own}`)).status).toBe(404)
    },
  },
  ...writeRefusals(),
  foreignRefusal(),
])

table('chats.stop', givenChats, [
  {
    claim: 'the run is canceled',
    as: 'member',
    path: live,
    status: 200,
    emits: ['chat', 'tasks', 'team/chats'],
    check: ({ data }) => expect(data.status).toBe('idle'),
  },
  { claim: 'an idle chat does not change', as: 'owner', path: own, status: 200 },
  ...writeRefusals(),
  foreignRefusal(),
  archived('POST /chats/:id/stop'),
])

const other = ({ agent }: GivenChats) => ({ agent: `mill/${agent.name}` })
table('chats.set_agent', givenChats, [
  { claim: 'while no run is active', as: 'owner', path: own, body: other, status: 200, emits: ['chat', 'team/chats'] },
  { claim: 'not while a run is active', as: 'owner', path: live, body: other, status: 409, code: 'invalid_state' },
  { claim: 'no agent', as: 'owner', path: own, body: {}, status: 400, code: 'validation_error' },
  { claim: 'an unknown agent', as: 'owner', path: own, body: { agent: 'mill/none' }, status: 404, code: 'not_found' },
  ...writeRefusals({ agent: 'mill/x' }),
  foreignRefusal({ agent: 'mill/x' }),
  archived('POST /chats/:id/agent', { agent: 'mill/x' }),
])

table('chats.settings', givenChats, [
  {
    claim: 'memory is replaced',
    as: 'owner',
    path: live,
    body: { memory: { a: 1 } },
    status: 200,
    emits: ['chat', 'team/chats'],
    check: ({ data }, { live }) =>
      expect(data).toMatchObject({ chat_id: live, memory: { a: 1 }, allow_all_tools: false }),
  },
  {
    claim: 'a person auto-approves all tools',
    as: 'owner',
    path: live,
    body: { allow_all_tools: true },
    status: 200,
    emits: ['chat', 'team/chats'],
    audits: ['chat.permissions_widened'],
  },
  {
    claim: 'a key cannot',
    as: 'key:conversations:write',
    path: own,
    body: { allow_all_tools: true },
    status: 403,
    code: 'requires_sign_in',
  },
  {
    claim: 'a key cannot skip hooks',
    as: 'key:conversations:write',
    path: own,
    body: { disable_hooks: true },
    status: 403,
    code: 'requires_sign_in',
  },
  {
    claim: 'memory that is not an object',
    as: 'owner',
    path: live,
    body: { memory: 'x' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a colleague cannot publish it',
    as: 'member',
    path: live,
    body: { visibility: 'public' },
    status: 403,
    code: 'team_role_required',
  },
  ...writeRefusals({}),
  foreignRefusal({}),
  archived('POST /chats/:id/settings', {}),
])

table('chats.fork', givenChats, [
  {
    claim: 'a new chat with the transcript up to the message',
    as: 'owner',
    path: own,
    status: 200,
    act: async (world, { own }) => {
      const [first] = await messagesOf(world, own)
      return world.call('owner', `POST /chats/${own}/fork`, { body: { message_id: first?.id } })
    },
    check: async ({ data }, { own }, world) => {
      expect(data.id).not.toBe(own)
      expect(await messagesOf(world, data.id)).toHaveLength(1)
    },
  },
  {
    claim: 'a message of another chat',
    as: 'owner',
    path: own,
    body: { message_id: unknownId },
    status: 404,
    code: 'not_found',
  },
  { claim: 'no message', as: 'owner', path: own, body: {}, status: 400, code: 'validation_error' },
  {
    claim: 'a public chat with an agent that is private to its workspace',
    as: 'stranger',
    act: async (world, { own }) => {
      const [first] = await messagesOf(world, own)
      await world.call('owner', `POST /chats/${own}`, { body: { visibility: 'public' } })
      return world.call('stranger', `POST /chats/${own}/fork`, { body: { message_id: first?.id } })
    },
    status: 403,
    code: 'forbidden',
  },
  ...writeRefusals({ message_id: 'x' }),
  archived('POST /chats/:id/fork', { message_id: 'x' }),
])

const rule = { effect: 'ask', selector: 'look' }
table('chats.rules', givenChats, [
  { claim: 'an array', as: 'member', path: live, status: 200, check: ({ data }) => expect(data).toEqual([]) },
  { claim: 'no credential', as: null, path: live, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:apps:read', path: live, status: 403, code: 'insufficient_scope' },
  { claim: 'another workspace sees nothing', as: 'stranger', path: live, status: 404, code: 'not_found' },
])

table('chats.add_rule', givenChats, [
  {
    claim: 'a key adds a stricter rule',
    as: 'key:conversations:write',
    path: own,
    body: rule,
    status: 200,
    audits: ['tool_rule.created'],
    emits: ['chat', 'team/chats'],
  },
  {
    claim: 'a key cannot add an allow rule',
    as: 'key:conversations:write',
    path: own,
    body: { ...rule, effect: 'allow' },
    status: 403,
    code: 'requires_sign_in',
  },
  {
    claim: 'an allow rule of a person is shown',
    as: 'owner',
    path: own,
    body: { ...rule, effect: 'allow' },
    status: 200,
    audits: ['tool_rule.created'],
    emits: ['chat', 'team/chats'],
    check: async (_answer, { own }, world) =>
      expect((await world.call('owner', `GET /chats/${own}`)).data.agent_data.always_allowed_tools).toEqual(['look']),
  },
  { claim: 'no selector', as: 'owner', path: own, body: { effect: 'ask' }, status: 400, code: 'validation_error' },
  ...writeRefusals(rule),
  foreignRefusal(rule),
  archived('POST /chats/:id/rules', rule),
])

const ruled = async (world: World) => {
  const chats = await givenChats(world)
  const { data } = await world.call('owner', `POST /chats/${chats.live}/rules`, { body: rule })
  return { ...chats, rule: data.id as string }
}
type Ruled = Awaited<ReturnType<typeof ruled>>
const liveRule = ({ live, rule }: Ruled) => ({ id: live, ruleId: rule })

table('chats.delete_rule', ruled, [
  {
    claim: 'a key cannot remove an ask rule',
    as: 'key:conversations:write',
    path: liveRule,
    status: 403,
    code: 'requires_sign_in',
  },
  { claim: 'no credential', as: null, path: liveRule, status: 401, code: 'unauthorized' },
  {
    claim: 'a key without the scope',
    as: 'key:conversations:read',
    path: liveRule,
    status: 403,
    code: 'insufficient_scope',
  },
  { claim: 'another workspace sees nothing', as: 'stranger', path: liveRule, status: 404, code: 'not_found' },
  {
    claim: 'a public chat of another workspace',
    as: 'owner',
    path: ({ foreign, rule }: Ruled) => ({ id: foreign, ruleId: rule }),
    status: 403,
    code: 'forbidden',
  },
  {
    claim: 'a person removes it, by its short id',
    as: 'owner',
    path: ({ live, rule }: Ruled) => ({ id: live, ruleId: shortId(rule) }),
    status: 200,
    audits: ['tool_rule.deleted'],
    emits: ['chat', 'team/chats'],
  },
  { claim: 'no such rule', as: 'owner', path: liveRule, status: 404, code: 'not_found' },
  {
    claim: 'a deleted chat',
    as: 'owner',
    status: 409,
    code: 'chat_archived',
    act: async (world, { own, rule }) => {
      await world.call('owner', `DELETE /chats/${own}`)
      return world.call('owner', `DELETE /chats/${own}/rules/${rule}`)
    },
  },
])

const spoken = async (world: World) => {
  const chats = await givenChats(world)
  const { data } = await world.call('owner', `POST /chats/${chats.live}/messages`, { body: said })
  const [theirs] = await messagesOf(world, chats.foreign, 'stranger')
  return { ...chats, queued: data.id as string, theirs: theirs?.id ?? '' }
}
type WithMessages = Awaited<ReturnType<typeof spoken>>
const queued = ({ queued }: WithMessages) => ({ id: queued })

table('chat_messages.cancel', spoken, [
  { claim: 'no credential', as: null, path: queued, status: 401, code: 'unauthorized' },
  {
    claim: 'a key without the scope',
    as: 'key:conversations:read',
    path: queued,
    status: 403,
    code: 'insufficient_scope',
  },
  { claim: 'another workspace sees nothing', as: 'stranger', path: queued, status: 404, code: 'not_found' },
  {
    claim: 'a public message of another workspace',
    as: 'owner',
    path: ({ theirs }: WithMessages) => ({ id: theirs }),
    status: 403,
    code: 'forbidden',
  },
  {
    claim: 'it is deleted',
    as: 'member',
    path: queued,
    status: 200,
    emits: ['chat'],
    check: ({ data }) => expect(data.status).toBe('cancelled'),
  },
  { claim: 'only while it is queued', as: 'owner', path: queued, status: 409, code: 'message_not_queued' },
  {
    claim: 'in a deleted chat',
    as: 'owner',
    path: queued,
    status: 409,
    code: 'chat_archived',
    act: async (world, { live, queued }) => {
      await world.call('owner', `DELETE /chats/${live}`)
      return world.call('owner', `POST /chats/messages/${queued}/cancel`)
    },
  },
])

table('chat_messages.stream', spoken, [
  {
    claim: 'a complete message is sent once and ends the stream',
    as: null,
    path: ({ theirs }: WithMessages) => ({ id: theirs }),
    status: 200,
    check: ({ text }, { theirs }) => {
      expect(text).toContain(`"id":"${theirs}"`)
      expect(text).toContain('event: done')
    },
  },
  { claim: 'another workspace sees nothing', as: 'stranger', path: queued, status: 404, code: 'not_found' },
])

const asking = async (world: World) => {
  const chats = await givenChats(world)
  const shared = await chatWith(world, { tools: [client('look', { require_approval: true })] })
  await world.call('owner', `POST /chats/${shared}`, { body: { visibility: 'team' } })
  await answer(world, shared, says('', { name: 'look', arguments: { x: 1 } }))
  const { data } = await world.call('owner', `GET /chats/${shared}`)
  const [interrupt] = data.pending_interrupts
  const run = data.active_run.id as string
  const over = (await messagesOf(world, chats.own))[1]?.agent_run_id ?? ''
  const theirs = (await messagesOf(world, chats.foreign, 'stranger'))[1]?.agent_run_id ?? ''
  return {
    ...chats,
    shared,
    run,
    over,
    theirs,
    interrupt: interrupt.id as string,
    call: interrupt.resource_id as string,
  }
}
type Asking = Awaited<ReturnType<typeof asking>>
const itsRun = ({ run }: Asking) => ({ id: run })
const runRefusals = [
  { claim: 'signed out', as: null, path: itsRun, status: 404, code: 'not_found' },
  { claim: 'another workspace sees nothing', as: 'stranger' as const, path: itsRun, status: 404, code: 'not_found' },
]

table('agent_runs.get', asking, [
  {
    claim: 'a run and what it waits for',
    as: 'member',
    path: itsRun,
    status: 200,
    check: ({ data }, { call }) =>
      expect(data).toMatchObject({
        state: 'input_required',
        interrupt_reason: 'tool_approval',
        interrupt_tool_id: call,
      }),
  },
  ...runRefusals,
])
table('agent_runs.stream', asking, [
  {
    claim: 'a run that is over',
    as: 'owner',
    path: ({ over }: Asking) => ({ id: over }),
    status: 200,
    check: ({ text }) => expect(text).toContain('"state":"completed"'),
  },
  ...runRefusals,
])
table('agent_runs.interrupts', asking, [
  {
    claim: 'the open ones',
    as: 'member',
    path: itsRun,
    status: 200,
    check: ({ data }, { call }) =>
      expect(data).toMatchObject([
        { reason: 'tool_approval', meta: { tool_invocation_id: call, tool_name: 'look', arguments: { x: 1 } } },
      ]),
  },
  ...runRefusals,
])
table('agent_runs.authority', asking, [
  {
    claim: 'who started it, and with which scopes',
    as: 'member',
    path: itsRun,
    status: 200,
    check: ({ data }, { run }) => {
      expect(data.chain.map((link: { kind: string }) => link.kind)).toEqual(['starter', 'run'])
      expect(data.chain[1]).toMatchObject({ id: run, scopes: expect.arrayContaining(['apps:execute']) })
      expect(data.tools).toMatchObject([{ label: 'look', allowed_by: { kind: 'tool' } }])
    },
  },
  { claim: 'no credential', as: null, path: itsRun, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:apps:read', path: itsRun, status: 403, code: 'insufficient_scope' },
  { claim: 'another workspace sees nothing', as: 'stranger', path: itsRun, status: 404, code: 'not_found' },
])

const question = ({ interrupt }: Asking) => ({ id: interrupt })
table('interrupts.get', asking, [
  {
    claim: 'one question',
    as: 'member',
    path: question,
    status: 200,
    check: ({ data }) => expect(data.status).toBe('pending'),
  },
  { claim: 'signed out', as: null, path: question, status: 404, code: 'not_found' },
  { claim: 'another workspace sees nothing', as: 'stranger', path: question, status: 404, code: 'not_found' },
])

const answerRefusals = (path: (given: Asking) => Record<string, string>, body?: unknown) => [
  { claim: 'no credential', as: null, path, body, status: 401, code: 'unauthorized' },
  { claim: 'a key cannot answer', as: 'key:' as const, path, body, status: 403, code: 'requires_sign_in' },
  { claim: 'another workspace sees nothing', as: 'stranger' as const, path, body, status: 404, code: 'not_found' },
]

/** Interrupts in a public chat of another workspace, and in a deleted chat. */
const elsewhere = async (world: World) => {
  const theirs = await chatWith(world, { tools: [client('look', { require_approval: true })] }, 'stranger')
  await answer(world, theirs, says('', { name: 'look', arguments: { x: 1 } }))
  await world.call('stranger', `POST /chats/${theirs}`, { body: { visibility: 'public' } })
  const { data } = await world.call('stranger', `GET /chats/${theirs}`)
  return { chat: theirs, interrupt: data.pending_interrupts[0].id, call: data.pending_interrupts[0].resource_id }
}

type Route = (at: { chat: string; interrupt: string; call: string }) => string
const closedRows = (route: Route, body?: unknown) => [
  {
    claim: 'a public chat of another workspace',
    as: 'owner' as const,
    status: 403,
    code: 'forbidden',
    act: async (world: World) => world.call('owner', route(await elsewhere(world)), { body }),
  },
  {
    claim: 'a deleted chat',
    as: 'stranger' as const,
    status: 409,
    code: 'chat_archived',
    act: async (world: World) => {
      const at = await elsewhere(world)
      await world.call('stranger', `DELETE /chats/${at.chat}`)
      return world.call('stranger', route(at), { body })
    },
  },
]

table('interrupts.resolve', asking, [
  { claim: 'no decision', as: 'owner', path: question, body: {}, status: 400, code: 'validation_error' },
  ...answerRefusals(question, { decision: 'allow' }),
  {
    claim: 'a colleague denies',
    as: 'member',
    path: question,
    body: { decision: 'deny' },
    status: 200,
    emits: ['chat', 'tasks', 'team/chats'],
    check: async ({ data }, { call, shared }, world) => {
      expect(data).toMatchObject({ status: 'resolved', resolution: 'deny' })
      expect((await messagesOf(world, shared))[1]?.tool_invocations).toMatchObject([{ id: call, status: 'cancelled' }])
    },
  },
  {
    claim: 'once',
    as: 'owner',
    path: question,
    body: { resolution: 'allow' },
    status: 409,
    code: 'interrupt_not_pending',
  },
  ...closedRows(({ interrupt }) => `POST /interrupts/${interrupt}/resolve`, { decision: 'allow' }),
])

const itsCall = ({ call }: Asking) => ({ id: call })
table('tools.invoke', asking, [
  ...answerRefusals(itsCall),
  {
    claim: 'a person approves',
    as: 'owner',
    path: itsCall,
    status: 200,
    emits: ['chat', 'team/chats'],
    check: ({ data }) => expect(data.status).toBe('awaiting_input'),
  },
  { claim: 'once', as: 'owner', path: itsCall, status: 409, code: 'tool_not_pending' },
  ...closedRows(({ call }) => `POST /tools/${call}/invoke`),
])
table('tools.reject', asking, [
  ...answerRefusals(itsCall),
  {
    claim: 'a reason that is not a text',
    as: 'owner',
    path: itsCall,
    body: { reason: 1 },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a person refuses',
    as: 'owner',
    path: itsCall,
    body: { reason: 'too early' },
    status: 200,
    emits: ['chat', 'tasks', 'team/chats'],
    check: ({ data }) =>
      expect(data).toMatchObject({ status: 'cancelled', result: expect.stringContaining('too early') }),
  },
  { claim: 'once', as: 'owner', path: itsCall, status: 409, code: 'tool_not_pending' },
  ...closedRows(({ call }) => `POST /tools/${call}/reject`),
])

table('tools.answer', asking, [
  {
    claim: 'not before it is approved',
    as: 'owner',
    path: itsCall,
    body: { result: 'x' },
    status: 409,
    code: 'tool_not_pending',
  },
  {
    claim: 'a result that is not a text',
    as: 'owner',
    path: itsCall,
    body: { result: 1 },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'no credential', as: null, path: itsCall, body: { result: 'x' }, status: 401, code: 'unauthorized' },
  {
    claim: 'a key without a scope for it',
    as: 'key:apps:read',
    path: itsCall,
    body: { result: 'x' },
    status: 403,
    code: 'insufficient_scope',
  },
  { claim: 'another workspace', as: 'stranger', path: itsCall, body: { result: 'x' }, status: 404, code: 'not_found' },
  {
    claim: 'a key answers a client tool',
    as: 'key:conversations:write',
    path: itsCall,
    status: 200,
    act: async (world, { call }) => {
      await world.call('owner', `POST /tools/${call}/invoke`)
      return world.call('key:conversations:write', `POST /tools/${call}`, { body: { result: 'x' } })
    },
  },
  {
    claim: 'a key cannot answer a form',
    as: 'key:agents:execute',
    status: 403,
    code: 'requires_sign_in',
    act: async (world) => {
      const chat = await chatWith(world)
      const components = [{ id: 'root', component: 'Button' }]
      await answer(world, chat, says('', { name: 'widget_ui', arguments: { components } }))
      const call = (await messagesOf(world, chat))[1]?.tool_invocations[0]
      expect(call).toMatchObject({ status: 'awaiting_input', widget: { components } })
      return world.call('key:agents:execute', `POST /tools/${call?.id}`, { body: { action: 'go', form_data: {} } })
    },
  },
  ...closedRows(({ call }) => `POST /tools/${call}`, { result: 'x' }),
])

const inChat = ({ shared, call }: Asking) => ({ chatId: shared, id: call })
table('tools.always_allow_options', asking, [
  {
    claim: 'narrowest first',
    as: 'member',
    path: inChat,
    status: 200,
    check: ({ data }) => {
      expect(data.options.map((option: { scope: string }) => option.scope)).toEqual(['exact', 'tool'])
      expect(data.default).toBe('tool')
    },
  },
  { claim: 'no credential', as: null, path: inChat, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:apps:read', path: inChat, status: 403, code: 'insufficient_scope' },
  { claim: 'another workspace sees nothing', as: 'stranger', path: inChat, status: 404, code: 'not_found' },
])
table('tools.always_allow', asking, [
  ...answerRefusals(inChat, {}),
  {
    claim: 'an option that is not a text',
    as: 'owner',
    path: inChat,
    body: { option: 1 },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'an option that is not offered',
    as: 'owner',
    path: inChat,
    body: { option: 'prefix' },
    status: 409,
    code: 'option_stale',
  },
  {
    claim: 'if another rule would still require approval, nothing is saved',
    as: 'owner',
    path: inChat,
    body: {},
    status: 400,
    code: 'not_always_allowable',
    act: async (world, { shared, call }) => {
      const { data } = await world.call('owner', `POST /chats/${shared}/rules`, { body: rule })
      const refusal = await world.call('owner', `POST /chats/${shared}/tools/${call}/always-allow`, { body: {} })
      await world.call('owner', `DELETE /chats/${shared}/rules/${data.id}`)
      return refusal
    },
  },
  {
    claim: 'the call is approved, and the next one needs no approval',
    as: 'owner',
    path: inChat,
    body: { tool_name: 'look' },
    status: 200,
    audits: ['tool_rule.created'],
    emits: ['chat', 'team/chats'],
    check: async ({ data }, { call, shared }, world) => {
      expect(data.rules).toMatchObject([{ effect: 'allow', selector: 'look', specifier: '' }])
      await world.call('owner', `POST /tools/${call}`, { body: { result: 'x' } })
      await answer(world, shared, says('', { name: 'look', arguments: { x: 2 } }))
      expect((await messagesOf(world, shared))[2]?.tool_invocations).toMatchObject([{ status: 'awaiting_input' }])
    },
  },
  { claim: 'an answered call', as: 'owner', path: inChat, body: {}, status: 409, code: 'tool_not_pending' },
  ...closedRows(({ chat, call }) => `POST /chats/${chat}/tools/${call}/always-allow`, {}),
])
table('tools.explain', asking, [
  { claim: 'no credential', as: null, path: inChat, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:apps:read', path: inChat, status: 403, code: 'insufficient_scope' },
  { claim: 'another workspace sees nothing', as: 'stranger', path: inChat, status: 404, code: 'not_found' },
  {
    claim: 'the model is called once',
    as: 'member',
    path: inChat,
    status: 200,
    act: async (world, { shared, call }) => {
      const asked = world.call('member', `POST /chats/${shared}/tools/${call}/explain`)
      const { db } = world.open.platform
      const find = () =>
        db.selectFrom('tasks').select('id').where('status', '=', 2).where('chat_id', 'is', null).executeTakeFirst()
      let task = await find()
      while (!task) task = await find()
      const { endTask } = await import('./testing/given.ts')
      const words = { risk_level: 'high', explanation: 'Looks', reasoning: 'r', risk: 'k' }
      await endTask(world, task.id, { output: { response: JSON.stringify(words) } })
      return asked
    },
    check: ({ data }) => expect(data).toMatchObject({ risk_level: 'high', explanation: 'Looks' }),
  },
  {
    claim: 'a reader without write access does not start a model call at the cost of others',
    as: 'stranger',
    act: async (world) => {
      const { shared, call } = await asking(world)
      await world.call('owner', `POST /chats/${shared}`, { body: { visibility: 'public' } })
      const tasks = () => world.open.platform.db.selectFrom('tasks').select('id').execute()
      const before = (await tasks()).length
      const answered = await world.call('stranger', `POST /chats/${shared}/tools/${call}/explain`)
      expect((await tasks()).length).toBe(before)
      return answered
    },
    status: 200,
    check: ({ data }) => expect(data).toMatchObject({ risk_level: 'low', explanation: 'Calls the tool look' }),
  },
])
