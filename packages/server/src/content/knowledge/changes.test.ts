// Guarantees: only permitted callers create, edit, confirm, show, transfer and delete entries, nothing else changes
// with them, and an edit based on an old state is refused.
import type { Knowledge } from '@millrace/contract/knowledge'
import { expect } from 'vitest'
import { addMember } from '#accounts/identity/service.ts'
import { setEntitlement } from '#accounts/plans/service.ts'
import { ownWorld, scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { sha256Hex } from './content-hash.ts'
import { sweepDeleted } from './sweep.ts'
import {
  at,
  freshName,
  type Given,
  givenEntries,
  givenEntry,
  sameEntries,
  show,
  text,
  writeRefusals,
  writeVersion,
} from './testing/given.ts'

type G = Given<Knowledge>

const body = (more: object = {}) => ({ name: freshName(), description: 'D', version: text('x'), ...more })
const full = async (world: World) => {
  const entry = await givenEntry(world, 'owner')
  await setEntitlement(world.ctx(), world.team.id, 'knowledge_bases', 1)
  return entry
}

scenarios('knowledge.create', sameEntries, [
  {
    claim: 'with everything that a version can say',
    as: 'key:knowledge:write',
    body: () =>
      body({
        title: 'T',
        repo_url: 'https://example.com/r',
        type: 'concept',
        lifecycle: 'decay',
        visibility: 'public',
        version: {
          ...text('main', 'main.md'),
          files: [{ path: 'a/b.txt', content: 'extra' }],
          tags: ['one', 'one', 'two'],
          scope: ['lang:go', 'path:src'],
          metadata: { k: 'v' },
          origin: 'import',
          generated_by: 'agent',
          source_url: 'https://example.com/s',
          mutation_type: 'import',
          version_notes: 'N',
        },
      }),
    status: 200,
    audits: ['knowledge.created'],
    emits: ['team/knowledge'],
    check: ({ data }) =>
      expect(data).toMatchObject({
        visibility: 'private',
        title: 'T',
        repo_url: 'https://example.com/r',
        type: 'concept',
        lifecycle: 'decay',
        version: {
          description: 'D',
          tags: ['one', 'two'],
          scope: ['lang:go', 'path:src'],
          metadata: { k: 'v' },
          origin: 'import',
          generated_by: 'agent',
          source_url: 'https://example.com/s',
          mutation_type: 'import',
          version_notes: 'N',
          files: [{ path: 'a/b.txt', size: 5 }],
          last_confirmed_at: data.created_at,
        },
      }),
  },
  ...['javascript:alert(1)', 'data:text/html,a', 'file:///etc/passwd', 'example.com'].map((source_url) => ({
    claim: `the source ${source_url}`,
    as: 'owner' as const,
    body: () => body({ version: { ...text('main', 'main.md'), source_url } }),
    status: 400,
    code: 'validation_error',
  })),
  {
    claim: 'a skill may have a long description',
    as: 'owner',
    body: () => body({ type: 'skill', description: '😀'.repeat(1024) }),
    status: 200,
    audits: ['knowledge.created'],
    emits: ['team/knowledge'],
  },
  {
    claim: 'the length of a description that is too long is reported',
    as: 'owner',
    body: () => body({ description: '😀'.repeat(201) }),
    status: 400,
    code: 'validation_error',
    check: ({ json }) => expect(json.detail).toBe('description must be at most 200 characters, got 201'),
  },
  ...(['name', 'description', 'version'] as const).map((key) => ({
    claim: `without ${key}`,
    as: 'owner' as const,
    body: () => ({ ...body(), [key]: undefined }),
    status: 400,
    code: 'invalid_request',
  })),
  {
    claim: 'without a text',
    as: 'owner',
    body: () => body({ version: { content: { path: 'a' } } }),
    status: 400,
    code: 'invalid_request',
  },
  ...[
    { name: 'Upper Case' },
    { name: 'references' },
    { description: ' ' },
    { type: 'poem' },
    { lifecycle: 'draft' },
    { version: { ...text('x'), scope: ['colour:red'] } },
    { version: { ...text('x'), mutation_type: 'magic' } },
    { version: text('x', '../x') },
    { version: { ...text('x', 'a'), files: [{ path: 'a', content: '' }] } },
    { version: { ...text('x'), metadata: { k: 1 } } },
  ].map((wrong) => ({
    claim: `wrong: ${JSON.stringify(wrong).slice(0, 60)}`,
    as: 'owner' as const,
    body: () => body(wrong),
    status: 400,
    code: 'validation_error',
  })),
  {
    claim: 'a taken name, also by a private entry of another member',
    as: 'owner',
    body: ({ hidden }: G) => body({ name: hidden.name }),
    status: 409,
    code: 'name_conflict',
  },
])

scenarios(
  'knowledge.create',
  full,
  [
    {
      claim: 'the plan is full',
      as: 'owner',
      body: () => body(),
      status: 402,
      code: 'limit_exceeded',
      check: ({ json }) => expect(json.meta).toMatchObject({ resource: 'knowledge_bases', limit: 1 }),
    },
  ],
  ownWorld,
)

scenarios('knowledge.update', givenEntries, [
  {
    claim: 'a partial update makes a version that keeps the rest',
    as: 'owner',
    path: at('own'),
    body: { name: 'ignored', description: 'New', version: { tags: ['t'] } },
    status: 200,
    audits: ['knowledge.updated'],
    emits: ['team/knowledge'],
    check: ({ data, headers }, { own }) => {
      expect(data).toMatchObject({ name: own.name, description: 'New', version: { description: 'New', tags: ['t'] } })
      expect(data.version_id).not.toBe(own.version_id)
      expect(data.version.content_hash).toBe(own.version?.content_hash)
      expect(headers.etag).toBe(`"${data.version.content_hash}"`)
    },
  },
  {
    claim: 'any member edits an entry that is not private',
    as: 'member',
    path: at('shared'),
    body: {},
    status: 200,
    audits: ['knowledge.updated'],
    emits: ['team/knowledge'],
  },
  {
    claim: 'sent back as read with a new description: the files keep their texts, also under a new path',
    as: 'owner',
    act: async (world) => {
      const files = [
        { path: 'a.txt', content: 'A' },
        { path: 'b.txt', content: 'B' },
      ]
      const { id } = await givenEntry(world, 'owner', { version: { ...text('Main'), files } })
      const { version, ...read } = (await world.call('owner', `GET /knowledge/${id}`)).data
      const [a, b] = version.files
      return world.call('owner', `POST /knowledge/${id}`, {
        body: { ...read, description: 'New', version: { ...version, files: [a, { ...b, path: 'c.txt' }] } },
      })
    },
    status: 200,
    check: async ({ data }) => {
      expect(data.description).toBe('New')
      expect(data.version).toMatchObject({
        content: { hash: sha256Hex('Main') },
        files: [
          { path: 'a.txt', hash: sha256Hex('A') },
          { path: 'c.txt', hash: sha256Hex('B') },
        ],
      })
    },
  },
  {
    claim: 'a new file without text',
    as: 'owner',
    path: at('own'),
    body: { version: { files: [{ path: 'new.txt' }] } },
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'an admin edits a member’s private entry, audited',
    as: 'admin',
    path: at('hidden'),
    body: { title: 'T' },
    status: 200,
    audits: ['team_admin.permission_bypass', 'knowledge.updated'],
    emits: ['team/knowledge'],
  },
  {
    claim: 'If-Match with the current tag',
    as: 'owner',
    path: at('own'),
    headers: ({ own }: G) => ({ 'if-match': `"old", "${own.version?.content_hash}"` }),
    body: { version: text('next') },
    status: 200,
    audits: ['knowledge.updated'],
    emits: ['team/knowledge'],
  },
  {
    claim: 'If-Match with the id of the version',
    as: 'owner',
    path: at('own'),
    headers: ({ own }: G) => ({ 'if-match': `"${own.version_id}"` }),
    body: {},
    status: 200,
    audits: ['knowledge.updated'],
    emits: ['team/knowledge'],
  },
  ...['"stale"', 'W/"stale"'].map((tag) => ({
    claim: `a stale tag ${tag} writes nothing`,
    as: 'owner' as const,
    path: at<Knowledge>('own'),
    headers: { 'if-match': tag },
    body: { version: text('lost') },
    status: 412,
    code: 'precondition_failed',
    check: async ({ json }: { json: object }, { own }: G, world: World) => {
      expect(json).not.toHaveProperty('errors')
      expect((await world.call('owner', `GET /knowledge/${own.id}`)).data.version_id).toBe(own.version_id)
    },
  })),
  { claim: 'a wrong type', as: 'owner', path: at('own'), body: { type: 'x' }, status: 400, code: 'validation_error' },
  ...writeRefusals<Knowledge>({ title: 'T' }),
])

scenarios('knowledge.update', (world) => givenEntry(world, 'owner', { type: 'skill', description: 'x'.repeat(500) }), [
  {
    claim: 'an unchanged description is not validated again',
    as: 'owner',
    path: ({ id }) => ({ id }),
    body: { type: 'concept' },
    status: 200,
    audits: ['knowledge.updated'],
    emits: ['team/knowledge'],
  },
  {
    claim: 'a changed description is validated',
    as: 'owner',
    path: ({ id }) => ({ id }),
    body: { type: 'concept', description: 'y'.repeat(500) },
    status: 400,
    code: 'validation_error',
  },
])

const fading = async (world: World): Promise<G> => {
  const given = await givenEntries(world)
  for (const entry of [given.own, given.hidden])
    await writeVersion(world, entry === given.own ? 'owner' : 'member', entry.id, { lifecycle: 'decay' })
  return given
}

scenarios('knowledge.confirm', fading, [
  {
    claim: 'is fresh again, without a new version',
    as: 'owner',
    act: async (world, { own }) => {
      world.clock.advance(86_400_000)
      return world.call('owner', `POST /knowledge/${own.id}/confirm`)
    },
    status: 200,
    audits: ['knowledge.confirmed'],
    emits: ['team/knowledge'],
    check: async ({ data }, { own }, world) => {
      expect(data.version.last_confirmed_at > data.version.created_at).toBe(true)
      expect((await world.call('owner', `GET /knowledge/${own.id}/versions`)).data.total_items).toBe(2)
    },
  },
  { claim: 'an entry without decay', as: 'owner', path: at('shared'), status: 409, code: 'invalid_state' },
  ...writeRefusals<Knowledge>(),
])

scenarios('knowledge.set_visibility', givenEntries, [
  ...(['private', 'team', 'org', 'unlisted', 'public'] as const).map((visibility) => ({
    claim: `the creator makes it ${visibility}`,
    as: 'owner' as const,
    path: at<Knowledge>('shared'),
    body: { visibility },
    status: 200,
    audits: visibility === 'team' ? [] : ['knowledge.visibility_changed'],
    emits: visibility === 'team' ? [] : ['team/knowledge'],
    check: ({ data }: { data: Knowledge }) => expect(data.visibility).toBe(visibility),
  })),
  {
    claim: 'a member may narrow the visibility',
    as: 'member',
    path: at('shared'),
    body: { visibility: 'private' },
    status: 200,
    audits: ['knowledge.visibility_changed'],
    emits: ['team/knowledge'],
  },
  ...(['org', 'public'] as const).map((visibility) => ({
    claim: `a member who is not the creator may not make it ${visibility}`,
    as: 'member' as const,
    path: at<Knowledge>('shared'),
    body: { visibility },
    status: 403,
    code: 'team_role_required',
  })),
  {
    claim: 'an admin may widen it',
    as: 'admin',
    path: at('shared'),
    body: { visibility: 'public' },
    status: 200,
    audits: ['knowledge.visibility_changed'],
    emits: ['team/knowledge'],
  },
  { claim: 'nonsense', as: 'owner', path: at('own'), body: { visibility: 'x' }, status: 400, code: 'validation_error' },
  { claim: 'nothing', as: 'owner', path: at('own'), body: {}, status: 400, code: 'invalid_request' },
  ...writeRefusals<Knowledge>({ visibility: 'private' }),
])

const twoTeams = async (world: World) => {
  const given = await givenEntries(world)
  await addMember(world.ctx(), world.otherTeam.id, world.people.owner.userId, 'member')
  return given
}
const toOther = (_given: unknown, world: World) => ({ team_id: world.otherTeam.id })

scenarios(
  'knowledge.transfer',
  twoTeams,
  [
    {
      claim: 'keeps its id and name in another namespace',
      as: 'owner',
      act: (world, { own }) => world.call('owner', `POST /knowledge/${own.id}/transfer`, { body: toOther(own, world) }),
      status: 200,
      audits: ['knowledge.transferred'],
      emits: ['team/knowledge'],
      check: ({ data }, { own }, world) =>
        expect(data).toMatchObject({
          id: own.id,
          name: own.name,
          namespace: 'other',
          team_id: world.otherTeam.id,
          version_id: own.version_id,
        }),
    },
    {
      claim: 'the name is taken in the target workspace',
      as: 'owner',
      act: async (world, { own }) => {
        await givenEntry(world, 'stranger', { name: own.name })
        return world.call('owner', `POST /knowledge/${own.id}/transfer`, { body: toOther(own, world) })
      },
      status: 409,
      code: 'name_conflict',
    },
    {
      claim: 'the plan of the target workspace is full',
      as: 'owner',
      act: async (world, { own }) => {
        await setEntitlement(world.ctx(), world.otherTeam.id, 'knowledge_bases', 1)
        const answer = await world.call('owner', `POST /knowledge/${own.id}/transfer`, { body: toOther(own, world) })
        await setEntitlement(world.ctx(), world.otherTeam.id, 'knowledge_bases', null)
        return answer
      },
      status: 402,
      code: 'limit_exceeded',
    },
    {
      claim: 'to a workspace without membership',
      as: 'admin',
      act: (world, { shared }) =>
        world.call('admin', `POST /knowledge/${shared.id}/transfer`, { body: toOther(shared, world) }),
      status: 403,
      code: 'forbidden',
    },
    {
      claim: 'by a member without the admin role',
      as: 'member',
      path: at('shared'),
      body: { team_id: 'x' },
      status: 403,
      code: 'team_role_required',
    },
    { claim: 'to nowhere', as: 'owner', path: at('own'), body: {}, status: 400, code: 'invalid_request' },
    ...writeRefusals<Knowledge>({ team_id: 'x' }).filter((row) => row.as !== 'member'),
  ],
  ownWorld,
)

scenarios('knowledge.delete', givenEntries, [
  {
    claim: 'is deleted and frees its name',
    as: 'member',
    path: at('shared'),
    status: 200,
    audits: ['knowledge.deleted'],
    emits: ['team/knowledge'],
    check: async ({ data }, { shared }, world) => {
      expect(data).toEqual({ success: true })
      expect((await world.call('owner', `GET /knowledge/${shared.id}`)).status).toBe(404)
      expect((await givenEntry(world, 'owner', { name: shared.name })).id).not.toBe(shared.id)
    },
  },
  ...writeRefusals<Knowledge>(),
  {
    claim: 'a month later it is purged completely',
    as: 'owner',
    act: async (world, { own }) => {
      const answer = await world.call('owner', `DELETE /knowledge/${own.id}`)
      world.clock.advance(31 * 86_400_000)
      await sweepDeleted(world.open.platform)
      return answer
    },
    status: 200,
    check: async (_answer, { own }, world) => {
      const { db } = world.open.platform
      for (const table of ['knowledge_versions', 'knowledge_contents'] as const)
        expect(await db.selectFrom(table).select('knowledge_id').where('knowledge_id', '=', own.id).execute()).toEqual(
          [],
        )
    },
  },
])

scenarios(
  'knowledge.update',
  async (world) => show(world, 'owner', await givenEntry(world, 'owner'), 'team'),
  [
    {
      claim: 'of twenty concurrent edits of one version, one succeeds and the others get a conflict',
      as: 'member',
      act: async (world, { id, version }) => {
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            world.call('member', `POST /knowledge/${id}`, {
              headers: { 'if-match': `"${version?.content_hash}"` },
              body: { version: text(`edit ${index}`) },
            }),
          ),
        )
        const won = answers.filter((answer) => answer.status === 200)
        expect(answers.filter((answer) => answer.code === 'precondition_failed')).toHaveLength(19)
        expect(won).toHaveLength(1)
        return won[0] ?? (answers[0] as (typeof answers)[number])
      },
      status: 200,
    },
    {
      claim: 'the same for twenty concurrent edits of other fields, with the version as the tag',
      as: 'member',
      act: async (world, { id, version_id }) => {
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            world.call('member', `POST /knowledge/${id}`, {
              headers: { 'if-match': `"${version_id}"` },
              body: { description: `Edit ${index}` },
            }),
          ),
        )
        const won = answers.filter((answer) => answer.status === 200)
        expect(answers.filter((answer) => answer.code === 'precondition_failed')).toHaveLength(19)
        return won[0] ?? (answers[0] as (typeof answers)[number])
      },
      status: 200,
    },
    {
      claim: 'the tag of the texts does not cover the other fields',
      as: 'member',
      act: async (world, { id, version }) => {
        const write = (description: string) =>
          world.call('member', `POST /knowledge/${id}`, {
            headers: { 'if-match': `"${version?.content_hash}"` },
            body: { description },
          })
        expect((await write('First')).headers.etag).toBe(`"${version?.content_hash}"`)
        return write('Second')
      },
      status: 200,
      check: ({ data }) => expect(data.description).toBe('Second'),
    },
  ],
  ownWorld,
)
