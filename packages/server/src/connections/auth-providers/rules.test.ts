// Guarantees: which slugs, specs and MCP names are accepted, and how accepted ones are completed.
import { describe, expect, it } from 'vitest'
import { longestPiece, maxPieceMs } from '../../testing/event-loop.ts'
import { namesServer, resourceMetadataAddresses, serverMetadataAddresses } from './mcp-discovery.ts'
import { distinctiveLabel, mcpSlug } from './mcp-slug.ts'
import { environmentName, refuseSlug, stepsOf } from './rules.ts'
import { addressesIn, readSpecs } from './specs.ts'

describe('slugs', () => {
  it.each([
    ['my-crm', null],
    ['a', null],
    ['x'.repeat(64), null],
    ['x'.repeat(65), 'validation_error'],
    ['', 'validation_error'],
    ['My-crm', 'validation_error'],
    ['my--crm', 'validation_error'],
    ['-crm', 'validation_error'],
    ['my_crm', 'validation_error'],
    ['oauth', 'validation_error'],
    ['capabilities', 'validation_error'],
    ['github', 'conflict'],
    ['google-sa', 'conflict'],
    ['mcp', 'conflict'],
  ])('%s for a team: %s', (slug, expected) => {
    expect(refuseSlug(slug, 'team')?.code ?? null).toBe(expected)
  })

  it('an operator may define a listed slug again; whether it is free is for the table to say', () => {
    expect(refuseSlug('github', 'platform')).toBeNull()
    expect(refuseSlug('gcp', 'platform')?.code).toBe('conflict')
  })
})

it.each([
  ['my-crm', 'API_KEY', 'MY_CRM_API_KEY'],
  ['my-crm', 'MY_CRM_KEY', 'MY_CRM_KEY'],
  ['huggingface', 'HF_TOKEN', 'HF_TOKEN'],
  ['my-crm', 'HF_TOKEN', 'MY_CRM_HF_TOKEN'],
])('the field of %s called %s is %s in a run', (slug, key, expected) => {
  expect(environmentName(slug, key)).toBe(expected)
})

it('steps are lines or a list', () => {
  expect(stepsOf('One\n\n Two ')).toEqual(['One', 'Two'])
  expect(stepsOf(['One', ''])).toEqual(['One'])
  expect(stepsOf(undefined)).toBeUndefined()
})

describe('specs', () => {
  const oauth = {
    kind: 'oauth2',
    authorization_endpoint: 'https://a.example/a',
    token_endpoint: 'https://a.example/t',
  } as const

  it.each([
    [
      'oauth2 with nothing else said',
      oauth,
      { ...oauth, flow: 'authorization_code', scopes: [], pkce: true, client_auth: 'basic' },
    ],
    [
      'empty texts count as left out',
      { ...oauth, userinfo_url: '', vars: '' },
      { ...oauth, flow: 'authorization_code', scopes: [], pkce: true, client_auth: 'basic' },
    ],
    [
      'client credentials need no authorization endpoint',
      { kind: 'oauth2', flow: 'client_credentials', token_endpoint: 'https://a.example/t', client_auth: 'body' },
      {
        kind: 'oauth2',
        flow: 'client_credentials',
        token_endpoint: 'https://a.example/t',
        scopes: [],
        pkce: true,
        client_auth: 'body',
      },
    ],
    [
      'api_key: one field named after the slug, sent as a bearer value',
      { kind: 'api_key' },
      {
        kind: 'api_key',
        fields: [{ key: 'MY_CRM_API_KEY', label: 'API key', placeholder: '', sensitive: true, optional: false }],
        in: 'header',
        name: 'Authorization',
        prefix: 'Bearer ',
      },
    ],
    [
      'api_key in a header of its own has no prefix',
      { kind: 'api_key', name: 'X-Key', fields: [{ key: 'KEY' }] },
      {
        kind: 'api_key',
        fields: [{ key: 'KEY', label: 'KEY', placeholder: '', sensitive: true, optional: false }],
        in: 'header',
        name: 'X-Key',
        prefix: '',
      },
    ],
    [
      'http basic: two fields',
      { kind: 'http', scheme: 'basic' },
      {
        kind: 'http',
        scheme: 'basic',
        fields: [
          { key: 'MY_CRM_USERNAME', label: 'User name', placeholder: '', sensitive: false, optional: false },
          { key: 'MY_CRM_PASSWORD', label: 'Password', placeholder: '', sensitive: true, optional: false },
        ],
      },
    ],
  ] as const)('%s', (_claim, spec, expected) => {
    expect(readSpecs('my-crm', [spec as never])).toEqual({ specs: [expected] })
  })

  it.each([
    ['no token endpoint', { ...oauth, token_endpoint: undefined }, /^specs\.0\.token_endpoint is required/],
    ['no authorization endpoint', { ...oauth, authorization_endpoint: '' }, /authorization_endpoint is required/],
    ['an endpoint that is none', { ...oauth, token_endpoint: 'token' }, /token_endpoint must be an https address/],
    ['another scheme', { ...oauth, token_endpoint: 'ftp://a.example' }, /token_endpoint must be an https address/],
    ['a user name', { ...oauth, token_endpoint: 'https://u:p@a.example' }, /without a user name/],
    ['a fragment', { ...oauth, authorization_endpoint: 'https://a.example/#x' }, /fragment/],
    ['a variable that nothing fills', { ...oauth, token_endpoint: 'https://{shop}.example/t' }, /\{shop\}/],
    [
      'another variable than the hook’s',
      { ...oauth, vars: 'shop', token_endpoint: 'https://{tenant}.example/t' },
      /\{tenant\}/,
    ],
    ['an unknown token_response', { ...oauth, token_response: 'nobody' }, /token_response: unknown hook nobody/],
    ['an unknown identity', { ...oauth, identity: 'nobody' }, /identity: unknown hook nobody/],
    ['an unknown vars', { ...oauth, vars: 'nobody' }, /vars: unknown hook nobody/],
    ['an unknown profile', { ...oauth, profile: 'nobody' }, /profile: unknown hook nobody/],
    [
      'an unknown hook of api_key',
      { kind: 'api_key', token_response: 'nobody' },
      /^specs\.0\.token_response: unknown hook/,
    ],
    ['an unknown hook of http', { kind: 'http', scheme: 'bearer', vars: 'nobody' }, /^specs\.0\.vars: unknown hook/],
    ['a public client without PKCE', { ...oauth, client_auth: 'none', pkce: false }, /pkce/],
    [
      'client credentials of a public client',
      { ...oauth, flow: 'client_credentials', client_auth: 'none' },
      /client_auth/,
    ],
    ['http without a scheme', { kind: 'http' }, /scheme must be bearer or basic/],
    ['basic with one field', { kind: 'http', scheme: 'basic', fields: [{ key: 'A' }] }, /basic takes 2/],
    ['a key in the query without a name', { kind: 'api_key', in: 'query' }, /name is required/],
  ])('%s', (_claim, spec, expected) => {
    expect(readSpecs('my-crm', [spec as never])).toEqual({ problem: expect.stringMatching(expected) })
  })

  it('a field name appears once', () => {
    expect(readSpecs('my-crm', [{ kind: 'api_key' }, { kind: 'api_key' }])).toEqual({
      problem: expect.stringMatching(/twice/),
    })
  })

  it('names every address that would be called', () => {
    const read = readSpecs('my-crm', [
      { ...oauth, vars: 'subdomain', userinfo_url: 'https://{subdomain}.a.example/me' },
    ])
    expect('specs' in read && addressesIn(read.specs)).toEqual([
      'https://a.example/a',
      'https://a.example/t',
      'https://x.a.example/me',
    ])
  })
})

describe('providers of MCP servers', () => {
  it.each([
    ['mcp.linear.app', 'linear'],
    ['api.githubcopilot.com', 'githubcopilot'],
    ['mcp.acme.co.uk', 'acme'],
    ['docs.mcp.cloudflare.com', 'cloudflare'],
    ['localhost', 'localhost'],
    ['127.0.0.1', '127-0-0-1'],
    ['[::1]', '1'],
    ['mcp.app', 'mcp'],
  ])('the host %s is about %s', (host, expected) => {
    expect(distinctiveLabel(host)).toBe(expected)
  })

  it.each([
    ['linear', 1, 'linear-mcp'],
    ['linear', 2, 'linear-2-mcp'],
    ['linear', 3, 'linear-3-mcp'],
    ['My Server!', 1, 'my-server-mcp'],
    ['notion-mcp', 1, 'notion-mcp'],
    ['x'.repeat(80), 12, `${'x'.repeat(57)}-12-mcp`],
  ])('%s number %s is %s', (name, number, expected) => {
    expect(mcpSlug(name, number)).toBe(expected)
    expect(expected.length).toBeLessThanOrEqual(64)
  })

  it.each([
    ['https://a.example/mcp', 'https://a.example/mcp', true],
    ['https://a.example', 'https://a.example/mcp', true],
    ['https://a.example/mcp/', 'https://a.example/mcp', true],
    ['https://a.example/mc', 'https://a.example/mcp', false],
    ['https://b.example/mcp', 'https://a.example/mcp', false],
    ['http://a.example/mcp', 'https://a.example/mcp', false],
    ['nonsense', 'https://a.example/mcp', false],
  ])('the resource %s names %s: %s', (resource, server, expected) => {
    expect(namesServer(resource, server)).toBe(expected)
  })

  it('RFC 9728 puts the metadata between host and path, and at the root', () => {
    expect(resourceMetadataAddresses('https://a.example/v1/mcp')).toEqual([
      'https://a.example/.well-known/oauth-protected-resource/v1/mcp',
      'https://a.example/.well-known/oauth-protected-resource',
    ])
    expect(resourceMetadataAddresses('https://a.example')).toEqual([
      'https://a.example/.well-known/oauth-protected-resource',
    ])
  })

  it('an issuer’s documents are tried in order', () => {
    expect(serverMetadataAddresses('https://a.example/t1')).toEqual([
      { address: 'https://a.example/t1', algorithm: 'oauth2' },
      { address: 'https://a.example/.well-known/openid-configuration/t1', algorithm: 'oidc' },
      { address: 'https://a.example/t1', algorithm: 'oidc' },
    ])
    expect(serverMetadataAddresses('https://a.example')).toHaveLength(2)
  })

  it('a path of 240,000 slashes is read in linear time', async () => {
    const address = `https://a.example/${'/'.repeat(240_000)}x`
    const ms = await longestPiece(async () => [serverMetadataAddresses(address), resourceMetadataAddresses(address)])
    expect(ms).toBeLessThan(maxPieceMs)
  })
})
