// A service of the workspace's own as a form has it, and as the server is told of it. Pure.
import type { AuthProvider, AuthSpecInput, CreateAuthProvider } from '@millrace/contract/auth-providers'

/** Ways of signing in to a service, in words for people. */
export const ways = {
  oauth2: 'Sign-in at the service (OAuth 2)',
  api_key: 'An API key',
  bearer: 'A bearer token',
  basic: 'A user name and a password',
} as const
export type Way = keyof typeof ways

export type ServiceDraft = {
  name: string
  slug: string
  way: Way
  authorizationEndpoint: string
  tokenEndpoint: string
  scopes: string
  clientId: string
  clientSecret: string
}

export const emptyDraft: ServiceDraft = {
  name: '',
  slug: '',
  way: 'oauth2',
  authorizationEndpoint: '',
  tokenEndpoint: '',
  scopes: '',
  clientId: '',
  clientSecret: '',
}

const wayOf = ({ kind, scheme }: AuthSpecInput): Way =>
  kind === 'http' ? (scheme === 'basic' ? 'basic' : 'bearer') : kind

/** Of the first way: who has several has written them by a program, and changes them by one. */
export const draftOf = ({ slug, display_name, specs }: AuthProvider): ServiceDraft => {
  const spec = (specs[0] ?? {}) as AuthSpecInput
  return {
    ...emptyDraft,
    name: display_name,
    slug,
    way: wayOf(spec),
    authorizationEndpoint: spec.authorization_endpoint ?? '',
    tokenEndpoint: spec.token_endpoint ?? '',
    scopes: (spec.scopes ?? []).join(' '),
  }
}

const specOf = (draft: ServiceDraft, held: AuthSpecInput | undefined): AuthSpecInput => {
  const rest = held && wayOf(held) === draft.way ? held : undefined
  if (draft.way === 'api_key') return { ...rest, kind: 'api_key' }
  if (draft.way !== 'oauth2') return { ...rest, kind: 'http', scheme: draft.way }
  return {
    ...rest,
    kind: 'oauth2',
    authorization_endpoint: draft.authorizationEndpoint,
    token_endpoint: draft.tokenEndpoint,
    scopes: draft.scopes.split(/[\s,]+/).filter((scope) => scope !== ''),
  }
}

/** What the form does not show of a service stays as it was; a secret that was not typed again does too. */
export const serviceOf = (draft: ServiceDraft, held?: AuthProvider): CreateAuthProvider => {
  const [first, ...others] = (held?.specs ?? []) as AuthSpecInput[]
  return {
    slug: draft.slug,
    display_name: draft.name,
    specs: [specOf(draft, first), ...others],
    ...(draft.clientId === '' ? {} : { client_id: draft.clientId }),
    ...(draft.clientSecret === '' ? {} : { client_secret: draft.clientSecret }),
  }
}
