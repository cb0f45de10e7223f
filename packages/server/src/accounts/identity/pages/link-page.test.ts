// Guarantees: opening a mailed sign-in link changes nothing; the button of its page signs in, and only from this page.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../../testing/world.ts'
import { ban, cookiesOf, newAddress, requestLink, setUpAuthenticator, signInBrowser } from '../testing/sign-in.ts'

describe('the page of a sign-in link', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld({ runJobs: true })
  })
  afterAll(() => world?.close())

  const appUrl = () => world.open.platform.settings.APP_URL
  const open = (token: string, headers: Record<string, string> = {}) =>
    world.call(null, 'GET /auth/magic-link/verify', { query: { token }, headers })
  const press = (fields: Record<string, string>, headers: Record<string, string> = { origin: appUrl() }) =>
    world.call(null, 'POST /sign-in/link', {
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })

  it('a picture whose address is a sign-in link signs nobody in and does not use the link up', async () => {
    const { email, token } = await requestLink(world)
    for (const accept of ['*/*', 'image/avif,image/*,*/*;q=0.8', 'text/html']) {
      const page = await open(token, { accept })
      expect([page.status, cookiesOf(page)]).toEqual([200, {}])
      expect(page.text).toContain(`Sign in as <strong>${email}</strong>`)
    }
    const head = await world.call(null, 'HEAD /auth/magic-link/verify', { query: { token } })
    expect([head.status, cookiesOf(head)]).toEqual([200, {}])
    const users = await world.open.platform.db.selectFrom('users').where('email', '=', email).select('id').execute()
    expect(users).toEqual([])
    expect((await press({ token })).status).toBe(303)
  })

  it('the button signs in and leads into the app', async () => {
    const { token } = await requestLink(world)
    const answer = await press({ token })
    expect([answer.status, answer.headers.location]).toEqual([303, `${appUrl()}/`])
    expect(cookiesOf(answer)).toMatchObject({
      session: expect.stringMatching(/^[\w-]{43}$/),
      csrf: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect((await press({ token })).status).toBe(400)
  })

  it('the button leads back to the page that asked for the sign-in', async () => {
    const { token } = await requestLink(world, newAddress(), { redirect_to: '/docs?x=1' })
    expect((await press({ token })).headers.location).toBe(`${appUrl()}/docs?x=1`)
  })

  it('the button leads to the authenticator without a session', async () => {
    const guarded = await signInBrowser(world)
    const { data } = await world.call(null, 'POST /auth/sessions/token', { headers: guarded.headers })
    await setUpAuthenticator(world, { token: data.token })
    const answer = await press({ token: (await requestLink(world, guarded.email)).token })
    expect([answer.status, answer.headers.location]).toEqual([303, `${appUrl()}/sign-in/authenticator`])
    expect(Object.keys(cookiesOf(answer))).toEqual(['challenge'])
  })

  it.each<Record<string, string>>([{ origin: 'https://elsewhere.example' }, { origin: 'null' }, {}])(
    'a form from another page is refused: %j',
    async (headers) => {
      const { token } = await requestLink(world)
      const answer = await press({ token }, headers)
      expect([answer.status, cookiesOf(answer)]).toEqual([403, {}])
      expect((await press({ token })).status).toBe(303)
    },
  )

  it('a link that is not valid is explained and has no button', async () => {
    const used = await requestLink(world)
    await press({ token: used.token })
    const late = await requestLink(world)
    world.clock.advance(15 * 60_000)
    for (const token of ['x', '', '"><script>', used.token, late.token]) {
      const page = await open(token)
      expect([page.status, page.text.includes('The link is invalid')]).toEqual([400, true])
      expect(page.text).not.toContain('<form')
      expect(page.text).not.toContain('<script')
      expect((await press({ token })).status).toBe(400)
    }
  })

  it('a suspended account stays signed out', async () => {
    const { email } = await signInBrowser(world)
    await ban(world, email)
    const answer = await press({ token: (await requestLink(world, email)).token })
    expect([answer.status, cookiesOf(answer)]).toEqual([403, {}])
    expect(answer.text).toContain('This account is suspended')
  })
})
