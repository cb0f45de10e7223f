// Guarantees: only owners change owners, a workspace always has an owner, and everything that a person has as a member
// ends with the membership, at once.
import { newId, shortId } from '@millrace/contract/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { addMember, ensureAccount } from '../identity/service.ts'
import { setEntitlement } from '../plans/service.ts'

type Given = { id: string; personal: string; owner: string; admin: string; member: string; stranger: string }

const everybody = (world: World): Given => ({
  id: world.team.id,
  personal: world.people.owner.personalTeamId,
  owner: world.people.owner.userId,
  admin: world.people.admin.userId,
  member: world.people.member.userId,
  stranger: world.people.stranger.userId,
})

/** Restores the memberships of the four people, so that every scenario starts with the same state. */
const asBefore = async (world: World): Promise<Given> => {
  const given = everybody(world)
  await world.open.platform.db.deleteFrom('team_members').where('team_id', '=', given.id).execute()
  for (const [role, userId] of [
    ['owner', given.owner],
    ['admin', given.admin],
    ['member', given.member],
  ] as const)
    await addMember(world.ctx(), given.id, userId, role)
  return given
}

const here = { path: ({ id }: Given) => ({ id }) }
const at = (name: 'owner' | 'admin' | 'member' | 'stranger') => ({
  path: (given: Given) => ({ id: given.id, userId: given[name] }),
})

const rolesOf = async (world: World, as: 'owner' | 'stranger' = 'owner', teamId = world.team.id) => {
  const { data } = await world.call(as, `GET /teams/${teamId}/members`)
  return Object.fromEntries(
    data.map((member: { user: { email: string }; role: string }) => [member.user.email.split('@')[0], member.role]),
  )
}

scenarios('members.list', everybody, [
  {
    claim: 'an owner sees everybody, and what could be done to whom',
    as: 'owner',
    ...here,
    status: 200,
    check: ({ data }, given) => {
      expect(data).toEqual([
        expect.objectContaining({ user_id: given.owner, role: 'owner', assignable_roles: ['owner'], removable: false }),
        expect.objectContaining({
          user_id: given.admin,
          role: 'admin',
          assignable_roles: ['owner', 'admin', 'member'],
          removable: true,
        }),
        expect.objectContaining({
          user_id: given.member,
          team_id: given.id,
          role: 'member',
          user: { id: given.member, email: 'member@example.com', name: 'member', full_name: '', avatar_url: '' },
        }),
      ])
    },
  },
  {
    claim: 'a member can take out nobody but themselves',
    as: 'member',
    ...here,
    status: 200,
    check: ({ data }) => {
      expect(data.map((member: { removable: boolean }) => member.removable)).toEqual([false, false, true])
      expect(data.flatMap((member: { assignable_roles: string[] }) => member.assignable_roles)).toEqual([])
    },
  },
  {
    claim: 'a workspace key reads and could do nothing',
    as: 'workspace-key:teams:read',
    ...here,
    status: 200,
    check: ({ data }) =>
      expect(data.map((member: { removable: boolean }) => member.removable)).toEqual([false, false, false]),
  },
  {
    claim: 'a personal workspace has its one',
    as: 'owner',
    path: ({ personal }) => ({ id: personal }),
    status: 200,
    check: ({ data }, given) => expect(data).toMatchObject([{ user_id: given.owner, removable: false }]),
  },
  { claim: 'another team sees nothing', as: 'stranger', ...here, status: 404, code: 'not_found' },
  { claim: 'an id that is none', as: 'member', path: { id: 'x'.repeat(65) }, status: 404, code: 'not_found' },
])

const stranger = (role: string) => ({ email: ' Stranger@Example.com', role })

scenarios('members.add', asBefore, [
  {
    claim: 'an admin adds a person with an account',
    as: 'admin',
    ...here,
    body: stranger('member'),
    status: 200,
    emits: ['team/users'],
    audits: ['member.added'],
    check: async ({ data }, given, world) => {
      expect(data).toMatchObject({ user_id: given.stranger, team_id: given.id, role: 'member' })
      expect(data.user.email).toBe('stranger@example.com')
      expect((await world.call('stranger', `GET /teams/${given.id}`)).data.role).toBe('member')
    },
  },
  {
    claim: 'an owner makes owners',
    as: 'owner',
    ...here,
    body: stranger('owner'),
    status: 200,
    audits: ['member.added'],
    emits: ['team/users'],
  },
  {
    claim: 'an admin does not',
    as: 'admin',
    ...here,
    body: stranger('owner'),
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'an admin’s key acts as the admin',
    as: 'admin-key:teams:write',
    ...here,
    body: stranger('member'),
    status: 200,
    audits: ['member.added'],
    emits: ['team/users'],
  },
  {
    claim: 'a plain member',
    as: 'member',
    ...here,
    body: stranger('member'),
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'a service account',
    as: 'workspace-key:teams:write',
    ...here,
    body: stranger('member'),
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'nobody has this address: send an invite',
    as: 'admin',
    ...here,
    body: { email: 'nobody@example.com', role: 'member' },
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'a member already',
    as: 'admin',
    ...here,
    body: { email: 'member@example.com', role: 'admin' },
    status: 409,
    code: 'already_exists',
  },
  {
    claim: 'a personal workspace has one member',
    as: 'owner',
    path: ({ personal }) => ({ id: personal }),
    body: stranger('member'),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'an address that is none',
    as: 'admin',
    ...here,
    body: { email: 'stranger', role: 'member' },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'an unknown role', as: 'admin', ...here, body: stranger('king'), status: 400, code: 'validation_error' },
  {
    claim: 'another team sees nothing',
    as: 'stranger',
    ...here,
    body: stranger('owner'),
    status: 404,
    code: 'not_found',
  },
])

const withSeats = (limit: number) => async (world: World) => {
  await setEntitlement(world.ctx(), world.team.id, 'seats', limit)
  return asBefore(world)
}

scenarios('members.add', withSeats(3), [
  {
    claim: 'no seat is left',
    as: 'owner',
    ...here,
    body: stranger('member'),
    status: 402,
    code: 'limit_exceeded',
    check: async ({ json }, _given, world) => {
      expect(json.meta).toMatchObject({ resource: 'seats', limit: 3, current: 3 })
      expect(await rolesOf(world)).toEqual({ owner: 'owner', admin: 'admin', member: 'member' })
    },
  },
])

scenarios('members.add', withSeats(0), [
  {
    claim: 'a plan without members',
    as: 'owner',
    ...here,
    body: stranger('member'),
    status: 403,
    code: 'feature_not_available',
  },
])

scenarios('members.set_role', asBefore, [
  {
    claim: 'an owner makes an owner, who acts as one from the next request on',
    as: 'owner',
    ...at('member'),
    body: { role: 'owner' },
    status: 200,
    emits: ['access'],
    audits: ['member.role_changed'],
    check: async ({ data }, given, world) => {
      expect(data).toMatchObject({ user_id: given.member, role: 'owner' })
      const view = await world.call('member', `GET /teams/${given.id}/view`)
      expect(view.data.can).toContain('archive')
    },
  },
  {
    claim: 'an admin makes an admin',
    as: 'admin',
    ...at('member'),
    body: { role: 'admin' },
    status: 200,
    audits: ['member.role_changed'],
    emits: ['access'],
  },
  {
    claim: 'the short id of a person will do',
    as: 'admin',
    path: (given) => ({ id: given.id, userId: shortId(given.member) }),
    body: { role: 'admin' },
    status: 200,
    audits: ['member.role_changed'],
    emits: ['access'],
  },
  {
    claim: 'an admin makes no owner',
    as: 'admin',
    ...at('member'),
    body: { role: 'owner' },
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'an admin does not lower an owner',
    as: 'admin',
    ...at('owner'),
    body: { role: 'member' },
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'a plain member raises nobody, themselves least',
    as: 'member',
    ...at('member'),
    body: { role: 'owner' },
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'a service account',
    as: 'workspace-key:teams:write',
    ...at('member'),
    body: { role: 'admin' },
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'the last owner stays one',
    as: 'owner',
    ...at('owner'),
    body: { role: 'admin' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'the owner of a personal workspace stays it',
    as: 'owner',
    path: (given) => ({ id: given.personal, userId: given.owner }),
    body: { role: 'member' },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'no member', as: 'owner', ...at('stranger'), body: { role: 'admin' }, status: 404, code: 'not_found' },
  {
    claim: 'another team sees nothing',
    as: 'stranger',
    ...at('member'),
    body: { role: 'admin' },
    status: 404,
    code: 'not_found',
  },
  { claim: 'a missing role', as: 'owner', ...at('member'), body: {}, status: 400, code: 'validation_error' },
])

scenarios('members.remove', asBefore, [
  {
    claim: 'an admin takes out a member',
    as: 'admin',
    ...at('member'),
    status: 200,
    emits: ['access', 'team/users'],
    audits: ['member.removed'],
    check: async ({ data }, _given, world) => {
      expect(data).toEqual({ success: true })
      expect(await rolesOf(world)).toEqual({ owner: 'owner', admin: 'admin' })
    },
  },
  {
    claim: 'a member leaves',
    as: 'member',
    ...at('member'),
    status: 200,
    emits: ['access', 'team/users'],
    audits: ['member.left'],
  },
  {
    claim: 'a member’s own key leaves with them',
    as: 'member-key:teams:write',
    ...at('member'),
    status: 200,
    audits: ['api_key.revoked', 'member.left'],
    emits: ['access', 'team/users'],
  },
  {
    claim: 'an admin does not take out an owner',
    as: 'admin',
    ...at('owner'),
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'a plain member takes out nobody else',
    as: 'member',
    ...at('admin'),
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'a service account',
    as: 'workspace-key:teams:write',
    ...at('member'),
    status: 403,
    code: 'team_role_required',
  },
  { claim: 'the last owner cannot leave', as: 'owner', ...at('owner'), status: 400, code: 'validation_error' },
  {
    claim: 'nobody leaves their personal workspace',
    as: 'owner',
    path: (given) => ({ id: given.personal, userId: given.owner }),
    status: 400,
    code: 'validation_error',
  },
  { claim: 'no member', as: 'owner', ...at('stranger'), status: 404, code: 'not_found' },
  { claim: 'another team sees nothing', as: 'stranger', ...at('member'), status: 404, code: 'not_found' },
  {
    claim: 'an id that is none',
    as: 'owner',
    path: ({ id }) => ({ id, userId: 'x'.repeat(65) }),
    status: 404,
    code: 'not_found',
  },
])

describe('what ends with a membership', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world.close())

  it('takes the personal keys of that workspace, the cached access and the default, and nothing else', async () => {
    await asBefore(world)
    const { member, admin } = world.people
    const key = { token: (await world.token('member-key:teams:read')) ?? '' }
    const workspaceKey = { token: (await world.token('workspace-key:teams:read')) ?? '' }
    await world.call('member', 'POST /me', { body: { default_team_id: world.team.id } })
    expect((await world.call(key, 'GET /teams')).status).toBe(200)
    expect((await world.call('member', 'GET /teams')).status).toBe(200)

    const removed = await world.call('admin', `DELETE /teams/${world.team.id}/members/${member.userId}`)
    expect(removed.status).toBe(200)

    expect((await world.call(key, 'GET /teams')).status).toBe(401)
    expect((await world.call('member', 'GET /teams')).status).toBe(403)
    expect((await world.call(workspaceKey, 'GET /teams')).status).toBe(200)
    const home = await world.call('member', 'GET /teams', { headers: { 'x-team-id': '' } })
    expect(home.data.map((team: { id: string }) => team.id)).toEqual([member.personalTeamId])
    const actions = await world.audits()
    expect(actions.slice(-2).sort()).toEqual(['api_key.revoked', 'member.removed'])
    const { db } = world.open.platform
    const entry = await db
      .selectFrom('audit_log')
      .selectAll()
      .where('action', '=', 'member.removed')
      .executeTakeFirstOrThrow()
    expect(entry).toMatchObject({ team_id: world.team.id, resource_id: member.userId, actor_user_id: admin.userId })
  })

  it('two owners who leave at the same moment leave one behind', async () => {
    const { db } = world.open.platform
    for (let round = 0; round < 10; round += 1) {
      await asBefore(world)
      await addMember(world.ctx(), world.team.id, world.people.admin.userId, 'owner')
      const leave = (name: 'owner' | 'admin') =>
        world.call(name, `DELETE /teams/${world.team.id}/members/${world.people[name].userId}`)
      const statuses = (await Promise.all([leave('owner'), leave('admin')])).map((answer) => answer.status)
      expect(statuses.sort()).toEqual([200, 400])
      const owners = await db
        .selectFrom('team_members')
        .select('user_id')
        .where('team_id', '=', world.team.id)
        .where('role', '=', 'owner')
        .execute()
      expect(owners).toHaveLength(1)
    }
  })

  it('two owners who demote each other at the same moment leave one owner', async () => {
    for (let round = 0; round < 10; round += 1) {
      await asBefore(world)
      await addMember(world.ctx(), world.team.id, world.people.admin.userId, 'owner')
      const demote = (as: 'owner' | 'admin', whom: 'owner' | 'admin') =>
        world.call(as, `POST /teams/${world.team.id}/members/${world.people[whom].userId}/role`, {
          body: { role: 'member' },
        })
      const statuses = (await Promise.all([demote('owner', 'admin'), demote('admin', 'owner')])).map(
        ({ status }) => status,
      )
      // The second caller is no longer an owner when its transaction gets the lock.
      expect(statuses.sort()).toEqual([200, 403])
      expect(Object.values(await rolesOf(world)).filter((role) => role === 'owner')).toHaveLength(1)
    }
  })

  it('two people who take the last seat at the same moment: one gets it', async () => {
    await asBefore(world)
    for (const name of ['first', 'second']) await ensureAccount(world.ctx(), `${name}@example.com`)
    await setEntitlement(world.ctx(), world.team.id, 'seats', 4)
    const add = (name: string) =>
      world.call('owner', `POST /teams/${world.team.id}/members`, {
        body: { email: `${name}@example.com`, role: 'member' },
      })
    const statuses = (await Promise.all([add('first'), add('second')])).map((answer) => answer.status)
    expect(statuses.sort()).toEqual([200, 402])
    await setEntitlement(world.ctx(), world.team.id, 'seats', null)
  })

  it('spellings of one mailbox are one person', async () => {
    await asBefore(world)
    const { user } = await ensureAccount(world.ctx(), 'ada.love+mill@gmail.com')
    const add = (email: string) =>
      world.call('owner', `POST /teams/${world.team.id}/members`, { body: { email, role: 'member' } })
    expect((await add('adalove@googlemail.com')).data.user_id).toBe(user.id)
    expect(await add('a.d.a.love@gmail.com')).toMatchObject({ status: 409, code: 'already_exists' })
    const invited = await world.call('owner', `POST /teams/${world.team.id}/invites`, {
      body: { email: 'AdaLove+again@gmail.com', role: 'member' },
    })
    expect(invited).toMatchObject({ status: 409, code: 'already_exists' })
  })

  it('prefers the account of the exact address among those of one mailbox', async () => {
    await asBefore(world)
    await ensureAccount(world.ctx(), 'gracehop@gmail.com')
    const { user } = await ensureAccount(world.ctx(), 'grace.hop@gmail.com')
    const added = await world.call('owner', `POST /teams/${world.team.id}/members`, {
      body: { email: 'Grace.Hop@gmail.com', role: 'member' },
    })
    expect(added.data.user_id).toBe(user.id)
  })

  it('a foreign workspace and an unknown one answer alike', async () => {
    const foreign = await world.call('stranger', `DELETE /teams/${world.team.id}/members/${world.people.member.userId}`)
    const missing = await world.call('stranger', `DELETE /teams/${newId()}/members/${world.people.member.userId}`)
    expect(foreign.json).toEqual(missing.json)
  })

  it('platform power replaces a role where its bearer is a member, and nowhere else', async () => {
    await asBefore(world)
    const rename = () => world.call('platform', `POST /teams/${world.team.id}`, { body: { name: 'Mill' } })
    expect((await rename()).status).toBe(404)
    await addMember(world.ctx(), world.team.id, world.people.platform.userId, 'member')
    expect(await rename()).toMatchObject({ status: 200, data: { role: 'member' } })
  })
})
