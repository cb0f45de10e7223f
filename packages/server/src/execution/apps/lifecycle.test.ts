// Guarantees: the rules for changes of the active version, the status and the visibility of an app, and for its
// deletion.
import { newId } from '@millrace/contract/ids'
import { expect } from 'vitest'
import { ownWorld, scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { deploy, echoVersion, type GivenApps, givenApps, limitPrivateApps, show } from './testing/given.ts'
import { readOnly, refusals } from './testing/refusals.ts'

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
      claim: 'activates a staged version; repeating it changes nothing',
      as: 'member',
      path: ({ shared, second }) => ({ id: shared.id, versionId: second }),
      status: 200,
      audits: ['app.version_promoted'],
      emits: ['team/apps'],
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
    emits: ['team/apps'],
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
    audits: ['app.status_changed'],
    emits: ['team/apps'],
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
    claim: 'the owner makes it public',
    as: 'member',
    path: ({ hidden }) => ({ id: hidden.id }),
    body: { visibility: 'public' },
    status: 200,
    audits: ['app.visibility_changed'],
    emits: ['team/apps'],
    check: async ({ data }, _given, world) => {
      expect(data.visibility).toBe('public')
      expect((await world.call(null, `GET /apps/${data.id}`)).status).toBe(200)
    },
  },
  {
    claim: 'an admin makes it public',
    as: 'admin',
    path: ({ shared }) => ({ id: shared.id }),
    body: { visibility: 'public' },
    status: 200,
    audits: ['app.visibility_changed'],
    emits: ['team/apps'],
  },
  {
    claim: 'a member hides an app of another member',
    as: 'member',
    path: ({ shared }) => ({ id: shared.id }),
    body: { visibility: 'private' },
    status: 200,
    audits: ['app.visibility_changed'],
    emits: ['team/apps'],
  },
  {
    claim: "a member cannot make another member's app public",
    as: 'member',
    path: ({ shared }) => ({ id: shared.id }),
    body: { visibility: 'public' },
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'apps cannot be unlisted',
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

scenarios(
  'apps.set_visibility',
  openAndLimited(1),
  [
    {
      claim: 'the plan allows no further private app',
      as: 'owner',
      path: ({ open }) => ({ id: open.id }),
      body: { visibility: 'team' },
      status: 402,
      code: 'limit_exceeded',
      check: ({ json }) => expect(json.meta).toMatchObject({ resource: 'private_apps', limit: 1, current: 1 }),
    },
  ],
  ownWorld,
)

scenarios(
  'apps.set_visibility',
  openAndLimited(0),
  [
    {
      claim: 'the plan has no private apps',
      as: 'owner',
      path: ({ open }) => ({ id: open.id }),
      body: { visibility: 'private' },
      status: 403,
      code: 'feature_not_available',
    },
  ],
  ownWorld,
)

scenarios<GivenApps>('apps.delete', givenApps, [
  {
    claim: 'deletes the app and releases its ref',
    as: 'member',
    path: ({ shared }) => ({ id: shared.id }),
    status: 200,
    audits: ['app.deleted'],
    emits: ['team/apps'],
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
