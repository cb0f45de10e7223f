// A custom service: form values to request body and back. Pure.
import type { AuthProvider, AuthSpecInput, CreateAuthProvider } from '@millrace/contract/auth-providers'
import { strings } from './strings.ts'

/** Authentication methods with their labels. */
export const ways = {
  oauth2: strings.services.methods.oauth2,
  api_key: strings.services.methods.api_key,
  bearer: strings.services.methods.bearer,
  basic: strings.services.methods.basic,
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

/** The form edits the first method; services with several methods are edited through the API. */
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

const specOf = (draft: ServiceDraft, stored: AuthSpecInput | undefined): AuthSpecInput => {
  const rest = stored && wayOf(stored) === draft.way ? stored : undefined
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

/** Keeps the values that the form does not show, and a client secret that was not entered again. */
export const serviceOf = (draft: ServiceDraft, stored?: AuthProvider): CreateAuthProvider => {
  const [first, ...others] = (stored?.specs ?? []) as AuthSpecInput[]
  return {
    slug: draft.slug,
    display_name: draft.name,
    specs: [specOf(draft, first), ...others],
    ...(draft.clientId === '' ? {} : { client_id: draft.clientId }),
    ...(draft.clientSecret === '' ? {} : { client_secret: draft.clientSecret }),
  }
}
