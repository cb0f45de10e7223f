// Guarantees: the sign-in pages work as plain forms, reject forms of other origins, redirect only within the app, and
// escape typed text.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../../testing/world.ts'
import {
  browserHeaders,
  cookiesOf,
  newAddress,
  otherCode,
  requestLink,
  setUpAuthenticator,
  shownCode,
  signInBrowser,
} from '../testing/sign-in.ts'

const app = 'http://127.0.0.1:7700'

describe('sign-in pages', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld({ runJobs: true })
  })
  afterAll(() => world?.close())

  const get = (path: string, headers: Record<string, string> = {}) =>
    world.call(null, `GET ${path}`, { headers: { host: '127.0.0.1:7700', accept: 'text/html', ...headers } })
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = { origin: app }) =>
    world.call(null, `POST ${path}`, {
      body: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })

  it('lead from the front route to the form, to the code, and in', async () => {
    const route = await get('/')
    expect([route.status, route.headers.location]).toEqual([302, `${app}/sign-in`])
    const email = newAddress()
    const sent = await post('/sign-in', { email })
    expect([sent.status, sent.headers.location]).toEqual([
      303,
      `${app}/sign-in/code?email=${encodeURIComponent(email)}`,
    ])
    const { code } = await requestLink(world, email)
    const wrong = await post('/sign-in/code', { email, code: otherCode(code) })
    expect([wrong.status, wrong.text.includes('The code is wrong')]).toEqual([400, true])
    const right = await post('/sign-in/code', { email, code })
    expect([right.status, right.headers.location]).toEqual([303, `${app}/`])
    const home = await get('/', browserHeaders(world, cookiesOf(right)))
    expect([home.status, home.headers.location]).toEqual([302, `${app}/console`])
  })

  it('show where things are to a program that knocks at the front route', async () => {
    const { status, headers, json } = await get('/', { accept: '*/*' })
    expect([status, headers.vary]).toEqual([200, 'Accept'])
    expect(json).toMatchObject({
      name: 'Millrace',
      links: {
        console: `${app}/console`,
        guides: `${app}/guides`,
        reference: `${app}/docs`,
        openapi: `${app}/openapi.json`,
      },
    })
  })

  it('say where the code is when there is no mail server', async () => {
    const { text } = await get('/sign-in/code?email=ada%40mill.example')
    expect(text).toContain('no mail server')
    expect(text).toContain('npm start')
  })

  it('ask for the authenticator in between', async () => {
    const { email, headers } = await signInBrowser(world)
    const { data } = await world.call(null, 'POST /auth/sessions/token', { headers })
    const secret = await setUpAuthenticator(world, { token: data.token })
    const { code } = await requestLink(world, email, { redirect_to: '/docs' })
    const first = await post('/sign-in/code', { email, code })
    expect([first.status, first.headers.location]).toEqual([303, `${app}/sign-in/authenticator`])
    const carried = browserHeaders(world, cookiesOf(first))
    expect((await get('/', carried)).status).toBe(302)
    const wrong = await post('/sign-in/authenticator', { code: '12' }, carried)
    expect([wrong.status, wrong.text.includes('role="alert"')]).toEqual([400, true])
    const right = await post('/sign-in/authenticator', { code: shownCode(world, secret) }, carried)
    expect([right.status, right.headers.location, cookiesOf(right).challenge]).toEqual([303, `${app}/docs`, ''])
  })

  it('send a signed-in visitor straight on', async () => {
    const { headers } = await signInBrowser(world)
    expect((await get('/sign-in', headers)).headers.location).toBe(`${app}/`)
    expect((await get('/sign-in?redirect_to=%2Fdevice%3Fcode%3DX', headers)).headers.location).toBe(
      `${app}/device?code=X`,
    )
  })

  it('sign out', async () => {
    const { headers } = await signInBrowser(world)
    const out = await post('/sign-in/sign-out', {}, headers)
    expect([out.status, out.headers.location, cookiesOf(out)]).toEqual([
      303,
      `${app}/sign-in`,
      { session: '', csrf: '' },
    ])
    expect((await world.call(null, 'GET /me', { headers })).status).toBe(401)
  })

  it.each([
    ['/sign-in', { email: 'x@mill.example' }],
    ['/sign-in/code', { email: 'x@mill.example', code: '123456' }],
    ['/sign-in/authenticator', { code: '123456' }],
    ['/sign-in/link', { token: 'x' }],
    ['/sign-in/setup', { token: 'x', email: 'x@mill.example' }],
    ['/sign-in/sign-out', {}],
  ])('%s takes no form from elsewhere', async (path, fields) => {
    for (const origin of ['https://elsewhere.example', 'null', 'http://127.0.0.1:7701'])
      expect((await post(path, fields, { origin })).status).toBe(403)
    expect((await post(path, fields, {})).status).toBe(403)
  })

  it('carry no redirect to a foreign page along', async () => {
    for (const foreign of ['https://elsewhere.example/', '//elsewhere.example', '/\\elsewhere.example']) {
      const query = encodeURIComponent(foreign)
      for (const path of [`/sign-in?redirect_to=${query}`, `/sign-in/code?email=a@b.example&redirect_to=${query}`])
        expect((await get(path)).text).not.toContain('elsewhere')
      const sent = await post('/sign-in', { email: newAddress(), redirect_to: foreign })
      expect([sent.status, sent.headers.location?.includes('elsewhere')]).toEqual([303, false])
      const { headers } = await signInBrowser(world)
      expect((await get(`/sign-in?redirect_to=${query}`, headers)).headers.location).toBe(`${app}/`)
    }
  })

  it('show what was typed as text', async () => {
    const script = '"><script>alert(1)</script>'
    const pages = await Promise.all([
      get(`/sign-in?email=${encodeURIComponent(script)}&problem=${encodeURIComponent(script)}`),
      get(`/sign-in/code?email=${encodeURIComponent(script)}`),
      post('/sign-in', { email: script }),
      post('/sign-in/setup', { token: script, email: script }),
    ])
    for (const { text } of pages) {
      expect(text).toContain('<!doctype html>')
      expect(text).not.toContain('<script')
    }
  })

  it('are not cached, not framed, and run no scripts', async () => {
    const { headers } = await get('/sign-in')
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
  })

  it('explain a refusal that a browser came back with, and repeat nothing else', async () => {
    expect((await get('/sign-in?problem=invalid_token')).text).toContain('The link is invalid')
    expect((await get('/sign-in?problem=you+have+won')).text).not.toContain('won')
  })

  it('tell when the hour’s mails are used up', async () => {
    const email = newAddress()
    for (let sent = 0; sent < 5; sent += 1) await post('/sign-in', { email })
    const refused = await post('/sign-in', { email })
    expect([refused.status, refused.headers['retry-after'], refused.text.includes('At most 5')]).toEqual([
      429,
      '3600',
      true,
    ])
  })

  it('are reached under one name on the machine itself', async () => {
    const elsewhere = await get('/sign-in?redirect_to=%2Fdocs', { host: 'localhost:7700' })
    expect([elsewhere.status, elsewhere.headers.location]).toEqual([302, `${app}/sign-in?redirect_to=%2Fdocs`])
    expect((await get('/sign-in', { host: 'mill.example' })).status).toBe(200)
    expect((await get('/sign-in', { host: 'not a host' })).status).toBe(200)
  })

  it('offer single sign-on only where it is set up', async () => {
    expect((await get('/sign-in')).text).not.toContain('/auth/oidc/start')
  })
})

describe('cookies of an app behind https', () => {
  it('travel only there', async () => {
    const world = await createWorld({ runJobs: true, settings: { APP_URL: 'https://app.mill.example' } })
    try {
      const { token } = await requestLink(world)
      const { headers } = await world.call(null, 'POST /sign-in/link', {
        body: new URLSearchParams({ token }).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://app.mill.example' },
      })
      expect(headers.location).toBe('https://app.mill.example/')
      for (const line of [headers['set-cookie']].flat()) expect(line).toMatch(/; SameSite=Lax.*; Secure$/)
    } finally {
      await world.close()
    }
  })
})

describe('the front route without a console', () => {
  it('shows who is signed in, and the way out', async () => {
    const world = await createWorld({ runJobs: true, settings: { CONSOLE: 'false' } })
    try {
      const { email, headers } = await signInBrowser(world)
      const home = await world.call(null, 'GET /', {
        headers: { ...headers, host: '127.0.0.1:7700', accept: 'text/html' },
      })
      expect([home.status, home.text.includes(email), home.text.includes('Sign out')]).toEqual([200, true, true])
      const { json } = await world.call(null, 'GET /', { headers: { accept: 'application/json' } })
      expect(json).not.toHaveProperty('links.console')
    } finally {
      await world.close()
    }
  })
})
