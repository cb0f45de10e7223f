// Identifiers: 128 random bits in the ULID alphabet (26 lower-case characters), and their 8-character short form.

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

export const shortIdLength = 8

// Random bytes are requested in batches, because each request costs more than building an id.
const pool = new Uint8Array(16 * 256)
let used = pool.length

export const newId = (): string => {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  used += 16
  return toId(pool.subarray(used - 16, used))
}

/** The id with the first 128 bits of these bytes. */
export const toId = (bytes: Uint8Array): string => {
  // 26 × 5 = 130 bits: the first character carries only the top 3 bits of the 128.
  let bits = 2
  let value = 0
  let id = ''
  for (const byte of bytes.subarray(0, 16)) {
    value = ((value << 8) | byte) & 0x1fff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      id += alphabet[(value >>> bits) & 31]
    }
  }
  return id
}

export const shortId = (id: string): string => id.slice(0, shortIdLength)

const fullIdPattern = /^[0-9a-hjkmnp-tv-z]{26}$/
const shortIdPattern = /^[0-9a-hjkmnp-tv-z]{8}$/

export const isId = (text: string): boolean => fullIdPattern.test(text)
export const isShortId = (text: string): boolean => shortIdPattern.test(text)
