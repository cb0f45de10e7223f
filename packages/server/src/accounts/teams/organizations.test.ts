// Guarantees: only platform administrators create organizations; attaching a workspace shares its resources with the
// organization and gives the organization's admins access from the next request on; detaching removes both.
import { newId, shortId } from '@millrace/contract/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'

type Given = {
  id: string
  team: string
  otherOrg: string
  orgTeam: string
  personal: string
  admin: string
  owner: string
}

let counter = 0
const givenOrg = async (world: World) => {
  counter += 1
  world.clock.advance(1)
  const made = await world.call('platform', 'POST /organizations', {
    body: { name: `Guild ${counter}`, username: `guild-${counter}` },
  })
  return made.data as { id: string; team_id: string }
}

/** An organization with only its own workspace, and one with the world's other workspace; `mill` belongs to none. */
const anOrg = async (world: World): Promise<Given> => {
  const { db } = world.open.platform
  await db.updateTable('teams').set({ org_id: null }).where('type', '=', 'team').execute()
  const org = await givenOrg(world)
  const other = await givenOrg(world)
  await world.call('platform', `POST /organizations/${other.id}/teams`, { body: { team_id: world.otherTeam.id } })
  return {
    id: org.id,
    team: world.team.id,
    otherOrg: world.otherTeam.id,
    orgTeam: org.team_id,
    personal: world.people.owner.personalTeamId,
    admin: world.people.admin.userId,
    owner: world.people.owner.userId,
  }
}

const withTeam = async (world: World): Promise<Given> => {
  const given = await anOrg(world)
  await world.call('platform', `POST /organizations/${given.id}/teams`, { body: { team_id: given.team } })
  return given
}

const withAdmin = async (world: World): Promise<Given> => {
  const given = await anOrg(world)
  await world.call('platform', `POST /organizations/${given.id}/admins`, { body: { email: 'admin@example.com' } })
  return given
}

const here = { path: ({ id }: Given) => ({ id }) }
const nowhere = { path: () => ({ id: newId() }) }

/** Callers refused by every operation of organizations. */
const refusals = (request: { path?: (given: Given) => Record<string, string>; body?: unknown }) =>
  [
    { claim: 'no credential', as: null, ...request, status: 401, code: 'unauthorized' },
    { claim: 'a workspace owner is no staff', as: 'owner', ...request, status: 403, code: 'forbidden' },
    { claim: 'a key is no sign-in', as: 'key:', ...request, status: 403, code: 'requires_sign_in' },
  ] as const

const tooLong = 'x'.repeat(65)

scenarios('organizations.list', anOrg, [
  {
    claim: 'a platform administrator pages through them, newest first',
    as: 'platform',
    query: { limit: '1' },
    status: 200,
    check: ({ data }) => {
      expect(data.items).toHaveLength(1)
      expect(data.items[0]).toMatchObject({ name: `Guild ${counter}`, deleted_at: null, team_id: expect.any(String) })
      expect(data.items[0].short_id).toBe(shortId(data.items[0].id))
      expect(data.has_next).toBe(true)
    },
  },
  {
    claim: 'the twin searches',
    as: 'platform',
    route: 'POST /organizations/list',
    body: () => ({ search: { term: `guild ${counter}` } }),
    status: 200,
    check: ({ data }) => expect(data.total_items).toBe(1),
  },
  {
    claim: 'an unknown column',
    as: 'platform',
    route: 'POST /organizations/list',
    body: { sort: [{ field: 'size' }] },
    status: 400,
    code: 'validation_error',
  },
  ...refusals({}),
])

scenarios('organizations.get', anOrg, [
  {
    claim: 'one, with its own workspace',
    as: 'platform',
    ...here,
    status: 200,
    check: ({ data }, given) => expect(data).toMatchObject({ id: given.id, team_id: given.orgTeam }),
  },
  { claim: 'unknown', as: 'platform', ...nowhere, status: 404, code: 'not_found' },
  { claim: 'an id that is none', as: 'platform', path: { id: tooLong }, status: 404, code: 'not_found' },
  ...refusals(here),
])

scenarios('organizations.create', () => ({}) as Given, [
  {
    claim: 'with a workspace of its own that its maker owns and administers',
    as: 'platform',
    body: { name: 'Millers', username: 'millers' },
    status: 200,
    audits: ['organization.created', 'team.created'],
    check: async ({ data }, _given, world) => {
      const view = await world.call('platform', `GET /teams/${data.team_id}/view`)
      expect(view.data).toMatchObject({ kind: 'org', org: { id: data.id, name: 'Millers' } })
      expect(view.data.can).toEqual(expect.arrayContaining(['manage_org', 'connect_org_credential']))
      expect(view.data.governance.billing).toEqual({ by: 'team', team_id: data.team_id })
      const team = await world.call('platform', `GET /teams/${data.team_id}`)
      expect(team.data).toMatchObject({ type: 'org', username: 'millers', org_id: data.id, role: 'owner' })
      const archived = await world.call('platform', `DELETE /teams/${data.team_id}`)
      expect(archived).toMatchObject({ status: 400, code: 'validation_error' })
    },
  },
  { claim: 'a taken username', as: 'platform', body: { name: 'M', username: 'mill' }, status: 409, code: 'conflict' },
  { claim: 'a missing name', as: 'platform', body: { username: 'no-name' }, status: 400, code: 'validation_error' },
  ...refusals({ body: { name: 'M', username: 'mine' } }),
])

scenarios('organizations.list_teams', withTeam, [
  {
    claim: 'its own and the attached ones',
    as: 'platform',
    ...here,
    status: 200,
    check: ({ data }, given) =>
      expect(data.map((team: { id: string }) => team.id).sort()).toEqual([given.team, given.orgTeam].sort()),
  },
  { claim: 'unknown', as: 'platform', ...nowhere, status: 404, code: 'not_found' },
  { claim: 'an id that is none', as: 'platform', path: { id: tooLong }, status: 404, code: 'not_found' },
  ...refusals(here),
])

scenarios('organizations.attach_team', anOrg, [
  {
    claim: 'its people belong to the organization from the next request on, and it is governed by it',
    as: 'platform',
    ...here,
    body: ({ team }: Given) => ({ team_id: team }),
    status: 200,
    emits: ['access'],
    audits: ['organization.team_attached'],
    check: async ({ data }, given, world) => {
      expect(data).toMatchObject({ id: given.team, org_id: given.id })
      const view = await world.call('owner', `GET /teams/${given.team}/view`)
      expect(view.data).toMatchObject({
        kind: 'org_member',
        governance: { billing: { by: 'org', team_id: given.orgTeam }, policy: { by: 'org', team_id: given.orgTeam } },
      })
      expect(view.data.can).not.toContain('manage_billing')
      const again = await world.call('platform', `POST /organizations/${given.id}/teams`, {
        body: { team_id: given.team },
      })
      expect(again.status).toBe(200)
    },
  },
  {
    claim: 'a workspace of another organization',
    as: 'platform',
    ...here,
    body: ({ otherOrg }: Given) => ({ team_id: otherOrg }),
    status: 409,
    code: 'conflict',
  },
  {
    claim: 'a personal workspace belongs to its person',
    as: 'platform',
    ...here,
    body: ({ personal }: Given) => ({ team_id: personal }),
    status: 400,
    code: 'validation_error',
  },
  { claim: 'no such workspace', as: 'platform', ...here, body: { team_id: newId() }, status: 404, code: 'not_found' },
  {
    claim: 'no such organization',
    as: 'platform',
    ...nowhere,
    body: { team_id: newId() },
    status: 404,
    code: 'not_found',
  },
  { claim: 'no workspace named', as: 'platform', ...here, body: {}, status: 400, code: 'validation_error' },
  ...refusals({ ...here, body: ({ team }: Given) => ({ team_id: team }) }),
])

const attached = { path: ({ id, team }: Given) => ({ id, teamId: team }) }

scenarios('organizations.detach_team', withTeam, [
  {
    claim: 'it is independent again',
    as: 'platform',
    ...attached,
    status: 200,
    emits: ['access'],
    audits: ['organization.team_detached'],
    check: async ({ data }, given, world) => {
      expect(data).not.toHaveProperty('org_id')
      expect((await world.call('owner', `GET /teams/${given.team}/view`)).data.kind).toBe('team')
    },
  },
  {
    claim: 'its own workspace stays',
    as: 'platform',
    path: ({ id, orgTeam }) => ({ id, teamId: orgTeam }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a workspace of another organization',
    as: 'platform',
    path: ({ id, otherOrg }) => ({ id, teamId: otherOrg }),
    status: 404,
    code: 'not_found',
  },
  ...refusals(attached),
])

scenarios('organizations.list_admins', withAdmin, [
  {
    claim: 'its creator and the added people',
    as: 'platform',
    ...here,
    status: 200,
    check: ({ data }, given, world) => {
      expect(data.map((admin: { user_id: string }) => admin.user_id).sort()).toEqual(
        [world.people.platform.userId, given.admin].sort(),
      )
      expect(data.map((admin: { user: { email: string } }) => admin.user.email)).toContain('admin@example.com')
    },
  },
  { claim: 'unknown', as: 'platform', ...nowhere, status: 404, code: 'not_found' },
  { claim: 'an id that is none', as: 'platform', path: { id: tooLong }, status: 404, code: 'not_found' },
  ...refusals(here),
])

scenarios('organizations.add_admin', anOrg, [
  {
    claim: 'who then has a place in its workspace to act from',
    as: 'platform',
    ...here,
    body: { email: 'Owner@Example.com' },
    status: 200,
    emits: ['access', 'team/users'],
    audits: ['organization.admin_added', 'member.added'],
    check: async ({ data }, given, world) => {
      expect(data).toMatchObject({ user_id: given.owner, user: { email: 'owner@example.com' } })
      const team = await world.call('owner', `GET /teams/${given.orgTeam}`, { team: given.orgTeam })
      expect(team.data.role).toBe('admin')
      const again = await world.call('platform', `POST /organizations/${given.id}/admins`, {
        body: { email: 'owner@example.com' },
      })
      expect(again.status).toBe(200)
    },
  },
  {
    claim: 'nobody has this address',
    as: 'platform',
    ...here,
    body: { email: 'no@example.com' },
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'an address that is none',
    as: 'platform',
    ...here,
    body: { email: 'no' },
    status: 400,
    code: 'validation_error',
  },
  ...refusals({ ...here, body: { email: 'owner@example.com' } }),
])

const theAdmin = { path: ({ id, admin }: Given) => ({ id, userId: admin }) }

scenarios('organizations.remove_admin', withAdmin, [
  {
    claim: 'whose place in its workspace ends too',
    as: 'platform',
    ...theAdmin,
    status: 200,
    emits: ['access', 'team/users'],
    audits: ['organization.admin_removed'],
    check: async ({ data }, given, world) => {
      expect(data).toEqual({ success: true })
      expect((await world.call('admin', `GET /teams/${given.orgTeam}`)).status).toBe(404)
    },
  },
  {
    claim: 'no admin',
    as: 'platform',
    path: ({ id, owner }) => ({ id, userId: owner }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'an id that is none',
    as: 'platform',
    path: ({ id }) => ({ id, userId: tooLong }),
    status: 404,
    code: 'not_found',
  },
  ...refusals(theAdmin),
])

describe('the reach of an organization’s admin', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world.close())

  it('begins with the attachment and ends with it, with the role, and with leaving the org’s workspace', async () => {
    const given = await anOrg(world)
    const stranger = world.people.stranger
    const seen = async () => {
      const view = await world.call('stranger', `GET /teams/${given.team}/view`, { team: given.orgTeam })
      return view.status === 200 ? view.data.can : view.status
    }
    const admins = `/organizations/${given.id}/admins`
    const teams = `/organizations/${given.id}/teams`
    await world.call('platform', `POST ${admins}`, { body: { email: stranger.email } })
    expect(await seen()).toBe(404)

    await world.call('platform', `POST ${teams}`, { body: { team_id: given.team } })
    expect(await seen()).toEqual(expect.arrayContaining(['manage_billing', 'manage_policy', 'view_members']))
    expect((await world.call('stranger', `GET /teams/${given.team}/members`, { team: given.orgTeam })).status).toBe(200)
    // The organization controls money and policies only: the workspace manages its own members and profile.
    const renamed = await world.call('stranger', `POST /teams/${given.team}`, {
      team: given.orgTeam,
      body: { name: 'X' },
    })
    expect(renamed).toMatchObject({ status: 403, code: 'team_role_required' })
    // A key is pinned to its workspace and cannot access others.
    expect((await world.call('stranger-key:teams:read', `GET /teams/${given.team}`)).status).toBe(404)

    await world.call('platform', `DELETE ${teams}/${given.team}`)
    expect(await seen()).toBe(404)

    await world.call('platform', `POST ${teams}`, { body: { team_id: given.team } })
    expect(await seen()).toContain('manage_billing')
    const left = await world.call('stranger', `DELETE /teams/${given.orgTeam}/members/${stranger.userId}`)
    expect(left.status).toBe(200)
    expect((await world.call('stranger', `GET /teams/${given.team}/view`)).status).toBe(404)
    const remaining = await world.call('platform', `GET ${admins}`)
    expect(remaining.data.map((admin: { user_id: string }) => admin.user_id)).toEqual([world.people.platform.userId])
  })
})
