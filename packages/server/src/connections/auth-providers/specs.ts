// Validates and completes auth specs. Pure: the outbound rules check reachable addresses elsewhere.
import type { AuthSpec, AuthSpecInput, OAuth2Spec } from '@millrace/contract/auth-providers'
import { type SecretField, secretPrefixOf } from '@millrace/contract/providers'
import { hookCatalogue } from './hooks.ts'
import { fillAddress, placeholdersIn, variableOf } from './url-variables.ts'

export type SpecsProblem = { readonly problem: string }
type Result<T> = T | SpecsProblem

export const isProblem = <T extends object>(result: Result<T>): result is SpecsProblem => 'problem' in result

const problem = (text: string): SpecsProblem => ({ problem: text })

const addressFields = [
  'authorization_endpoint',
  'token_endpoint',
  'refresh_endpoint',
  'revocation_endpoint',
  'userinfo_url',
  'resource',
  'issuer',
] as const

/** An address with sample values for its variables, to check that it is a URL. */
export const sampleAddress = (address: string): string => {
  const sample = Object.fromEntries(
    placeholdersIn(address).map((name) => [name, name === 'domain' ? 'x.example' : 'x']),
  )
  return fillAddress(address, sample)
}

const addressProblem = (spec: AuthSpecInput, field: (typeof addressFields)[number]): string | null => {
  const address = spec[field]
  if (address === undefined) return null
  const known = variableOf(spec.vars)?.variable
  const unknown = placeholdersIn(address).find((name) => name !== known)
  if (unknown !== undefined) return `${field}: {${unknown}} has no value`
  const sample = sampleAddress(address)
  if (!URL.canParse(sample)) return `${field} must be an https address`
  const { protocol, username, hash } = new URL(sample)
  if (protocol !== 'https:' && protocol !== 'http:') return `${field} must be an https address`
  if (username !== '' || hash !== '') return `${field} must be an address without a user name or fragment`
  return null
}

const hookProblem = (spec: AuthSpecInput): string | null => {
  for (const name of ['token_response', 'identity', 'vars'] as const) {
    const hook = spec[name]
    if (hook !== undefined && !hookCatalogue[name].includes(hook)) return `${name}: unknown hook ${hook}`
  }
  const profiles = hookCatalogue.auth_server_profiles.map((profile) => profile.name)
  if (spec.profile !== undefined && !profiles.includes(spec.profile)) return `profile: unknown hook ${spec.profile}`
  return null
}

const oauthProblem = (spec: AuthSpecInput): string | null => {
  const { flow = 'authorization_code', client_auth = 'basic' } = spec
  if (!spec.token_endpoint) return 'token_endpoint is required'
  if (flow === 'authorization_code' && !spec.authorization_endpoint) return 'authorization_endpoint is required'
  if (flow === 'client_credentials' && client_auth === 'none')
    return 'client_auth: client credentials need a client secret'
  if (client_auth === 'none' && spec.pkce === false) return 'pkce is required for a public client'
  return null
}

const optionalFields = [
  'authorization_endpoint',
  'refresh_endpoint',
  'revocation_endpoint',
  'scope_separator',
  'extra_authorize_params',
  'userinfo_url',
  'userinfo_identifier_path',
  'userinfo_name_path',
  'token_response',
  'identity',
  'vars',
  'resource',
  'issuer',
  'callback',
  'profile',
] as const

/** Empty strings count as omitted, because a form sends all its fields. */
const withoutEmpty = (spec: AuthSpecInput): AuthSpecInput =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== '')) as AuthSpecInput

const readOauth = (spec: AuthSpecInput): Result<OAuth2Spec> => {
  const wrong =
    oauthProblem(spec) ?? addressFields.map((field) => addressProblem(spec, field)).find((text) => text !== null)
  if (wrong) return problem(wrong)
  const extras = optionalFields.flatMap((name) => (spec[name] === undefined ? [] : [[name, spec[name]] as const]))
  return {
    kind: 'oauth2',
    flow: spec.flow ?? 'authorization_code',
    token_endpoint: spec.token_endpoint ?? '',
    scopes: [...new Set(spec.scopes ?? [])],
    pkce: spec.pkce ?? true,
    client_auth: spec.client_auth ?? 'basic',
    ...(Object.fromEntries(extras) as Partial<OAuth2Spec>),
  }
}

type FieldInput = NonNullable<AuthSpecInput['fields']>[number]

const completeField = (field: FieldInput): SecretField => ({
  key: field.key,
  label: field.label || field.key,
  placeholder: field.placeholder ?? '',
  sensitive: field.sensitive ?? true,
  optional: field.optional ?? false,
})

const usualFields = (slug: string, spec: AuthSpecInput): FieldInput[] => {
  const prefix = secretPrefixOf(slug)
  if (spec.kind === 'api_key') return [{ key: `${prefix}_API_KEY`, label: 'API key' }]
  if (spec.scheme === 'bearer') return [{ key: `${prefix}_TOKEN`, label: 'Token' }]
  return [
    { key: `${prefix}_USERNAME`, label: 'User name', sensitive: false },
    { key: `${prefix}_PASSWORD`, label: 'Password' },
  ]
}

const readKeys = (slug: string, spec: AuthSpecInput): Result<AuthSpec> => {
  const fields = (spec.fields?.length ? spec.fields : usualFields(slug, spec)).map(completeField)
  if (spec.kind === 'http') {
    if (spec.scheme === undefined) return problem('scheme must be bearer or basic')
    const count = spec.scheme === 'basic' ? 2 : 1
    if (fields.length !== count) return problem(`fields: ${spec.scheme} takes ${count}`)
    return { kind: 'http', scheme: spec.scheme, fields }
  }
  const place = spec.in ?? 'header'
  if (place === 'query' && spec.name === undefined) return problem('name is required for a key in the query')
  const prefix = spec.prefix ?? (place === 'header' && spec.name === undefined ? 'Bearer ' : '')
  return { kind: 'api_key', fields, in: place, name: spec.name ?? 'Authorization', prefix }
}

export const readSpecs = (slug: string, inputs: readonly AuthSpecInput[]): Result<{ specs: AuthSpec[] }> => {
  const specs: AuthSpec[] = []
  for (const [index, input] of inputs.entries()) {
    const spec = withoutEmpty(input)
    // Only OAuth uses hooks, but an unknown name is an error for every kind.
    const hook = hookProblem(spec)
    const read = hook !== null ? problem(hook) : spec.kind === 'oauth2' ? readOauth(spec) : readKeys(slug, spec)
    if (isProblem(read)) return problem(`specs.${index}.${read.problem}`)
    specs.push(read)
  }
  const keys = specs.flatMap((spec) => (spec.kind === 'oauth2' ? [] : spec.fields.map(({ key }) => key)))
  const twice = keys.find((key, index) => keys.indexOf(key) !== index)
  return twice === undefined ? { specs } : problem(`specs: the field ${twice} appears twice`)
}

/**
 * The addresses that receive tokens and their variables. Two specs send tokens to the same places when these texts are
 * equal.
 */
export const tokenDestinations = (specs: readonly AuthSpec[]): string =>
  JSON.stringify(
    specs.flatMap((spec) =>
      spec.kind === 'oauth2'
        ? [[spec.flow, spec.vars, spec.profile, ...addressFields.map((field) => spec[field])]]
        : [],
    ),
  )

/** All addresses that the specs would make the server call, with sample values for variables. */
export const addressesIn = (specs: readonly AuthSpec[]): string[] =>
  specs.flatMap((spec) =>
    spec.kind === 'oauth2' ? addressFields.flatMap((field) => (spec[field] ? [sampleAddress(spec[field])] : [])) : [],
  )
