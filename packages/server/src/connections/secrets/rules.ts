// What a secret may be called and hold, how it is shown, and who may connect it for whom. Pure.
import type { ErrorCode } from '@millrace/contract/errors'
import { secretValueMaxBytes } from '@millrace/contract/secrets'
import { settingTable } from '#platform/settings/settings.ts'

export type Refusal = { code: ErrorCode; detail: string }

const refuse = (code: ErrorCode, detail: string): Refusal => ({ code, detail })

const keyPattern = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Words of the routes beside a key's own. */
const routeWords = new Set(['list', 'reveal', 'provider'])

const reservedPrefixes = ['SMTP_', 'S3_', 'SSO_', 'SAML_', 'OIDC_', 'STRIPE_', 'BILLING_', 'MILLRACE_']

/** Names that configure the deployment: a secret of that name could be taken for it. */
export const isReservedName = (key: string): boolean => {
  const name = key.toUpperCase()
  return Object.hasOwn(settingTable, name) || reservedPrefixes.some((prefix) => name.startsWith(prefix))
}

export const refuseKey = (key: string): Refusal | null => {
  if (key === '') return refuse('invalid_request', 'key is required')
  if (!keyPattern.test(key))
    return refuse('validation_error', 'key must be letters, digits and underscores, and not begin with a digit')
  if (routeWords.has(key)) return refuse('validation_error', `key must not be the word ${key}`)
  if (isReservedName(key))
    return refuse('validation_error', `key ${key} is reserved for the settings of the platform; choose another name`)
  return null
}

export const refuseValue = (value: string): Refusal | null => {
  if (value === '') return refuse('invalid_request', 'value is required')
  if (Buffer.byteLength(value) > secretValueMaxBytes)
    return refuse('validation_error', `value must be at most ${secretValueMaxBytes} bytes`)
  return null
}

const leastLengthForHint = 16

/** The last four characters, where so few of so many give nothing away. */
export const hintOf = (value: string): string => {
  const tail = value.slice(-4)
  return value.length >= leastLengthForHint && /^[\w-]{4}$/.test(tail) ? tail : ''
}

export const maskedValue = (hint: string): string => `****${hint}`

export type ConnectionScope = 'user' | 'team' | 'org' | 'platform'

/** Where the caller stands when it connects something. */
export type Place = {
  readonly orgId: string | null
  /** The organization's own workspace, not one attached to it. */
  readonly isOrgTeam: boolean
  readonly inPlatformTeam: boolean
  readonly orgAdmin: boolean
  readonly platformAdmin: boolean
}

/** First whether this workspace may hold such a connection at all, then whether the caller may make it. */
export const refuseConnectionScope = (scope: ConnectionScope, at: Place): Refusal | null => {
  if (scope === 'org') {
    if (at.orgId === null) return refuse('validation_error', 'connection_scope org: not in an organization')
    if (!at.isOrgTeam)
      return refuse('validation_error', 'connection_scope org: only in the workspace of the organization')
    if (!at.orgAdmin && !at.platformAdmin)
      return refuse('team_role_required', 'connection_scope org needs an organization admin')
  }
  if (scope === 'platform') {
    if (!at.inPlatformTeam)
      return refuse('validation_error', 'connection_scope platform: only in the platform workspace')
    if (!at.platformAdmin) return refuse('forbidden', 'connection_scope platform needs a platform admin')
  }
  return null
}

/** `www.acme.com`, `acme.com/x` or `https://acme.com` as `https://acme.com`; null when it is no site. */
export const normaliseWebsite = (text: string): string | null => {
  const trimmed = text.trim()
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`
  if (!URL.canParse(withScheme)) return null
  const { protocol, hostname, username } = new URL(withScheme)
  const host = hostname.replace(/^www\./, '')
  return protocol === 'https:' && username === '' && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host) ? `https://${host}` : null
}
