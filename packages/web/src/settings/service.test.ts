// Guarantees: the form of a service becomes its request body, and an update keeps values that the form does not show.
import type { AuthProvider } from '@millrace/contract/auth-providers'
import { expect, it } from 'vitest'
import { draftOf, emptyDraft, serviceOf } from './service.ts'

it.each([
  ['api_key', { kind: 'api_key' }],
  ['bearer', { kind: 'http', scheme: 'bearer' }],
  ['basic', { kind: 'http', scheme: 'basic' }],
] as const)('%s needs only a name', (way, spec) => {
  expect(serviceOf({ ...emptyDraft, name: 'Mill CRM', slug: 'mill-crm', way })).toEqual({
    slug: 'mill-crm',
    display_name: 'Mill CRM',
    specs: [spec],
  })
})

const oauth = {
  kind: 'oauth2',
  authorization_endpoint: 'https://crm.example/auth',
  token_endpoint: 'https://crm.example/token',
  scopes: ['read', 'write'],
}

it('an OAuth service has endpoints, scopes split at spaces and commas, and the client', () => {
  const draft = {
    ...emptyDraft,
    name: 'Mill CRM',
    slug: 'mill-crm',
    authorizationEndpoint: oauth.authorization_endpoint,
    tokenEndpoint: oauth.token_endpoint,
    scopes: ' read, write ',
    clientId: 'mill',
    clientSecret: 's',
  }
  expect(serviceOf(draft)).toMatchObject({ specs: [oauth], client_id: 'mill', client_secret: 's' })
})

it('values that the form does not show are kept', () => {
  const first = { ...oauth, pkce: false, userinfo_url: 'https://crm.example/me' }
  const specs = [first, { kind: 'api_key', in: 'query', name: 'key' }]
  const stored = { slug: 'mill-crm', display_name: 'Mill CRM', specs } as unknown as AuthProvider
  expect(serviceOf({ ...draftOf(stored), name: 'The CRM' }, stored)).toEqual({
    slug: 'mill-crm',
    display_name: 'The CRM',
    specs,
  })
})
