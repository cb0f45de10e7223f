// Guarantees: accounts are created only as `SIGN_UP` allows, the answers do not reveal which addresses it allows, and
// the operator creates the first account of a public installation.
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { readSettings } from '#platform/settings/settings.ts'
import { createWorld, type World } from '../../../testing/world.ts'
import { ensureAccount } from '../accounts/accounts.ts'
import { newAddress } from '../testing/sign-in.ts'
import { linksPerHour } from './magic-links.ts'
import { mayOpenAccount } from './sign-up.ts'

const worlds: World[] = []
afterAll(() => Promise.all(worlds.map((world) => world.close())))

const worldWith = async (settings: Record<string, string>): Promise<World> => {
  const world = await createWorld({ settings, runJobs: true })
  worlds.push(world)
  return world
}

const send = (world: World, email: string) => world.call(null, 'POST /auth/magic-link/send', { body: { email } })

const queuedMails = async (world: World): Promise<number> => {
  const { rows } = await world.open.database.pool.query(
    'select count(*)::int as mails from magic_links where used_at is null',
  )
  return rows[0].mails
}

describe('who may make an account', () => {
  it('anyone while open, within the domains that are named', async () => {
    const world = await worldWith({ SIGN_UP: 'open', SIGN_UP_DOMAINS: 'example.com, @Example.org' })
    const may = (email: string) => mayOpenAccount(world.ctx(), email)
    expect([await may('a@example.com'), await may('a@example.org'), await may('a@sub.example.com')]).toEqual([
      true,
      true,
      false,
    ])
  })

  it('people with an invite while invited, nobody while closed; both get the answer of a known address', async () => {
    const invited = await worldWith({ SIGN_UP: 'invited' })
    const closed = await worldWith({ SIGN_UP: 'closed' })
    for (const world of [invited, closed]) {
      const guest = newAddress()
      const body = { email: guest, role: 'member' }
      expect((await world.call('owner', `POST /teams/${world.team.id}/invites`, { body })).status).toBe(200)
      expect(await mayOpenAccount(world.ctx(), guest)).toBe(world === invited)
      const before = await queuedMails(world)
      const stranger = newAddress()
      const known = await send(world, world.people.owner.email)
      const refused = await send(world, stranger)
      expect([refused.status, refused.data]).toEqual([known.status, known.data])
      expect(await queuedMails(world)).toBe(before + 1)
      // The number of mails does not reveal it either.
      for (let more = 1; more < linksPerHour; more += 1) expect((await send(world, stranger)).status).toBe(200)
      expect((await send(world, stranger)).status).toBe(429)
      const { rows } = await world.open.database.pool.query('select 1 from users where email = $1', [stranger])
      expect(rows).toEqual([])
    }
  })
})

describe('the first account', () => {
  const emptyWorld = async (settings: Record<string, string>): Promise<World> => {
    const world = await worldWith(settings)
    await sql`truncate users, teams, organizations cascade`.execute(world.open.platform.db)
    return world
  }

  it.each([
    ['a public address', { HOST: '0.0.0.0', SIGN_UP: 'invited' }, false],
    ['open sign-up on a public address', { HOST: '0.0.0.0', SIGN_UP: 'open' }, true],
    ['a proxy in front of loopback', { BASE_URL: 'https://mill.example.com' }, false],
  ] as [string, Record<string, string>, boolean][])(
    'comes from the set-up link only, with %s',
    async (_title, settings, isOpen) => {
      const world = await emptyWorld(settings)
      const stranger = newAddress()
      expect((await send(world, stranger)).status).toBe(200)
      expect(await queuedMails(world)).toBe(0)
      expect(await mayOpenAccount(world.ctx(), stranger)).toBe(false)
      const page = await world.call(null, 'GET /sign-in')
      expect([page.status, page.text.includes('open the set-up link')]).toEqual([200, true])

      const { user } = await ensureAccount(world.ctx(), newAddress())
      expect(user.role).toBe('admin')
      expect(await mayOpenAccount(world.ctx(), stranger)).toBe(isOpen)
      expect((await world.call(null, 'GET /sign-in')).text).not.toContain('open the set-up link')
    },
  )

  it('comes from any mailbox while only this machine reaches the server', async () => {
    const world = await emptyWorld({ SIGN_UP: 'invited' })
    expect(await mayOpenAccount(world.ctx(), newAddress())).toBe(true)
  })
})

it('is open by default only where both addresses are loopback', () => {
  const signUp = (env: Record<string, string>) => readSettings(env).SIGN_UP
  expect(signUp({})).toBe('open')
  expect(signUp({ HOST: '::1', BASE_URL: 'http://localhost:7700' })).toBe('open')
  expect(signUp({ HOST: '0.0.0.0' })).toBe('invited')
  expect(signUp({ BASE_URL: 'https://millrace.example.com' })).toBe('invited')
  expect(signUp({ HOST: '0.0.0.0', SIGN_UP: 'open' })).toBe('open')
  expect(() => readSettings({ SIGN_UP: 'sometimes', SIGN_UP_DOMAINS: 'nonsense' })).toThrow(
    /SIGN_UP: .*\n.*SIGN_UP_DOMAINS/,
  )
})
