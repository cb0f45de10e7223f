// Signs a test delivery in the scheme of its sender. Needs Web Crypto, which browsers offer on https and localhost only.
import type { TriggerSource } from '@millrace/contract/triggers'

type Source = Pick<TriggerSource, 'strategy' | 'strategy_config'>

/** Senders that use ed25519 sign with a private key that is not stored here. */
export const canSign = ({ strategy }: Source): boolean =>
  strategy !== 'none' && strategy !== 'ed25519' && globalThis.crypto.subtle !== undefined

const encoder = new TextEncoder()

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

const hmac = async (secret: BufferSource, text: string): Promise<Uint8Array> => {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(text)))
}

/** Standard Webhooks secrets are `whsec_` and base64; other texts are used as bytes. */
const standardKey = (secret: string): BufferSource =>
  secret.startsWith('whsec_')
    ? Uint8Array.from(atob(secret.slice('whsec_'.length)), (character) => character.charCodeAt(0))
    : encoder.encode(secret)

/** A random secret in the format of the sender. */
export const generateSecret = ({ strategy }: Source): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return strategy === 'standard-webhooks' ? `whsec_${base64(bytes)}` : hex(bytes)
}

type TestDelivery = { body: string; secret: string; nowMs: number; id: string }

/** The signature headers of a test delivery. */
export const signatureOf = async (
  { strategy, strategy_config: config = {} }: Source,
  { body, secret, nowMs, id }: TestDelivery,
): Promise<Record<string, string>> => {
  const seconds = String(Math.floor(nowMs / 1000))
  const key = encoder.encode(secret)
  if (strategy === 'standard-webhooks')
    return {
      [config.id_header ?? 'webhook-id']: id,
      [config.timestamp_header ?? 'webhook-timestamp']: seconds,
      [config.header ?? 'webhook-signature']:
        `v1,${base64(await hmac(standardKey(secret), `${id}.${seconds}.${body}`))}`,
    }
  if (strategy === 'slack-v0')
    return {
      [config.timestamp_header ?? 'x-slack-request-timestamp']: seconds,
      [config.header ?? 'x-slack-signature']: `v0=${hex(await hmac(key, `v0:${seconds}:${body}`))}`,
    }
  const { header = '', prefix = '', encoding = 'hex', timestamp_prefix: timestampPrefix } = config
  const write = encoding === 'hex' ? hex : base64
  return timestampPrefix === undefined
    ? { [header]: `${prefix}${write(await hmac(key, body))}` }
    : { [header]: `${timestampPrefix}${seconds},${prefix}${write(await hmac(key, `${seconds}.${body}`))}` }
}
