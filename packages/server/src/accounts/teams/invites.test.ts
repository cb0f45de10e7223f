// Guarantees: an invite admits one mailbox to one workspace, once, within seven days; its token is in the mail only.
import { newId } from '@millrace/contract/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mailHandler, mailJob } from '#platform/mail/queue.ts'
import { ownWorld, scenarios } from '../../testing/scenarios.ts'
import { type As, createWorld, type World } from '../../testing/world.ts'
import { createSession, ensureAccount } from '../identity/service.ts'
import { setEntitlement } from '../plans/service.ts'

const dayMs = 24 * 3_600_000
const url = (world: World) => `/teams/${world.team.id}/invites`

/** Sends the queued mails and returns the token of the newest link, as the invitee finds it in the mail. */
const mailedToken = async (world: World): Promise<string> => {
  const { platform, database } = world.open
  const waiting = await database.pool.query<{ payload: Record<string, unknown> }>(
    `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
     where t.id = j.task_id and t.identifier = $1 returning j.payload`,
    [mailJob],
  )
  for (const { payload } of waiting.rows) await mailHandler(platform)(payload)
  return /invite\?token=([\w-]+)/.exec(platform.mailer.printed()[0]?.text ?? '')?.[1] ?? ''
}

type Given = { id: string; personal: string; inviteId: string; email: string; token: string }

let counter = 0
/** A pending invite of the stranger's mailbox; the stranger is not a member yet. */
const invited = async (world: World): Promise<Given> => {
  const { db } = world.open.platform
  await db.deleteFrom('invites').execute()
  await db
    .deleteFrom('team_members')
    .where('team_id', '=', world.team.id)
    .where('user_id', '=', world.people.stranger.userId)
    .execute()
  const made = await world.call('admin', `POST ${url(world)}`, {
    body: { email: 'stranger@example.com', role: 'member' },
  })
  return {
    id: world.team.id,
    personal: world.people.owner.personalTeamId,
    inviteId: made.data.id,
    email: `new-${++counter}@example.com`,
    token: await mailedToken(world),
  }
}

/** The same, but expired. */
const overdue = async (world: World): Promise<Given> => {
  const given = await invited(world)
  world.clock.advance(8 * dayMs)
  return given
}

const here = { path: ({ id }: Given) => ({ id }) }
const invite = { path: ({ id, inviteId }: Given) => ({ id, inviteId }) }
const own = { path: ({ inviteId }: Given) => ({ id: inviteId }) }
const to = (role: string) => ({ body: ({ email }: Given) => ({ email, role }) })

scenarios('team_invites.list', invited, [
  {
    claim: 'an admin sees them with their inviter and workspace',
    as: 'admin',
    ...here,
    status: 200,
    check: ({ data }, given, world) => {
      expect(data).toEqual([
        {
          id: given.inviteId,
          team_id: given.id,
          email: 'stranger@example.com',
          role: 'member',
          status: 'pending',
          expires_at: expect.any(String),
          created_at: expect.any(String),
          invited_by: {
            id: world.people.admin.userId,
            email: 'admin@example.com',
            name: 'admin',
            full_name: '',
            avatar_url: '',
          },
          team: expect.objectContaining({
            id: given.id,
            type: 'team',
            username: 'mill',
            name: 'Mill',
            setup_completed: true,
          }),
        },
      ])
      expect(Date.parse(data[0].expires_at) - Date.parse(data[0].created_at)).toBe(7 * dayMs)
    },
  },
  { claim: 'a plain member', as: 'member', ...here, status: 403, code: 'team_role_required' },
  { claim: 'a service account', as: 'workspace-key:teams:read', ...here, status: 403, code: 'team_role_required' },
  { claim: 'another team sees nothing', as: 'stranger', ...here, status: 404, code: 'not_found' },
  { claim: 'an id that is none', as: 'admin', path: { id: 'x'.repeat(65) }, status: 404, code: 'not_found' },
])

scenarios('team_invites.list', overdue, [
  {
    claim: 'an unanswered invite expires',
    as: 'admin',
    ...here,
    status: 200,
    check: ({ data }) => expect(data[0].status).toBe('expired'),
  },
])

scenarios('team_invites.create', invited, [
  {
    claim: 'an admin invites; the mail holds the link, the database only its hash',
    as: 'admin',
    ...here,
    ...to('admin'),
    status: 200,
    audits: ['invite.created'],
    check: async ({ data, text }, given, world) => {
      expect(data).toMatchObject({ team_id: given.id, email: given.email, role: 'admin', status: 'pending' })
      const { database } = world.open
      const waiting = await database.pool.query('select payload::text from graphile_worker._private_jobs')
      const token = await mailedToken(world)
      expect(token).toMatch(/^[\w-]{43}$/)
      expect(world.open.platform.mailer.printed()[0]).toMatchObject({ to: given.email })
      expect(text + JSON.stringify(waiting.rows)).not.toContain(token)
      const rows = await database.pool.query('select i::text from invites i')
      expect(JSON.stringify(rows.rows)).not.toContain(token)
    },
  },
  { claim: 'an owner makes owners', as: 'owner', ...here, ...to('owner'), status: 200, audits: ['invite.created'] },
  { claim: 'an admin does not', as: 'admin', ...here, ...to('owner'), status: 403, code: 'team_role_required' },
  { claim: 'a plain member', as: 'member', ...here, ...to('member'), status: 403, code: 'team_role_required' },
  {
    claim: 'a service account',
    as: 'workspace-key:teams:write',
    ...here,
    ...to('member'),
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'a second one for the mailbox is the first, renewed: its old link is worthless',
    as: 'owner',
    ...here,
    body: { email: 'Stranger@Example.com', role: 'admin' },
    status: 200,
    audits: ['invite.renewed'],
    check: async ({ data }, given, world) => {
      expect(data).toMatchObject({ id: given.inviteId, role: 'admin', status: 'pending' })
      const info = (token: string) => world.call(null, 'GET /invites/info', { query: { token } })
      expect((await info(given.token)).status).toBe(404)
      expect((await info(await mailedToken(world))).data.id).toBe(given.inviteId)
    },
  },
  {
    claim: 'a member already',
    as: 'admin',
    ...here,
    body: { email: 'member@example.com', role: 'member' },
    status: 409,
    code: 'already_exists',
  },
  {
    claim: 'a personal workspace has one member',
    as: 'owner',
    path: ({ personal }) => ({ id: personal }),
    ...to('member'),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'an address that is none',
    as: 'admin',
    ...here,
    body: { email: 'a@b@c', role: 'member' },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'another team sees nothing', as: 'stranger', ...here, ...to('owner'), status: 404, code: 'not_found' },
])

const withSeats = (limit: number) => async (world: World) => {
  await setEntitlement(world.ctx(), world.team.id, 'seats', null)
  const given = await invited(world)
  await setEntitlement(world.ctx(), world.team.id, 'seats', limit)
  return given
}

scenarios(
  'team_invites.create',
  withSeats(4),
  [
    {
      claim: 'a pending invite holds the last seat',
      as: 'admin',
      ...here,
      ...to('member'),
      status: 402,
      code: 'limit_exceeded',
    },
  ],
  ownWorld,
)

scenarios(
  'team_invites.create',
  withSeats(0),
  [
    {
      claim: 'a plan without members',
      as: 'admin',
      ...here,
      ...to('member'),
      status: 403,
      code: 'feature_not_available',
    },
  ],
  ownWorld,
)

scenarios('team_invites.revoke', invited, [
  {
    claim: 'an admin withdraws it',
    as: 'admin',
    ...invite,
    status: 200,
    audits: ['invite.revoked'],
    check: async ({ data }, given, world) => {
      expect(data).toMatchObject({ id: given.inviteId, status: 'revoked' })
      const late = await world.call('stranger', `POST /invites/${given.inviteId}/accept`)
      expect(late).toMatchObject({ status: 410, code: 'invite_invalid' })
    },
  },
  { claim: 'a plain member', as: 'member', ...invite, status: 403, code: 'team_role_required' },
  { claim: 'another team sees nothing', as: 'stranger', ...invite, status: 404, code: 'not_found' },
  {
    claim: 'no such invite',
    as: 'admin',
    path: ({ id }) => ({ id, inviteId: newId() }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'an id that is none',
    as: 'admin',
    path: ({ id }) => ({ id, inviteId: 'x'.repeat(65) }),
    status: 404,
    code: 'not_found',
  },
])

scenarios('team_invites.revoke', overdue, [
  { claim: 'an expired one has nothing to withdraw', as: 'admin', ...invite, status: 410, code: 'invite_invalid' },
])

scenarios('invites.list', invited, [
  {
    claim: 'the invitee finds it without the mail',
    as: 'stranger',
    status: 200,
    check: ({ data }, given) => expect(data).toMatchObject([{ id: given.inviteId, team: { username: 'mill' } }]),
  },
  { claim: 'nobody else does', as: 'member', status: 200, check: ({ data }) => expect(data).toEqual([]) },
  { claim: 'a key is no sign-in', as: 'stranger-key:', status: 403, code: 'requires_sign_in' },
])

scenarios('invites.list', overdue, [
  {
    claim: 'an expired one is not pending',
    as: 'stranger',
    status: 200,
    check: ({ data }) => expect(data).toEqual([]),
  },
])

const infoRoute = { query: ({ token }: Given) => ({ token }) }

scenarios('invites.info', invited, [
  {
    claim: 'the bearer of the link learns what it leads to, signed in or not',
    as: null,
    ...infoRoute,
    status: 200,
    check: ({ data }, given) =>
      expect(data).toEqual({
        id: given.inviteId,
        email: 'stranger@example.com',
        role: 'member',
        status: 'pending',
        expires_at: expect.any(String),
        team: { id: given.id, type: 'team', name: 'Mill', avatar_url: '' },
        invited_by: 'admin',
      }),
  },
  { claim: 'an invented token', as: null, query: { token: 'x'.repeat(43) }, status: 404, code: 'not_found' },
  { claim: 'no token', as: null, status: 400, code: 'validation_error' },
])

scenarios('invites.info', overdue, [
  {
    claim: 'an expired one says so',
    as: null,
    ...infoRoute,
    status: 200,
    check: ({ data }) => expect(data.status).toBe('expired'),
  },
])

scenarios(
  'invites.accept',
  invited,
  [
    {
      claim: 'the invitee comes in with the promised role',
      as: 'stranger',
      ...own,
      status: 200,
      emits: ['team/users'],
      audits: ['invite.accepted', 'member.added'],
      check: async ({ data }, given, world) => {
        expect(data).toMatchObject({ user_id: world.people.stranger.userId, team_id: given.id, role: 'member' })
        expect((await world.call('stranger', `GET /teams/${given.id}`)).data.role).toBe('member')
        const again = await world.call('stranger', `POST /invites/${given.inviteId}/accept`)
        expect(again).toMatchObject({ status: 410, code: 'invite_invalid' })
      },
    },
    {
      claim: 'the mailed token opens it for the mailbox owner with another account',
      as: 'platform',
      ...own,
      body: ({ token }: Given) => ({ token }),
      status: 200,
      audits: ['invite.accepted', 'member.added'],
      emits: ['team/users'],
      check: async (_answer, given, world) => {
        await world.call('platform', `DELETE /teams/${given.id}/members/${world.people.platform.userId}`)
      },
    },
    {
      claim: 'a person who is already a member keeps their role',
      as: 'owner',
      ...own,
      body: ({ token }: Given) => ({ token }),
      status: 200,
      audits: ['invite.accepted'],
      check: ({ data }) => expect(data.role).toBe('owner'),
    },
    { claim: 'somebody else’s invite is not there', as: 'platform', ...own, status: 404, code: 'not_found' },
    {
      claim: 'a wrong token',
      as: 'stranger',
      ...own,
      body: { token: 'x'.repeat(43) },
      status: 404,
      code: 'not_found',
    },
    { claim: 'no such invite', as: 'stranger', path: () => ({ id: newId() }), status: 404, code: 'not_found' },
    {
      claim: 'a token that is no text',
      as: 'stranger',
      ...own,
      body: { token: 5 },
      status: 400,
      code: 'validation_error',
    },
    { claim: 'a key is no sign-in', as: 'stranger-key:', ...own, status: 403, code: 'requires_sign_in' },
  ],
  ownWorld,
)

scenarios(
  'invites.accept',
  overdue,
  [{ claim: 'too late', as: 'stranger', ...own, status: 410, code: 'invite_invalid' }],
  ownWorld,
)

scenarios(
  'invites.accept',
  withSeats(3),
  [
    {
      claim: 'no seat is left; the invite stays open until there is one',
      as: 'stranger',
      ...own,
      status: 402,
      code: 'limit_exceeded',
      check: async (_answer, given, world) => {
        await setEntitlement(world.ctx(), world.team.id, 'seats', 4)
        expect((await world.call('stranger', `POST /invites/${given.inviteId}/accept`)).status).toBe(200)
      },
    },
  ],
  ownWorld,
)

scenarios(
  'invites.accept',
  withSeats(0),
  [{ claim: 'a plan without members', as: 'stranger', ...own, status: 403, code: 'feature_not_available' }],
  ownWorld,
)

scenarios(
  'invites.decline',
  invited,
  [
    {
      claim: 'the invitee turns it down for good',
      as: 'stranger',
      ...own,
      status: 200,
      audits: ['invite.declined'],
      check: async ({ data }, given, world) => {
        expect(data).toMatchObject({ id: given.inviteId, status: 'declined' })
        const late = await world.call('stranger', `POST /invites/${given.inviteId}/accept`)
        expect(late).toMatchObject({ status: 410, code: 'invite_invalid' })
      },
    },
    {
      claim: 'so may the bearer of the token',
      as: 'platform',
      ...own,
      body: ({ token }: Given) => ({ token }),
      status: 200,
      audits: ['invite.declined'],
    },
    { claim: 'somebody else’s invite is not there', as: 'member', ...own, status: 404, code: 'not_found' },
    {
      claim: 'a token that is no text',
      as: 'stranger',
      ...own,
      body: { token: 5 },
      status: 400,
      code: 'validation_error',
    },
    { claim: 'a key is no sign-in', as: 'stranger-key:', ...own, status: 403, code: 'requires_sign_in' },
  ],
  ownWorld,
)

scenarios(
  'invites.decline',
  overdue,
  [{ claim: 'too late', as: 'stranger', ...own, status: 410, code: 'invite_invalid' }],
  ownWorld,
)

describe('invites', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world.close())

  const signedIn = async (email: string): Promise<As> => {
    const { user } = await ensureAccount(world.ctx(), email)
    const session = await createSession(world.ctx(), { userId: user.id, kind: 'token', authMethod: 'magic-link' })
    return { token: session.secret }
  }

  it('one of many who accept at the same moment gets in', async () => {
    const given = await invited(world)
    const people = await Promise.all(Array.from({ length: 8 }, (_, index) => signedIn(`racer-${index}@example.com`)))
    const before = await world.call('owner', `GET /teams/${given.id}/members`)
    const answers = await Promise.all(
      people.map((as) => world.call(as, `POST /invites/${given.inviteId}/accept`, { body: { token: given.token } })),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(7).fill(410)])
    const after = await world.call('owner', `GET /teams/${given.id}/members`)
    expect(after.data).toHaveLength(before.data.length + 1)
  })

  it('many invites of one mailbox at the same moment are one', async () => {
    const spellings = ['linus.t@gmail.com', 'linust@gmail.com', 'linust+mill@gmail.com', 'LinusT@googlemail.com']
    const answers = await Promise.all(
      spellings.map((email) => world.call('owner', `POST ${url(world)}`, { body: { email, role: 'member' } })),
    )
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200])
    expect(new Set(answers.map((answer) => answer.data.id)).size).toBe(1)
    const invitee = await signedIn('l.i.n.u.s.t@gmail.com')
    const found = await world.call(invitee, 'GET /invites')
    expect(found.data).toMatchObject([{ id: answers[0]?.data.id }])
    expect((await world.call(invitee, `POST /invites/${found.data[0].id}/accept`)).status).toBe(200)
  })

  it('an expired invite is not renewed: the mailbox gets a new one, and the history keeps both', async () => {
    const given = await overdue(world)
    const again = await world.call('owner', `POST ${url(world)}`, {
      body: { email: 'stranger@example.com', role: 'admin' },
    })
    expect(again.data.id).not.toBe(given.inviteId)
    const history = await world.call('owner', `GET ${url(world)}`)
    expect(history.data.map((one: { status: string }) => one.status)).toEqual(['pending', 'expired'])
  })

  it('an admin cannot turn an owner’s invite of an owner into something less', async () => {
    await world.open.platform.db.deleteFrom('invites').execute()
    const body = { email: 'heir@example.com', role: 'owner' }
    expect((await world.call('owner', `POST ${url(world)}`, { body })).status).toBe(200)
    const lowered = await world.call('admin', `POST ${url(world)}`, { body: { ...body, role: 'member' } })
    expect(lowered).toMatchObject({ status: 403, code: 'team_role_required' })
  })
})
