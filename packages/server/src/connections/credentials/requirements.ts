// Checks which requirements of an app a workspace does not meet, with the step that would help, and returns the values
// once all are met.
import type { CredentialRequirement, SecretRequirement } from '@millrace/contract/apps'
import type { RequirementError } from '@millrace/contract/credentials'
import { isFailure } from '#platform/core/errors.ts'
import { findProvider } from '../auth-providers/service.ts'
import { findListedProvider, providerOfSecretName } from '../provider-catalogue/service.ts'
import { missingSecrets } from '../secrets/service.ts'
import type { Parts } from './refresh.ts'
import * as store from './store.ts'
import { fingerprintOf, markOf, namesOf, valuesOf } from './values.ts'

export type Requirements = {
  required_secrets?: readonly SecretRequirement[] | undefined
  required_credentials?: readonly CredentialRequirement[] | undefined
}

type Reader = Pick<Parts, 'db' | 'keyring'>

/** The current field is `provider`, the older one `key`. */
const slugOf = ({ provider, key }: CredentialRequirement): string => provider || key || ''

/** Names of secrets, each a string or an object with a name. */
export const secretNames = ({ secrets = [] }: CredentialRequirement): string[] =>
  secrets.flatMap((one) => {
    if (typeof one === 'string') return [one]
    const key = one !== null && typeof one === 'object' ? (one as { key?: unknown }).key : undefined
    return typeof key === 'string' ? [key] : []
  })

/** The parts of a requirement that a connection does not have. */
type Unmet = { names: string[]; scopes: string[] }

const findUnmet = async (reader: Reader, row: store.CredentialRow, required: CredentialRequirement): Promise<Unmet> => {
  const has = new Set(await namesOf(reader, row))
  // A key has no scopes to check; a service that listed no scopes granted the requested ones.
  const isScoped = row.type === 'oauth' || row.type === 'mcp'
  const granted = new Set(row.scopes)
  return {
    names: secretNames(required).filter((name) => !has.has(name)),
    scopes: isScoped ? (required.scopes ?? []).filter((scope) => !granted.has(scope)) : [],
  }
}

type Candidate = { row: store.CredentialRow; unmet: Unmet }

/** The first connection in order of precedence that has everything; otherwise the first of the incomplete ones. */
const bestFor = async (
  reader: Reader,
  holder: store.CredentialHolder,
  required: CredentialRequirement,
): Promise<Candidate | null> => {
  const rows = await store.findReachable(reader.db, holder, slugOf(required))
  let best: Candidate | null = null
  for (const row of rows.filter(({ status }) => status === 'connected')) {
    const candidate = { row, unmet: await findUnmet(reader, row, required) }
    if (candidate.unmet.names.length === 0 && candidate.unmet.scopes.length === 0) return candidate
    best ??= candidate
  }
  return best
}

const secretError = ({ key, description }: SecretRequirement): RequirementError => {
  const listed = providerOfSecretName(key)
  return {
    type: 'secret',
    key,
    message: `The secret ${key} is missing${description ? `: ${description}` : ''}`,
    action: {
      type: 'add_secret',
      ...(listed
        ? { provider: listed.slug, provider_name: listed.display_name, provider_website: listed.website }
        : {}),
      secrets: [key],
    },
  }
}

type Named = { provider: string; provider_name: string; provider_website?: string }

const nameOf = async (
  reader: Reader,
  holder: store.CredentialHolder,
  required: CredentialRequirement,
): Promise<Named> => {
  const slug = slugOf(required)
  const row = (await findProvider(reader, holder.teamId, slug)) ?? findListedProvider(slug)
  const website = row?.website || required.website
  return {
    provider: slug,
    provider_name: row?.display_name ?? (required.name || slug),
    ...(website ? { provider_website: website } : {}),
  }
}

const connectError = (named: Named, required: CredentialRequirement, names: string[]): RequirementError => ({
  type: 'integration',
  key: named.provider,
  message:
    names.length > 0 && names.length < secretNames(required).length
      ? `${named.provider_name} is connected without ${names.join(', ')}`
      : `${named.provider_name} is not connected`,
  action: {
    type: 'connect',
    ...named,
    ...(required.scopes?.length ? { scopes: required.scopes } : {}),
    ...(names.length > 0 ? { secrets: names } : {}),
  },
})

const scopeError = (named: Named, scopes: string[]): RequirementError => ({
  type: 'scope',
  key: named.provider,
  message: `${named.provider_name} has not granted ${scopes.join(', ')}`,
  action: { type: 'add_scopes', ...named, scopes },
})

const credentialError = async (
  reader: Reader,
  holder: store.CredentialHolder,
  required: CredentialRequirement,
): Promise<RequirementError | null> => {
  const best = await bestFor(reader, holder, required)
  if (best && best.unmet.names.length === 0 && best.unmet.scopes.length === 0) return null
  const named = await nameOf(reader, holder, required)
  if (!best) return connectError(named, required, secretNames(required))
  return best.unmet.names.length > 0
    ? connectError(named, required, best.unmet.names)
    : scopeError(named, best.unmet.scopes)
}

export const unmetRequirements = async (
  reader: Reader,
  holder: store.CredentialHolder,
  { required_secrets = [], required_credentials = [] }: Requirements,
): Promise<RequirementError[]> => {
  const needed = required_secrets.filter(({ optional }) => !optional)
  const names = needed.map(({ key }) => key)
  const missing = new Set(await missingSecrets(reader, holder.teamId, names, holder.userId))
  const errors = needed.filter(({ key }) => missing.has(key)).map(secretError)
  for (const required of required_credentials) {
    if (required.optional || slugOf(required) === '') continue
    const error = await credentialError(reader, holder, required)
    if (error) errors.push(error)
  }
  return errors
}

export type RunCredentials = {
  /** For the environment of the run. */
  values: Record<string, string>
  /** Required slugs without a usable connection. */
  missing: string[]
  /** Changes with every value; part of the identity of a warm worker. */
  fingerprint: string
}

/** Values of a key are returned under the required names, values of a sign-in under its own names. */
const valuesForRun = (required: CredentialRequirement, row: store.CredentialRow, values: Record<string, string>) => {
  const wanted = secretNames(required)
  if (row.type !== 'api_key' || wanted.length === 0) return values
  return Object.fromEntries(Object.entries(values).filter(([name]) => wanted.includes(name)))
}

export const credentialsForRun = async (
  parts: Parts,
  holder: store.CredentialHolder,
  required: readonly CredentialRequirement[],
): Promise<RunCredentials> => {
  const values: Record<string, string> = {}
  const missing: string[] = []
  const marks: string[] = []
  for (const one of required) {
    const best = await bestFor(parts, holder, one)
    const given = best && (await openBest(parts, best.row))
    if (given) {
      Object.assign(values, valuesForRun(one, given.row, given.values))
      marks.push(await markOf(parts, given.row))
    } else if (!one.optional) missing.push(slugOf(one))
  }
  return { values, missing, fingerprint: fingerprintOf(marks) }
}

const openBest = async (parts: Parts, row: store.CredentialRow) => {
  try {
    return await valuesOf(parts, row)
  } catch (error) {
    // A connection that cannot be refreshed counts as missing.
    if (isFailure(error)) return null
    throw error
  }
}

/** The fingerprint alone, without decrypting or refreshing anything. */
export const credentialsFingerprint = async (
  reader: Reader,
  holder: store.CredentialHolder,
  required: readonly CredentialRequirement[],
): Promise<string> => {
  const marks: string[] = []
  for (const one of required) {
    const best = await bestFor(reader, holder, one)
    if (best) marks.push(await markOf(reader, best.row))
  }
  return fingerprintOf(marks)
}
