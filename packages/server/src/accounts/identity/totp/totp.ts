// Authenticator codes after RFC 6238: SHA-1, six digits, 30 seconds. The caller passes the time and stores the matched
// step, so that an observed code does not work twice.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const stepSeconds = 30
const secretBytes = 20
/** Accepted steps before and after the current one, because phone clocks drift. */
const driftSteps = 1

export const toBase32 = (bytes: Uint8Array): string => {
  let text = ''
  let value = 0
  let bits = 0
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += base32Alphabet.charAt((value >>> bits) & 31)
    }
  }
  return bits > 0 ? text + base32Alphabet.charAt((value << (5 - bits)) & 31) : text
}

/** Null when a character is outside the alphabet. Spaces and lower case are accepted, as people copy it. */
export const fromBase32 = (text: string): Uint8Array | null => {
  const bytes: number[] = []
  let value = 0
  let bits = 0
  for (const character of text.replace(/[\s=-]/g, '').toUpperCase()) {
    const digit = base32Alphabet.indexOf(character)
    if (digit < 0) return null
    value = ((value << 5) | digit) & 0xfff
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes.push((value >>> bits) & 0xff)
    }
  }
  return Uint8Array.from(bytes)
}

export const newTotpSecret = (): Uint8Array => new Uint8Array(randomBytes(secretBytes))

export const totpStep = (now: Date): number => Math.floor(now.getTime() / 1000 / stepSeconds)

export const totpCode = (secret: Uint8Array, step: number, digits = 6): string => {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/**
 * The step of a code, or null. Steps up to `lastStep`, the newest used one, are spent. All candidates are compared, so
 * that the time does not reveal which one matched.
 */
export const matchTotp = (secret: Uint8Array, code: string, now: Date, lastStep: number): number | null => {
  const typed = code.replace(/\s/g, '')
  if (!/^\d{6}$/.test(typed)) return null
  const present = totpStep(now)
  let matched: number | null = null
  for (let step = Math.max(0, present - driftSteps); step <= present + driftSteps; step++) {
    const equal = timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(typed))
    if (equal && step > lastStep) matched = step
  }
  return matched
}

/** The content of the QR code for authenticator apps. */
export const otpauthUri = (options: { issuer: string; account: string; secret: Uint8Array }): string => {
  const { issuer, account, secret } = options
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  const query = `secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`
  return `otpauth://totp/${label}?${query}&algorithm=SHA1&digits=6&period=${stepSeconds}`
}
