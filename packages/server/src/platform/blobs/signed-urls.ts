// Signed upload URLs and names of uploaded media. Pure: key, time and randomness are arguments. The size limit is
// signed but not part of the URL: it is in the file row, and changing it there invalidates the URL.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { fail } from '../core/errors.ts'

export const uploadUrlLifetimeSeconds = 3600

export type UploadGrant = { fileId: string; maxBytes: number; expiresAtSeconds: number }

const signature = (key: Uint8Array, grant: UploadGrant): Buffer =>
  createHmac('sha256', key)
    .update(`millrace upload v1\n${grant.fileId}\n${grant.maxBytes}\n${grant.expiresAtSeconds}`)
    .digest()

export const uploadUrl = (baseUrl: string, key: Uint8Array, grant: UploadGrant): string => {
  const sig = signature(key, grant).toString('base64url')
  const path = `uploads/${encodeURIComponent(grant.fileId)}`
  return `${baseUrl.replace(/\/+$/, '')}/${path}?exp=${grant.expiresAtSeconds}&sig=${sig}`
}

export type PresentedUpload = {
  fileId: string
  /** From the file row. */
  maxBytes: number
  /** As received in the query; a repeated parameter is an array and therefore invalid. */
  exp: unknown
  sig: unknown
}

/** Throws `forbidden` for an invalid signature, and `upload_expired` for a valid one that has expired. */
export const assertUploadUrl = (key: Uint8Array, presented: PresentedUpload, nowMs: number): void => {
  const { fileId, maxBytes, exp, sig } = presented
  const forged = fail('forbidden', 'The upload URL is not valid')
  if (typeof exp !== 'string' || typeof sig !== 'string' || !/^[1-9]\d{0,14}$/.test(exp)) throw forged
  const expiresAtSeconds = Number(exp)
  const expected = signature(key, { fileId, maxBytes, expiresAtSeconds })
  // Compared as text, so that only one encoding of the signature is accepted.
  const given = Buffer.from(sig, 'utf8')
  const wanted = Buffer.from(expected.toString('base64url'), 'utf8')
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw forged
  if (nowMs >= expiresAtSeconds * 1000) throw fail('upload_expired')
}

export const mediaRandomBytes = 15

// 32 lower-case characters with 5 bits each: 24 of them encode the 120 bits of 15 random bytes.
const mediaAlphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** `{team short id}/{24 random characters}.{ext}`: the blob key and the path below /media/. */
export const mediaKey = (teamShortId: string, extension: string, random: Uint8Array): string => {
  if (random.length !== mediaRandomBytes) throw new RangeError(`mediaKey needs ${mediaRandomBytes} random bytes`)
  let name = ''
  let bits = 0
  let held = 0
  for (const byte of random) {
    held = (held << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      name += mediaAlphabet[(held >>> bits) & 31]
      held &= (1 << bits) - 1
    }
  }
  return `${teamShortId}/${name}.${extension}`
}

export const mediaUrl = (baseUrl: string, key: string): string => `${baseUrl.replace(/\/+$/, '')}/media/${key}`
