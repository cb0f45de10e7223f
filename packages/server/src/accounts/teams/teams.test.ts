// Guarantees: only its members see and change a workspace, with their role in the workspace of the path; its username
// is final after set-up; archiving it ends its keys.
import { newId, shortId } from '@millrace/contract/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'

const mill = (world: World) => ({ id: world.team.id, personal: world.people.owner.personalTeamId })
const toMill = { path: ({ id }: { id: string }) => ({ id }) }
const unknown = { path: () => ({ id: newId() }) }

let counter = 0
const freshName = (stem: string) => `${stem}-${++counter}`

/** A workspace of the owner that a scenario may change. */
const freshTeam = async (world: World) => {
  const made = await world.call('owner', 'POST /teams', { body: { name: 'Spare', username: freshName('spare') } })
  return {
    id: made.data.id as string,
    username: made.data.username as string,
    personal: world.people.owner.personalTeamId,
  }
}

scenarios('teams.list', mill, [
  {
    claim: 'a person sees all their workspaces, with their role',
    as: 'member',
    status: 200,
    check: ({ data }, _given, world) => {
      expect(data.map((team: { id: string; role: string }) => [team.id, team.role])).toEqual([
        [world.people.member.personalTeamId, 'owner'],
        [world.team.id, 'member'],
      ])
    },
  },
  {
    claim: 'a key sees only its own, and its person’s role in it',
    as: 'member-key:teams:read',
    status: 200,
    check: ({ data }, _given, world) => {
      expect(data.map((team: { id: string; role: string }) => [team.id, team.role])).toEqual([
        [world.team.id, 'member'],
      ])
    },
  },
  {
    claim: 'a workspace key sees its workspace and has no role in it',
    as: 'workspace-key:teams:read',
    status: 200,
    check: ({ data }, _given, world) => {
      expect(data).toHaveLength(1)
      expect(data[0].id).toBe(world.team.id)
      expect(data[0]).not.toHaveProperty('role')
    },
  },
  { claim: 'no credential', as: null, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:apps:read', status: 403, code: 'insufficient_scope' },
])

scenarios('teams.get', mill, [
  {
    claim: 'a member reads it whole',
    as: 'member',
    ...toMill,
    status: 200,
    check: ({ data }, _given, world) => {
      expect(data).toMatchObject({
        id: world.team.id,
        short_id: shortId(world.team.id),
        deleted_at: null,
        type: 'team',
        name: 'Mill',
        username: 'mill',
        avatar_url: '',
        email: '',
        setup_completed: true,
        max_concurrency: 0,
        status: 'active',
        role: 'member',
      })
    },
  },
  {
    claim: 'the short id names it too',
    as: 'member',
    path: ({ id }) => ({ id: shortId(id) }),
    status: 200,
    check: ({ data }, given) => expect(data.id).toBe(given.id),
  },
  {
    claim: 'the path counts, not the workspace the caller acts in',
    as: 'member',
    ...toMill,
    headers: { 'x-team-id': '' },
    status: 200,
    check: ({ data }, given) => expect(data.id).toBe(given.id),
  },
  { claim: 'a workspace key reads its own', as: 'workspace-key:teams:read', ...toMill, status: 200 },
  { claim: 'another team sees nothing', as: 'stranger', ...toMill, status: 404, code: 'not_found' },
  {
    claim: 'a key stays in its workspace although its person is at home in another',
    as: 'key:teams:read',
    path: ({ personal }) => ({ id: personal }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'platform power does not open foreign workspaces',
    as: 'platform',
    ...toMill,
    status: 404,
    code: 'not_found',
  },
  { claim: 'an unknown id', as: 'member', ...unknown, status: 404, code: 'not_found' },
  { claim: 'an id that is none', as: 'member', path: { id: 'x'.repeat(65) }, status: 404, code: 'not_found' },
  { claim: 'no credential', as: null, ...toMill, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:apps:read', ...toMill, status: 403, code: 'insufficient_scope' },
])

scenarios('teams.view', mill, [
  {
    claim: 'an owner can do what owners can',
    as: 'owner',
    ...toMill,
    status: 200,
    check: ({ data }, given) => {
      expect(data).toMatchObject({
        team_id: given.id,
        kind: 'team',
        governance: { billing: { by: 'team', team_id: given.id }, policy: { by: 'team', team_id: given.id } },
      })
      expect(data).not.toHaveProperty('org')
      expect(data.can).toEqual(expect.arrayContaining(['archive', 'manage_members', 'manage_keys', 'create_team']))
    },
  },
  {
    claim: 'a member can do less',
    as: 'member',
    ...toMill,
    status: 200,
    check: ({ data }) => {
      expect(data.can).toEqual(expect.arrayContaining(['view_members', 'create_keys', 'create_team']))
      expect(data.can).not.toContain('manage_members')
      expect(data.can).not.toContain('archive')
    },
  },
  {
    claim: 'a workspace key can make neither keys nor workspaces',
    as: 'workspace-key:teams:read',
    ...toMill,
    status: 200,
    check: ({ data }) => {
      for (const capability of ['create_keys', 'create_team', 'manage_members'])
        expect(data.can).not.toContain(capability)
    },
  },
  {
    claim: 'a personal workspace has nobody to manage and no end',
    as: 'owner',
    path: ({ personal }) => ({ id: personal }),
    status: 200,
    check: ({ data }) => {
      expect(data.kind).toBe('personal')
      for (const capability of ['manage_members', 'view_members', 'archive']) expect(data.can).not.toContain(capability)
    },
  },
  { claim: 'another team sees nothing', as: 'stranger', ...toMill, status: 404, code: 'not_found' },
  { claim: 'an id that is none', as: 'member', path: { id: 'x'.repeat(65) }, status: 404, code: 'not_found' },
  { claim: 'no credential', as: null, ...toMill, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:apps:read', ...toMill, status: 403, code: 'insufficient_scope' },
])

const create = (body: Record<string, unknown>) => () => ({ name: 'New', username: freshName('new'), ...body })

scenarios('teams.create', mill, [
  {
    claim: 'its creator owns it',
    as: 'stranger',
    body: create({ name: 'Pond', username: 'pond', email: ' Pond@Example.COM ' }),
    status: 200,
    audits: ['team.created'],
    check: async ({ data }, _given, world) => {
      expect(data).toMatchObject({ type: 'team', name: 'Pond', username: 'pond', email: 'pond@example.com' })
      expect(data).toMatchObject({ role: 'owner', setup_completed: true })
      const members = await world.call('stranger', `GET /teams/${data.id}/members`)
      expect(members.data).toMatchObject([{ user_id: world.people.stranger.userId, role: 'owner' }])
    },
  },
  {
    claim: 'a personal key may too: its bearer is a person',
    as: 'key:teams:write',
    body: create({}),
    status: 200,
    audits: ['team.created'],
  },
  {
    claim: 'a service account may not',
    as: 'workspace-key:teams:write',
    body: create({}),
    status: 403,
    code: 'team_role_required',
  },
  { claim: 'a taken name', as: 'owner', body: create({ username: 'other' }), status: 409, code: 'conflict' },
  { claim: 'a reserved name', as: 'owner', body: create({ username: 'apps' }), status: 409, code: 'conflict' },
  {
    claim: 'a name that is not valid in a path',
    as: 'owner',
    body: create({ username: 'Not A Slug' }),
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a missing name', as: 'owner', body: { username: 'lonely' }, status: 400, code: 'validation_error' },
  { claim: 'a blank name', as: 'owner', body: create({ name: '  ' }), status: 400, code: 'validation_error' },
  {
    claim: 'an address that is none',
    as: 'owner',
    body: create({ email: 'pond' }),
    status: 400,
    code: 'validation_error',
  },
  { claim: 'no credential', as: null, body: create({}), status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:teams:read', body: create({}), status: 403, code: 'insufficient_scope' },
])

scenarios('teams.update', mill, [
  {
    claim: 'an admin changes what is sent and nothing else',
    as: 'admin',
    ...toMill,
    body: { email: 'Team@Example.com', avatar_url: 'https://example.com/a.png' },
    status: 200,
    audits: ['team.updated'],
    check: ({ data }) =>
      expect(data).toMatchObject({
        name: 'Mill',
        username: 'mill',
        email: 'team@example.com',
        avatar_url: 'https://example.com/a.png',
        role: 'admin',
      }),
  },
  {
    claim: 'a visibility that new items cannot have',
    as: 'admin',
    ...toMill,
    body: { default_visibility: 'public' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'the present username is no change',
    as: 'admin',
    ...toMill,
    body: { username: 'mill' },
    status: 200,
    audits: ['team.updated'],
  },
  {
    claim: 'a username is final once set up',
    as: 'owner',
    ...toMill,
    body: { username: 'windmill' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a picture that a browser would run',
    as: 'owner',
    ...toMill,
    body: { avatar_url: 'javascript:alert(1)' },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'an admin’s key',
    as: 'admin-key:teams:write',
    ...toMill,
    body: { name: 'Mill' },
    status: 200,
    audits: ['team.updated'],
  },
  { claim: 'a plain member', as: 'member', ...toMill, body: { name: 'M' }, status: 403, code: 'team_role_required' },
  {
    claim: 'a service account',
    as: 'workspace-key:teams:write',
    ...toMill,
    body: { name: 'M' },
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'another team sees nothing',
    as: 'stranger',
    ...toMill,
    body: { name: 'M' },
    status: 404,
    code: 'not_found',
  },
  { claim: 'no credential', as: null, ...toMill, body: { name: 'M' }, status: 401, code: 'unauthorized' },
  {
    claim: 'a key without the scope',
    as: 'key:teams:read',
    ...toMill,
    body: { name: 'M' },
    status: 403,
    code: 'insufficient_scope',
  },
])

scenarios('teams.update', (world) => ({ id: world.people.owner.personalTeamId }), [
  {
    claim: 'before the set-up the username may change',
    as: 'owner',
    path: ({ id }) => ({ id }),
    body: () => ({ username: freshName('early') }),
    status: 200,
    audits: ['team.updated'],
    check: ({ data }) => expect(data.setup_completed).toBe(false),
  },
  {
    claim: 'but not to one that somebody has',
    as: 'owner',
    path: ({ id }) => ({ id }),
    body: { username: 'mill' },
    status: 409,
    code: 'conflict',
  },
])

/** A personal workspace that is not set up yet. The scenarios depend on each other, in order. */
const personalTeam = (world: World) => ({ id: world.people.owner.personalTeamId, mill: world.team.id })
const at = toMill
const atMill = { path: ({ mill }: { mill: string }) => ({ id: mill }) }

scenarios('teams.set_up', personalTeam, [
  { claim: 'a taken name', as: 'owner', ...at, body: { username: 'other' }, status: 409, code: 'conflict' },
  { claim: 'a reserved name', as: 'owner', ...at, body: { username: 'tasks' }, status: 409, code: 'conflict' },
  {
    claim: 'a name of the wrong form',
    as: 'owner',
    ...at,
    body: { username: 'a--b' },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'no name', as: 'owner', ...at, body: {}, status: 400, code: 'validation_error' },
  {
    claim: 'the owner chooses',
    as: 'owner',
    ...at,
    body: { username: 'millwright' },
    status: 200,
    audits: ['team.set_up'],
    check: ({ data }) => expect(data).toMatchObject({ username: 'millwright', setup_completed: true, role: 'owner' }),
  },
  {
    claim: 'choosing the same again changes nothing',
    as: 'owner',
    ...at,
    body: { username: 'millwright' },
    status: 200,
  },
  {
    claim: 'choosing anew is too late',
    as: 'owner',
    ...at,
    body: { username: 'wheel-smith' },
    status: 409,
    code: 'invalid_state',
  },
  {
    claim: 'another team sees nothing',
    as: 'stranger',
    ...at,
    body: { username: 'mine' },
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'a plain member',
    as: 'member',
    ...atMill,
    body: { username: 'mine' },
    status: 403,
    code: 'team_role_required',
  },
  { claim: 'no credential', as: null, ...at, body: { username: 'mine' }, status: 401, code: 'unauthorized' },
  {
    claim: 'a key without the scope',
    as: 'key:teams:read',
    ...atMill,
    body: { username: 'x' },
    status: 403,
    code: 'insufficient_scope',
  },
])

scenarios('teams.archive', freshTeam, [
  {
    claim: 'the owner archives it: absent from then on, its name not free again',
    as: 'owner',
    ...at,
    status: 200,
    emits: ['access'],
    audits: ['team.archived'],
    check: async ({ data }, given, world) => {
      expect(data).toEqual({ success: true })
      expect((await world.call('owner', `GET /teams/${given.id}`)).status).toBe(404)
      const name = await world.call('owner', 'GET /teams/check-username', { query: { username: given.username } })
      expect(name.data).toEqual({ value: given.username, available: false, reason: 'taken' })
    },
  },
  {
    claim: 'a personal workspace stays',
    as: 'owner',
    path: ({ personal }) => ({ id: personal }),
    status: 400,
    code: 'validation_error',
  },
  { claim: 'another team sees nothing', as: 'stranger', ...at, status: 404, code: 'not_found' },
  { claim: 'no credential', as: null, ...at, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:teams:read', ...at, status: 403, code: 'insufficient_scope' },
])

scenarios('teams.archive', mill, [
  { claim: 'an admin is no owner', as: 'admin', ...toMill, status: 403, code: 'team_role_required' },
  {
    claim: 'nor is a service account',
    as: 'workspace-key:teams:write',
    ...toMill,
    status: 403,
    code: 'team_role_required',
  },
])

scenarios('teams.check_username', mill, [
  {
    claim: 'the nearest usable form of what was typed',
    as: 'member',
    query: { username: '  Grüne Mühle! ' },
    status: 200,
    check: ({ data }) => expect(data).toEqual({ value: 'grune-muhle', available: true }),
  },
  {
    claim: 'taken',
    as: 'key:apps:read',
    query: { username: 'Mill' },
    status: 200,
    check: ({ data }) => expect(data).toEqual({ value: 'mill', available: false, reason: 'taken' }),
  },
  {
    claim: 'reserved',
    as: 'member',
    query: { username: 'secrets' },
    status: 200,
    check: ({ data }) => expect(data).toEqual({ value: 'secrets', available: false, reason: 'reserved' }),
  },
  {
    claim: 'nothing usable in it',
    as: 'member',
    query: { username: '!!!' },
    status: 200,
    check: ({ data }) => expect(data).toEqual({ value: '', available: false }),
  },
  { claim: 'nothing asked', as: 'member', status: 400, code: 'validation_error' },
  { claim: 'no credential', as: null, query: { username: 'x' }, status: 401, code: 'unauthorized' },
])

scenarios('me.update', (world) => ({ mill: world.team.id, other: world.otherTeam.id }), [
  {
    claim: 'one’s own name and picture',
    as: 'member',
    body: { name: 'Mia', full_name: 'Mia Miller', avatar_url: 'https://example.com/mia.png' },
    status: 200,
    emits: ['team/users'],
    audits: ['user.updated'],
    check: ({ data }, _given, world) => {
      expect(data).toMatchObject({
        id: world.people.member.userId,
        short_id: shortId(world.people.member.userId),
        email: 'member@example.com',
        name: 'Mia',
        full_name: 'Mia Miller',
        avatar_url: 'https://example.com/mia.png',
        role: 'user',
        totp_enabled: false,
        default_team_id: world.people.member.personalTeamId,
        deleted_at: null,
      })
      for (const absent of ['metadata', 'banned_at', 'totp_secret_sealed', 'mailbox'])
        expect(data).not.toHaveProperty(absent)
    },
  },
  {
    claim: 'the workspace that sign-ins start in, from the next request on',
    as: 'member',
    body: ({ mill }: { mill: string }) => ({ default_team_id: mill }),
    status: 200,
    audits: ['user.updated'],
    emits: ['access', 'team/users'],
    check: async ({ data }, given, world) => {
      expect(data).toMatchObject({ default_team_id: given.mill, name: 'Mia' })
      await world.call('member', 'POST /me', { body: { name: 'Mia' }, headers: { 'x-team-id': '' } })
      const { db } = world.open.platform
      const last = db.selectFrom('audit_log').select('team_id').orderBy('seq', 'desc').limit(1)
      expect(await last.executeTakeFirstOrThrow()).toEqual({ team_id: given.mill })
    },
  },
  {
    claim: 'a workspace of others cannot be one’s default',
    as: 'member',
    body: ({ other }: { other: string }) => ({ default_team_id: other }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'nor can one that is not there',
    as: 'member',
    body: { default_team_id: 'no-such-workspace' },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'an empty name', as: 'member', body: { name: '' }, status: 400, code: 'validation_error' },
  { claim: 'no credential', as: null, body: { name: 'x' }, status: 401, code: 'unauthorized' },
  { claim: 'a key is no sign-in', as: 'key:', body: { name: 'x' }, status: 403, code: 'requires_sign_in' },
])

describe('archiving', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world.close())

  it('ends every key of the workspace at once, and its members start elsewhere', async () => {
    const personal = await world.token('key:teams:read')
    const workspace = await world.token('workspace-key:teams:read')
    await world.call('member', 'POST /me', { body: { default_team_id: world.team.id } })
    await world.call('admin', `POST /teams/${world.team.id}/invites`, {
      body: { email: 'new@example.com', role: 'member' },
    })
    for (const token of [personal, workspace])
      expect((await world.call({ token: token ?? '' }, 'GET /teams')).status).toBe(200)

    expect((await world.call('owner', `DELETE /teams/${world.team.id}`)).status).toBe(200)

    for (const token of [personal, workspace])
      expect((await world.call({ token: token ?? '' }, 'GET /teams')).status).toBe(401)
    expect((await world.call('member', 'GET /teams')).status).toBe(403)
    const me = await world.call('member', 'GET /teams', { headers: { 'x-team-id': '' } })
    expect(me.data.map((team: { id: string }) => team.id)).toEqual([world.people.member.personalTeamId])
    const { db } = world.open.platform
    const invites = await db.selectFrom('invites').select('status').execute()
    expect(invites).toEqual([{ status: 'revoked' }])
    const keys = await db.selectFrom('api_keys').select('deleted_at').where('team_id', '=', world.team.id).execute()
    expect(keys.every((key) => key.deleted_at !== null)).toBe(true)
  })
})
