// Verifies that a delivery was signed with the secret. Works on the raw bytes, before parsing. The caller answers 401
// without details; the reason is only logged and never contains the secret or signature.
import { createHash, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import type { SignatureStrategy, StrategyConfig } from '@millrace/contract/triggers'
import { hmacSha256, signStandardWebhook, standardWebhookKeys } from '#platform/core/webhook-signing.ts'

/** Request headers with lower-case names. */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

export type SignedDelivery = {
  readonly headers: DeliveryHeaders
  readonly body: Uint8Array
  readonly secret: string | null
  /** The secret as a prepared key, which saves a third of the time of a check. */
  readonly secretKey?: KeyObject
  readonly now: Date
}

export type SignatureCheck =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly reason: 'secret_missing' | 'secret_unusable' | 'signature_missing' | 'timestamp_refused' | 'mismatch'
    }

type Check = (delivery: SignedDelivery & { readonly secret: string }, config: StrategyConfig) => SignatureCheck

const accepted: SignatureCheck = { ok: true }
const refused = (reason: Extract<SignatureCheck, { ok: false }>['reason']): SignatureCheck => ({ ok: false, reason })
const matched = (matches: boolean): SignatureCheck => (matches ? accepted : refused('mismatch'))

const defaultToleranceSeconds = 300

export const headerOf = (headers: DeliveryHeaders, name: string | undefined): string | undefined => {
  const value = name === undefined ? undefined : headers[name.toLowerCase()]
  return typeof value === 'string' ? value : value?.[0]
}

// Hashing makes both sides equally long, so that the comparison takes constant time.
const sameText = (left: string, right: string): boolean => {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(left), digest(right))
}

const written = { hex: /^[0-9a-f]{64}$/i, base64: /^[A-Za-z0-9+/]{43}=$/ } as const

// A well-formed signature has a fixed, public length, so its bytes can be compared directly.
const sameSignature = (expected: Buffer, given: string, encoding: 'hex' | 'base64'): boolean =>
  written[encoding].test(given) && timingSafeEqual(expected, Buffer.from(given, encoding))

const isRecent = (timestamp: string, now: Date, toleranceSeconds: number): boolean =>
  /^\d{1,15}$/.test(timestamp) && Math.abs(Math.floor(now.getTime() / 1000) - Number(timestamp)) <= toleranceSeconds

const checkHmac: Check = ({ headers, body, secret, secretKey = secret, now }, config) => {
  const given = headerOf(headers, config.header)
  if (!given) return refused('signature_missing')
  const { prefix = '', encoding = 'hex', timestamp_prefix: timestampPrefix } = config
  if (timestampPrefix !== undefined) {
    // `t=<seconds>,v1=<signature>[,v1=<signature>…]`: several signatures during the rotation of a secret.
    const items = given.split(',').map((item) => item.trim())
    const timestamp = items.find((item) => item.startsWith(timestampPrefix))?.slice(timestampPrefix.length) ?? ''
    const signatures = items.filter((item) => item.startsWith(prefix)).map((item) => item.slice(prefix.length))
    if (signatures.length === 0) return refused('signature_missing')
    const toleranceSeconds = config.tolerance_seconds ?? defaultToleranceSeconds
    if (!isRecent(timestamp, now, toleranceSeconds)) return refused('timestamp_refused')
    const expected = hmacSha256(secretKey, `${timestamp}.`, body)
    return matched(signatures.some((signature) => sameSignature(expected, signature, encoding)))
  }
  if (!given.startsWith(prefix)) return refused('mismatch')
  return matched(sameSignature(hmacSha256(secretKey, body), given.slice(prefix.length).trim(), encoding))
}

const checkSlack: Check = ({ headers, body, secret, now }, config) => {
  const given = headerOf(headers, config.header ?? 'x-slack-signature')
  const timestamp = headerOf(headers, config.timestamp_header ?? 'x-slack-request-timestamp')
  if (!given || !timestamp) return refused('signature_missing')
  if (!isRecent(timestamp, now, config.tolerance_seconds ?? defaultToleranceSeconds))
    return refused('timestamp_refused')
  return matched(sameText(`v0=${hmacSha256(secret, `v0:${timestamp}:`, body).toString('hex')}`, given))
}

/** An ed25519 public key from 32 bytes in hex or base64; null for anything else. */
export const readPublicKey = (text: string): KeyObject | null => {
  const written = text.trim()
  const bytes = /^[0-9a-f]{64}$/i.test(written)
    ? Buffer.from(written, 'hex')
    : Buffer.from(/^[\w+/-]{43}=?$/.test(written) ? written : '', 'base64')
  if (bytes.length !== 32) return null
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }, format: 'jwk' })
}

const checkEd25519: Check = ({ headers, body, secret, now }, config) => {
  const given = headerOf(headers, config.header ?? 'x-signature-ed25519')
  const timestamp = headerOf(headers, config.timestamp_header ?? 'x-signature-timestamp')
  if (!given || !timestamp) return refused('signature_missing')
  const key = readPublicKey(secret)
  if (!key) return refused('secret_unusable')
  // The scheme defines no time window; a source may.
  const toleranceSeconds = config.tolerance_seconds
  if (toleranceSeconds && !isRecent(timestamp, now, toleranceSeconds)) return refused('timestamp_refused')
  const signature = Buffer.from(given, config.encoding ?? 'hex')
  if (signature.length !== 64) return refused('mismatch')
  return matched(verify(null, Buffer.concat([Buffer.from(timestamp), body]), key, signature))
}

/** The predecessor of Standard Webhooks differs only in the names of its headers. */
const svixHeaders = { id_header: 'svix-id', timestamp_header: 'svix-timestamp', header: 'svix-signature' }

const checkStandard: Check = ({ headers, body, secret, now }, config) => {
  const isSvix = headerOf(headers, config.id_header ?? 'webhook-id') === undefined
  const names = isSvix ? svixHeaders : config
  const id = headerOf(headers, names.id_header ?? 'webhook-id')
  const timestamp = headerOf(headers, names.timestamp_header ?? 'webhook-timestamp')
  const given = headerOf(headers, names.header ?? 'webhook-signature')
  if (!id || !timestamp || !given) return refused('signature_missing')
  if (standardWebhookKeys(secret).length === 0) return refused('secret_unusable')
  if (!isRecent(timestamp, now, config.tolerance_seconds ?? defaultToleranceSeconds))
    return refused('timestamp_refused')
  const expected = signStandardWebhook(secret, { id, timestampSeconds: Number(timestamp), body })
  return matched(given.split(' ').some((signature) => expected.some((one) => sameText(one, signature))))
}

const checks: Record<Exclude<SignatureStrategy, 'none'>, Check> = {
  'hmac-sha256': checkHmac,
  'slack-v0': checkSlack,
  ed25519: checkEd25519,
  'standard-webhooks': checkStandard,
}

export const checkSignature = (
  source: { readonly strategy: SignatureStrategy; readonly strategy_config?: StrategyConfig },
  delivery: SignedDelivery,
): SignatureCheck => {
  if (source.strategy === 'none') return accepted
  const { secret } = delivery
  if (!secret) return refused('secret_missing')
  return checks[source.strategy]({ ...delivery, secret }, source.strategy_config ?? {})
}
