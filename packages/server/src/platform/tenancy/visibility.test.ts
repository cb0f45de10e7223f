// Guarantees: read, write and run access to a row depend only on its visibility, its workspace and its organization;
// access of an administrator is marked as a bypass; a list never shows more than single reads; running never uses the
// bypass.
import { grantOfSession } from '@millrace/contract/scopes'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { type Actor, guest, type Member, type TeamRole } from '../core/actor.ts'
import { assertReadable, assertRunnable, assertWritable } from './private-access.ts'
import { listedFor, mayRead, mayRun, mayWrite, type OwnedRow, readableBy } from './visibility.ts'

const member = (
  userId: string,
  teamId: string,
  role: TeamRole,
  org: { id?: string; admin?: boolean } = {},
): Member => ({
  kind: 'session',
  credentialId: 'test',
  userId,
  teamId,
  role,
  isPerson: true,
  personalTeam: false,
  orgId: org.id ?? null,
  orgAdmin: org.admin ?? false,
  grant: grantOfSession(null),
  platform: 'not_staff',
  inPlatformTeam: false,
  expiresAtMs: null,
})

/** The row belongs to `maker` in `mill`, a workspace of the organization `guild`. */
const row = (visibility: string): OwnedRow => ({
  team_id: 'mill',
  user_id: 'maker',
  visibility,
  team_org_id: 'guild',
})

const guild = { id: 'guild' }
const callers: Record<string, Actor> = {
  maker: member('maker', 'mill', 'member', guild),
  colleague: member('colleague', 'mill', 'member', guild),
  'team admin': member('boss', 'mill', 'admin', guild),
  'team owner': member('owner', 'mill', 'owner', guild),
  'same org': member('cousin', 'pond', 'owner', guild),
  'org admin': member('warden', 'pond', 'member', { id: 'guild', admin: true }),
  'org admin who is a plain member': member('warden', 'mill', 'member', { id: 'guild', admin: true }),
  'other org’s admin': member('rival', 'lake', 'owner', { id: 'union', admin: true }),
  'no org': member('loner', 'lake', 'owner'),
  nobody: guest,
}

type Verdicts = [read: string, write: string, run: boolean]
const yes: Verdicts = ['yes', 'yes', true]
const no: Verdicts = ['no', 'no', false]
const readOnly: Verdicts = ['yes', 'no', true]
const bypass: Verdicts = ['bypass', 'bypass', false]
const orgWriter: Verdicts = ['yes', 'bypass', true]

const table: Record<string, Record<string, Verdicts>> = {
  private: {
    maker: yes,
    colleague: no,
    'team admin': bypass,
    'team owner': bypass,
    'same org': no,
    'org admin': bypass,
    'org admin who is a plain member': bypass,
    'other org’s admin': no,
    'no org': no,
    nobody: no,
  },
  team: {
    maker: yes,
    colleague: yes,
    'team admin': yes,
    'team owner': yes,
    'same org': no,
    'org admin': bypass,
    'org admin who is a plain member': yes,
    'other org’s admin': no,
    'no org': no,
    nobody: no,
  },
  org: {
    maker: yes,
    colleague: yes,
    'team admin': yes,
    'team owner': yes,
    'same org': readOnly,
    'org admin': orgWriter,
    'org admin who is a plain member': yes,
    'other org’s admin': no,
    'no org': no,
    nobody: no,
  },
  unlisted: {
    maker: yes,
    colleague: yes,
    'team admin': yes,
    'team owner': yes,
    'same org': readOnly,
    'org admin': orgWriter,
    'org admin who is a plain member': yes,
    'other org’s admin': readOnly,
    'no org': readOnly,
    nobody: readOnly,
  },
  public: {
    maker: yes,
    colleague: yes,
    'team admin': yes,
    'team owner': yes,
    'same org': readOnly,
    'org admin': orgWriter,
    'org admin who is a plain member': yes,
    'other org’s admin': readOnly,
    'no org': readOnly,
    nobody: readOnly,
  },
}

const cases = Object.entries(table).flatMap(([visibility, expected]) =>
  Object.entries(expected).map(([caller, verdicts]) => ({ visibility, caller, verdicts })),
)

describe('a single row', () => {
  it('the table contains every caller for every visibility', () => {
    expect(cases).toHaveLength(5 * Object.keys(callers).length)
  })

  it.each(cases)('$visibility, $caller', ({ visibility, caller, verdicts }) => {
    const actor = callers[caller] ?? guest
    const owned = row(visibility)
    expect([mayRead(actor, owned), mayWrite(actor, owned), mayRun(actor, owned)]).toEqual(verdicts)
  })
})

describe('in the database', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
    const { pool } = world.open.database
    await pool.query(`insert into organizations (id, name) values ('guild', 'Guild'), ('union', 'Union')`)
    await pool.query(`insert into teams (id, type, name, username, org_id) values
      ('mill', 'team', '', 'mill-team', 'guild'), ('pond', 'team', '', 'pond', 'guild'), ('lake', 'team', '', 'lake', 'union')`)
    await pool.query('create table owned (id text primary key, team_id text, user_id text, visibility text)')
    for (const visibility of Object.keys(table))
      await pool.query(`insert into owned values ($1, 'mill', 'maker', $1)`, [visibility])
  })
  afterAll(() => world.close())

  const listed = async (
    actor: Actor,
    reach: { includeOthers?: boolean; includePrivate?: boolean },
  ): Promise<string[]> => {
    const predicate = listedFor(actor, 'owned', { includeOthers: false, includePrivate: false, ...reach })
    const { rows } = await sql<{ id: string }>`select id from owned where ${predicate} order by id`.execute(
      world.open.platform.db,
    )
    return rows.map(({ id }) => id)
  }

  const all = ['org', 'private', 'public', 'team', 'unlisted']
  const lists: [caller: string, reach: { includeOthers?: boolean; includePrivate?: boolean }, seen: string[]][] = [
    ['maker', {}, all],
    ['colleague', {}, all.filter((visibility) => visibility !== 'private')],
    ['team admin', {}, all.filter((visibility) => visibility !== 'private')],
    ['team admin', { includePrivate: true }, all],
    ['same org', {}, []],
    ['same org', { includeOthers: true }, ['org', 'public']],
    ['org admin', { includeOthers: true }, ['org', 'public']],
    ['no org', { includeOthers: true }, ['public']],
    ['other org’s admin', { includeOthers: true }, ['public']],
    ['nobody', { includeOthers: true }, ['public']],
  ]

  it.each(lists)('a list for %s with %j', async (caller, reach, seen) => {
    expect(await listed(callers[caller] ?? guest, reach)).toEqual(seen)
  })

  it('a list never shows rows that a single read would refuse', async () => {
    for (const actor of Object.values(callers))
      for (const includeOthers of [false, true])
        for (const visibility of await listed(actor, { includeOthers }))
          expect(mayRead(actor, row(visibility))).toBe('yes')
  })

  it('the predicate for readable rows matches single reads without a bypass', async () => {
    for (const [caller, actor] of Object.entries(callers)) {
      const { rows } = await sql<{ id: string }>`
        select id from owned where ${readableBy(actor, 'owned')} order by id`.execute(world.open.platform.db)
      const readable = all.filter((visibility) => mayRead(actor, row(visibility)) === 'yes')
      expect([caller, rows.map(({ id }) => id)]).toEqual([caller, readable])
    }
  })

  it('an administrator’s read of a private row is audited and an ordinary read is not', async () => {
    const owned = { ...row('private'), id: 'private' }
    const as = (caller: string) => world.ctx().as(callers[caller] ?? guest)
    const audits = async () =>
      (
        await world.open.platform.db
          .selectFrom('audit_log')
          .select(['actor_user_id', 'team_id', 'resource_id', 'meta'])
          .where('action', '=', 'team_admin.permission_bypass')
          .orderBy('seq')
          .execute()
      ).map((entry) => ({ ...entry }))
    await assertReadable(as('maker'), owned, 'app')
    expect(await audits()).toEqual([])
    await assertReadable(as('team admin'), owned, 'app')
    await assertWritable(as('org admin'), owned, 'app')
    expect(await audits()).toEqual([
      { actor_user_id: 'boss', team_id: 'mill', resource_id: 'private', meta: { access: 'read' } },
      { actor_user_id: 'warden', team_id: 'mill', resource_id: 'private', meta: { access: 'write' } },
    ])
    for (const caller of ['colleague', 'same org', 'no org', 'nobody']) {
      await expect(assertReadable(as(caller), owned, 'app')).rejects.toMatchObject({ code: 'not_found' })
      await expect(assertWritable(as(caller), owned, 'app')).rejects.toMatchObject({ code: 'not_found' })
    }
    expect(() => assertRunnable(as('team admin'), owned, 'app')).toThrow('App not found')
    expect(await audits()).toHaveLength(2)
  })
})
