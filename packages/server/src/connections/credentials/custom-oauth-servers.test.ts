// Guarantees: services with non-standard responses connect only through their hook; only a token counts as one; clocks
// may differ a little; no error contains a token.
import { createSign, generateKeyPairSync } from 'node:crypto'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { exchangeCode } from './oauth-client.ts'
import { renew } from './refresh.ts'
import { visit } from './testing/authorization-server.ts'
import { type CustomAnswer, type CustomOauthServer, startCustomOauthServer } from './testing/custom-oauth-server.ts'
import { credentialRow, givenProvider, specFor } from './testing/given.ts'
import { openToken } from './tokens.ts'

let world: World
let odd: CustomOauthServer

beforeAll(async () => {
  odd = await startCustomOauthServer()
  world = await createWorld()
})
afterAll(async () => {
  await world?.close()
  await odd?.close()
})

let counter = 0

/** Signs in at the custom server with this spec and this response of its token endpoint. */
const signIn = async (spec: object, answer: CustomAnswer, slug = `odd-${++counter}`) => {
  odd.answer = () => answer
  await givenProvider(world, {
    slug,
    specs: [specFor(odd, { userinfo_url: undefined, revocation_endpoint: undefined, ...spec })],
  })
  const begun = await world.call('owner', 'POST /credentials', { body: { provider: slug, type: 'oauth' } })
  expect(begun.status, begun.text).toBe(200)
  const done = await world.call('owner', 'POST /credentials/oauth/complete', {
    body: { provider: slug, ...(await visit(begun.data.auth_url)) },
  })
  return { done, row: await credentialRow(world, begun.data.credential.id) }
}

const inSeconds = (expires: string | null): number =>
  Math.round((Date.parse(expires ?? '') - world.clock.now().getTime()) / 1000)

const token = 'tok-0123456789abcdef'

type Odd = {
  claim: string
  spec: object
  answer: CustomAnswer
  /** The expected content of the row. */
  expected: { scopes?: string[]; seconds?: number; name?: string; refresh?: string }
}

const oddities: Odd[] = [
  {
    claim: 'a form-encoded answer',
    spec: { token_response: 'form' },
    answer: {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `access_token=${token}&expires=7200&scope=a+b&refresh_token=r`,
    },
    expected: { scopes: ['a', 'b'], seconds: 7200, refresh: 'r' },
  },
  {
    claim: 'Slack’s answer',
    spec: { token_response: 'slack', identity: 'slack_team', pkce: false },
    answer: {
      body: { ok: true, access_token: token, token_type: 'bot', scope: 'a,b', team: { id: 'T1', name: 'Mill' } },
    },
    expected: { scopes: ['a', 'b'], name: 'Mill' },
  },
  {
    claim: 'a token inside `data`',
    spec: { token_response: 'nested_data' },
    answer: { body: { code: 0, data: { access_token: token, expires_in: 60 } } },
    expected: { seconds: 60, scopes: ['openid', 'profile', 'read'] },
  },
  {
    claim: 'names in camel case',
    spec: { token_response: 'camel_case' },
    answer: { body: { accessToken: token, tokenType: 'Bearer', expiresIn: 90, refreshToken: 'r' } },
    expected: { seconds: 90, refresh: 'r' },
  },
  {
    claim: 'no token type, seconds as text, scopes as a list, an empty refresh token: no hook needed',
    spec: {},
    answer: { body: { access_token: token, expires_in: '120', scope: ['x'], refresh_token: '' } },
    expected: { seconds: 120, scopes: ['x'] },
  },
  {
    claim: 'an end by the server’s clock, which is an hour ahead',
    spec: { token_response: 'expires_at' },
    answer: {
      headers: { date: new Date(Date.now() + 3_600_000).toUTCString() },
      body: { access_token: token, expires_at: Math.floor(Date.now() / 1000) + 3600 + 600 },
    },
    expected: { seconds: 600 },
  },
  {
    claim: 'an ID token of an issuer that nobody named is no obstacle',
    spec: { identity: 'id_token' },
    answer: {
      body: {
        access_token: token,
        id_token: `h.${Buffer.from('{"sub":"s","name":"Ada"}').toString('base64url')}.s`,
      },
    },
    expected: { name: 'Ada' },
  },
]

describe('odd answers', () => {
  it.each(oddities)('$claim', async ({ spec, answer, expected }) => {
    const { done, row } = await signIn(spec, answer)
    expect(done.status, done.text).toBe(200)
    expect(row.status).toBe('connected')
    expect(await openToken(world.open.platform, row, 'access_token_sealed')).toBe(token)
    if (expected.refresh)
      expect(await openToken(world.open.platform, row, 'refresh_token_sealed')).toBe(expected.refresh)
    if (expected.scopes) expect(row.scopes).toEqual(expected.scopes)
    if (expected.name) expect(row.account_name).toBe(expected.name)
    if (expected.seconds) expect(Math.abs(inSeconds(row.expires_at) - expected.seconds)).toBeLessThanOrEqual(2)
    else expect(row.expires_at).toBeNull()
  })

  it('the account is asked for where the provider says, with the token', async () => {
    odd.documents.set('/whoami', { user: { uid: 9, nick: 'ada' } })
    const { row } = await signIn(
      { userinfo_url: `${odd.address}/whoami`, userinfo_identifier_path: 'user.uid', userinfo_name_path: 'user.nick' },
      { body: { access_token: token } },
    )
    expect(row).toMatchObject({ account_identifier: '9', account_name: 'ada' })
  })

  it('an account that cannot be read is no obstacle', async () => {
    const { done, row } = await signIn({ userinfo_url: `${odd.address}/nowhere` }, { body: { access_token: token } })
    expect(done.status).toBe(200)
    expect(row).toMatchObject({ status: 'connected', account_name: '' })
  })
})

const refusals: { claim: string; spec?: object; answer: CustomAnswer; code: string; says: RegExp }[] = [
  {
    claim: 'a form-encoded answer without the hook',
    answer: { body: `access_token=${token}` },
    code: 'validation_error',
    says: /not a token/,
  },
  {
    claim: 'a refusal under status 200',
    answer: { body: { error: 'bad_verification_code' } },
    code: 'invalid_request',
    says: /bad_verification_code/,
  },
  {
    claim: 'Slack’s refusal',
    spec: { token_response: 'slack' },
    answer: { body: { ok: false, error: 'invalid_code' } },
    code: 'invalid_request',
    says: /invalid_code/,
  },
  {
    claim: 'a token of a type that nobody can use',
    answer: { body: { access_token: token, token_type: 'mac' } },
    code: 'validation_error',
    says: /not a token/,
  },
  {
    claim: 'a page in place of a token',
    answer: { body: `<html>${token}</html>` },
    code: 'validation_error',
    says: /not a token/,
  },
  {
    claim: 'the service fails',
    answer: { status: 500, body: { error: 'server_error' } },
    code: 'validation_error',
    says: /not a token/,
  },
  {
    claim: 'a redirect is not followed with the code',
    answer: { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' },
    code: 'validation_error',
    says: /not a token/,
  },
  {
    claim: 'an answer without end',
    answer: { body: { access_token: token, padding: 'x'.repeat(2 * 1024 * 1024) } },
    code: 'validation_error',
    says: /./,
  },
]

describe('what is no token', () => {
  it.each(refusals)('$claim', async ({ spec = {}, answer, code, says }) => {
    const { done, row } = await signIn(spec, answer)
    expect(done).toMatchObject({ status: 400, code })
    expect(done.text).toMatch(says)
    expect(done.text).not.toContain(token)
    expect(row).toMatchObject({ status: 'error', access_token_sealed: null })
    expect(row.error_message).not.toContain(token)
  })

  it.each(refusals)('no error carries a token: $claim', async ({ spec = {}, answer }) => {
    odd.answer = () => answer
    const client = {
      spec: { ...specFor(odd), flow: 'authorization_code', pkce: false, ...spec } as never,
      clientId: 'c',
      clientSecret: 's',
      displayName: 'Odd',
    }
    const error: unknown = await exchangeCode(
      world.open.platform,
      client,
      { code: 'c', state: 's', iss: undefined },
      { redirectUri: 'http://127.0.0.1:7700/x', codeVerifier: null },
    ).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Error)
    expect(inspect(error, { depth: 20 })).not.toContain(token)
  })
})

describe('clocks that differ', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const idToken = (claims: object) => {
    const signed = `${encoded({ alg: 'RS256' })}.${encoded(claims)}`
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`
  }
  const minute = 60

  it.each([
    { claim: 'four minutes ahead', aheadSeconds: 4 * minute, status: 200 },
    { claim: 'four minutes behind a token that lives one', aheadSeconds: -4 * minute, status: 200 },
    { claim: 'an hour behind', aheadSeconds: -60 * minute, status: 400 },
    { claim: 'two hours ahead', aheadSeconds: 120 * minute, status: 400 },
  ])('the server’s is $claim: $status', async ({ aheadSeconds, status }) => {
    const at = Math.floor(world.clock.now().getTime() / 1000) + aheadSeconds
    const id_token = idToken({
      iss: odd.address,
      aud: 'millrace-client',
      sub: 'ada',
      iat: at,
      nbf: at,
      exp: at + minute,
    })
    const { done } = await signIn(
      { issuer: odd.address, identity: 'id_token' },
      { body: { access_token: token, token_type: 'bearer', id_token } },
    )
    expect(done.status, done.text).toBe(status)
  })

  it('an ID token for somebody else is refused', async () => {
    const at = Math.floor(world.clock.now().getTime() / 1000)
    const id_token = idToken({ iss: odd.address, aud: 'another', sub: 'ada', iat: at, exp: at + 600 })
    const { done } = await signIn(
      { issuer: odd.address },
      { body: { access_token: token, token_type: 'bearer', id_token } },
    )
    expect(done).toMatchObject({ status: 400, code: 'validation_error' })
  })
})

describe('a service with ways of its own', () => {
  it('is asked for scopes with its separator, and renews where it renews', async () => {
    const asked: string[] = []
    const slug = 'own-ways'
    const refresh_endpoint = `${odd.address}/token/refresh`
    const { row } = await signIn(
      { refresh_endpoint, scope_separator: ',' },
      { body: { access_token: token, token_type: 'bearer', refresh_token: 'r-1', expires_in: 600 } },
      slug,
    )
    const begun = await world.call('owner', 'POST /credentials', { body: { provider: slug, type: 'oauth' } })
    expect(new URL(begun.data.auth_url).searchParams.get('scope')).toBe('openid,profile,read')
    odd.answer = (form, request) => {
      asked.push(`${request.url} ${form.get('grant_type')} ${form.get('refresh_token')}`)
      return { body: { access_token: 'tok-renewed', expires_in: 600 } }
    }
    const renewed = await renew(world.open.platform, row.id, row.token_generation)
    expect(await openToken(world.open.platform, renewed, 'access_token_sealed')).toBe('tok-renewed')
    expect(await openToken(world.open.platform, renewed, 'refresh_token_sealed')).toBe('r-1')
    expect(asked).toEqual(['/token/refresh refresh_token r-1'])
  })
})

describe('addresses per customer', () => {
  it('are filled from a further key of the app', async () => {
    const slug = 'tenants'
    const specs = [
      specFor(odd, {
        vars: 'tenant',
        authorization_endpoint: `${odd.address}/{tenant}/auth`,
        userinfo_url: undefined,
        revocation_endpoint: undefined,
      }),
    ]
    await givenProvider(world, { slug, specs })
    const connect = () => world.call('owner', 'POST /credentials', { body: { provider: slug, type: 'oauth' } })
    expect(await connect()).toMatchObject({ status: 400, code: 'validation_error' })
    const bad = await world.call('owner', `PUT /credentials/${slug}/app`, {
      body: { values: { TENANTS_TENANT: '../..' } },
    })
    expect(bad).toMatchObject({ status: 400, code: 'validation_error' })
    const set = await world.call('owner', `PUT /credentials/${slug}/app`, {
      body: { values: { TENANTS_TENANT: 'Acme' } },
    })
    expect(set.data).toMatchObject({ status: 'connected' })
    expect(new URL((await connect()).data.auth_url).pathname).toBe('/acme/auth')
  })
})
