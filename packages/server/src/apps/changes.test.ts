// Guards: who may change an app, what of it, and that a change leaves the rest alone.
import type { App } from '@millrace/contract/apps'
import { newId } from '@millrace/contract/ids'
import { expect } from 'vitest'
import { addMember } from '../identity/service.ts'
import { type Scenario, scenarios } from '../testing/scenarios.ts'
import type { World } from '../testing/world.ts'
import { deploy, echoVersion, freshName, type GivenApps, givenApps, limitPrivateApps, show } from './testing/given.ts'

/** The refusals that every change of an app shares. */
const refusals = <G extends GivenApps>(body: unknown, rest: Record<string, string> = {}): Scenario<G>[] => [
  {
    claim: 'no credential',
    as: null,
    path: ({ shared }) => ({ id: shared.id, ...rest }),
    body,
    status: 401,
    code: 'unauthorized',
  },
  {
    claim: 'a key without the scope',
    as: 'key:apps:read,apps:execute',
    path: ({ shared }) => ({ id: shared.id, ...rest }),
    body,
    status: 403,
    code: 'insufficient_scope',
  },
  { claim: 'not there', as: 'owner', path: { id: newId(), ...rest }, body, status: 404, code: 'not_found' },
  {
    claim: 'another workspace',
    as: 'stranger',
    path: ({ shared }) => ({ id: shared.id, ...rest }),
    body,
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'private to another workspace',
    as: 'owner',
    path: ({ secret }) => ({ id: secret.id, ...rest }),
    body,
    status: 404,
    code: 'not_found',
  },
]

const readOnly = <G extends GivenApps>(body: unknown, rest: Record<string, string> = {}): Scenario<G> => ({
  claim: 'readable, not writable',
  as: 'owner',
  path: ({ foreign }) => ({ id: foreign.id, ...rest }),
  body,
  status: 403,
  code: 'forbidden',
})

const tagged = async (world: World): Promise<GivenApps> => {
  const apps = await givenApps(world)
  const body = { title: 'Old', description: 'Before', agent_description: 'For agents', category: 'text', tags: ['one'] }
  const { data } = await world.call('owner', `PATCH /apps/${apps.shared.id}`, { body })
  return { ...apps, shared: data }
}

const untouched = ({ data }: { data: App }, { shared }: GivenApps) =>
  expect(data).toMatchObject({ version_id: shared.version_id, status: 'active', visibility: 'team', name: shared.name })

const notices = (answer: { json: Record<string, unknown> }) =>
  answer.json.messages as { code: string; meta: { field: string } }[]

scenarios<GivenApps>('apps.patch', tagged, [
  {
    claim: 'changes what it names',
    as: 'member',
    path: ({ shared }) => ({ id: shared.id }),
    body: { title: 'New' },
    status: 200,
    audits: ['app.updated'],
    check: ({ data }) =>
      expect(data).toMatchObject({ title: 'New', description: 'Before', category: 'text', tags: ['one'] }),
  },
  {
    claim: 'tags are replaced; none are omitted',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { tags: [], images: { card: 'https://example.com/a.png' } },
    status: 200,
    check: ({ data }) => {
      expect(data).not.toHaveProperty('tags')
      expect(data.images).toEqual({ card: 'https://example.com/a.png', thumbnail: '', banner: '' })
    },
  },
  {
    claim: 'fields with routes of their own are ignored, and said so',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { title: 'New', status: 'retired', visibility: 'public', version_id: 'x', id: 'x', team_id: 'x' },
    status: 200,
    check: (answer, given) => {
      untouched(answer, given)
      expect(notices(answer).map(({ code, meta }) => [code, meta.field])).toEqual([
        ['ignored_field', 'status'],
        ['ignored_field', 'visibility'],
        ['ignored_field', 'version_id'],
      ])
    },
  },
  {
    claim: "an admin changes a member's private app, audited",
    as: 'admin',
    path: ({ hidden }) => ({ id: hidden.id }),
    body: { title: 'New' },
    status: 200,
    audits: ['team_admin.permission_bypass', 'app.updated'],
  },
  {
    claim: 'an empty body',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: {},
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'only nulls',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { title: null },
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'only keys that the server manages',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { id: 'x', short_id: 'x', user_id: 'x', team_id: 'x', created_at: 'x', deleted_at: 'x' },
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'only fields with routes of their own',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { status: 'retired' },
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'an unknown key',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { title: 'New', colour: 'red' },
    status: 400,
    code: 'validation_error',
    check: ({ json }) => expect(json.detail).toContain('colour'),
  },
  {
    claim: 'the name',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { name: 'x' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a bad tag',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { tags: ['a b'] },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a long description',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { description: 'x'.repeat(250) },
    status: 400,
    code: 'validation_error',
    check: ({ json }) => expect(json.detail).toBe('description must be at most 200 characters, got 250'),
  },
  {
    claim: 'a long description that was stored before is not checked again',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { title: 'New' },
    status: 200,
    check: async (_answer, { shared }, world) => {
      const long = 'x'.repeat(250)
      await world.open.platform.db.updateTable('apps').set({ description: long }).where('id', '=', shared.id).execute()
      const again = (method: string) =>
        world.call('owner', `${method} /apps/${shared.id}`, { body: { description: long, title: 'B' } })
      expect((await again('PATCH')).status).toBe(200)
      expect((await again('POST')).status).toBe(200)
      expect((await world.call('owner', `PATCH /apps/${shared.id}`, { body: { description: `${long}!` } })).code).toBe(
        'validation_error',
      )
    },
  },
  readOnly({ title: 'New' }),
  ...refusals({ title: 'New' }),
])

scenarios<GivenApps>('apps.replace', tagged, [
  {
    claim: 'empties what it leaves out, except tags',
    as: 'member',
    path: ({ shared }) => ({ id: shared.id }),
    body: { title: 'New' },
    status: 200,
    audits: ['app.updated'],
    check: (answer, given) => {
      untouched(answer, given)
      expect(answer.data).toMatchObject({
        title: 'New',
        description: '',
        agent_description: '',
        category: 'other',
        tags: ['one'],
      })
    },
  },
  {
    claim: 'an empty list clears the tags',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { tags: [] },
    status: 200,
    check: ({ data }) => expect(data).not.toHaveProperty('tags'),
  },
  {
    claim: 'a whole app sent back changes nothing but what can be changed',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: ({ shared }: GivenApps) => ({ ...shared, description: 'After', status: 'retired' }),
    status: 200,
    check: (answer, given) => {
      untouched(answer, given)
      expect(answer.data).toMatchObject({ title: 'Old', description: 'After', category: 'text', tags: ['one'] })
      expect(notices(answer).map((notice) => notice.meta.field)).toContain('status')
    },
  },
  {
    claim: 'an empty body',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: {},
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'only protected keys',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { id: 'x', visibility: 'public' },
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'a bad category',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { category: 'x' },
    status: 400,
    code: 'validation_error',
  },
  readOnly({ title: 'New' }),
  ...refusals({ title: 'New' }),
])

type Staged = GivenApps & { first: string; second: string }

scenarios<Staged>(
  'apps.promote',
  async (world) => {
    const apps = await givenApps(world)
    const { name, version_id: first } = apps.shared
    const staged = await deploy(world, 'owner', { name, preserve_current_version: true })
    return { ...apps, first, second: staged.version?.id ?? '' }
  },
  [
    {
      claim: 'a held back version becomes active; again changes nothing',
      as: 'member',
      path: ({ shared, second }) => ({ id: shared.id, versionId: second }),
      status: 200,
      audits: ['app.version_promoted'],
      check: async ({ data }, { shared, second }, world) => {
        expect(data).toMatchObject({ version_id: second, version: { id: second } })
        const before = (await world.audits()).length
        world.clock.advance(1000)
        const again = await world.call('member', `PUT /apps/${shared.id}/versions/${second}/current`)
        expect(again.data).toEqual(data)
        expect((await world.audits()).length).toBe(before)
      },
    },
    {
      claim: 'and back, by short id',
      as: 'owner',
      path: ({ shared, first }) => ({ id: shared.id, versionId: first.slice(0, 8) }),
      status: 200,
      check: ({ data }, { first }) => expect(data.version_id).toBe(first),
    },
    {
      claim: 'a version of another app',
      as: 'owner',
      path: ({ shared, foreign }) => ({ id: shared.id, versionId: foreign.version_id }),
      status: 404,
      code: 'not_found',
    },
    readOnly(undefined, { versionId: newId() }),
    ...refusals<Staged>(undefined, { versionId: newId() }),
  ],
)

scenarios<GivenApps>('apps.set_status', givenApps, [
  {
    claim: 'with a message and the time of the change',
    as: 'member',
    path: ({ shared }) => ({ id: shared.id }),
    body: { status: 'maintenance', message: 'Back at nine' },
    status: 200,
    audits: ['app.status_changed'],
    check: async ({ data }, { shared }, world) => {
      expect(data).toMatchObject({ status: 'maintenance', status_message: 'Back at nine' })
      expect(Date.parse(data.status_changed_at)).toBe(world.clock.now().getTime())
      world.clock.advance(5000)
      const same = await world.call('member', `POST /apps/${shared.id}/status`, { body: { status: 'maintenance' } })
      expect(same.data.status_changed_at).toBe(data.status_changed_at)
      expect(same.data).not.toHaveProperty('status_message')
    },
  },
  {
    claim: 'any status may follow any other',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { status: 'retired' },
    status: 200,
    check: async (_answer, { shared }, world) => {
      for (const status of ['active', 'deprecated', 'retired', 'maintenance', 'active'])
        expect((await world.call('owner', `POST /apps/${shared.id}/status`, { body: { status } })).data.status).toBe(
          status,
        )
    },
  },
  {
    claim: 'an unknown status',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { status: 'asleep' },
    status: 400,
    code: 'validation_error',
  },
  readOnly({ status: 'retired' }),
  ...refusals({ status: 'retired' }),
])

scenarios<GivenApps>('apps.set_visibility', givenApps, [
  {
    claim: 'its owner shows it to everyone',
    as: 'member',
    path: ({ hidden }) => ({ id: hidden.id }),
    body: { visibility: 'public' },
    status: 200,
    audits: ['app.visibility_changed'],
    check: async ({ data }, _given, world) => {
      expect(data.visibility).toBe('public')
      expect((await world.call(null, `GET /apps/${data.id}`)).status).toBe(200)
    },
  },
  {
    claim: 'an admin shows it to everyone',
    as: 'admin',
    path: ({ shared }) => ({ id: shared.id }),
    body: { visibility: 'public' },
    status: 200,
  },
  {
    claim: 'a member hides what another made',
    as: 'member',
    path: ({ shared }) => ({ id: shared.id }),
    body: { visibility: 'private' },
    status: 200,
  },
  {
    claim: 'a member does not show to everyone what another made',
    as: 'member',
    path: ({ shared }) => ({ id: shared.id }),
    body: { visibility: 'public' },
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'unlisted is not for apps',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { visibility: 'unlisted' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a missing value',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: {},
    status: 400,
    code: 'validation_error',
  },
  readOnly({ visibility: 'private' }),
  ...refusals({ visibility: 'private' }),
])

const openAndLimited = (limit: number) => async (world: World) => {
  const apps = await givenApps(world)
  const open = await show(world, 'owner', apps.shared, 'public')
  await limitPrivateApps(world, world.team.id, limit)
  return { open }
}

scenarios('apps.set_visibility', openAndLimited(1), [
  {
    claim: 'the plan allows no further private app',
    as: 'owner',
    path: ({ open }) => ({ id: open.id }),
    body: { visibility: 'team' },
    status: 402,
    code: 'limit_exceeded',
    check: ({ json }) => expect(json.meta).toMatchObject({ resource: 'private_apps', limit: 1, current: 1 }),
  },
])

scenarios('apps.set_visibility', openAndLimited(0), [
  {
    claim: 'the plan has no private apps',
    as: 'owner',
    path: ({ open }) => ({ id: open.id }),
    body: { visibility: 'private' },
    status: 403,
    code: 'feature_not_available',
  },
])

type Movable = GivenApps & { taken: App; teams: { target: string; other: string } }

const movable = async (world: World): Promise<Movable> => {
  await addMember(world.ctx(), world.otherTeam.id, world.people.owner.userId, 'member')
  await addMember(world.ctx(), world.otherTeam.id, world.people.member.userId, 'member')
  const apps = await givenApps(world)
  const taken = await deploy(world, 'owner', { name: apps.foreign.name })
  return { ...apps, taken, teams: { target: world.otherTeam.id, other: world.people.admin.personalTeamId } }
}

scenarios<Movable>('apps.transfer', movable, [
  {
    claim: 'id, name and versions stay; the namespace follows',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: ({ teams }: Movable) => ({ team_id: teams.target }),
    status: 200,
    audits: ['app.transferred'],
    check: async ({ data }, { shared }, world) => {
      expect(data).toMatchObject({
        id: shared.id,
        namespace: 'other',
        name: shared.name,
        team_id: world.otherTeam.id,
        user_id: world.people.owner.userId,
        version_id: shared.version_id,
      })
      expect((await world.call('stranger', `GET /apps/other/${shared.name}`)).status).toBe(200)
      expect((await world.call('owner', `GET /apps/mill/${shared.name}`)).status).toBe(404)
    },
  },
  {
    claim: 'whoever moves it becomes its owner where the creator is no member',
    as: 'admin',
    path: ({ shared }) => ({ id: shared.id }),
    body: ({ teams }: Movable) => ({ team_id: teams.other }),
    status: 200,
    check: ({ data }, _given, world) => expect(data.user_id).toBe(world.people.admin.userId),
  },
  {
    claim: 'to where it is: nothing happens',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: ({ shared }: Movable) => ({ team_id: shared.team_id }),
    status: 200,
    check: ({ data }, { shared }) => expect(data).toEqual(shared),
  },
  {
    claim: 'the ref is taken there',
    as: 'owner',
    path: ({ taken }) => ({ id: taken.id }),
    body: ({ teams }: Movable) => ({ team_id: teams.target }),
    status: 409,
    code: 'name_conflict',
  },
  {
    claim: 'a plain member of both',
    as: 'member',
    path: ({ shared }) => ({ id: shared.id }),
    body: ({ teams }: Movable) => ({ team_id: teams.target }),
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'no member of the other workspace',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: ({ teams }: Movable) => ({ team_id: teams.other }),
    status: 403,
    code: 'forbidden',
  },
  {
    claim: 'to nowhere',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: { team_id: newId() },
    status: 403,
    code: 'forbidden',
  },
  {
    claim: 'a missing team',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: {},
    status: 400,
    code: 'validation_error',
  },
  ...refusals<Movable>({ team_id: newId() }),
])

const movableAndLimited = (limit: number) => async (world: World) => {
  const given = await movable(world)
  await limitPrivateApps(world, world.otherTeam.id, limit)
  return given
}

scenarios('apps.transfer', movableAndLimited(1), [
  {
    claim: "the other workspace's plan is full",
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: ({ teams }: Movable) => ({ team_id: teams.target }),
    status: 402,
    code: 'limit_exceeded',
  },
])

scenarios('apps.transfer', movableAndLimited(0), [
  {
    claim: "the other workspace's plan has no private apps",
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: ({ teams }: Movable) => ({ team_id: teams.target }),
    status: 403,
    code: 'feature_not_available',
  },
])

scenarios<GivenApps>('apps.duplicate', tagged, [
  {
    claim: 'a private copy with a copy of the active version',
    as: 'member',
    path: ({ shared }) => ({ id: shared.id }),
    status: 200,
    audits: ['app.duplicated'],
    check: async ({ data }, { shared }, world) => {
      expect(data).toMatchObject({
        namespace: 'mill',
        name: `${shared.name}-copy`,
        visibility: 'private',
        user_id: world.people.member.userId,
        title: 'Old',
        description: 'Before',
        tags: ['one'],
        version: { functions: shared.version?.functions, repository: shared.version?.repository },
      })
      expect(data.id).not.toBe(shared.id)
      expect(data.version_id).not.toBe(shared.version_id)
      const again = await world.call('member', `POST /apps/${shared.id}/duplicate`)
      expect(again.data.name).toBe(`${shared.name}-copy-2`)
    },
  },
  {
    claim: "another workspace's public app into the own workspace",
    as: 'owner',
    path: ({ foreign }) => ({ id: foreign.id }),
    status: 200,
    check: ({ data }, { foreign }) => expect(data).toMatchObject({ namespace: 'mill', name: `${foreign.name}-copy` }),
  },
  {
    claim: 'an app without a version',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    status: 200,
    check: async (_answer, _given, world) => {
      const bare = await deploy(world, 'owner', { version: undefined })
      expect(bare).toMatchObject({ version_id: '', version: null })
      expect((await world.call('owner', `POST /apps/${bare.id}/duplicate`)).data).toMatchObject({
        version_id: '',
        version: null,
      })
    },
  },
  ...refusals<GivenApps>(undefined),
])

scenarios(
  'apps.duplicate',
  async (world) => {
    const app = await deploy(world, 'owner', { name: freshName() })
    const copies = Array.from({ length: 100 }, (_, index) => `${app.name}-copy${index === 0 ? '' : `-${index + 1}`}`)
    await world.open.platform.db
      .insertInto('apps')
      .values(
        copies.map((name) => ({
          id: newId(),
          team_id: app.team_id,
          user_id: app.user_id,
          namespace: app.namespace,
          name,
        })),
      )
      .execute()
    return app
  },
  [
    {
      claim: 'no name is left for a copy',
      as: 'owner',
      path: ({ id }) => ({ id }),
      status: 409,
      code: 'name_conflict',
    },
  ],
)

const limitedCopies = (limit: number) => async (world: World) => {
  const app = await show(world, 'stranger', await deploy(world, 'stranger'), 'public')
  await limitPrivateApps(world, world.team.id, limit)
  if (limit > 0) await deploy(world, 'owner')
  return app
}

scenarios('apps.duplicate', limitedCopies(1), [
  { claim: 'the plan is full', as: 'owner', path: ({ id }) => ({ id }), status: 402, code: 'limit_exceeded' },
])

scenarios('apps.duplicate', limitedCopies(0), [
  {
    claim: 'the plan has no private apps',
    as: 'owner',
    path: ({ id }) => ({ id }),
    status: 403,
    code: 'feature_not_available',
  },
])

scenarios<GivenApps>('apps.delete', givenApps, [
  {
    claim: 'the app is gone and its ref is free',
    as: 'member',
    path: ({ shared }) => ({ id: shared.id }),
    status: 200,
    audits: ['app.deleted'],
    check: async ({ data }, { shared }, world) => {
      expect(data).toEqual({ success: true })
      expect((await world.call('owner', `GET /apps/${shared.id}`)).status).toBe(404)
      expect((await world.call('owner', `GET /apps/mill/${shared.name}`)).status).toBe(404)
      expect((await world.call('owner', `DELETE /apps/${shared.id}`)).status).toBe(404)
      const again = await deploy(world, 'owner', { name: shared.name, version: echoVersion })
      expect(again.id).not.toBe(shared.id)
    },
  },
  readOnly(undefined),
  ...refusals<GivenApps>(undefined),
])

scenarios<GivenApps>('apps.license', givenApps, [
  {
    claim: "the caller's own acceptance",
    as: 'member',
    path: ({ foreign }) => ({ id: foreign.id }),
    status: 404,
    code: 'not_found',
    check: async (_answer, { foreign }, world) => {
      const accepted = await world.call('member', `POST /apps/${foreign.id}/license`, { body: { license: 'MIT' } })
      expect((await world.call('member', `GET /apps/${foreign.id}/license`)).data).toEqual(accepted.data)
      expect((await world.call('owner', `GET /apps/${foreign.id}/license`)).status).toBe(404)
    },
  },
  {
    claim: 'an app that cannot be read',
    as: 'owner',
    path: ({ secret }) => ({ id: secret.id }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'another workspace',
    as: 'stranger',
    path: ({ shared }) => ({ id: shared.id }),
    status: 404,
    code: 'not_found',
  },
  { claim: 'no credential', as: null, path: ({ foreign }) => ({ id: foreign.id }), status: 401, code: 'unauthorized' },
  {
    claim: 'a key without the scope',
    as: 'key:files:read',
    path: ({ foreign }) => ({ id: foreign.id }),
    status: 403,
    code: 'insufficient_scope',
  },
])

scenarios(
  'apps.license',
  async (world) => {
    const app = await deploy(world, 'owner')
    await world.call('owner', `POST /apps/${app.id}/license`, { body: { license: 'MIT' } })
    return app
  },
  [
    {
      claim: 'the accepted text',
      as: 'owner',
      path: ({ id }) => ({ id }),
      status: 200,
      check: ({ data }, app, world) =>
        expect(data).toMatchObject({ app_id: app.id, user_id: world.people.owner.userId, license: 'MIT' }),
    },
  ],
)

scenarios<GivenApps>('apps.accept_license', givenApps, [
  {
    claim: 'created, then replaced',
    as: 'member-key:apps:execute',
    path: ({ foreign }) => ({ id: foreign.id }),
    body: { license: 'first text' },
    status: 200,
    check: async ({ data }, { foreign }, world) => {
      expect(data).toMatchObject({ app_id: foreign.id, license: 'first text' })
      world.clock.advance(1000)
      const next = await world.call('member', `POST /apps/${foreign.id}/license`, { body: { license: 'second text' } })
      expect(next.data).toMatchObject({ id: data.id, license: 'second text', created_at: data.created_at })
      expect(next.data.updated_at > data.updated_at).toBe(true)
    },
  },
  {
    claim: 'nothing to accept',
    as: 'owner',
    path: ({ foreign }) => ({ id: foreign.id }),
    body: {},
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'another workspace',
    as: 'stranger',
    path: ({ shared }) => ({ id: shared.id }),
    body: { license: 'x' },
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'no credential',
    as: null,
    path: ({ foreign }) => ({ id: foreign.id }),
    body: { license: 'x' },
    status: 401,
    code: 'unauthorized',
  },
  {
    claim: 'a key without the scope',
    as: 'key:apps:read',
    path: ({ foreign }) => ({ id: foreign.id }),
    body: { license: 'x' },
    status: 403,
    code: 'insufficient_scope',
  },
])
