// How the operations of a document authenticate: the parts of a request that a secret or a connection fills.
import { isRecord } from '@millrace/contract/json'
import { accessTokenKeyOf } from '@millrace/contract/providers'
import { follow, type Json, records, textOf } from './document.ts'

/** `env`: the names of the variables with the values; basic authentication has two. */
export type Auth =
  | { kind: 'bearer'; env: [string] }
  | { kind: 'basic'; env: [string, string] }
  | { kind: 'key'; in: 'header' | 'query' | 'cookie'; name: string; env: [string] }

export type Scheme = { auth: Auth; description: string; fromConnection: boolean }

const isPlace = (text: unknown): text is 'header' | 'query' | 'cookie' =>
  text === 'header' || text === 'query' || text === 'cookie'

const variable = (...words: string[]): string =>
  words
    .join('_')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .replace(/^(?=\d)/, '_')
    .slice(0, 128)

const readScheme = (app: string, name: string, scheme: Json, provider: string | undefined): Scheme | undefined => {
  const description = textOf(scheme.description, 500)
  const kind = textOf(scheme.scheme, 20).toLowerCase()
  if (scheme.type === 'apiKey' && isPlace(scheme.in) && typeof scheme.name === 'string') {
    const auth: Auth = { kind: 'key', in: scheme.in, name: scheme.name, env: [variable(app, name)] }
    return { auth, description, fromConnection: false }
  }
  if (scheme.type === 'http' && kind === 'basic') {
    const auth: Auth = { kind: 'basic', env: [variable(app, name, 'username'), variable(app, name, 'password')] }
    return { auth, description, fromConnection: false }
  }
  if ((scheme.type === 'http' && kind === 'bearer') || scheme.type === 'oauth2' || scheme.type === 'openIdConnect') {
    const env = provider === undefined ? variable(app, name) : accessTokenKeyOf(provider)
    return { auth: { kind: 'bearer', env: [env] }, description, fromConnection: provider !== undefined }
  }
  return undefined
}

export const readSchemes = (document: Json, app: string, provider: string | undefined): Map<string, Scheme> => {
  const { securitySchemes } = isRecord(document.components) ? document.components : {}
  const schemes = new Map<string, Scheme>()
  for (const [name, given] of Object.entries(isRecord(securitySchemes) ? securitySchemes : {})) {
    const scheme = follow(document, given)
    const read = isRecord(scheme) ? readScheme(app, name, scheme, provider) : undefined
    if (read) schemes.set(name, read)
  }
  return schemes
}

export type Security = {
  /** Names of schemes that are sent together. */
  readonly names: readonly string[]
  /** The operation also works without. */
  readonly optional: boolean
}

/** The first alternative with known schemes; undefined if every alternative needs an unknown one. */
export const securityOf = (document: Json, operation: Json, schemes: Map<string, Scheme>): Security | undefined => {
  const alternatives = records(operation.security ?? document.security).map((one) => Object.keys(one))
  const usable = alternatives.filter((names) => names.every((name) => schemes.has(name)))
  if (alternatives.length > 0 && usable.length === 0) return undefined
  const names = usable.find((one) => one.length > 0) ?? []
  return { names, optional: usable.length === 0 || usable.some((one) => one.length === 0) }
}
