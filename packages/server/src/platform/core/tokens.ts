// Text of API keys, session tokens and opaque tokens. Only hashes are stored. A key ends with a checksum, so a mistyped
// key is detected without a query.
import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const prefix = 'mill-'
const randomLength = 36
const checksumLength = 6
const keyPattern = /^mill-([0-9A-Za-z]{36})([0-9A-Za-z]{6})$/
const sessionPattern = /^sess_[A-Za-z0-9_-]{43}$/

/** Uniform over 0 … limit − 1. */
export type RandomInt = (limit: number) => number

const toBase62 = (value: number): string => {
  let text = ''
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) text = alphabet.charAt(rest % 62) + text
  return text.padStart(checksumLength, '0')
}

export const keyChecksum = (body: string): string => toBase62(crc32(body))

export const newKeyText = (random: RandomInt = randomInt): string => {
  let body = ''
  for (let index = 0; index < randomLength; index++) body += alphabet.charAt(random(alphabet.length))
  return prefix + body + keyChecksum(body)
}

export type KeyText = { readonly text: string; readonly last4: string }

/** Null for text that cannot be a key of this server. */
export const parseKeyText = (text: string): KeyText | null => {
  const match = keyPattern.exec(text)
  const [, body, checksum] = match ?? []
  if (body === undefined || checksum !== keyChecksum(body)) return null
  return { text, last4: lastFour(text) }
}

export const lastFour = (text: string): string => text.slice(-4)

export const maskKey = (last4: string): string => `${prefix}****${last4}`

/** 32 random bytes as 43 base64url characters: cookies, magic links, device codes, invites. */
export const newOpaqueToken = (): string => randomBytes(32).toString('base64url')

const opaquePattern = /^[A-Za-z0-9_-]{43}$/

export const isOpaqueToken = (text: string): boolean => opaquePattern.test(text)

export const newSessionToken = (): string => `sess_${newOpaqueToken()}`

export const isSessionToken = (text: string): boolean => sessionPattern.test(text)

/** Hash of a token for storage. Tokens have at least 200 random bits, so they need no salt and no slow hash. */
export const hashToken = (text: string): Buffer => hash('sha256', text, 'buffer')

/** Constant-time equality of two texts of any length. */
export const sameSecret = (a: string, b: string): boolean => timingSafeEqual(hashToken(a), hashToken(b))
