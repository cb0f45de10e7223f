// Tokens of live sockets: HS256 JWTs that name the task and the end that they open. Pure: key and time are arguments.
import { timingSafeEqual } from 'node:crypto'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import { hmacSha256 } from '#platform/core/webhook-signing.ts'

export type SocketRole = 'client' | 'worker'
export type SocketClaims = { sub: string; aud: string; role: SocketRole; iat: number; exp: number }

export const tokenSeconds = 600
const leewaySeconds = 5

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const header = encode({ alg: 'HS256', typ: 'JWT' })

export const signToken = (key: Uint8Array, claims: SocketClaims): string => {
  const signed = `${header}.${encode(claims)}`
  return `${signed}.${hmacSha256(key, signed).toString('base64url')}`
}

const isClaims = (value: unknown): value is SocketClaims =>
  typeof value === 'object' &&
  value !== null &&
  'sub' in value &&
  typeof value.sub === 'string' &&
  'aud' in value &&
  typeof value.aud === 'string' &&
  'role' in value &&
  (value.role === 'client' || value.role === 'worker') &&
  'iat' in value &&
  typeof value.iat === 'number' &&
  'exp' in value &&
  typeof value.exp === 'number'

const parse = (part: string): unknown => {
  try {
    return parseUntrustedJson(Buffer.from(part, 'base64url').toString())
  } catch {
    return null
  }
}

/** The claims of a valid token for this relay; otherwise null. */
export const readToken = (
  key: Uint8Array,
  token: string,
  { aud, nowSeconds }: { aud: string; nowSeconds: number },
): SocketClaims | null => {
  const [head, body, signature, ...rest] = token.split('.')
  if (head !== header || body === undefined || signature === undefined || rest.length > 0) return null
  const expected = hmacSha256(key, `${head}.${body}`)
  const given = Buffer.from(signature, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  const claims = parse(body)
  if (!isClaims(claims) || claims.aud !== aud) return null
  const inTime = claims.exp + leewaySeconds > nowSeconds && claims.iat - leewaySeconds <= nowSeconds
  return inTime ? claims : null
}
