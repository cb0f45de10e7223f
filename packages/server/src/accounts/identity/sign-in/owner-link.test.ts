// Guarantees: an empty installation is claimed once, by the visitor with the newest set-up link, within 15 minutes.
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../../testing/world.ts'
import { ownerSignInUrl } from '../service.ts'
import { browserHeaders, cookiesOf } from '../testing/sign-in.ts'

describe('the owner’s first link', () => {
  let world: World
  beforeEach(async () => {
    world = await createWorld()
    await sql`truncate users, teams, organizations cascade`.execute(world.open.platform.db)
  })
  afterEach(() => world?.close())

  const link = async () =>
    new URL((await ownerSignInUrl(world.open.platform)) ?? 'none:').searchParams.get('token') ?? ''
  const claim = (token: string, email: string) =>
    world.call(null, 'POST /sign-in/setup', {
      body: new URLSearchParams({ token, email }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: world.open.platform.settings.APP_URL },
    })
  const accounts = () => world.open.platform.db.selectFrom('users').select('email').execute()

  it('leads to a page that asks for the address', async () => {
    expect(await ownerSignInUrl(world.open.platform)).toMatch(
      /^http:\/\/127\.0\.0\.1:7700\/sign-in\/setup\?token=[\w-]{43}$/,
    )
    const page = await world.call(null, `GET /sign-in/setup?token=${await link()}`)
    expect([page.status, page.text.includes('Become the owner')]).toEqual([200, true])
    const hostile = await world.call(null, `GET /sign-in/setup?token=${encodeURIComponent('"><script>')}`)
    expect(hostile.text).not.toContain('<script')
  })

  it('makes the account the platform’s owner and signs it in', async () => {
    const answer = await claim(await link(), 'Boss@Mill.Example')
    expect([answer.status, answer.headers.location]).toEqual([303, 'http://127.0.0.1:7700/'])
    const me = await world.call(null, 'GET /me', { headers: browserHeaders(world, cookiesOf(answer)) })
    expect(me.data.user).toMatchObject({ email: 'boss@mill.example', role: 'admin' })
    expect(await ownerSignInUrl(world.open.platform)).toBeNull()
  })

  it('says that there is an owner, and where to sign in, once somebody has an account', async () => {
    const token = await link()
    await claim(token, 'boss@mill.example')
    const page = await world.call(null, `GET /sign-in/setup?token=${token}`)
    expect(page.status).toBe(410)
    expect(page.text).toContain('This installation already has an owner')
    expect(page.text).toContain('<a href="http://127.0.0.1:7700/sign-in">')
    expect((await claim(token, 'c@mill.example')).text).toContain('This installation has an owner; sign in instead')
  })

  it('works once, also for two at once', async () => {
    const token = await link()
    const answers = await Promise.all(['a@mill.example', 'b@mill.example'].map((email) => claim(token, email)))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400])
    expect((await claim(token, 'c@mill.example')).status).toBe(400)
    expect(await accounts()).toHaveLength(1)
  })

  it('a new start ends the older link', async () => {
    const [older, newer] = [await link(), await link()]
    expect((await claim(older, 'a@mill.example')).status).toBe(400)
    expect((await claim(newer, 'a@mill.example')).status).toBe(303)
  })

  it('is over after 15 minutes, and the first person’s arrival', async () => {
    const late = await link()
    world.clock.advance(15 * 60_000)
    expect((await claim(late, 'a@mill.example')).status).toBe(400)
    expect(await accounts()).toEqual([])
  })

  it('a refused address leaves the link as it was', async () => {
    const token = await link()
    expect((await claim(token, 'nobody')).status).toBe(400)
    expect((await claim(token, 'a@mailinator.com')).status).toBe(400)
    expect((await claim(token, 'a@mill.example')).status).toBe(303)
  })

  it('is not stored in the clear', async () => {
    const token = await link()
    const state = await world.open.platform.db.selectFrom('server_state').selectAll().execute()
    expect(JSON.stringify(state)).not.toContain(token)
  })
})
