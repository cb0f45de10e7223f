// Guarantees: a key that the operator creates for an account follows the same rules as the account's own keys; removing
// a missing block is an error.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSession } from '#accounts/identity/service.ts'
import { browserHeaders, cookiesOf, setUpAuthenticator, shownCode } from '#accounts/identity/testing/sign-in.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { commands } from './commands.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const run = async (name: string, positionals: string[], options: Record<string, string> = {}) => {
  const command = commands[name]
  if (!command) throw new Error(`Unknown command ${name}`)
  return command.run(world.open, { positionals, options })
}

const createKey = (person: 'owner' | 'member' | 'stranger', options: Record<string, string>) =>
  run('keys', ['create'], { email: world.people[person].email, team: 'mill', ...options })

describe('keys create', () => {
  it('prints a key that acts for the account in the team, and is audited', async () => {
    const { text } = await createKey('member', { scopes: 'apps:read', 'expires-in': '3600' })
    const { status, data } = await world.call({ token: text }, 'GET /me')
    expect(status).toBe(200)
    expect([data.user.email, data.team.username]).toEqual([world.people.member.email, 'mill'])
    expect((await world.audits()).at(-1)).toBe('api_key.created')
    const keys = await world.call('member', 'GET /apikeys', { query: { limit: '1' } })
    expect(keys.data.items[0]).toMatchObject({ scopes: ['apps:read'], source: 'token' })
  })

  const refused: [string, 'owner' | 'member' | 'stranger', Record<string, string>, RegExp][] = [
    ['an unknown scope', 'owner', { scopes: 'apps:read,bogus:x' }, /unknown scope bogus:x/],
    ['a scope of sign-ins only', 'owner', { scopes: 'user:read' }, /user:read cannot be granted/],
    ['an engine scope for a plain member', 'member', { scopes: 'engines:write' }, /owners and admins/],
    ['a store scope outside the platform workspace', 'owner', { scopes: 'store:submit' }, /platform workspace/],
    ['an account that is not a member', 'stranger', {}, /is not a member of mill/],
    ['an expiry that is not a number', 'owner', { 'expires-in': 'soon' }, /number of seconds/],
    ['an expiry of zero', 'owner', { 'expires-in': '0' }, /number of seconds/],
  ]
  it.each(refused)('%s is rejected', async (_claim, person, options, reason) => {
    await expect(createKey(person, options)).rejects.toThrow(reason)
  })

  it('a full key of a plain member holds no engine scope, one of an owner does', async () => {
    const statuses: number[] = []
    for (const person of ['member', 'owner'] as const) {
      const { text } = await createKey(person, {})
      statuses.push((await world.call({ token: text }, 'POST /engines/register', { body: {} })).status)
    }
    expect(statuses[0]).toBe(403)
    expect(statuses[1]).not.toBe(403)
  })
})

describe('ip-block', () => {
  it('a block can be removed once and a missing block cannot', async () => {
    await run('ip-block', ['add', '203.0.113.0/24'])
    expect((await run('ip-block', ['remove', '203.0.113.0/24'])).text).toBe('Lifted 203.0.113.0/24')
    await expect(run('ip-block', ['remove', '203.0.113.0/24'])).rejects.toThrow(/is not blocked/)
  })
})

describe('grant-platform', () => {
  it('takes effect on a running server at once and is audited', async () => {
    const { userId, email } = world.people.admin
    const { secret: token } = await createSession(world.ctx(), {
      userId,
      kind: 'token',
      authMethod: 'operator',
      elevated: true,
    })
    const organizations = () => world.call({ token }, 'GET /organizations')
    expect((await organizations()).status).toBe(403)
    await run('grant-platform', [], { email })
    expect((await organizations()).status).toBe(200)
    expect((await world.audits()).at(-1)).toBe('user.platform_granted')
  })
})

describe('sign-in --team', () => {
  it('accepts only a username', async () => {
    const signIn = (team: string) => run('sign-in', [], { email: 'new@example.com', team })
    await expect(signIn('My Team')).rejects.toThrow(/lower-case letters/)
    expect((await signIn('my-team')).json).toMatchObject({ namespace: 'my-team' })
  })

  /** Sends the form on the page of a sign-in link. */
  const pressed = async (link: URL) => {
    const page = await world.call(null, `GET ${link.pathname}${link.search}` as 'GET /')
    const fields = page.text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)
    return world.call(null, 'POST /sign-in/link', {
      body: new URLSearchParams(
        [...fields].map(([, name = '', value = '']): [string, string] => [name, value]),
      ).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: world.open.platform.settings.APP_URL },
    })
  }

  it('the link opens that workspace, or the person’s own if they are not a member', async () => {
    const opened = async (change: (link: URL) => void = () => {}) => {
      const { json } = await run('sign-in', [], { email: 'new@example.com', team: 'my-team' })
      const link = new URL((json as { sign_in_url: string }).sign_in_url)
      change(link)
      const { headers } = await pressed(link)
      const cookie = [headers['set-cookie']]
        .flat()
        .map((one) => String(one).split(';')[0])
        .join('; ')
      return (await world.call(null, 'GET /me', { headers: { cookie } })).data.team.username
    }
    expect(await opened()).toBe('my-team')
    expect(await opened((link) => link.searchParams.set('team_id', world.team.id))).not.toBe(world.team.username)
  })

  it('the link opens that workspace also after a second factor', async () => {
    const email = 'careful@example.com'
    const { json } = await run('sign-in', [], { email, team: 'careful-team' })
    const { session_token, sign_in_url } = json as { session_token: string; sign_in_url: string }
    const secret = await setUpAuthenticator(world, { token: session_token })
    const link = new URL(sign_in_url)
    const first = await pressed(link)
    const asks = new URL(String(first.headers.location))
    const page = await world.call(null, `GET ${asks.pathname}${asks.search}` as 'GET /')
    const [, teamId = ''] = /type="hidden" name="team_id" value="([^"]*)"/.exec(page.text) ?? []
    const submit = (code: string) =>
      world.call(null, 'POST /sign-in/authenticator', {
        body: new URLSearchParams({ team_id: teamId, code }).toString(),
        headers: {
          ...browserHeaders(world, cookiesOf(first)),
          'content-type': 'application/x-www-form-urlencoded',
        },
      })
    const wrong = await submit('12')
    expect(wrong.text).toContain(`name="team_id" value="${teamId}"`)
    const right = await submit(shownCode(world, secret))
    const me = await world.call(null, 'GET /me', { headers: browserHeaders(world, cookiesOf(right)) })
    expect(me.data.team.username).toBe('careful-team')
  })
})
