// Guarantees: only callers with write access publish versions, viewers get the shared version only, and a version that
// was built on an older one is not published by accident.
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { addMember } from '#accounts/identity/service.ts'
import { deploy, show as showApp } from '#execution/apps/testing/given.ts'
import { scenarios } from '../../testing/scenarios.ts'
import type { Answer, World } from '../../testing/world.ts'
import { sweepArtifacts } from './feature.ts'
import { nameOfTitle, nameProblem } from './names.ts'
import {
  at,
  freshName,
  type Given,
  givenArtifact,
  givenArtifacts,
  listRefusals,
  publishOver,
  readCases,
  sameArtifacts,
  show,
  writeRefusals,
} from './testing/given.ts'

it.each([
  ['Quarterly Report: Q3 (final)', 'quarterly-report-q3-final'],
  ['Über Größe', 'uber-gro-e'],
  ['Render', 'render-page'],
  ['日本', ''],
  ['x'.repeat(100), 'x'.repeat(64)],
])('the title %s becomes the name %s', (title, name) => {
  expect(nameOfTitle(title)).toBe(name)
  if (name !== '') expect(nameProblem(name)).toBeNull()
})

const body = (more: object = {}) => ({ title: 'T', name: freshName(), content: '<p>x</p>', ...more })
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')

scenarios('artifacts.publish', sameArtifacts, [
  {
    claim: 'with everything that can be said, in base64',
    as: 'key:artifacts:write',
    body: () =>
      body({
        description: 'D',
        favicon: 'https://example.com/f.ico',
        type: 'markdown',
        images: { card: 'c' },
        content: base64('# Ünï'),
        content_encoding: 'base64',
        label: 'L',
        notes: 'N',
        origin: 'O',
        generated_by: 'G',
        capabilities: { data: true },
      }),
    status: 200,
    audits: ['artifact.created'],
    emits: ['team/artifacts'],
    check: ({ data }) => {
      expect(data.id).toMatch(/^art_[0-9a-z]{26}$/)
      expect(data.short_id).toBe(data.id.slice(0, 12))
      expect(data).toMatchObject({
        visibility: 'private',
        type: 'markdown',
        images: { card: 'c', thumbnail: '', banner: '' },
        views: 0,
        capabilities: { data: true },
        version: {
          number: 1,
          md5: createHash('md5').update('# Ünï').digest('hex'),
          content_hash: createHash('sha256').update('# Ünï').digest('hex'),
          size_bytes: 7,
          label: 'L',
          notes: 'N',
        },
      })
    },
  },
  {
    claim: 'the name is derived from the title, the type is html',
    as: 'owner',
    body: () => ({ title: `My ${freshName()}`, content: '' }),
    status: 200,
    audits: ['artifact.created'],
    emits: ['team/artifacts'],
    check: ({ data }) => expect(data).toMatchObject({ name: expect.stringMatching(/^my-page-/), type: 'html' }),
  },
  {
    claim: 'an existing name gets a new version',
    as: 'member',
    body: ({ shared }: Given) => body({ name: shared.name, content: 'next' }),
    status: 200,
    audits: ['artifact.published'],
    emits: ['team/artifacts'],
    check: ({ data }, { shared }) => {
      expect(data.id).toBe(shared.id)
      expect(data.version.number).toBeGreaterThan(1)
    },
  },
  {
    claim: 'concurrent calls with a new name: the first creates the artifact, the others add versions',
    as: 'owner',
    act: async (world) => {
      const name = freshName()
      const publish = () => world.call('owner', 'POST /artifacts', { body: body({ name }) })
      const answers = await Promise.all(Array.from({ length: 8 }, publish))
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
      return publish()
    },
    status: 200,
    check: ({ data }) => expect(data.version.number).toBe(9),
  },
  {
    claim: 'refused: built on an older version',
    as: 'owner',
    body: ({ own }: Given) => body({ name: own.name, base_version_id: '00000000000000000000000000' }),
    status: 409,
    code: 'version_conflict',
  },
  {
    claim: 'refused: base version of a name without an artifact',
    as: 'owner',
    body: ({ own }: Given) => body({ base_version_id: own.version_id }),
    status: 409,
    code: 'version_conflict',
    check: ({ json }, { own }) => expect(json.meta).toEqual({ base_version_id: own.version_id, version_id: null }),
  },
  {
    claim: 'refused: base version of a deleted artifact',
    as: 'owner',
    act: async (world) => {
      const { id, name, version_id } = await givenArtifact(world, 'owner')
      await world.call('owner', `DELETE /artifacts/${id}`)
      return world.call('owner', 'POST /artifacts', { body: body({ name, base_version_id: version_id }) })
    },
    status: 409,
    code: 'version_conflict',
  },
  ...[{ base_version_id: '1', force: true }, { base_version_id: '' }].map((more) => ({
    claim: `unknown name with ${JSON.stringify(more)}`,
    as: 'owner' as const,
    body: () => body(more),
    status: 200,
    audits: ['artifact.created'],
    emits: ['team/artifacts'],
  })),
  {
    claim: 'If-Match for a missing artifact',
    as: 'owner',
    headers: { 'if-match': '*' },
    body: () => body({ name: 'nothing-yet' }),
    status: 412,
    code: 'precondition_failed',
  },
  {
    claim: 'a stale tag',
    as: 'owner',
    headers: { 'if-match': '"x"' },
    body: ({ own }: Given) => body({ name: own.name }),
    status: 412,
    code: 'precondition_failed',
  },
  ...[
    { name: 'No Slug' },
    { name: 'render' },
    { type: 'pdf' },
    { title: ' ' },
    { content: '%%%', content_encoding: 'base64' },
    { content: base64(Buffer.from([0xff, 0xfe])), content_encoding: 'base64' },
  ].map((wrong) => ({
    claim: `wrong: ${JSON.stringify(wrong)}`,
    as: 'owner' as const,
    body: () => body(wrong),
    status: 400,
    code: 'validation_error',
  })),
  { claim: 'without content', as: 'owner', body: { title: 'T' }, status: 400, code: 'invalid_request' },
  {
    claim: 'too large',
    as: 'owner',
    body: () => body({ content: 'x'.repeat(2 * 1024 * 1024 + 1) }),
    status: 413,
    code: 'payload_too_large',
  },
  {
    claim: 'the name of a colleague’s private artifact: refused without details',
    as: 'member',
    body: ({ own }: Given) => body({ name: own.name }),
    status: 409,
    code: 'name_conflict',
  },
])

scenarios('artifacts.get', sameArtifacts, [
  { claim: 'by short id', as: 'owner', path: ({ own }) => ({ id: own.id.slice(0, 12) }), status: 200 },
  {
    claim: 'an id without prefix',
    as: 'owner',
    path: ({ own }) => ({ id: own.id.slice(4) }),
    status: 404,
    code: 'not_found',
  },
  ...readCases,
])
scenarios('artifacts.get_by_ref', sameArtifacts, [
  ...(['number', 'id', 'short id'] as const).map((how) => ({
    claim: `a version by ${how}`,
    as: 'owner' as const,
    path: ({ own }: Given) => ({
      namespace: 'mill',
      name: `${own.name}@${{ number: '1', id: own.version_id, 'short id': own.version_id.slice(0, 8) }[how]}`,
    }),
    status: 200,
    check: ({ data }: Pick<Answer, 'data'>, { own }: Given) => expect(data.version_id).toBe(own.version_id),
  })),
  ...readCases,
])
scenarios('artifacts.content', sameArtifacts, [
  {
    claim: 'the source',
    as: 'owner',
    path: at('own'),
    status: 200,
    check: ({ data }, { own }) =>
      expect(data).toMatchObject({
        artifact_id: own.id,
        version_id: own.version_id,
        number: 1,
        type: 'html',
        title: 'A page',
        content: '<p>one</p>',
        size_bytes: 10,
      }),
  },
  ...readCases,
])
scenarios('artifacts.version_content', sameArtifacts, readCases)
scenarios('artifacts.get_version', sameArtifacts, readCases)
scenarios('artifacts.versions', sameArtifacts, [
  ...readCases,
  ...listRefusals('POST /artifacts/:id/versions/list', at('own')),
])
scenarios('artifacts.list', sameArtifacts, [
  {
    claim: 'the workspace',
    as: 'owner',
    query: { limit: '-1' },
    status: 200,
    check: ({ data }, { own, hidden }) => {
      const ids = data.items.map((item: { id: string }) => item.id)
      expect(ids).toContain(own.id)
      expect(ids).not.toContain(hidden.id)
    },
  },
  { claim: 'public artifacts, signed out', as: null, status: 200 },
  ...listRefusals('POST /artifacts/list'),
])

const pinned = async (world: World) => {
  const first = await show(world, 'owner', await givenArtifact(world, 'owner'), 'public')
  const second = await publishOver(world, 'owner', first.id)
  const body = { shared_version_id: first.version_id }
  const answer = await world.call('owner', `POST /artifacts/${first.id}`, { body })
  expect(answer.data.shared_version_id).toBe(first.version_id)
  return { first, second }
}

scenarios('artifacts.get', pinned, [
  {
    claim: 'a viewer sees only the shared version',
    as: 'stranger',
    path: ({ first }) => ({ id: first.id }),
    status: 200,
    check: async ({ data }, { first, second }, world) => {
      expect(data.version.id).toBe(first.version_id)
      expect(data.version_id).toBe(first.version_id)
      const ask = (path: string) => world.call('stranger', `GET /artifacts/${first.id}/${path}`)
      expect((await ask('versions')).data.items).toHaveLength(1)
      expect((await ask(`versions/${second.version_id}`)).status).toBe(404)
      expect((await ask(`versions/${second.version_id}/content`)).status).toBe(404)
      expect((await ask(`render?version=${second.version_id}`)).status).toBe(404)
    },
  },
  {
    claim: 'a writer sees the newest version, and the shared one when rendered',
    as: 'member',
    path: ({ first }) => ({ id: first.id }),
    status: 200,
    check: async ({ data }, { first, second }, world) => {
      expect(data.version.id).toBe(second.version_id)
      const byRef = await world.call('member', `GET /artifacts/mill/${first.name}`)
      expect(byRef.data.version.id).toBe(first.version_id)
      const content = await world.call('member', `GET /artifacts/${first.id}/content`)
      expect(content.data.version_id).toBe(first.version_id)
      const rendered = await world.call('member', `GET /artifacts/${first.id}/render`)
      expect(rendered.text).toBe('<p>one</p>')
      const headers = { authorization: `Bearer ${await world.token('member')}` }
      const inTeam = (team: string) => world.call(null, `GET /artifacts/${first.id}/render?team=${team}`, { headers })
      expect((await inTeam(data.team_id)).text).toBe('<p>one</p>')
      expect((await inTeam(world.otherTeam.id)).status).toBe(403)
    },
  },
])

const pinnedForTheTeam = async (world: World) => {
  const { first, second } = await pinned(world)
  await show(world, 'owner', first, 'team')
  return { first, second }
}

scenarios('artifacts.get', pinnedForTheTeam, [
  {
    claim: 'a key without write access counts as a viewer',
    as: 'key:artifacts:read',
    path: ({ first }) => ({ id: first.id }),
    status: 200,
    check: async ({ data }, { first, second }, world) => {
      expect(data.version.id).toBe(first.version_id)
      const ask = (path: string) => world.call('key:artifacts:read', `GET /artifacts/${first.id}/${path}`)
      expect((await ask('versions')).data.items).toHaveLength(1)
      expect((await ask(`versions/${second.version_id}`)).status).toBe(404)
      expect((await ask(`versions/${second.version_id}/content`)).status).toBe(404)
      expect((await ask(`render?version=${second.version_id}`)).status).toBe(404)
      const list = await world.call('key:artifacts:read', 'POST /artifacts/list', {
        body: { filters: [{ field: 'id', value: first.id }] },
      })
      expect(list.data.items[0].version_id).toBe(first.version_id)
    },
  },
  {
    claim: 'a key with write access sees the newest version',
    as: 'key:artifacts:read,artifacts:write',
    path: ({ first }) => ({ id: first.id }),
    status: 200,
    check: ({ data }, { second }) => expect(data.version.id).toBe(second.version_id),
  },
])

scenarios('artifacts.update', givenArtifacts, [
  {
    claim: 'texts',
    as: 'member',
    path: at('shared'),
    body: { title: 'New', images: { card: 'c' } },
    status: 200,
    audits: ['artifact.updated'],
    emits: ['team/artifacts'],
  },
  {
    claim: 'images are replaced as a set',
    as: 'owner',
    act: async (world, { own }) => {
      await world.call('owner', `POST /artifacts/${own.id}`, { body: { images: { card: 'c', banner: 'b' } } })
      return world.call('owner', `POST /artifacts/${own.id}`, { body: { images: { banner: 'new' } } })
    },
    status: 200,
    check: ({ data }) => expect(data.images).toEqual({ card: '', thumbnail: '', banner: 'new' }),
  },
  {
    claim: 'unpinned',
    as: 'owner',
    path: at('own'),
    body: { shared_version_id: '' },
    status: 200,
    audits: ['artifact.updated'],
    emits: ['team/artifacts'],
    check: ({ data }) => expect(data).not.toHaveProperty('shared_version_id'),
  },
  {
    claim: 'a version of another artifact',
    as: 'owner',
    path: at('own'),
    body: ({ shared }: Given) => ({ shared_version_id: shared.version_id }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a stale tag',
    as: 'owner',
    path: at('own'),
    headers: { 'if-match': '"x"' },
    body: { title: 'T' },
    status: 412,
    code: 'precondition_failed',
  },
  ...writeRefusals({ title: 'T' }),
])

scenarios('artifacts.publish_version', givenArtifacts, [
  {
    claim: 'a different type, which a version cannot change',
    as: 'owner',
    path: at('own'),
    body: { content: 'x', type: 'pdf', name: 'other' },
    status: 200,
    audits: ['artifact.published'],
    emits: ['team/artifacts'],
    check: ({ data }, { own }) => expect([data.type, data.name]).toEqual(['html', own.name]),
  },
  {
    claim: 'based on the newest version',
    as: 'owner',
    path: at('own'),
    body: ({ own }: Given) => ({ content: 'two', base_version_id: own.version_id, title: 'Two' }),
    status: 200,
    audits: ['artifact.published'],
    emits: ['team/artifacts'],
    check: ({ data }) => expect(data).toMatchObject({ title: 'Two', version: { number: 2 } }),
  },
  {
    claim: 'too large',
    as: 'owner',
    path: at('own'),
    body: { content: 'x'.repeat(2 * 1024 * 1024 + 1) },
    status: 413,
    code: 'payload_too_large',
  },
  ...[false, true].map((force) => ({
    claim: `based on an older version${force ? ', with force' : ''}`,
    as: 'owner' as const,
    act: async (world: World, { own }: Given) => {
      await publishOver(world, 'owner', own.id)
      const body = { content: 'three', base_version_id: own.version_id, force }
      return world.call('owner', `POST /artifacts/${own.id}/versions`, { body })
    },
    ...(force ? { status: 200 } : { status: 409, code: 'version_conflict' }),
  })),
  {
    claim: 'of ten concurrent versions with the same base, one is published',
    as: 'owner',
    act: async (world, { own }) => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          world.call('owner', `POST /artifacts/${own.id}/versions`, {
            body: { content: `${index}`, base_version_id: own.version_id },
          }),
        ),
      )
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
      return world.call('owner', `POST /artifacts/${own.id}/versions`, { body: { content: 'last' } })
    },
    status: 200,
    check: ({ data }) => expect(data.version.number).toBe(3),
  },
  {
    claim: 'a stale tag',
    as: 'owner',
    path: at('own'),
    headers: { 'if-match': '"x"' },
    body: { content: 'x' },
    status: 412,
    code: 'precondition_failed',
  },
  { claim: 'nothing', as: 'owner', path: at('own'), body: {}, status: 400, code: 'invalid_request' },
  { claim: 'a number', as: 'owner', path: at('own'), body: { content: 1 }, status: 400, code: 'validation_error' },
  ...writeRefusals({ content: 'x' }),
])

scenarios('artifacts.set_visibility', givenArtifacts, [
  {
    claim: 'its creator',
    as: 'owner',
    path: at('own'),
    body: { visibility: 'public' },
    status: 200,
    audits: ['artifact.visibility_changed'],
    emits: ['team/artifacts'],
  },
  {
    claim: 'somebody else',
    as: 'member',
    path: at('shared'),
    body: { visibility: 'public' },
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'a stale tag',
    as: 'owner',
    path: at('own'),
    headers: { 'if-match': '"x"' },
    body: { visibility: 'public' },
    status: 412,
    code: 'precondition_failed',
  },
  { claim: 'nonsense', as: 'owner', path: at('own'), body: { visibility: 'x' }, status: 400, code: 'validation_error' },
  ...writeRefusals({ visibility: 'private' }),
])

scenarios(
  'artifacts.transfer',
  async (world) => {
    const given = await givenArtifacts(world)
    await addMember(world.ctx(), world.otherTeam.id, world.people.owner.userId, 'member')
    return given
  },
  [
    {
      claim: 'to another workspace',
      as: 'owner',
      act: (world, { own }) =>
        world.call('owner', `POST /artifacts/${own.id}/transfer`, { body: { team_id: world.otherTeam.id } }),
      status: 200,
      check: ({ data }, { own }) => expect(data).toMatchObject({ id: own.id, namespace: 'other', name: own.name }),
    },
    {
      claim: 'the name is taken in the target workspace',
      as: 'owner',
      act: async (world, { own }) => {
        await givenArtifact(world, 'stranger', { name: own.name })
        return world.call('owner', `POST /artifacts/${own.id}/transfer`, { body: { team_id: world.otherTeam.id } })
      },
      status: 409,
      code: 'name_conflict',
    },
    {
      claim: 'by a member',
      as: 'member',
      path: at('shared'),
      body: { team_id: 'x' },
      status: 403,
      code: 'team_role_required',
    },
    {
      claim: 'a stale tag',
      as: 'owner',
      path: at('own'),
      headers: { 'if-match': '"x"' },
      body: { team_id: 'x' },
      status: 412,
      code: 'precondition_failed',
    },
    { claim: 'to nowhere', as: 'owner', path: at('own'), body: {}, status: 400, code: 'invalid_request' },
    ...writeRefusals({ team_id: 'x' }),
  ],
)

scenarios('artifacts.delete', givenArtifacts, [
  {
    claim: 'deleted: the name is free at once, the versions are purged a month later',
    as: 'owner',
    path: at('own'),
    status: 200,
    audits: ['artifact.deleted'],
    emits: ['team/artifacts'],
    check: async (_answer, { own }, world) => {
      expect((await givenArtifact(world, 'owner', { name: own.name })).id).not.toBe(own.id)
      const { platform } = world.open
      const later = new Date(world.clock.now().getTime() + 31 * 86_400_000)
      await sweepArtifacts({ ...platform, now: () => later })
      const left = await platform.db
        .selectFrom('artifact_versions')
        .select('id')
        .where('artifact_id', '=', own.id)
        .execute()
      expect(left).toEqual([])
    },
  },
  {
    claim: 'a stale tag',
    as: 'owner',
    path: at('own'),
    headers: { 'if-match': '"x"' },
    status: 412,
    code: 'precondition_failed',
  },
  ...writeRefusals(),
])

scenarios('apps.set_visibility', async (world) => ({ artifact: await givenArtifact(world, 'owner') }), [
  {
    claim: 'an app is never more visible than the artifact that shows its results',
    as: 'owner',
    act: async (world, { artifact }) => {
      const metadata = { ui: { artifact: `mill/${artifact.name}` } }
      const app = await deploy(world, 'owner', { version: { metadata } })
      await expect(showApp(world, 'owner', app, 'public')).rejects.toThrow(/artifact/)
      await show(world, 'owner', artifact, 'public')
      return world.call('owner', `POST /apps/${app.id}/visibility`, { body: { visibility: 'public' } })
    },
    status: 200,
  },
])
