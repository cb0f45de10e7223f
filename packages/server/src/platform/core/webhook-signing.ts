// Signatures of outgoing webhooks: the completion webhook's own header and the Standard Webhooks headers
// (standardwebhooks.com). Pure: secret, id and time are arguments.
import { createHmac, type KeyObject } from 'node:crypto'

const standardSecretPrefix = 'whsec_'

export const hmacSha256 = (
  key: string | Uint8Array | KeyObject,
  ...parts: readonly (string | Uint8Array)[]
): Buffer => {
  const hmac = createHmac('sha256', key)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

/** `sha256=<hex>` over the raw body, keyed with the secret's UTF-8 bytes. */
export const signBody = (secret: string, body: string | Uint8Array): string =>
  `sha256=${hmacSha256(secret, body).toString('hex')}`

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)

/**
 * The keys of a Standard Webhooks secret: the decoded base64 after `whsec_`, otherwise the UTF-8 bytes of the text. The
 * published libraries also decode base64 without the prefix, so such a text has both keys.
 */
export const standardWebhookKeys = (secret: string): Buffer[] => {
  if (secret.startsWith(standardSecretPrefix))
    return [Buffer.from(secret.slice(standardSecretPrefix.length), 'base64')].filter(({ length }) => length > 0)
  const raw = Buffer.from(secret, 'utf8')
  return isBase64(secret) ? [Buffer.from(secret, 'base64'), raw] : [raw]
}

export type StandardWebhook = { id: string; timestampSeconds: number; body: string | Uint8Array }

/** One `v1,<base64>` signature of the id, the timestamp and the body for each key of the secret. */
export const signStandardWebhook = (secret: string, { id, timestampSeconds, body }: StandardWebhook): string[] =>
  standardWebhookKeys(secret).map(
    (key) => `v1,${hmacSha256(key, `${id}.${timestampSeconds}.`, body).toString('base64')}`,
  )

/** Headers of a completion webhook. All attempts have the same id; each has its own timestamp. */
export const completionWebhookHeaders = (webhook: {
  id: string
  body: string | Uint8Array
  secret: string | null
  /** The previous secret during a rotation; both sign. */
  former?: string | null | undefined
  now: Date
}): Record<string, string> => {
  const { id, body, secret, former, now } = webhook
  const headers = { 'Content-Type': 'application/json', 'X-Webhook-Id': id }
  if (!secret) return headers
  const timestampSeconds = Math.floor(now.getTime() / 1000)
  return {
    ...headers,
    'X-Webhook-Signature': signBody(secret, body),
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': [secret, ...(former ? [former] : [])]
      .flatMap((one) => signStandardWebhook(one, { id, timestampSeconds, body }))
      .join(' '),
  }
}
