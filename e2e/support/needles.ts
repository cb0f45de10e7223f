// Finds many texts in large data in one pass, in every usual encoding: plain, JSON, percent-encoded, hex, and base64 at
// each of the three offsets inside a longer text.

const prefixBytes = 8

export type Finding = { label: string; form: string; offset: number }

type Needle = { label: string; form: string; bytes: Buffer }

/** The characters that base64 yields for these bytes independently of their neighbors. */
const base64Inside = (bytes: Buffer, offset: number): string => {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replace(/=+$/, '')
  const clean = Math.floor(((offset + bytes.length) * 8) / 6)
  return encoded.slice(Math.ceil((offset * 8) / 6), clean)
}

const formsOf = (text: string): [form: string, shape: string | Buffer][] => {
  const bytes = Buffer.from(text)
  const base64 = [0, 1, 2].map((offset) => base64Inside(bytes, offset))
  return [
    ['plain', text],
    ['json', JSON.stringify(text).slice(1, -1)],
    ['url', encodeURIComponent(text)],
    ['form', new URLSearchParams({ x: text }).toString().slice(2)],
    ['hex', bytes.toString('hex')],
    ['HEX', bytes.toString('hex').toUpperCase()],
    ['utf16', Buffer.from(text, 'utf16le')],
    ...base64.map((encoded): [string, string] => ['base64', encoded]),
    ...base64.map((encoded): [string, string] => ['base64url', encoded.replaceAll('+', '-').replaceAll('/', '_')]),
  ]
}

/** `find` returns every occurrence of a labelled text, in any form. */
export const needleSearch = (texts: ReadonlyMap<string, string>): { find(haystack: Buffer): Finding[] } => {
  const byPrefix = new Map<string, Needle[]>()
  // One bit per pair of bytes that a needle starts with, which rejects nearly every offset.
  const beginnings = new Uint8Array(65_536)
  for (const [label, text] of texts)
    for (const [form, shape] of formsOf(text)) {
      const bytes = Buffer.from(shape as string)
      const prefix = bytes.toString('latin1', 0, prefixBytes)
      byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), { label, form, bytes }])
      beginnings[bytes.readUInt16BE(0)] = 1
    }
  return {
    find: (haystack) => {
      const found: Finding[] = []
      for (let offset = 0; offset + prefixBytes <= haystack.length; offset++) {
        if (beginnings[((haystack[offset] ?? 0) << 8) | (haystack[offset + 1] ?? 0)] === 0) continue
        for (const { label, form, bytes } of byPrefix.get(haystack.toString('latin1', offset, offset + prefixBytes)) ??
          [])
          if (haystack.subarray(offset, offset + bytes.length).equals(bytes)) found.push({ label, form, offset })
      }
      return found
    },
  }
}
