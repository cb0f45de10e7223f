// Rules of secrets: valid names and values, masking, and who may connect a secret for whom. Pure.
import type { ErrorCode } from '@millrace/contract/errors'
import { secretValueMaxBytes } from '@millrace/contract/secrets'
import { settingTable } from '#platform/settings/settings.ts'

export type SecretRefusal = { code: ErrorCode; detail: string }

const refuse = (code: ErrorCode, detail: string): SecretRefusal => ({ code, detail })

const keyPattern = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Path segments used by other secret routes. */
const routeWords = new Set(['list', 'reveal', 'provider'])

const reservedPrefixes = ['SMTP_', 'S3_', 'SSO_', 'SAML_', 'OIDC_', 'STRIPE_', 'BILLING_', 'MILLRACE_']

/** Names of deployment settings, which a secret of the same name could shadow. */
export const isReservedName = (key: string): boolean => {
  const name = key.toUpperCase()
  return Object.hasOwn(settingTable, name) || reservedPrefixes.some((prefix) => name.startsWith(prefix))
}

export const refuseKey = (key: string): SecretRefusal | null => {
  if (key === '') return refuse('invalid_request', '`key` is required')
  if (!keyPattern.test(key))
    return refuse('validation_error', '`key` must be letters, digits and underscores, and not start with a digit')
  if (routeWords.has(key)) return refuse('validation_error', `\`key\` cannot be the reserved word ${key}`)
  if (isReservedName(key))
    return refuse('validation_error', `\`key\` ${key} is reserved for platform settings; choose another name`)
  return null
}

export const refuseValue = (value: string): SecretRefusal | null => {
  if (value === '') return refuse('invalid_request', '`value` is required')
  if (Buffer.byteLength(value) > secretValueMaxBytes)
    return refuse('validation_error', `\`value\` must be at most ${secretValueMaxBytes} bytes`)
  return null
}

const minLengthForHint = 16

/** The last four characters, for values long enough that these reveal little. */
export const hintOf = (value: string): string => {
  const tail = value.slice(-4)
  return value.length >= minLengthForHint && /^[\w-]{4}$/.test(tail) ? tail : ''
}

export const maskedValue = (hint: string): string => `****${hint}`

export type ConnectionScope = 'user' | 'team' | 'org' | 'platform'

/** The workspace and rights of the caller who connects something. */
export type SecretOwner = {
  readonly orgId: string | null
  /** The organization's own workspace, not an attached one. */
  readonly isOrgTeam: boolean
  readonly inPlatformTeam: boolean
  readonly orgAdmin: boolean
  readonly platformAdmin: boolean
}

/** Checks whether this workspace can hold such a connection, then whether the caller may make it. */
export const refuseConnectionScope = (scope: ConnectionScope, at: SecretOwner): SecretRefusal | null => {
  if (scope === 'org') {
    if (at.orgId === null)
      return refuse('validation_error', '`connection_scope` org: the workspace is not in an organization')
    if (!at.isOrgTeam)
      return refuse('validation_error', '`connection_scope` org is only for the workspace of the organization')
    if (!at.orgAdmin && !at.platformAdmin)
      return refuse('team_role_required', '`connection_scope` org needs an organization admin')
  }
  if (scope === 'platform') {
    if (!at.inPlatformTeam)
      return refuse('validation_error', '`connection_scope` platform is only for the platform workspace')
    if (!at.platformAdmin) return refuse('forbidden', '`connection_scope` platform needs a platform admin')
  }
  return null
}

/** Normalizes `www.acme.com`, `acme.com/x` or `https://acme.com` to `https://acme.com`; null when invalid. */
export const normaliseWebsite = (text: string): string | null => {
  const trimmed = text.trim()
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`
  if (!URL.canParse(withScheme)) return null
  const { protocol, hostname, username } = new URL(withScheme)
  const host = hostname.replace(/^www\./, '')
  return protocol === 'https:' && username === '' && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host) ? `https://${host}` : null
}
