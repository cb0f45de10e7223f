// Guarantees: only permitted callers read and change an agent, a version never changes, and a config that cannot work
// is rejected.
import { newId } from '@millrace/contract/ids'
import { describe, expect, it } from 'vitest'
import { copyName } from '#platform/core/copies.ts'
import { ownWorld, scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { run as runAgent } from '../chats/testing/given.ts'
import { enabledCategories } from './catalog.ts'
import {
  foreign,
  foreignRefusal,
  freshName,
  type GivenAgents,
  givenAgent,
  givenAgents,
  hidden,
  modelApp,
  readRefusals,
  shared,
  writeRefusals,
} from './testing/given.ts'

const noGiven = async () => ({})
const withVersion = (version: object) => () => ({ name: freshName(), version })
const refused = (claim: string, version: object, says: string) => ({
  claim,
  as: 'owner' as const,
  body: withVersion(version),
  status: 400,
  code: 'validation_error',
  check: (answer: { json: Record<string, unknown> }) => expect(answer.json.detail).toContain(says),
})

scenarios('agents.create', givenAgents, [
  {
    claim: 'a new agent is private and has a version',
    as: 'member',
    body: ({ model }: GivenAgents) => ({
      name: freshName(),
      version: { description: 'Helps', system_prompt: 'Be kind', core_app: { id: model.id } },
    }),
    status: 200,
    audits: ['agent.created'],
    emits: ['team/agents'],
    check: ({ data }) => {
      expect(data).toMatchObject({ namespace: 'mill', visibility: 'private', harness: 'inference' })
      expect(data.version).toMatchObject({ id: data.version_id, description: 'Helps', system_prompt: 'Be kind' })
    },
  },
  {
    claim: 'an id makes a new version of that agent',
    as: 'owner',
    body: ({ shared }: GivenAgents) => ({ id: shared.id, name: shared.name, version: { system_prompt: 'two' } }),
    status: 200,
    audits: ['agent.updated'],
    emits: ['team/agents'],
    check: ({ data }, { shared }) => {
      expect(data.id).toBe(shared.id)
      expect(data.version_id).not.toBe(shared.version_id)
    },
  },
  {
    claim: 'a raw key in a tool is shown as a mask, and is retained when the mask is sent back',
    as: 'owner',
    body: withVersion({
      tools: [
        {
          name: 'get',
          type: 'http',
          http: { url: 'https://x.example', auth: { type: 'bearer', secret: 'sk-raw-key-123456' } },
        },
      ],
    }),
    status: 200,
    audits: ['agent.created'],
    emits: ['team/agents'],
    check: async ({ data, text }, _given, world) => {
      expect(text).not.toContain('sk-raw-key')
      expect(data.version.tools[0].http.auth.secret).toBe('****3456')
      const again = await world.call('owner', `POST /agents/${data.id}`, { body: { version: data.version } })
      expect(again.data.version.tools[0].http.auth.secret).toBe('****3456')
      const { db } = world.open.platform
      const rows = await db.selectFrom('agent_version_secrets').select('version_id').execute()
      expect(rows.map((row) => row.version_id)).toContain(again.data.version_id)
    },
  },
  {
    claim: 'a taken name',
    as: 'owner',
    body: ({ shared }: GivenAgents) => ({ name: shared.name }),
    status: 409,
    code: 'name_conflict',
  },
  { claim: 'a reserved name', as: 'owner', body: { name: 'rules' }, status: 400, code: 'validation_error' },
  refused('an unknown core app', { core_app: { ref: 'mill/none' } }, 'core_app'),
  refused(
    'a tool name that no model accepts',
    { tools: [{ name: 'a b', type: 'client', client: {} }] },
    'tools.0.name',
  ),
  refused(
    'the same name twice',
    {
      tools: [
        { name: 'a', type: 'client', client: {} },
        { name: 'a', type: 'client', client: {} },
      ],
    },
    'contains a more than once',
  ),
  refused('a tool without its settings', { tools: [{ name: 'a', type: 'client' }] }, 'exactly the settings client'),
  refused(
    'settings of another type',
    { tools: [{ name: 'a', type: 'http', client: {} }] },
    'exactly the settings http',
  ),
  refused(
    'an address of another scheme',
    { tools: [{ name: 'a', type: 'http', http: { url: 'file:///etc' } }] },
    'http',
  ),
  refused(
    'a tool’s app that does not exist',
    { tools: [{ name: 'a', type: 'app', app: { ref: 'mill/none' } }] },
    'tools.a',
  ),
  refused(
    'a sub-agent that does not exist',
    { tools: [{ name: 'a', type: 'agent', agent: { ref: 'mill/none' } }] },
    'Agent not found',
  ),
  {
    claim: 'a version of a sub-agent that does not exist',
    as: 'owner',
    body: ({ shared }: GivenAgents) => ({
      name: freshName(),
      version: { tools: [{ name: 'a', type: 'agent', agent: { ref: `mill/${shared.name}@zzzzzzzz` } }] },
    }),
    status: 400,
    code: 'validation_error',
    check: ({ json }) => expect(json.detail).toContain('tools.a'),
  },
  refused(
    'a gate on an event that cannot be gated',
    { hooks: [{ event: 'agent.idle', type: 'gate' }] },
    'cannot be a gate',
  ),
  refused('an unknown event', { hooks: [{ event: 'agent.nap', type: 'gate' }] }, 'not an agent event'),
  refused(
    'more schemas than can be parsed at once',
    {
      tools: Array.from({ length: 6 }, (_, index) => ({
        name: `tool_${index}`,
        type: 'client',
        client: { input_schema: { allOf: Array.from({ length: 1_000 }, () => ({ type: 'object' })) } },
      })),
    },
    'tools.4.client.input_schema',
  ),
  refused('a broken schema', { output_schema: { type: 'object', properties: 3 } }, 'output_schema'),
  refused(
    'a skill with two sources',
    { skills: [{ name: 's', url: 'https://x.example', content: 'c' }] },
    'exactly one',
  ),
  refused('a long description', { description: 'x'.repeat(201) }, 'at most 200'),
  {
    claim: 'a key cannot auto-approve all tools',
    as: 'key:agents:write',
    body: withVersion({ permissions: { allow_all_tools: true } }),
    status: 403,
    code: 'requires_sign_in',
  },
  {
    claim: 'a key cannot add an allow rule',
    as: 'key:agents:write',
    body: withVersion({ permissions: { rules: [{ effect: 'allow', selector: 'rm' }] } }),
    status: 403,
    code: 'requires_sign_in',
  },
  {
    claim: 'a person can',
    as: 'owner',
    body: withVersion({ permissions: { allow_all_tools: true } }),
    status: 200,
    audits: ['agent.created'],
    emits: ['team/agents'],
  },
  {
    claim: 'another workspace’s agent gets no version',
    as: 'owner',
    body: ({ secret }: GivenAgents) => ({ id: secret.id, name: secret.name, version: {} }),
    status: 404,
    code: 'not_found',
  },
])

scenarios('agents.get', givenAgents, [
  { claim: 'a colleague reads it', as: 'member', path: shared, status: 200 },
  { claim: 'everyone reads a public one', as: null, path: foreign, status: 200 },
  {
    claim: 'an admin reads a member’s private agent',
    as: 'admin',
    path: hidden,
    status: 200,
    audits: ['team_admin.permission_bypass'],
  },
  ...readRefusals,
])

scenarios('agents.get_by_ref', givenAgents, [
  {
    claim: 'a ref with a version carries that version',
    as: 'owner',
    path: ({ shared }: GivenAgents) => ({ namespace: 'mill', name: `${shared.name}@${shared.version_id.slice(0, 8)}` }),
    status: 200,
    check: ({ data }, { shared }) => expect(data.version.id).toBe(shared.version_id),
  },
  {
    claim: 'a version it does not have',
    as: 'owner',
    path: ({ shared }: GivenAgents) => ({ namespace: 'mill', name: `${shared.name}@zzzzzzzz` }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'a public agent needs no credential',
    as: null,
    path: ({ foreign }: GivenAgents) => ({ namespace: 'other', name: foreign.name }),
    status: 200,
  },
  {
    claim: 'another workspace sees nothing',
    as: 'stranger',
    path: ({ shared }: GivenAgents) => ({ namespace: 'mill', name: shared.name }),
    status: 404,
    code: 'not_found',
  },
])

scenarios(
  'agents.list',
  givenAgents,
  [
    {
      claim: 'the workspace’s agents with their versions',
      as: 'member',
      status: 200,
      check: ({ data }, { shared, hidden }) => {
        const ids = data.items.map((item: { id: string }) => item.id)
        expect(ids).toEqual(expect.arrayContaining([shared.id, hidden.id]))
        expect(data.items[0].version).not.toBeNull()
      },
    },
    {
      claim: 'signed out: public agents only',
      as: null,
      status: 200,
      check: ({ data }) => {
        for (const item of data.items) expect(item.visibility).toBe('public')
      },
    },
    {
      claim: 'an unknown column',
      as: 'owner',
      query: { filters: JSON.stringify([{ field: 'mood', value: 'x' }]) },
      status: 400,
      code: 'validation_error',
    },
    { claim: 'a broken cursor', as: 'owner', query: { cursor: '%%%' }, status: 400, code: 'invalid_request' },
  ],
  ownWorld,
)

scenarios('agents.update', givenAgents, [
  {
    claim: 'a title alone retains the version',
    as: 'member',
    path: shared,
    body: { title: 'Helper' },
    status: 200,
    audits: ['agent.updated'],
    emits: ['team/agents'],
    check: ({ data }, { shared }) => expect(data).toMatchObject({ title: 'Helper', version_id: shared.version_id }),
  },
  { claim: 'nothing to change', as: 'owner', path: shared, body: {}, status: 400, code: 'invalid_request' },
  {
    claim: 'a project of another workspace',
    as: 'owner',
    act: async (world, { shared }) => {
      const { data } = await world.call('stranger', 'POST /projects', { body: { name: 'theirs', type: 'other' } })
      return world.call('owner', `POST /agents/${shared.id}`, { body: { project_id: data.id } })
    },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'another member’s machine',
    as: 'owner',
    path: shared,
    body: { remote_id: '0'.repeat(26) },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a bad version',
    as: 'owner',
    path: shared,
    body: { version: { tools: [{ name: '?', type: 'client' }] } },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a key cannot auto-approve all tools',
    as: 'key:agents:write',
    path: shared,
    body: { version: { permissions: { allow_all_tools: true } } },
    status: 403,
    code: 'requires_sign_in',
  },
  ...writeRefusals({ title: 'x' }),
  foreignRefusal({ title: 'x' }),
])

scenarios('agents.delete', givenAgents, [
  {
    claim: 'its ref is free again',
    as: 'owner',
    path: shared,
    status: 200,
    audits: ['agent.deleted'],
    emits: ['team/agents'],
    check: async (_answer, { shared }, world) => {
      const again = await world.call('owner', 'POST /agents', { body: { name: shared.name } })
      expect(again.status).toBe(200)
    },
  },
  ...writeRefusals(),
  foreignRefusal(),
])

scenarios('agents.duplicate', givenAgents, [
  {
    claim: 'a private copy with a new name',
    as: 'member',
    path: shared,
    status: 200,
    audits: ['agent.duplicated'],
    emits: ['team/agents'],
    check: ({ data }, { shared }) => expect(data).toMatchObject({ name: `${shared.name}-copy`, visibility: 'private' }),
  },
  {
    claim: 'a public one of another workspace',
    as: 'owner',
    path: foreign,
    status: 200,
    audits: ['agent.duplicated'],
    emits: ['team/agents'],
  },
  {
    claim: 'after a hundred copies one more can be made',
    as: 'owner',
    act: async (world, { shared }) => {
      const { id, team_id, user_id, namespace, name } = shared
      const copies = Array.from({ length: 100 }, (_, index) => ({
        ...{ id: newId(), team_id, user_id, namespace },
        name: copyName(name, index + 1),
      }))
      await world.open.platform.db.insertInto('agents').values(copies).execute()
      return world.call('owner', `POST /agents/${id}/duplicate`)
    },
    status: 200,
    audits: ['agent.duplicated'],
    emits: ['team/agents'],
    check: ({ data }, { shared }) => expect(data.name).toBe(`${shared.name}-copy-101`),
  },
  {
    claim: 'a copy made with a key requires approval although the original does not',
    as: 'key:agents:write,agents:read',
    path: shared,
    status: 200,
    act: async (world, { shared }) => {
      const version = { permissions: { allow_all_tools: true } }
      await world.call('owner', `POST /agents/${shared.id}`, { body: { version } })
      return world.call('key:agents:write,agents:read', `POST /agents/${shared.id}/duplicate`)
    },
    check: ({ data }) => expect(data.version.permissions.allow_all_tools).toBeUndefined(),
  },
  {
    claim: 'a copy also needs the scope to read',
    as: 'key:agents:write',
    path: shared,
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'a public agent can be copied with any key',
    as: 'key:agents:write',
    path: foreign,
    status: 200,
    audits: ['agent.duplicated'],
    emits: ['team/agents'],
  },
  ...writeRefusals(),
])

/** A chat that the member shares with the workspace, with an agent that is private to the member. */
const chatWithHidden = async (world: World) => {
  const model = await modelApp(world)
  const hidden = await givenAgent(world, 'member', { core_app: { id: model.id }, system_prompt: 'Be sly' })
  const { assistant_message } = await runAgent(world, { agent_id: hidden.id }, 'member')
  const id = assistant_message.chat_id
  await world.call('member', `POST /chats/${id}`, { body: { visibility: 'team' } })
  return { id }
}

scenarios('chats.get', chatWithHidden, [
  {
    claim: 'the owner of the agent sees it with its prompt',
    as: 'member',
    path: ({ id }) => ({ id }),
    status: 200,
    check: ({ text }) => expect(text).toContain('Be sly'),
  },
  {
    claim: 'the workspace owner sees the chat without the member’s private agent',
    as: 'owner',
    path: ({ id }) => ({ id }),
    status: 200,
    check: ({ data, text }) => {
      expect(data.agent).toBeNull()
      expect(text).not.toContain('Be sly')
    },
  },
  {
    claim: 'a key without agents:read does not see it either',
    as: 'member-key:conversations:read',
    path: ({ id }) => ({ id }),
    status: 200,
    check: ({ data, text }) => {
      expect(data.agent).toBeNull()
      expect(text).not.toContain('Be sly')
    },
  },
])

scenarios(
  'agents.transfer',
  async (world) => ({ ...(await givenAgents(world)), home: world.people.owner.personalTeamId }),
  [
    {
      claim: 'the namespace becomes the new workspace’s',
      as: 'owner',
      path: shared,
      body: ({ home }: { home: string }) => ({ team_id: home }),
      status: 200,
      audits: ['agent.transferred'],
      emits: ['team/agents'],
      check: ({ data }, { home }) => {
        expect(data.team_id).toBe(home)
        expect(data.namespace).not.toBe('mill')
      },
    },
    {
      claim: 'deny rules move with it; a rule that a key could not have allowed does not',
      as: 'key:agents:write',
      act: async (world, { shared, home }) => {
        for (const effect of ['deny', 'allow'])
          await world.call('owner', `POST /agents/${shared.id}/rules`, { body: { effect, selector: 'look' } })
        return world.call('key:agents:write', `POST /agents/${shared.id}/transfer`, { body: { team_id: home } })
      },
      status: 200,
      check: async (_answer, { shared, home }, world) => {
        const { data } = await world.call('owner', `GET /agents/${shared.id}/rules`, { team: home })
        expect(data.map(({ effect }: { effect: string }) => effect)).toEqual(['deny'])
      },
    },
    {
      claim: 'a taken ref there',
      as: 'owner',
      path: shared,
      body: ({ home }: { home: string }) => ({ team_id: home }),
      status: 409,
      code: 'name_conflict',
      act: async (world, { shared, home }) => {
        const made = await world.call('owner', 'POST /agents', { body: { name: shared.name }, team: home })
        expect(made.status).toBe(200)
        return world.call('owner', `POST /agents/${shared.id}/transfer`, { body: { team_id: home } })
      },
    },
    {
      claim: 'no admin',
      as: 'member',
      path: shared,
      body: ({ home }: { home: string }) => ({ team_id: home }),
      status: 403,
      code: 'team_role_required',
    },
    {
      claim: 'a workspace that the caller is not a member of',
      as: 'owner',
      path: shared,
      body: { team_id: 'zzzzzzzzzzzzzzzzzzzzzzzzzz' },
      status: 403,
      code: 'forbidden',
    },
    { claim: 'no workspace named', as: 'owner', path: shared, body: {}, status: 400, code: 'validation_error' },
    ...writeRefusals({ team_id: 'x' }),
  ],
)

scenarios('agents.set_visibility', givenAgents, [
  {
    claim: 'its owner makes it public',
    as: 'owner',
    path: shared,
    body: { visibility: 'public' },
    status: 200,
    audits: ['agent.visibility_changed'],
    emits: ['team/agents'],
  },
  {
    claim: 'a colleague cannot',
    as: 'member',
    path: shared,
    body: { visibility: 'public' },
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'an unknown visibility',
    as: 'owner',
    path: shared,
    body: { visibility: 'everyone' },
    status: 400,
    code: 'validation_error',
  },
  ...writeRefusals({ visibility: 'team' }),
  foreignRefusal({ visibility: 'team' }),
])

const firstVersion = ({ shared }: GivenAgents) => ({ id: shared.id, versionId: shared.version_id })

scenarios('agents.versions', givenAgents, [
  {
    claim: 'newest first',
    as: 'owner',
    path: shared,
    status: 200,
    check: async (_answer, { shared }, world) => {
      world.clock.advance(1000)
      await world.call('owner', `POST /agents/${shared.id}`, { body: { version: { system_prompt: 'two' } } })
      const { data } = await world.call('owner', `GET /agents/${shared.id}/versions`)
      expect(data.items.map((item: { system_prompt: string }) => item.system_prompt)).toEqual(['two', ''])
    },
  },
  {
    claim: 'with who made them',
    as: 'owner',
    path: shared,
    query: { preloads: '["user"]' },
    status: 200,
    check: ({ data }) => {
      for (const item of data.items) expect(item.user).toMatchObject({ id: item.user_id })
    },
  },
  {
    claim: 'an unknown column',
    as: 'owner',
    path: shared,
    query: { filters: JSON.stringify([{ field: 'x', value: 1 }]) },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a broken cursor',
    as: 'owner',
    path: shared,
    query: { cursor: '%%%' },
    status: 400,
    code: 'invalid_request',
  },
  ...readRefusals,
])

scenarios('agents.get_version', givenAgents, [
  { claim: 'by its id', as: 'owner', path: firstVersion, status: 200 },
  { claim: 'signed out', as: null, path: firstVersion, status: 404, code: 'not_found' },
  { claim: 'another workspace sees nothing', as: 'stranger', path: firstVersion, status: 404, code: 'not_found' },
])

/** A version that a person made and that auto-approves tools, followed by one that does not. */
const permittedBefore = async (world: World, { shared }: GivenAgents, permissions: object) => {
  const route = `POST /agents/${shared.id}`
  const { data } = await world.call('owner', route, { body: { version: { permissions } } })
  await world.call('owner', route, { body: { version: {} } })
  return `PUT /agents/${shared.id}/versions/${data.version_id}/current`
}

scenarios('agents.promote', givenAgents, [
  {
    claim: 'a key cannot reactivate a version that auto-approves all tools',
    as: 'key:agents:write',
    act: async (world, given) =>
      world.call('key:agents:write', await permittedBefore(world, given, { allow_all_tools: true })),
    status: 403,
    code: 'requires_sign_in',
  },
  {
    claim: 'a key cannot reactivate a version with an allow rule',
    as: 'key:agents:write',
    act: async (world, given) => {
      const rules = [{ effect: 'allow', selector: 'look' }]
      return world.call('key:agents:write', await permittedBefore(world, given, { rules }))
    },
    status: 403,
    code: 'requires_sign_in',
  },
  {
    claim: 'a person does',
    as: 'owner',
    act: async (world, given) => world.call('owner', await permittedBefore(world, given, { allow_all_tools: true })),
    status: 200,
    check: ({ data }) => expect(data.version.permissions).toEqual({ allow_all_tools: true }),
  },
  {
    claim: 'an older version is active again',
    as: 'owner',
    path: firstVersion,
    status: 200,
    act: async (world, { shared }) => {
      await world.call('owner', `POST /agents/${shared.id}`, { body: { version: { system_prompt: 'two' } } })
      return world.call('owner', `PUT /agents/${shared.id}/versions/${shared.version_id}/current`)
    },
    check: ({ data }, { shared }) => expect(data.version_id).toBe(shared.version_id),
  },
  {
    claim: 'no such version',
    as: 'owner',
    path: ({ shared }: GivenAgents) => ({ id: shared.id, versionId: 'zzzzzzzz' }),
    status: 404,
    code: 'not_found',
  },
  { claim: 'another workspace sees nothing', as: 'stranger', path: firstVersion, status: 404, code: 'not_found' },
  {
    claim: 'a public agent of another workspace',
    as: 'owner',
    path: ({ foreign }: GivenAgents) => ({ id: foreign.id, versionId: foreign.version_id }),
    status: 403,
    code: 'forbidden',
  },
])

scenarios('agents.card', givenAgents, [
  {
    claim: 'a public agent’s card is bare JSON',
    as: null,
    path: foreign,
    status: 200,
    check: ({ json }, { foreign }) => {
      expect(json).toMatchObject({ name: foreign.title, capabilities: { streaming: true } })
      const url = expect.stringMatching(new RegExp(`^http.*/a2a/${foreign.id}$`))
      expect(json).toMatchObject({
        url,
        supportedInterfaces: [{ url, protocolVersion: '1.0' }, { protocolVersion: '0.3' }],
      })
    },
  },
  ...readRefusals,
])

scenarios('agents.internal_tools', noGiven, [
  {
    claim: 'the categories',
    as: 'member',
    status: 200,
    check: ({ data }) => {
      expect(data.map((one: { id: string }) => one.id)).toEqual([
        'plan',
        'memory',
        'widget',
        'finish',
        'skills',
        'host_context',
        'meta',
        'artifact',
        'spawn',
        'remote',
      ])
    },
  },
])

scenarios('agents.hook_events', noGiven, [
  { claim: 'the events', as: 'member', status: 200, check: ({ data }) => expect(data).toHaveLength(10) },
])

scenarios('agents.rules', givenAgents, [
  { claim: 'an array', as: 'member', path: shared, status: 200, check: ({ data }) => expect(data).toEqual([]) },
  { claim: 'another workspace sees nothing', as: 'stranger', path: shared, status: 404, code: 'not_found' },
])

scenarios('agents.add_rule', givenAgents, [
  {
    claim: 'a person allows',
    as: 'owner',
    path: shared,
    body: { effect: 'allow', selector: 'get' },
    status: 200,
    audits: ['tool_rule.created'],
    check: ({ data }) => expect(data).toMatchObject({ effect: 'allow', kind: 'Tool', selector: 'get', specifier: '' }),
  },
  {
    claim: 'a key may make it stricter',
    as: 'key:agents:write',
    path: shared,
    body: { effect: 'deny', selector: 'get' },
    status: 200,
    audits: ['tool_rule.created'],
  },
  {
    claim: 'a key may not allow',
    as: 'key:agents:write',
    path: shared,
    body: { effect: 'allow', selector: 'get' },
    status: 403,
    code: 'requires_sign_in',
  },
  { claim: 'no selector', as: 'owner', path: shared, body: { effect: 'ask' }, status: 400, code: 'validation_error' },
  ...writeRefusals({ effect: 'ask', selector: 'x' }),
  foreignRefusal({ effect: 'ask', selector: 'x' }),
])

const withRule = async (world: Parameters<typeof givenAgents>[0]) => {
  const given = await givenAgents(world)
  const add = async (effect: string) =>
    (await world.call('owner', `POST /agents/${given.shared.id}/rules`, { body: { effect, selector: 'x' } })).data.id
  return { ...given, deny: await add('deny'), allow: await add('allow') }
}
type WithRule = Awaited<ReturnType<typeof withRule>>
const denied = ({ shared, deny }: WithRule) => ({ id: shared.id, ruleId: deny })
const allowed = ({ shared, allow }: WithRule) => ({ id: shared.id, ruleId: allow })

scenarios('agents.delete_rule', withRule, [
  {
    claim: 'a key removes an allow rule',
    as: 'key:agents:write',
    path: allowed,
    status: 200,
    audits: ['tool_rule.deleted'],
  },
  {
    claim: 'removing a deny rule needs a sign-in',
    as: 'key:agents:write',
    path: denied,
    status: 403,
    code: 'requires_sign_in',
  },
  { claim: 'a person removes it', as: 'owner', path: denied, status: 200, audits: ['tool_rule.deleted'] },
  {
    claim: 'no such rule',
    as: 'owner',
    path: ({ shared }: WithRule) => ({ id: shared.id, ruleId: 'zzzzzzzz' }),
    status: 404,
    code: 'not_found',
  },
  { claim: 'another workspace sees nothing', as: 'stranger', path: denied, status: 404, code: 'not_found' },
  {
    claim: 'a public agent of another workspace',
    as: 'owner',
    path: ({ foreign, deny }: WithRule) => ({ id: foreign.id, ruleId: deny }),
    status: 403,
    code: 'forbidden',
  },
])

describe('built-in tools', () => {
  it('finish is for sub-agents and for runs with an output schema', () => {
    const top = enabledCategories({}, { isSubAgent: false, hasOutputSchema: false })
    expect(top).toEqual(['plan', 'memory', 'widget', 'skills'])
    expect(enabledCategories({}, { isSubAgent: false, hasOutputSchema: true })).toContain('finish')
    const child = enabledCategories({ spawn: true, widget: true }, { isSubAgent: true, hasOutputSchema: false })
    expect(child).toEqual(['plan', 'memory', 'finish', 'skills'])
  })
})
