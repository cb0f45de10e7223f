// Reads an authorization request from the address and reports errors as in RFC 6749. Pure.
import { allScopes, isEngineScope, isSignInOnly, isStoreScope, scopeCatalog } from '@millrace/contract/scopes'
import { type AccessChoice, readScopes } from '../device/page-choices.ts'
import { isRegistered } from './redirects.ts'
import type { ClientRow } from './store.ts'

export type AuthorizeQuery = Readonly<Record<string, unknown>>

export type AuthorizeRequest = {
  readonly clientId: string
  readonly redirectUri: string
  readonly state: string
  readonly codeChallenge: string
  readonly asked: readonly string[]
}

/** `page`: shown to the person, because no safe redirect address exists. */
export type RefusedRequest =
  | { readonly to: 'page'; readonly sentence: string }
  | { readonly to: 'program'; readonly redirectUri: string; readonly state: string; readonly error: string }

const textAt = (query: AuthorizeQuery, name: string): string => {
  const value = query[name]
  return typeof value === 'string' ? value.slice(0, 4096) : ''
}

/** Scopes that an app token can have. */
const isGrantable = (scope: (typeof allScopes)[number]): boolean =>
  !isSignInOnly(scope) && !isStoreScope(scope) && !isEngineScope(scope) && scope !== 'secrets:reveal'

const faultOf = (query: AuthorizeQuery, resources: readonly string[]): string | null => {
  if (textAt(query, 'response_type') !== 'code') return 'unsupported_response_type'
  if (!/^[A-Za-z0-9_-]{43}$/.test(textAt(query, 'code_challenge'))) return 'invalid_request'
  if (textAt(query, 'code_challenge_method') !== 'S256') return 'invalid_request'
  const resource = textAt(query, 'resource').replace(/\/$/, '')
  return resource === '' || resources.includes(resource) ? null : 'invalid_target'
}

export const readRequest = (
  query: AuthorizeQuery,
  client: ClientRow | undefined,
  resources: readonly string[],
): AuthorizeRequest | RefusedRequest => {
  if (!client)
    return { to: 'page', sentence: 'This program is not registered here. Start the sign-in again in the program.' }
  const redirectUri =
    textAt(query, 'redirect_uri') || (client.redirect_uris.length === 1 ? client.redirect_uris[0] : '')
  if (!redirectUri || !isRegistered(client.redirect_uris, redirectUri))
    return { to: 'page', sentence: 'The program uses a redirect address that it did not register.' }
  const state = textAt(query, 'state')
  const error = faultOf(query, resources)
  if (error !== null) return { to: 'program', redirectUri, state, error }
  const requestedScopes = readScopes(textAt(query, 'scope')).filter(isGrantable)
  return {
    clientId: client.id,
    redirectUri,
    state,
    codeChallenge: textAt(query, 'code_challenge'),
    asked: requestedScopes,
  }
}

/** The requested scopes first, then the presets, which may be smaller. */
export const consentChoices = (requestedScopes: readonly string[]): AccessChoice[] => {
  const presets = scopeCatalog.presets
    .filter(({ id }) => id !== 'engine')
    .map(({ id, label, description, scopes }) => ({
      id,
      label,
      description,
      scopes: allScopes.filter((scope) => isGrantable(scope) && scopes.includes(scope)),
    }))
  if (requestedScopes.length === 0) return presets
  const wanted = {
    id: 'asked',
    label: 'The requested access',
    description: `${requestedScopes.length} scopes`,
    scopes: requestedScopes,
  }
  return [wanted, ...presets.filter(({ id }) => id !== 'standard')]
}

/** The redirect address of the response; `iss` identifies the server (RFC 9207). */
export const answerAddress = (redirectUri: string, fields: Readonly<Record<string, string>>): string => {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(fields)) if (value !== '') url.searchParams.set(name, value)
  return url.href
}
