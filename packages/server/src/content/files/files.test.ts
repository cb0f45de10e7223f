// Guarantees: files can be created with permission and room to store, are visible as their visibility says, and are
// gone for good once deleted.
import type { File } from '@millrace/contract/files'
import { expect } from 'vitest'
import { setEntitlement } from '#accounts/plans/service.ts'
import { givenOrganization } from '#connections/secrets/testing/given.ts'
import { ownWorld, type Scenario, scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { announce, fetchMedia, ownerCtx, put, show, stored } from './testing/given.ts'

const nothing = () => null
const one = { files: [{ uri: '' }] }
const entry = (more: object) => ({ files: [{ uri: '', ...more }] })

scenarios('files.create', nothing, [
  {
    claim: 'answers an array of records, each with an upload URL',
    as: 'owner',
    body: { files: [{ uri: '', filename: 'a.png', content_type: 'image/png', size: 7, path: 'art/a.png' }] },
    status: 200,
    check: ({ data, json }, _given, world) => {
      const [file] = data as File[]
      const base = world.open.platform.settings.BASE_URL
      expect(json.messages).toEqual([])
      expect(file).toMatchObject({
        filename: 'a.png',
        content_type: 'image/png',
        size: 7,
        path: 'art/a.png',
        category: 'files',
        rating: 'unrated',
        visibility: 'private',
        team_id: world.team.id,
        user_id: world.people.owner.userId,
        deleted_at: null,
      })
      expect(file?.uri).toMatch(new RegExp(`^${base}/media/${world.team.id.slice(0, 8)}/[0-9a-z]{24}\\.png$`))
      expect(file?.upload_url).toMatch(new RegExp(`^${base}/uploads/${file?.id}\\?exp=\\d+&sig=[\\w-]{43}$`))
      expect(file?.remote_path).toBe(file?.uri.slice(`${base}/media/`.length))
    },
  },
  {
    claim: 'in the order of the request',
    as: 'owner',
    body: { files: Array.from({ length: 100 }, (_, index) => ({ uri: '', filename: `${index}.txt` })) },
    status: 200,
    check: ({ data }) => {
      expect(data.map((file: File) => file.filename)).toEqual(Array.from({ length: 100 }, (_, index) => `${index}.txt`))
      expect(new Set(data.map((file: File) => file.uri)).size).toBe(100)
    },
  },
  {
    claim: 'every field except uri may be omitted or null',
    as: 'owner',
    body: { files: [{ uri: '', filename: null, content_type: null, size: null, path: null }], category: null },
    status: 200,
    check: ({ data }) =>
      expect(data[0]).toMatchObject({ filename: '', content_type: '', size: 0, path: '', category: 'files' }),
  },
  {
    claim: 'the category is stored',
    as: 'owner',
    body: { ...one, category: 'avatars' },
    status: 200,
    check: ({ data }) => expect(data[0].category).toBe('avatars'),
  },
  {
    claim: 'a name given as a path is reduced to its last segment, an invalid type is dropped',
    as: 'owner',
    body: entry({ filename: '../../etc/pass\u202ewd.TXT', content_type: 'not a type' }),
    status: 200,
    check: ({ data }) => {
      expect(data[0]).toMatchObject({ filename: 'passwd.TXT', content_type: '' })
      expect(data[0].uri).toMatch(/\.txt$/)
    },
  },
  {
    claim: 'without a name, the last segment of the path is used',
    as: 'owner',
    body: entry({ path: 'reports/2026/March.pdf' }),
    status: 200,
    check: ({ data }) => expect(data[0]).toMatchObject({ filename: 'March.pdf', path: 'reports/2026/March.pdf' }),
  },
  {
    claim: 'a file of a workspace key belongs to the workspace',
    as: 'workspace-key:files:write',
    body: one,
    status: 200,
    check: ({ data }) => expect(data[0].visibility).toBe('team'),
  },
  {
    claim: 'an engine stores outputs with its registration key',
    as: 'key:engines:read,engines:write,apps:execute',
    body: { ...one, category: 'outputs' },
    status: 200,
  },
  {
    claim: 'an engine stores no other category',
    as: 'key:engines:read,engines:write,apps:execute',
    body: { ...one, category: 'apps' },
    status: 403,
    code: 'insufficient_scope',
  },
  { claim: 'uri is required', as: 'owner', body: { files: [{}] }, status: 400, code: 'validation_error' },
  { claim: 'files is required', as: 'owner', body: {}, status: 400, code: 'validation_error' },
  { claim: 'at least one file', as: 'owner', body: { files: [] }, status: 400, code: 'validation_error' },
  {
    claim: 'at most 100 files',
    as: 'owner',
    body: { files: Array.from({ length: 101 }, () => ({ uri: '' })) },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'at most 5 GiB',
    as: 'owner',
    body: entry({ size: 5 * 1024 ** 3 + 1 }),
    status: 400,
    code: 'validation_error',
  },
  { claim: 'no negative size', as: 'owner', body: entry({ size: -1 }), status: 400, code: 'validation_error' },
  {
    claim: 'a known category',
    as: 'owner',
    body: { ...one, category: 'trash' },
    status: 400,
    code: 'validation_error',
  },
  ...['/etc/passwd', '../up', 'a/../../b', 'a//b', 'C:/x', 'a\\b', '．．/x', 'a/\u0007'].map((path) => ({
    claim: `a path cannot leave its folder: ${JSON.stringify(path)}`,
    as: 'owner' as const,
    body: entry({ path }),
    status: 400,
    code: 'validation_error',
  })),
  { claim: 'a key without the scope', as: 'key:files:read', body: one, status: 403, code: 'insufficient_scope' },
  { claim: 'not in another workspace', as: 'member', team: 'other', body: one, status: 403, code: 'forbidden' },
])

const withLimit = (limit: number | null) => async (world: World) => {
  await setEntitlement(ownerCtx(world), world.team.id, 'storage_mb', limit)
}

scenarios(
  'files.create',
  withLimit(1),
  [
    { claim: 'within the plan’s storage', as: 'owner', body: entry({ size: 400_000 }), status: 200 },
    {
      claim: 'announced bytes count before the upload',
      as: 'owner',
      body: {
        files: [
          { uri: '', size: 300_000 },
          { uri: '', size: 400_000 },
        ],
      },
      status: 402,
      code: 'limit_exceeded',
      check: ({ json }) => expect(json.meta).toMatchObject({ resource: 'storage_mb', limit: 1, current: 0.4 }),
    },
    { claim: 'up to the limit', as: 'owner', body: entry({ size: 600_000 }), status: 200 },
    { claim: 'one byte above the limit', as: 'owner', body: entry({ size: 1 }), status: 402, code: 'limit_exceeded' },
  ],
  ownWorld,
)

scenarios(
  'files.create',
  withLimit(0),
  [{ claim: 'a plan without storage', as: 'owner', body: one, status: 403, code: 'feature_not_available' }],
  ownWorld,
)

const engineUpload = { as: 'key:engines:write' as const, body: { ...one, category: 'outputs' }, status: 200 }
scenarios(
  'files.create',
  nothing,
  [
    {
      claim: 'requests are rate-limited',
      as: 'owner',
      body: one,
      status: 200,
      check: ({ headers }) => expect(headers['x-ratelimit-remaining']).toBe('1'),
    },
    { claim: 'per workspace, for all of its callers', as: 'member', body: one, status: 200 },
    {
      claim: 'refused above the limit',
      as: 'owner',
      body: one,
      status: 429,
      code: 'rate_limited',
      check: ({ headers }) => expect(Number(headers['retry-after'])).toBeGreaterThan(0),
    },
    { claim: 'uploads of an engine are not limited', ...engineUpload },
    {
      claim: 'a full-access key does not count as an engine',
      as: 'key:',
      body: { ...one, category: 'outputs' },
      status: 429,
      code: 'rate_limited',
    },
  ],
  { settings: { RATE_LIMIT_UPLOAD: '2' } },
)

type Given = { own: File; hidden: File; shared: File; open: File; foreign: File }

const givenFiles = async (world: World): Promise<Given> => ({
  own: await stored(world, 'owner', 'own'),
  hidden: await stored(world, 'member', 'hidden'),
  shared: await show(world, 'member', await stored(world, 'member', 'shared'), 'team'),
  open: await show(world, 'stranger', await stored(world, 'stranger', 'open'), 'public'),
  foreign: await stored(world, 'stranger', 'foreign'),
})

const idOf = (name: keyof Given) => (given: Given) => ({ id: given[name].id })

scenarios('files.get', givenFiles, [
  {
    claim: 'after the upload: the stored values, without the upload URL',
    as: 'owner',
    path: idOf('own'),
    status: 200,
    check: ({ data }, { own }) => {
      expect(data).toMatchObject({ id: own.id, uri: own.uri, size: 3, content_type: 'text/plain', upload_url: '' })
    },
  },
  { claim: 'by its short id', as: 'owner', path: ({ own }) => ({ id: own.short_id }), status: 200 },
  { claim: 'with a key', as: 'key:files:read', path: idOf('own'), status: 200 },
  { claim: 'shared with the workspace', as: 'owner', path: idOf('shared'), status: 200 },
  { claim: 'public, signed out', as: null, path: idOf('open'), status: 200 },
  { claim: 'public, without the scope', as: 'key:apps:read', path: idOf('open'), status: 200 },
  {
    claim: 'private, without the scope: not found',
    as: 'key:apps:read',
    path: idOf('own'),
    status: 404,
    code: 'not_found',
  },
  { claim: 'private, signed out: not found', as: null, path: idOf('own'), status: 404, code: 'not_found' },
  {
    claim: 'private, from another workspace: not found',
    as: 'stranger',
    path: idOf('own'),
    status: 404,
    code: 'not_found',
  },
  { claim: 'private, of another member: not found', as: 'member', path: idOf('own'), status: 404, code: 'not_found' },
  {
    claim: 'private, by an admin: found and audited',
    as: 'admin',
    path: idOf('hidden'),
    status: 200,
    audits: ['team_admin.permission_bypass'],
  },
  { claim: 'an unknown id', as: 'owner', path: { id: 'nowhere' }, status: 404, code: 'not_found' },
])

scenarios('files.get', (world) => announce(world, 'member'), [
  {
    claim: 'the creator gets the upload URL before the upload',
    as: 'member',
    path: ({ id }) => ({ id }),
    status: 200,
    check: ({ data }, made) => expect(data.upload_url).toBe(made.upload_url),
  },
  {
    claim: 'other readers do not get the upload URL',
    as: 'admin',
    path: ({ id }) => ({ id }),
    status: 200,
    audits: ['team_admin.permission_bypass'],
    check: ({ data }) => expect(data.upload_url).toBe(''),
  },
  {
    claim: 'after its expiry, the creator does not get the upload URL either',
    as: 'member',
    path: ({ id }) => ({ id }),
    status: 200,
    check: async (_answer, made, world) => {
      world.clock.advance(3600_000)
      expect((await world.call('member', `GET /files/${made.id}`)).data.upload_url).toBe('')
    },
  },
])

const namesOf = ({ data }: { data: { items: File[] } }) => data.items.map((file) => file.filename)

const givenPictures = async (world: World) => {
  await world.open.platform.db.deleteFrom('files').execute()
  const types = ['image/png', 'image/jpeg', 'text/plain']
  for (let index = 0; index < 12; index += 1) {
    world.clock.advance(1000)
    const name = `${String(index).padStart(2, '0')}.${index === 4 ? 'Report' : 'file'}`
    await announce(world, 'owner', { filename: name, content_type: types[index % 3], size: index })
  }
  const foreign = await announce(world, 'stranger', { filename: 'public.png' })
  await show(world, 'stranger', foreign, 'public')
  await announce(world, 'member', { filename: 'hidden.png' })
}

const filtered = (...filters: object[]) => ({ filters, limit: -1 })

const listCases: Scenario<void>[] = [
  {
    claim: 'ten by default, newest first, only of the workspace',
    as: 'owner',
    body: {},
    status: 200,
    check: ({ data }) => {
      expect(data).toMatchObject({ items_per_page: 10, total_items: 12, has_next: true, has_previous: false })
      expect(namesOf({ data })).toEqual(
        ['11', '10', '09', '08', '07', '06', '05'].map((n) => `${n}.file`).concat('04.Report', '03.file', '02.file'),
      )
    },
  },
  {
    claim: 'next and prev page through the list',
    as: 'owner',
    body: { limit: 7 },
    status: 200,
    check: async ({ data }, _given, world) => {
      const next = (
        await world.call('owner', 'POST /files/list', {
          body: { limit: 7, cursor: data.next_cursor, direction: 'next' },
        })
      ).data
      expect(namesOf({ data: next })).toEqual(['04.Report', '03.file', '02.file', '01.file', '00.file'])
      const back = (
        await world.call('owner', 'POST /files/list', {
          body: { limit: 7, cursor: next.prev_cursor, direction: 'prev' },
        })
      ).data
      expect(namesOf({ data: back })).toEqual(namesOf({ data }))
    },
  },
  {
    claim: 'by type, with like',
    as: 'owner',
    body: filtered({ field: 'content_type', operator: 'like', value: 'image/%' }),
    status: 200,
    check: ({ data }) => {
      expect(data.items).toHaveLength(8)
      expect(data.items.every((file: File) => file.content_type.startsWith('image/'))).toBe(true)
    },
  },
  {
    claim: 'by size and category',
    as: 'owner',
    body: filtered(
      { field: 'size', operator: 'gte', value: 10 },
      { field: 'category', operator: 'eq', value: 'files' },
    ),
    status: 200,
    check: (answer) => expect(namesOf(answer)).toEqual(['11.file', '10.file']),
  },
  {
    claim: 'search matches a part of the name, ignoring case',
    as: 'owner',
    body: { search: { term: 'rEPOrt', fields: ['filename'] } },
    status: 200,
    check: (answer) => expect(namesOf(answer)).toEqual(['04.Report']),
  },
  {
    claim: 'the GET variant reads the same query',
    as: 'owner',
    route: 'GET /files',
    query: { limit: '2', filters: JSON.stringify([{ field: 'content_type', operator: 'like', value: 'text/%' }]) },
    status: 200,
    check: (answer) => expect(namesOf(answer)).toEqual(['11.file', '08.file']),
  },
  {
    claim: 'sorted and projected',
    as: 'owner',
    body: { sort: [{ field: 'size', dir: 'asc' }], fields: ['size'], limit: 1 },
    status: 200,
    check: ({ data }) => expect(data.items).toEqual([{ id: expect.any(String), size: 0 }]),
  },
  {
    claim: 'owners are embedded on request',
    as: 'owner',
    body: { limit: 1, preloads: ['user', 'team'] },
    status: 200,
    check: ({ data }, _given, world) => {
      expect(data.items[0].user.id).toBe(world.people.owner.userId)
      expect(data.items[0].team.username).toBe('mill')
    },
  },
  {
    claim: 'public files of others on request',
    as: 'owner',
    body: { include_others: true, limit: -1 },
    status: 200,
    check: (answer) => expect(namesOf(answer)).toContain('public.png'),
  },
  {
    claim: 'private files of members for an admin on request, audited',
    as: 'admin',
    body: { include_private: true, limit: -1 },
    status: 200,
    audits: ['team_admin.list_private'],
    check: (answer) => expect(namesOf(answer)).toHaveLength(13),
  },
  {
    claim: 'the request for private files is ignored for a member',
    as: 'member',
    body: { include_private: true, limit: -1 },
    status: 200,
    check: (answer) => expect(namesOf(answer)).toEqual(['hidden.png']),
  },
  {
    claim: 'signed out: public rows only',
    as: null,
    body: {},
    status: 200,
    check: (answer) => expect(namesOf(answer)).toEqual(['public.png']),
  },
  {
    claim: 'without the scope: the same',
    as: 'key:apps:read',
    body: {},
    status: 200,
    check: (answer) => expect(namesOf(answer)).toEqual(['public.png']),
  },
  {
    claim: 'an unknown column is refused and named',
    as: 'owner',
    body: filtered({ field: 'blob_key', operator: 'eq', value: 'x' }),
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a broken cursor', as: 'owner', body: { cursor: 'xxx' }, status: 400, code: 'invalid_request' },
]
scenarios(
  'files.list',
  givenPictures,
  listCases.map((one) => ({ route: 'POST /files/list', ...one })),
)

scenarios('files.delete', givenFiles, [
  {
    claim: 'deletes the record, the address and the upload URL',
    as: 'owner',
    path: idOf('own'),
    status: 200,
    audits: ['file.deleted'],
    check: async ({ data }, { own }, world) => {
      expect(data).toEqual({ success: true })
      expect((await world.call('owner', `GET /files/${own.id}`)).code).toBe('not_found')
      expect((await fetchMedia(world, own.uri)).code).toBe('not_found')
      expect((await put(world, own.upload_url, 'again')).code).toBe('forbidden')
    },
  },
  { claim: 'a file of the workspace', as: 'owner', path: idOf('shared'), status: 200, audits: ['file.deleted'] },
  {
    claim: 'an admin deletes a member’s file, audited',
    as: 'admin',
    path: idOf('hidden'),
    status: 200,
    audits: ['team_admin.permission_bypass', 'file.deleted'],
  },
  { claim: 'with a key', as: 'key:files:write', path: idOf('own'), status: 200, audits: ['file.deleted'] },
  { claim: 'another member', as: 'member', path: idOf('own'), status: 404, code: 'not_found' },
  { claim: 'another workspace', as: 'stranger', path: idOf('own'), status: 404, code: 'not_found' },
  {
    claim: 'a public file of another workspace is read-only',
    as: 'owner',
    path: idOf('open'),
    status: 403,
    code: 'forbidden',
  },
])

scenarios('files.set_visibility', givenFiles, [
  {
    claim: 'the owner makes a file public',
    as: 'owner',
    path: idOf('own'),
    body: { visibility: 'public' },
    status: 200,
    audits: ['file.visibility_changed'],
    check: async ({ data }, { own }, world) => {
      expect(data.visibility).toBe('public')
      expect((await world.call(null, `GET /files/${own.id}`)).status).toBe(200)
    },
  },
  {
    claim: 'the organization’s admin changes it from another workspace: audited in the workspace that owns the file',
    as: 'owner',
    path: idOf('own'),
    body: { visibility: 'team' },
    status: 200,
    audits: ['file.visibility_changed'],
    check: async (_answer, _given, world) => {
      const { orgTeamId, memberTeamId } = await givenOrganization(world)
      const body = { files: [{ uri: '', filename: 'plan.txt' }] }
      const [file] = (await world.call('owner', 'POST /files', { body, team: memberTeamId })).data
      const show = { body: { visibility: 'team' }, team: orgTeamId }
      expect((await world.call('admin', `POST /files/${file.id}/visibility`, show)).status).toBe(200)
      const { data } = await world.call('owner', 'GET /audit-log', { team: memberTeamId })
      const rows = data.items.map(({ action, resource_id }: Record<string, string>) => [action, resource_id])
      expect(rows).toContainEqual(['file.visibility_changed', file.id])
    },
  },
  {
    claim: 'a member does not make another member’s file public',
    as: 'workspace-key:files:write',
    path: idOf('shared'),
    body: { visibility: 'public' },
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'an unknown visibility',
    as: 'owner',
    path: idOf('own'),
    body: { visibility: 'secret' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'another workspace',
    as: 'stranger',
    path: idOf('own'),
    body: { visibility: 'team' },
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'a public file of another workspace is read-only',
    as: 'owner',
    path: idOf('open'),
    body: { visibility: 'private' },
    status: 403,
    code: 'forbidden',
  },
])
