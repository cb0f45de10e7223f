// Guarantees: the page to which services redirect browsers completes the sign-in only for the person who started it, in
// the workspace where it was started; shows the result; rejects forms of other origins; and stores no code.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { As } from '../../testing/world.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { packReturn, readReturn, returnCookie, unpackReturn } from './oauth-return.ts'
import {
  type AuthorizationServer,
  ordinaryClient,
  startAuthorizationServer,
  visit,
} from './testing/authorization-server.ts'
import { credentialRow, givenProvider, specFor } from './testing/given.ts'

const path = '/settings/secrets/oauth/mill'
const app = 'http://127.0.0.1:7700'

let world: World
let server: AuthorizationServer
beforeAll(async () => {
  server = await startAuthorizationServer({ clients: [ordinaryClient(['mill'])] })
  world = await createWorld()
  await givenProvider(world, { slug: 'mill', specs: [specFor(server)], more: { display_name: 'The <Mill>' } })
})
afterAll(async () => {
  await world?.close()
  await server?.close()
})
beforeEach(() => {
  server.consents = true
})

/** Started by a program in the shared workspace; the browser of that person may be in another one. */
const begin = async (as: As = 'owner'): Promise<{ id: string; returned: Record<string, string> }> => {
  const { data, status, text } = await world.call(as, 'POST /credentials', {
    body: { provider: 'mill', type: 'oauth' },
  })
  expect(status, text).toBe(200)
  return { id: data.credential.id, returned: await visit(data.auth_url) }
}

// Browsers send no workspace, so these requests are in the personal one.
const open = (as: As, query: Record<string, string>) => world.call(as, `GET ${path}`, { query, team: '' })

const post = (as: As, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  world.call(as, `POST ${path}`, {
    team: '',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })

const hiddenFields = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  )

describe('coming back from a service', () => {
  it('shows a form that finishes by itself, and the form connects', async () => {
    const { id, returned } = await begin()
    const page = await open('browser:owner', returned)
    expect(page.status).toBe(200)
    expect(page.text).toContain('Back from The &#60;Mill&#62;')
    const policy = String(page.headers['content-security-policy'])
    expect(policy).toMatch(/default-src 'none'.*script-src 'sha256-[\w+/=]+'$/)
    expect(page.headers['cache-control']).toBe('no-store')
    expect(hiddenFields(page.text)).toMatchObject({ state: returned.state, code: returned.code })

    const done = await post('browser:owner', hiddenFields(page.text))
    expect(done.status, done.text).toBe(200)
    // The console closes the window that it opened when it finds this id.
    expect(done.text).toContain('<h1 id="connected">The &#60;Mill&#62; is connected')
    expect(done.text).toContain('<strong id="account">Ada</strong>')
    expect(done.text).not.toContain(returned.code)
    expect(await credentialRow(world, id)).toMatchObject({ status: 'connected', team_id: world.team.id })
    expect((await post('browser:owner', returned)).status).toBe(400)
  })

  it('says that the sign-in was denied', async () => {
    server.consents = false
    const { returned } = await begin()
    expect(returned).toMatchObject({ error: 'access_denied' })
    const page = await open('browser:owner', returned)
    const done = await post('browser:owner', hiddenFields(page.text))
    expect(done.text).toContain('The sign-in was denied there')
    expect(done.text).not.toContain('id="connected"')
    expect(done.status).toBe(400)
  })

  it.each<[string, As, (returned: Record<string, string>) => Record<string, string>]>([
    ['an invented state', 'browser:owner', (returned) => ({ ...returned, state: 'invented' })],
    ['somebody else’s state', 'browser:admin', (returned) => returned],
    ['a state of another provider', 'browser:owner', ({ state = '' }) => ({ state: `${state}x`, code: 'y' })],
  ])('%s is refused in words', async (_what, as, change) => {
    const { id, returned } = await begin()
    const before = (await credentialRow(world, id)).status
    for (const answer of [await open(as, change(returned)), await post(as, change(returned))]) {
      expect(answer.status).toBe(400)
      expect(answer.text).toContain('role="alert">The sign-in is not valid any more; start it again')
    }
    expect((await credentialRow(world, id)).status).toBe(before)
  })

  it('without anything to finish it says so', async () => {
    for (const answer of [await open('browser:owner', {}), await post('browser:owner', { code: 'x' })]) {
      expect(answer.status).toBe(400)
      expect(answer.text).toContain('There is no sign-in to complete')
    }
  })

  it('a form from elsewhere does not count as the visitor’s', async () => {
    const { returned } = await begin()
    const foreign = await post('browser:owner', returned, { origin: 'https://elsewhere.example' })
    expect([foreign.status, foreign.headers.location?.startsWith(`${app}/sign-in?`)]).toEqual([303, true])
    // The state was not consumed: the visitor's own form still works.
    expect((await post('browser:owner', returned)).status).toBe(200)
  })

  it('a program’s token does not open the page', async () => {
    const { returned } = await begin()
    expect((await open('owner', returned)).status).toBe(303)
  })
})

describe('a visitor who has to sign in first', () => {
  it('finds the way back in a cookie, not in an address that is written down', async () => {
    const { id, returned } = await begin()
    const away = await open(null, returned)
    expect([away.status, away.headers.location]).toEqual([
      303,
      `${app}/sign-in?redirect_to=${encodeURIComponent(`${app}${path}`)}`,
    ])
    const cookie = String(away.headers['set-cookie'])
    expect(cookie).toMatch(new RegExp(`^${returnCookie}=[\\w-]+; Path=/; Max-Age=600; SameSite=Lax; HttpOnly$`))
    const kept = cookie.split(';')[0] ?? ''
    expect(unpackReturn(kept.slice(returnCookie.length + 1), 'mill')).toEqual(readReturn(returned))
    expect(unpackReturn(kept.slice(returnCookie.length + 1), 'other')).toBeNull()
    expect((await post('browser:owner', returned)).status).toBe(200)
    expect((await credentialRow(world, id)).status).toBe('connected')
  })

  it('asks to start again when the cookie would be too large', async () => {
    const away = await open(null, { state: 's', code: 'c'.repeat(4000) })
    expect([away.status, away.text.includes('sign in, then start again')]).toEqual([400, true])
  })
})

it.each([
  ['nothing', null, null],
  ['no state', { code: 'c' }, null],
  ['a list', { state: ['a'], code: 'c' }, null],
  ['too long a code', { state: 's', code: 'c'.repeat(8193) }, null],
  [
    'exactly the parameters that count',
    { state: 's', code: 'c', iss: 'i', scope: 'x' },
    { state: 's', code: 'c', iss: 'i' },
  ],
])('reads %s', (_what, source, expected) => {
  expect(readReturn(source)).toEqual(expected)
})

it.each(['', '%', 'bnVsbA', 'e30', 'W10'])('takes the cookie %j for none', (packed) => {
  expect(unpackReturn(packed, 'mill')).toBeNull()
  expect(packReturn('mill', { state: 's' })).not.toBe(packed)
})
