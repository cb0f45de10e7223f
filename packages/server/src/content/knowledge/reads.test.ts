// Guarantees: an entry is found by id, short id, ref and pinned version by exactly those who may see it. Lists page,
// filter and hide private entries of others. Readers with the current content get 304.
import { shortId } from '@millrace/contract/ids'
import type { Knowledge } from '@millrace/contract/knowledge'
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import {
  at,
  type Given,
  givenEntry,
  givenSkill,
  ids,
  listRefusals,
  readCases,
  sameEntries,
  text,
  writeVersion,
} from './testing/given.ts'

type G = Given<Knowledge>

const etag = ({ own }: G) => `"${own.version?.content_hash}"`

scenarios('knowledge.get', sameEntries, [
  {
    claim: 'the creator gets it by short id, with the fields of its version',
    as: 'owner',
    path: ({ own }) => ({ id: shortId(own.id) }),
    status: 200,
    check: ({ data, headers }, given) => {
      expect(data).toMatchObject({
        id: given.own.id,
        namespace: 'mill',
        title: given.own.name,
        type: 'observation',
        lifecycle: 'permanent',
        visibility: 'private',
        uses: 0,
        installs: 0,
        version: { knowledge_id: given.own.id, files: [], tags: [], mutation_type: 'create' },
      })
      expect(data.version.content).toEqual({
        path: 'entry.md',
        size: 8,
        uri: expect.stringContaining(`/knowledge/${given.own.id}/contents/`),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      })
      expect(data.version).not.toHaveProperty('last_confirmed_at')
      expect(headers.etag).toBe(etag(given))
    },
  },
  {
    claim: 'the text is included on request',
    as: 'owner',
    path: at('own'),
    query: { include: 'content' },
    status: 200,
    check: ({ data }) => expect(data.version.content.content).toBe('# Known\n'),
  },
  ...readCases<Knowledge>(),
])

scenarios('knowledge.get', async (world) => givenEntry(world, 'owner', { version: text('x'.repeat(256 * 1024 + 1)) }), [
  {
    claim: 'a long text is neither included nor truncated',
    as: 'owner',
    path: ({ id }) => ({ id }),
    query: { include: 'content' },
    status: 200,
    check: ({ data, json }) => {
      expect(data.version.content).not.toHaveProperty('content')
      expect(json.messages).toMatchObject([{ code: 'content_too_large' }])
    },
  },
  {
    claim: 'its address is readable without a credential, as plain text',
    as: 'owner',
    act: async (world, entry) => {
      const address = new URL(entry.version?.content.uri ?? '')
      const forged = await world.call(null, `GET ${address.pathname}?exp=9999999999&sig=x`)
      expect(forged.status).toBe(404)
      return world.call(null, `GET ${address.pathname}${address.search}`)
    },
    status: 200,
    check: ({ text, headers }) => {
      expect(text).toHaveLength(256 * 1024 + 1)
      expect(headers['content-type']).toBe('text/plain; charset=utf-8')
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['content-security-policy']).toContain('sandbox')
    },
  },
  {
    claim: 'the address expires a day later',
    as: 'owner',
    act: async (world, entry) => {
      world.clock.advance(24 * 3600_000)
      const address = new URL(entry.version?.content.uri ?? '')
      return world.call(null, `GET ${address.pathname}${address.search}`)
    },
    status: 404,
    code: 'not_found',
  },
])

scenarios('knowledge.get_by_ref', sameEntries, [
  {
    claim: 'with its tag',
    as: 'owner',
    path: at('own'),
    status: 200,
    check: ({ headers }, given) => {
      expect(headers.etag).toBe(etag(given))
      expect(headers['cache-control']).toBe('no-cache')
    },
  },
  ...['W/', ''].map((weak) => ({
    claim: `a reader with the tag among several${weak && ', compared weakly'}`,
    as: 'owner' as const,
    path: at<Knowledge>('own'),
    headers: (given: G) => ({ 'if-none-match': `"other", ${weak}${etag(given)}` }),
    status: 304,
    check: ({ text, headers }: { text: string; headers: Record<string, unknown> }, given: G) => {
      expect(text).toBe('')
      expect(headers.etag).toBe(etag(given))
    },
  })),
  {
    claim: 'a reader with another tag',
    as: 'owner',
    path: at('own'),
    headers: { 'if-none-match': '"other"' },
    status: 200,
  },
  {
    claim: 'a pinned version, by short id',
    as: 'owner',
    act: async (world, { shared }) => {
      await writeVersion(world, 'owner', shared.id, { version: text('new') })
      return world.call('owner', `GET /knowledge/mill/${shared.name}@${shortId(shared.version_id)}?include=content`)
    },
    status: 200,
    check: ({ data }, { shared }) => {
      expect(data.version_id).toBe(shared.version_id)
      expect(data.version.content.content).toBe('# Known\n')
    },
  },
  {
    claim: 'a missing version',
    as: 'owner',
    path: ({ own }) => ({ namespace: 'mill', name: `${own.name}@00000000` }),
    status: 404,
    code: 'not_found',
  },
  ...readCases<Knowledge>(),
])

for (const operation of ['knowledge.get_version', 'knowledge.get_version_by_ref'])
  scenarios(operation, sameEntries, [
    {
      claim: 'one version',
      as: 'owner',
      path: at('own'),
      status: 200,
      check: ({ data, headers }, given) => {
        expect(data).toMatchObject({ id: given.own.version_id, knowledge_id: given.own.id })
        expect(headers.etag).toBe(etag(given))
      },
    },
    {
      claim: 'a reader with the tag',
      as: 'owner',
      path: at('own'),
      headers: (given) => ({ 'if-none-match': etag(given) }),
      status: 304,
    },
    {
      claim: 'a version of another entry',
      as: 'owner',
      path: ({ own, shared }) => ({ ...at<Knowledge>('own')({ own } as G), versionId: shared.version_id }),
      status: 404,
      code: 'not_found',
    },
    ...readCases<Knowledge>(),
  ])

scenarios('knowledge.list', sameEntries, [
  {
    claim: 'entries of the workspace, with the caller’s own private entries',
    as: 'owner',
    query: { limit: '-1' },
    status: 200,
    check: ({ data }, given) => {
      expect(ids(data)).toContain(given.own.id)
      expect(ids(data)).toContain(given.shared.id)
      expect(ids(data)).not.toContain(given.hidden.id)
      expect(ids(data)).not.toContain(given.foreign.id)
      expect(data.items[0].version.content.uri).toContain('/contents/')
    },
  },
  {
    claim: 'private entries of members, for an admin on request, audited',
    as: 'admin',
    route: 'POST /knowledge/list',
    body: { limit: -1, include_private: true },
    status: 200,
    audits: ['team_admin.list_private'],
    check: ({ data }, given) => expect(ids(data)).toContain(given.hidden.id),
  },
  {
    claim: 'public rows only, signed out',
    as: null,
    query: { limit: '100' },
    status: 200,
    check: ({ data }, given) => {
      expect(ids(data)).toContain(given.foreign.id)
      expect(ids(data)).not.toContain(given.shared.id)
    },
  },
  {
    claim: 'filtered and searched, with selected fields',
    as: 'owner',
    route: 'POST /knowledge/list',
    body: ({ own }: G) => ({
      filters: [{ field: 'type', operator: 'in', value: ['observation'] }],
      search: { term: own.name.toUpperCase(), fields: ['name', 'nonsense'] },
      fields: ['name'],
    }),
    status: 200,
    check: ({ data }, { own }) => expect(data.items).toEqual([{ id: own.id, name: own.name }]),
  },
  ...listRefusals<Knowledge>('POST /knowledge/list'),
])

scenarios('knowledge.versions', sameEntries, [
  {
    claim: 'newest first',
    as: 'owner',
    act: async (world, { own }) => {
      world.clock.advance(1000)
      await writeVersion(world, 'owner', own.id, { version: text('new') })
      return world.call('owner', `POST /knowledge/${own.id}/versions/list`)
    },
    status: 200,
    check: ({ data }, { own }) => {
      expect(data.items.at(-1).id).toBe(own.version_id)
      expect(data.items[0].mutation_type).toBe('update')
    },
  },
  ...readCases<Knowledge>(),
  ...listRefusals<Knowledge>('POST /knowledge/:id/versions/list', at('own')),
])

const gathered = async (world: World) => {
  const { data: before } = await world.call('member', 'GET /me/stats')
  await givenEntry(world, 'member')
  await givenEntry(world, 'member', { version: { ...text('Heard'), generated_by: 'a listener' } })
  await givenSkill(world, 'member')
  await givenEntry(world, 'owner', { version: { ...text('Heard'), generated_by: 'a listener' } })
  const gone = await givenEntry(world, 'member')
  await world.call('member', `DELETE /knowledge/${gone.id}`)
  return { before }
}

scenarios('me.stats', gathered, [
  {
    claim: 'entries without skills, and those that a program wrote',
    as: 'member',
    status: 200,
    check: ({ data }, { before }) => {
      expect(data).toMatchObject({ knowledge_count: before.knowledge_count + 2, skills_count: before.skills_count + 1 })
      for (const time of ['today', 'this_week', 'all_time'])
        expect(data.extracted[time], time).toBe(before.extracted[time] + 1)
    },
  },
  {
    claim: 'any key may ask; a service account has written nothing',
    as: 'workspace-key:apps:read',
    status: 200,
    check: ({ data }) =>
      expect(data).toEqual({
        knowledge_count: 0,
        skills_count: 0,
        extracted: { today: 0, this_week: 0, all_time: 0 },
      }),
  },
])
