// Machine credentials: a service account key, from which the server creates tokens (RFC 7523), and the settings of a
// workload identity pool, which the run itself exchanges. Both are JSON documents from the cloud's console and are
// stored sealed in the row.
import { createPrivateKey } from 'node:crypto'
import type { OAuth2Spec } from '@millrace/contract/auth-providers'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import { accessTokenKeyOf, secretPrefixOf } from '@millrace/contract/providers'
import { SignJWT } from 'jose'
import type { Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { builtInSlugs } from '../auth-providers/service.ts'
import { fetchWithAssertion, type Tokens } from './oauth-client.ts'
import type { CredentialRow } from './store.ts'
import { openToken } from './tokens.ts'

export type MachineType = 'service_account' | 'wif'

export const machineProviders = {
  service_account: {
    slug: builtInSlugs.serviceAccount,
    name: 'Google service account',
    description: 'Acts on Google Cloud as a service account',
    icon_url: '',
    docs_url: 'https://cloud.google.com/iam/docs/keys-create-delete',
    how_it_works: [
      'Create a JSON key for a service account in the Google Cloud console',
      'Paste the whole document',
      'Apps get short-lived tokens made with it',
    ],
  },
  wif: {
    slug: builtInSlugs.workloadIdentity,
    name: 'Google Cloud workload identity',
    description: 'Acts on Google Cloud without a key, through a workload identity pool',
    icon_url: '',
    docs_url: 'https://cloud.google.com/iam/docs/workload-identity-federation',
    how_it_works: [
      'Create a provider in a workload identity pool',
      'Download its credential configuration and paste the whole document',
      'Apps exchange it for a token when they run',
    ],
  },
} as const

/** The environment name of the document in a run. */
export const documentKeyOf = (slug: string): string => `${secretPrefixOf(slug)}_CREDENTIALS_JSON`

export type MachineDocument = {
  readonly json: string
  readonly identifier: string
  readonly name: string
  /** The token endpoint. */
  readonly tokenAddress: string
}

type Fields = Readonly<Record<string, unknown>>

const textOf = (fields: Fields, name: string): string => {
  const value = fields[name]
  if (typeof value !== 'string' || value === '') throw fail('validation_error', `\`metadata.${name}\` is required`)
  return value
}

const addressOf = (fields: Fields, name: string): string => {
  const address = textOf(fields, name)
  if (!URL.canParse(address) || !['https:', 'http:'].includes(new URL(address).protocol))
    throw fail('validation_error', `\`metadata.${name}\` must be an https address`)
  return address
}

const assertRsaKey = (pem: string): void => {
  let kind: string | undefined
  try {
    kind = createPrivateKey(pem).asymmetricKeyType
  } catch {
    // The library's message may quote the key.
    kind = undefined
  }
  if (kind !== 'rsa') throw fail('validation_error', '`metadata.private_key` must be an RSA key in PEM format')
}

const serviceAccountFields = [
  'type',
  'project_id',
  'private_key_id',
  'private_key',
  'client_email',
  'client_id',
  'token_uri',
  'universe_domain',
]

const picked = (fields: Fields, names: readonly string[]): string =>
  JSON.stringify(
    Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]]))),
  )

const readServiceAccount = (given: Fields): MachineDocument => {
  const fields: Fields = { token_uri: 'https://oauth2.googleapis.com/token', ...given }
  if (textOf(fields, 'type') !== 'service_account')
    throw fail('validation_error', '`metadata.type` must be service_account')
  const email = textOf(fields, 'client_email')
  if (!/^[^\s@]+@[^\s@]+$/.test(email))
    throw fail('validation_error', '`metadata.client_email` must be an email address')
  assertRsaKey(textOf(fields, 'private_key'))
  const tokenAddress = addressOf(fields, 'token_uri')
  const name = typeof fields.project_id === 'string' ? fields.project_id : email
  return { json: picked(fields, serviceAccountFields), identifier: email, name, tokenAddress }
}

const poolFields = [
  'type',
  'audience',
  'subject_token_type',
  'token_url',
  'token_info_url',
  'service_account_impersonation_url',
  'credential_source',
  'universe_domain',
  'quota_project_id',
]

const readPool = (fields: Fields): MachineDocument => {
  if (textOf(fields, 'type') !== 'external_account')
    throw fail('validation_error', '`metadata.type` must be external_account')
  const audience = textOf(fields, 'audience')
  if (!/^(\/\/|https:\/\/)iam\.googleapis\.com\/.+\/workloadIdentityPools\/[^/]+\/providers\/[^/]+$/.test(audience))
    throw fail('validation_error', '`metadata.audience` must name a provider of a workload identity pool')
  if (!/^urn:ietf:params:(oauth:token-type|aws:token-type):\w+$/.test(textOf(fields, 'subject_token_type')))
    throw fail('validation_error', '`metadata.subject_token_type` is not supported')
  const tokenAddress = addressOf(fields, 'token_url')
  return {
    json: picked(fields, poolFields),
    identifier: audience,
    name: audience.split('/').at(-1) ?? '',
    tokenAddress,
  }
}

/** The document as an object, or as text under `json`, `key` or `credentials`. */
export const readMachineDocument = (type: MachineType, metadata: Fields | undefined): MachineDocument => {
  if (metadata === undefined) throw fail('validation_error', '`metadata` is required')
  const wrapped = metadata.json ?? metadata.key ?? metadata.credentials
  let fields: unknown = wrapped ?? metadata
  if (typeof wrapped === 'string')
    try {
      fields = parseUntrustedJson(wrapped)
    } catch {
      throw fail('validation_error', '`metadata` must be a JSON document')
    }
  if (fields === null || typeof fields !== 'object' || Array.isArray(fields))
    throw fail('validation_error', '`metadata` must be a JSON document')
  return type === 'service_account' ? readServiceAccount(fields as Fields) : readPool(fields as Fields)
}

const assertionSeconds = 3600

type ServiceAccount = { client_email: string; private_key: string; private_key_id?: string; token_uri: string }

const signAssertion = (account: ServiceAccount, scopes: readonly string[], now: Date): Promise<string> => {
  const issuedAt = Math.floor(now.getTime() / 1000)
  return new SignJWT({ scope: scopes.join(' ') })
    .setProtectedHeader({
      alg: 'RS256',
      typ: 'JWT',
      ...(account.private_key_id ? { kid: account.private_key_id } : {}),
    })
    .setIssuer(account.client_email)
    .setSubject(account.client_email)
    .setAudience(account.token_uri)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + assertionSeconds)
    .sign(createPrivateKey(account.private_key))
}

export const defaultMachineScopes = ['https://www.googleapis.com/auth/cloud-platform']

type Minter = Pick<Platform, 'outbound' | 'now'>

export const mintToken = async (parts: Minter, json: string, scopes: readonly string[]): Promise<Tokens> => {
  const account = parseUntrustedJson(json) as ServiceAccount
  const spec: OAuth2Spec = {
    kind: 'oauth2',
    flow: 'client_credentials',
    token_endpoint: account.token_uri,
    scopes,
    pkce: false,
    client_auth: 'none',
  }
  const client = { spec, clientId: account.client_email, clientSecret: null, displayName: 'Google' }
  return fetchWithAssertion(parts, client, await signAssertion(account, scopes, parts.now()))
}

/** The document is stored in the place of the refresh token, because new tokens are made from it. */
export const mintServiceAccountToken = async (
  parts: Minter & Pick<Platform, 'db' | 'keyring'>,
  row: CredentialRow,
): Promise<Tokens> => {
  const json = await openToken(parts, row, 'refresh_token_sealed')
  if (json === null) throw fail('invalid_request', 'The key of the service account was deleted')
  return mintToken(parts, json, row.scopes)
}

export const machineNames = (type: MachineType, slug: string): string[] =>
  type === 'service_account' ? [accessTokenKeyOf(slug), documentKeyOf(slug)] : [documentKeyOf(slug)]
