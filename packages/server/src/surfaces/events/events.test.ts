// Guarantees: the workspace stream contains only the workspace's own events, by name, in both encodings.
import { expect } from 'vitest'
import { addMember } from '#accounts/identity/service.ts'
import { chatWith } from '#agents/chats/testing/given.ts'
import { givenApp, run } from '#execution/tasks/testing/given.ts'
import { register } from '#machines/engines/testing/engine-double.ts'
import { listen } from '../../testing/read-stream.ts'
import { scenarios } from '../../testing/scenarios.ts'
import type { As, World } from '../../testing/world.ts'

/** Opens the stream, runs the actions, and reads until `until` matches. */
const listenTo = (world: World, as: As, accept: string, happen: () => Promise<unknown>, until: RegExp, team?: string) =>
  listen(world, { as, path: '/events', accept, happen, until, ...(team === undefined ? {} : { team }) })

const engines = async (world: World) => {
  await register(world, { as: 'stranger', name: 'theirs' })
  await register(world, { name: 'ours' })
}

scenarios('events.stream', () => undefined, [
  {
    claim: 'named events',
    as: 'member',
    act: (world) => listenTo(world, 'member', 'text/event-stream', () => engines(world), /ours/),
    status: 200,
    check: ({ text, headers }) => {
      expect(headers['content-type']).toContain('text/event-stream')
      expect(text).toMatch(/^event: engines\ndata: \{"id"/)
      expect(text).not.toContain('theirs')
      expect(text).not.toContain('id: ')
    },
  },
  {
    claim: 'named lines',
    as: 'member',
    act: (world) => listenTo(world, 'member', 'application/x-ndjson', () => engines(world), /\n/),
    status: 200,
    check: ({ text }) =>
      expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ event: 'engines', data: { name: 'ours' } }),
  },
  {
    claim: 'colleagues: only the fields that the member list shows',
    as: 'admin',
    act: (world) =>
      listenTo(
        world,
        'admin',
        'application/x-ndjson',
        () => world.call('member', 'POST /me', { body: { full_name: 'Mem Ber' } }),
        /\n/,
      ),
    status: 200,
    check: ({ text }, _given, world) => {
      const update = JSON.parse(text.split('\n')[0] ?? '')
      expect(update).toEqual({
        event: 'users',
        fields: ['email', 'name', 'full_name', 'avatar_url', 'updated_at'],
        data: expect.objectContaining({ id: world.people.member.userId, full_name: 'Mem Ber' }),
      })
      expect(Object.keys(update.data).sort()).toEqual(['id', ...update.fields].sort())
    },
    emits: ['team/users'],
  },
  {
    claim: 'the caller: the whole account',
    as: 'member',
    act: (world) =>
      listenTo(
        world,
        'member',
        'text/event-stream',
        () => world.call('member', 'POST /me', { body: { full_name: 'Em' } }),
        /\n\n/,
        world.people.member.personalTeamId,
      ),
    status: 200,
    check: ({ text }) => {
      expect(text).toMatch(/^event: users\ndata: /)
      expect(JSON.parse(text.split('data: ')[1] ?? '')).toMatchObject({ full_name: 'Em', totp_enabled: false })
    },
  },
  {
    claim: 'a newcomer',
    as: 'owner',
    act: (world) =>
      listenTo(
        world,
        'owner',
        'application/x-ndjson',
        () =>
          world.call('admin', `POST /teams/${world.team.id}/members`, {
            body: { email: 'stranger@example.com', role: 'member' },
          }),
        /\n/,
      ),
    status: 200,
    check: ({ text }, _given, world) =>
      expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({
        event: 'users',
        data: { id: world.people.stranger.userId },
      }),
  },
  {
    claim: 'until the reader leaves the workspace',
    as: 'member',
    act: async (world) => {
      const { userId } = world.people.member
      const answer = await listenTo(
        world,
        'member',
        'application/x-ndjson',
        async () => {
          await world.call('owner', `DELETE /teams/${world.team.id}/members/${userId}`)
          await register(world, { name: 'unseen' })
        },
        /unseen/,
      )
      await addMember(world.ctx(), world.team.id, userId, 'member')
      return answer
    },
    status: 200,
    check: ({ text }) => expect(text).not.toContain('unseen'),
  },
  {
    claim: 'runs as they progress, except a colleague’s private run',
    as: 'member',
    act: async (world) => {
      const app = await givenApp(world)
      const [hidden, shown] = [await run(world, app), await run(world, app)]
      await world.call('owner', `POST /tasks/${hidden.id}/visibility`, { body: { visibility: 'private' } })
      const cancel = (id: string) => world.call('owner', `POST /tasks/${id}/cancel`, { body: {} })
      return listenTo(
        world,
        'member',
        'application/x-ndjson',
        async () => {
          await cancel(hidden.id)
          await cancel(shown.id)
        },
        /"tasks"/,
      )
    },
    status: 200,
    check: ({ text }) =>
      expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ event: 'tasks', data: { status: 12 } }),
    emits: ['task', 'team/tasks'],
  },
  {
    claim: 'changes of flows, except a colleague’s private flow',
    as: 'member',
    act: (world) =>
      listenTo(
        world,
        'member',
        'application/x-ndjson',
        async () => {
          const create = async () => (await world.call('owner', 'POST /flows', { body: {} })).data.id as string
          await create()
          await world.call('owner', `POST /flows/${await create()}/visibility`, { body: { visibility: 'unlisted' } })
        },
        /"flows"/,
      ),
    status: 200,
    check: async ({ text }, _given, world) => {
      const { event, data, fields } = JSON.parse(text.split('\n')[0] ?? '')
      expect({ event, fields }).toEqual({ event: 'flows', fields: [] })
      expect((await world.call('member', `GET /flows/${data.id}`)).status).toBe(200)
    },
    emits: ['flow', 'team/flows'],
  },
  {
    claim: 'changes of agents, apps, entries, artifacts and secrets, except a colleague’s private ones',
    as: 'admin',
    act: (world) =>
      listenTo(
        world,
        'admin',
        'application/x-ndjson',
        async () => {
          const make = async (route: string, body: object) =>
            (await world.call('owner', `POST ${route}`, { body })).data.id as string
          const entry = { description: 'How stones are dressed', version: { content: { path: 'a.md', content: 'a' } } }
          await make('/agents', { name: 'told-agent' })
          await make('/apps', { name: 'told-app' })
          await make('/knowledge', { name: 'told-entry', ...entry })
          await make('/artifacts', { title: 'Told', content: 'a' })
          await make('/secrets', { key: 'TOLD', value: 'grist' })
        },
        /"secrets"/,
      ),
    status: 200,
    check: ({ text }) => {
      const [first] = text.split('\n')
      expect(JSON.parse(first ?? '')).toMatchObject({ event: 'secrets', data: { id: expect.any(String) }, fields: [] })
    },
    emits: ['team/agents', 'team/apps', 'team/artifacts', 'team/knowledge', 'team/secrets'],
  },
  {
    claim: 'no runs for a key without the scope to read them',
    as: 'key:teams:read,engines:read',
    act: async (world) => {
      const app = await givenApp(world)
      const { id } = await run(world, app)
      const happen = async () => {
        await world.call('owner', `POST /tasks/${id}/cancel`, { body: {} })
        await engines(world)
      }
      return listenTo(world, 'key:teams:read,engines:read', 'application/x-ndjson', happen, /"engines"/)
    },
    status: 200,
    check: ({ text }) => expect(text).not.toContain('"tasks"'),
  },
  {
    claim: 'no transactions and machines for a key without the scopes to read them',
    as: 'key:teams:read',
    act: async (world) => {
      const happen = async () => {
        await world.call('platform', 'POST /billing/grants', { body: { team_id: world.team.id, amount: 5_000_000 } })
        await engines(world)
        await world.call('member', 'POST /me', { body: { full_name: 'Mem' } })
      }
      return listenTo(world, 'key:teams:read', 'application/x-ndjson', happen, /"users"/)
    },
    status: 200,
    check: ({ text }) => expect(text).not.toMatch(/"(transactions|engines)"/),
    emits: ['team/transactions', 'team/engines', 'team/users', 'engine'],
  },
  {
    claim: 'transactions, for a key with the scope to read them',
    as: 'key:teams:read,billing:read',
    act: (world) =>
      listenTo(
        world,
        'key:teams:read,billing:read',
        'application/x-ndjson',
        () => world.call('platform', 'POST /billing/grants', { body: { team_id: world.team.id, amount: 7_000_000 } }),
        /\n/,
      ),
    status: 200,
    check: ({ text }) =>
      expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({
        event: 'transactions',
        data: { amount: 7_000_000 },
      }),
  },
  {
    claim: 'states of chats, for members who may read them',
    as: 'member',
    act: async (world) => {
      const shown = await chatWith(world)
      const hidden = await chatWith(world)
      await world.call('owner', `POST /chats/${shown}`, { body: { visibility: 'team' } })
      const stop = async () => {
        for (const id of [hidden, shown]) await world.call('owner', `POST /chats/${id}/stop`)
      }
      return listenTo(world, 'member', 'application/x-ndjson', stop, /"chats"/)
    },
    status: 200,
    check: ({ text }) => {
      const { event, data } = JSON.parse(text.split('\n').find((line) => line.includes('"chats"')) ?? '')
      expect({ event, data }).toMatchObject({ event: 'chats', data: { status: 'idle' } })
      expect(text.match(/"chats"/g)).toHaveLength(1)
    },
  },
])
