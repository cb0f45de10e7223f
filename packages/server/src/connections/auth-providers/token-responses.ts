// Converts non-standard token responses to RFC 6749 fields. Pure; other fields of the response are retained.
import { parseUntrustedForm, readUntrustedJson } from '@millrace/contract/parse-untrusted'

export type TokenAnswer = {
  readonly status: number
  readonly text: string
  readonly contentType: string
  /** The `Date` header in milliseconds: the time of the server's clock. */
  readonly sentAtMs: number | null
}

export type TokenFields = Readonly<Record<string, unknown>>

type Reader = (answer: TokenAnswer) => TokenFields

const asRecord = (value: unknown): TokenFields =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as TokenFields) : {}

const readJson = ({ text }: TokenAnswer): TokenFields => asRecord(readUntrustedJson(text))

const readFields = (text: string): Record<string, string> => {
  try {
    return parseUntrustedForm(text)
  } catch {
    return {}
  }
}

const readForm: Reader = (answer) => {
  if (answer.contentType.includes('json')) return readJson(answer)
  const { expires, ...fields } = readFields(answer.text.trim())
  // An older spelling of `expires_in`.
  return expires === undefined ? fields : { expires_in: expires, ...fields }
}

const spaced = (scope: unknown): unknown =>
  typeof scope === 'string'
    ? scope
        .split(/[\s,]+/)
        .filter(Boolean)
        .join(' ')
    : scope

/** Slack reports success in the body under status 200; its token types name kinds of bearer tokens. */
const slackRefusal = (fields: TokenFields): TokenFields | null =>
  fields.ok === false ? { error: fields.error ?? 'invalid_request' } : null

const readSlack: Reader = (answer) => {
  const fields = readJson(answer)
  return slackRefusal(fields) ?? { ...fields, token_type: 'bearer', scope: spaced(fields.scope) }
}

const readSlackUser: Reader = (answer) => {
  const fields = readJson(answer)
  const user = asRecord(fields.authed_user)
  return slackRefusal(fields) ?? { ...fields, ...user, token_type: 'bearer', scope: spaced(user.scope) }
}

/** `{code, message, data: {access_token, …}}`, for success and failure. */
const readNested: Reader = (answer) => {
  const { data, ...outer } = readJson(answer)
  const inner = asRecord(data)
  if (typeof inner.access_token === 'string') return { ...outer, ...inner }
  const error = inner.error ?? outer.error ?? 'invalid_grant'
  return { error, error_description: inner.error_description ?? inner.description ?? outer.message ?? outer.msg }
}

const readCommaScopes: Reader = (answer) => {
  const fields = readJson(answer)
  return { ...fields, scope: spaced(fields.scope) }
}

const camelNames = [
  ['accessToken', 'access_token'],
  ['refreshToken', 'refresh_token'],
  ['expiresIn', 'expires_in'],
  ['tokenType', 'token_type'],
  ['idToken', 'id_token'],
  ['scopes', 'scope'],
] as const

const readCamelCase: Reader = (answer) => {
  const fields = readJson(answer)
  const renamed = camelNames.flatMap(([camel, snake]) =>
    fields[camel] === undefined || fields[snake] !== undefined ? [] : [[snake, fields[camel]] as const],
  )
  return { ...fields, ...Object.fromEntries(renamed) }
}

const epochMs = (value: unknown): number | null => {
  if (typeof value === 'string' && Number.isNaN(Number(value))) return Date.parse(value)
  const number = Number(value)
  if (!Number.isFinite(number) || number <= 0) return null
  // Seconds reach this value in the year 5138, milliseconds in 1973, so the two cannot be confused.
  return number < 1e11 ? number * 1000 : number
}

/** The expiry in the server's clock, relative to the time of its response. */
const readExpiresAt: Reader = (answer) => {
  const fields = readJson(answer)
  const endMs = epochMs(fields.expires_at ?? fields.expires_on)
  if (endMs === null || Number.isNaN(endMs) || answer.sentAtMs === null) return fields
  return { ...fields, expires_in: Math.max(0, Math.floor((endMs - answer.sentAtMs) / 1000)) }
}

const readers: Readonly<Record<string, Reader>> = {
  camel_case: readCamelCase,
  comma_scopes: readCommaScopes,
  expires_at: readExpiresAt,
  form: readForm,
  nested_data: readNested,
  slack: readSlack,
  slack_authed_user: readSlackUser,
}

export const tokenResponseHooks: readonly string[] = Object.keys(readers)

/** Common deviations that need no hook: a missing type means bearer, empty means absent, a list becomes text. */
const tidy = (fields: TokenFields): Record<string, unknown> => {
  const { scope, refresh_token, expires_in, token_type, id_token, ...rest } = fields
  const tidied: Record<string, unknown> = { ...rest, token_type: token_type || 'bearer' }
  if (refresh_token) tidied.refresh_token = refresh_token
  if (id_token) tidied.id_token = id_token
  if (expires_in !== null && expires_in !== undefined && expires_in !== '') tidied.expires_in = expires_in
  if (Array.isArray(scope)) tidied.scope = scope.join(' ')
  else if (typeof scope === 'string' && scope !== '') tidied.scope = scope
  return tidied
}

/** The response in standard form: status and RFC 6749 fields. An error field is a failure under any status. */
export const readTokenAnswer = (
  hook: string | undefined,
  answer: TokenAnswer,
): { status: number; fields: Record<string, unknown> } => {
  const fields = (hook === undefined ? undefined : readers[hook])?.(answer) ?? readJson(answer)
  if (typeof fields.access_token === 'string' && fields.access_token !== '' && answer.status < 300)
    return { status: 200, fields: tidy(fields) }
  if (typeof fields.error === 'string' && fields.error !== '') {
    const description = fields.error_description
    return {
      status: Math.max(answer.status, 400),
      fields: { error: fields.error, ...(typeof description === 'string' ? { error_description: description } : {}) },
    }
  }
  return { status: answer.status, fields: {} }
}
