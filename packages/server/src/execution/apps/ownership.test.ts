// Guarantees: an app is transferred or copied only by authorized members and never takes an existing ref.
import type { App } from '@millrace/contract/apps'
import { newId } from '@millrace/contract/ids'
import { expect } from 'vitest'
import { addMember } from '#accounts/identity/service.ts'
import { copyName } from '#platform/core/copies.ts'
import { ownWorld, scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { deploy, freshName, type GivenApps, givenApps, limitPrivateApps, show } from './testing/given.ts'
import { refusals, tagged } from './testing/refusals.ts'

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
    claim: 'id, name and versions stay; the namespace changes',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: ({ teams }: Movable) => ({ team_id: teams.target }),
    status: 200,
    audits: ['app.transferred'],
    emits: ['team/apps'],
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
    claim: 'the caller becomes the owner if the creator is not a member of the new workspace',
    as: 'admin',
    path: ({ shared }) => ({ id: shared.id }),
    body: ({ teams }: Movable) => ({ team_id: teams.other }),
    status: 200,
    audits: ['app.transferred'],
    emits: ['team/apps'],
    check: ({ data }, _given, world) => expect(data.user_id).toBe(world.people.admin.userId),
  },
  {
    claim: 'a transfer to the same workspace changes nothing',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    body: ({ shared }: Movable) => ({ team_id: shared.team_id }),
    status: 200,
    check: ({ data }, { shared }) => expect(data).toEqual(shared),
  },
  {
    claim: 'the ref exists in the other workspace',
    as: 'owner',
    path: ({ taken }) => ({ id: taken.id }),
    body: ({ teams }: Movable) => ({ team_id: teams.target }),
    status: 409,
    code: 'name_conflict',
  },
  {
    claim: 'a plain member of both workspaces',
    as: 'member',
    path: ({ shared }) => ({ id: shared.id }),
    body: ({ teams }: Movable) => ({ team_id: teams.target }),
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'not a member of the other workspace',
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

scenarios(
  'apps.transfer',
  movableAndLimited(1),
  [
    {
      claim: 'the plan of the other workspace is exhausted',
      as: 'owner',
      path: ({ shared }) => ({ id: shared.id }),
      body: ({ teams }: Movable) => ({ team_id: teams.target }),
      status: 402,
      code: 'limit_exceeded',
    },
  ],
  ownWorld,
)

scenarios(
  'apps.transfer',
  movableAndLimited(0),
  [
    {
      claim: 'the plan of the other workspace has no private apps',
      as: 'owner',
      path: ({ shared }) => ({ id: shared.id }),
      body: ({ teams }: Movable) => ({ team_id: teams.target }),
      status: 403,
      code: 'feature_not_available',
    },
  ],
  ownWorld,
)

scenarios<GivenApps>('apps.duplicate', tagged, [
  {
    claim: 'a private copy with a copy of the active version',
    as: 'member',
    path: ({ shared }) => ({ id: shared.id }),
    status: 200,
    audits: ['app.duplicated'],
    emits: ['team/apps'],
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
    claim: 'a public app of another workspace, copied into the own workspace',
    as: 'owner',
    path: ({ foreign }) => ({ id: foreign.id }),
    status: 200,
    audits: ['app.duplicated'],
    emits: ['team/apps'],
    check: ({ data }, { foreign }) => expect(data).toMatchObject({ namespace: 'mill', name: `${foreign.name}-copy` }),
  },
  {
    claim: 'an app without a version',
    as: 'owner',
    path: ({ shared }) => ({ id: shared.id }),
    status: 200,
    audits: ['app.duplicated'],
    emits: ['team/apps'],
    check: async (_answer, _given, world) => {
      const bare = await deploy(world, 'owner', { version: undefined })
      expect(bare).toMatchObject({ version_id: '', version: null })
      expect((await world.call('owner', `POST /apps/${bare.id}/duplicate`)).data).toMatchObject({
        version_id: '',
        version: null,
      })
    },
  },
  {
    claim: 'without the scope to read it, an app cannot be copied',
    as: 'key:apps:write',
    path: ({ shared }) => ({ id: shared.id }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'every key may copy a public app',
    as: 'key:apps:write',
    path: ({ foreign }) => ({ id: foreign.id }),
    status: 200,
    audits: ['app.duplicated'],
    emits: ['team/apps'],
  },
  ...refusals<GivenApps>(undefined),
])

scenarios(
  'apps.duplicate',
  async (world) => {
    const app = await deploy(world, 'owner', { name: freshName() })
    const copies = Array.from({ length: 100 }, (_, index) => copyName(app.name, index + 1))
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
      claim: 'a hundred and first copy',
      as: 'owner',
      path: ({ id }) => ({ id }),
      status: 200,
      audits: ['app.duplicated'],
      emits: ['team/apps'],
      check: ({ data }, { name }) => expect(data.name).toBe(`${name}-copy-101`),
    },
  ],
)

const limitedCopies = (limit: number) => async (world: World) => {
  const app = await show(world, 'stranger', await deploy(world, 'stranger'), 'public')
  await limitPrivateApps(world, world.team.id, limit)
  if (limit > 0) await deploy(world, 'owner')
  return app
}

scenarios(
  'apps.duplicate',
  limitedCopies(1),
  [{ claim: 'the plan is exhausted', as: 'owner', path: ({ id }) => ({ id }), status: 402, code: 'limit_exceeded' }],
  ownWorld,
)

scenarios(
  'apps.duplicate',
  limitedCopies(0),
  [
    {
      claim: 'the plan has no private apps',
      as: 'owner',
      path: ({ id }) => ({ id }),
      status: 403,
      code: 'feature_not_available',
    },
  ],
  ownWorld,
)
