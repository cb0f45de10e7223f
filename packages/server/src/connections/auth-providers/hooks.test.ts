// Guarantees: accounts are named as by their services, URL variables cannot inject anything into an address, and the
// profile of an authorization server is selected by issuer, then authorization endpoint, then token endpoint.

import { describe, expect, it } from 'vitest'
import { listedProviders } from '../provider-catalogue/service.ts'
import { authServerProfiles, pickProfile, profileNamed } from './auth-server-profiles.ts'
import { hookCatalogue } from './hooks.ts'
import { type IdentityInput, identityHooks, readIdentity, textAt } from './identities.ts'
import { readSpecs } from './specs.ts'
import { fillAddress, variableHooks, variableKeyOf, variableOf } from './url-variables.ts'

const jwt = (claims: object): string => `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`

type IdentityCase = {
  hook: string | undefined
  claim: string
  answer?: object
  method?: IdentityInput['method']
  /** The response of the service, and the address that must be requested. */
  asked?: { address: string; method?: string; body?: string; reply: unknown }
  expected: { identifier: string; name: string }
}

const identityCases: IdentityCase[] = [
  {
    hook: 'atlassian',
    claim: 'the first site',
    asked: {
      address: 'https://api.atlassian.com/oauth/token/accessible-resources',
      reply: [{ id: 's1', name: 'mill', url: 'https://mill.atlassian.net' }],
    },
    expected: { identifier: 's1', name: 'mill' },
  },
  {
    hook: 'dropbox',
    claim: 'asks with POST',
    asked: {
      address: 'https://api.dropboxapi.com/2/users/get_current_account',
      method: 'POST',
      body: 'null',
      reply: { account_id: 'dbid:1', email: 'a@b.c', name: { display_name: 'A' } },
    },
    expected: { identifier: 'dbid:1', name: 'a@b.c' },
  },
  {
    hook: 'github',
    claim: 'the number and the login',
    asked: { address: 'https://api.github.com/user', reply: { id: 42, login: 'ada' } },
    expected: { identifier: '42', name: 'ada' },
  },
  {
    hook: 'id_token',
    claim: 'the claims',
    answer: { id_token: jwt({ sub: 's', email: 'a@b.c' }) },
    expected: { identifier: 's', name: 'a@b.c' },
  },
  { hook: 'id_token', claim: 'a broken token', answer: { id_token: 'x' }, expected: { identifier: '', name: '' } },
  {
    hook: 'linear',
    claim: 'asks with GraphQL',
    asked: {
      address: 'https://api.linear.app/graphql',
      method: 'POST',
      body: '{"query":"{ viewer { id name email } }"}',
      reply: { data: { viewer: { id: 'u', name: 'A', email: 'a@b.c' } } },
    },
    expected: { identifier: 'u', name: 'a@b.c' },
  },
  {
    hook: 'notion',
    claim: 'from the token’s answer',
    answer: { workspace_id: 'w', workspace_name: 'Mill' },
    expected: { identifier: 'w', name: 'Mill' },
  },
  {
    hook: 'oidc_userinfo',
    claim: 'where the provider says',
    method: { userinfo_url: 'https://op.example/me' },
    asked: { address: 'https://op.example/me', reply: { sub: 's', preferred_username: 'ada' } },
    expected: { identifier: 's', name: 'ada' },
  },
  { hook: 'oidc_userinfo', claim: 'nowhere to ask', expected: { identifier: '', name: '' } },
  {
    hook: 'salesforce',
    claim: 'from the identity’s address',
    answer: { id: 'https://login.salesforce.com/id/00D1/0051', instance_url: 'https://mill.my.salesforce.com' },
    expected: { identifier: '00D1/0051', name: 'mill.my.salesforce.com' },
  },
  {
    hook: 'slack_team',
    claim: 'the workspace',
    answer: { team: { id: 'T1', name: 'Mill' } },
    expected: { identifier: 'T1', name: 'Mill' },
  },
  {
    hook: undefined,
    claim: 'two paths into the JSON behind userinfo_url',
    method: { userinfo_url: 'https://x.example/me', userinfo_identifier_path: 'data.id', userinfo_name_path: 'data.n' },
    asked: { address: 'https://x.example/me', reply: { data: { id: 7, n: 'ada' } } },
    expected: { identifier: '7', name: 'ada' },
  },
  { hook: undefined, claim: 'nothing to go by', expected: { identifier: '', name: '' } },
]

describe('identities', () => {
  it.each(identityCases)('$hook: $claim', async ({ hook, answer = {}, method = {}, asked, expected }) => {
    const ask: IdentityInput['ask'] = async (address, request = {}) => {
      expect({ address, ...request }).toEqual({
        address: asked?.address,
        ...(asked?.method ? { method: asked.method, body: asked.body } : {}),
      })
      return asked?.reply
    }
    expect(await readIdentity(hook, { method, answer: answer as Record<string, unknown>, ask })).toEqual(expected)
  })

  it('every hook has a case', () => {
    const shown = new Set(identityCases.map(({ hook }) => hook))
    expect(identityHooks.filter((hook) => !shown.has(hook))).toEqual([])
  })

  it('nothing but a short text or a number is a name', () => {
    expect(textAt({ a: { b: ['x'] } }, 'a.b')).toBe('')
    expect(textAt(null, 'a')).toBe('')
    expect(textAt({ a: 'x'.repeat(1000) }, 'a')).toHaveLength(256)
  })
})

describe('URL variables', () => {
  it.each([
    ['subdomain', 'Acme', 'acme'],
    ['subdomain', 'https://acme.zendesk.com/agent', 'acme'],
    ['subdomain', 'acme.evil.example', 'acme'],
    ['subdomain', 'a/b', 'a'],
    ['subdomain', '-', null],
    ['subdomain', 'a@b', null],
    ['shop', 'acme.myshopify.com', 'acme'],
    ['shop', '', null],
    ['domain', 'acme.okta.com', 'acme.okta.com'],
    ['domain', 'acme.okta.com:99', null],
    ['domain', 'acme', null],
    ['tenant', '72F988BF-86F1-41AF-91AB-2D7CD011DB47', '72f988bf-86f1-41af-91ab-2d7cd011db47'],
    ['tenant', 'common', 'common'],
    ['tenant', '../x', null],
    ['region', 'eu', 'eu'],
    ['region', 'e u', null],
  ])('%s reads %s as %s', (hook, text, expected) => {
    expect(variableOf(hook)?.read(text)).toBe(expected)
  })

  it('fills an address and names its key after the slug', () => {
    expect(fillAddress('https://{subdomain}.example.com/{other}', { subdomain: 'acme' })).toBe(
      'https://acme.example.com/{other}',
    )
    const variable = variableOf('subdomain')
    expect(variable && variableKeyOf('my-crm', variable)).toBe('MY_CRM_SUBDOMAIN')
    expect(variableOf(undefined)).toBeUndefined()
    expect(variableHooks).toEqual(expect.arrayContaining(['subdomain', 'shop', 'tenant']))
  })
})

describe('profiles of authorization servers', () => {
  const google = 'https://accounts.google.com'
  const microsoft = 'https://login.microsoftonline.com/common/v2.0'
  it.each([
    ['the issuer’s host', { issuer: google, authorization_endpoint: microsoft, token_endpoint: microsoft }, 'google'],
    [
      'then the authorization endpoint',
      { issuer: 'https://x.example', authorization_endpoint: microsoft },
      'microsoft',
    ],
    ['then the token endpoint', { issuer: 'https://x.example', token_endpoint: 'https://github.com/t' }, 'github'],
    ['a host below', { issuer: 'https://acme.eu.auth0.com/' }, 'auth0'],
    ['not the bare domain of a wildcard', { issuer: 'https://auth0.com/' }, 'standard'],
    ['not a host that only ends alike', { issuer: 'https://notgithub.com/' }, 'standard'],
    ['nothing known', {}, 'standard'],
    ['no address', { issuer: 'x' }, 'standard'],
  ])('%s', (_claim, server, expected) => {
    expect(pickProfile(server).name).toBe(expected)
  })

  it('an unknown name is the standard', () => {
    expect(profileNamed('nobody').name).toBe('standard')
    expect(profileNamed('okta').scopes).toEqual(['offline_access'])
  })

  it('hooks that a profile names exist', () => {
    for (const { tokenResponse } of authServerProfiles)
      if (tokenResponse !== undefined) expect(hookCatalogue.token_response).toContain(tokenResponse)
  })
})

it.each(listedProviders.map((provider) => [provider.slug, provider] as const))(
  'the listed provider %s passes the rules for specs unchanged',
  (slug, { specs }) => {
    expect(readSpecs(slug, JSON.parse(JSON.stringify(specs)))).toEqual({ specs })
  },
)
