// Parses `data:` URIs (RFC 2397). Pure. Returns null if the text is not a data URI or its content does not decode.
import { Buffer } from 'node:buffer'

export type DataUri = { contentType: string; bytes: Buffer }

export const isDataUri = (text: string): boolean => /^data:/i.test(text)

export const parseDataUri = (text: string): DataUri | null => {
  const comma = text.indexOf(',')
  if (!isDataUri(text) || comma < 0) return null
  const described = text.slice('data:'.length, comma)
  const base64 = /;\s*base64\s*$/i.exec(described)
  const claimed = (base64 ? described.slice(0, base64.index) : described).trim()
  const bytes = base64 ? fromBase64(text.slice(comma + 1)) : fromPercent(text.slice(comma + 1))
  // The type may be missing while its parameters are given.
  const contentType = claimed === '' ? 'text/plain' : claimed.startsWith(';') ? `text/plain${claimed}` : claimed
  return bytes && { contentType, bytes }
}

const fromBase64 = (text: string): Buffer | null => {
  const plain = (text.includes('%') ? (decoded(text) ?? '*') : text).replace(/\s+/g, '')
  // Buffer silently skips characters that are not base64, which would corrupt the file.
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(plain)) return null
  return Buffer.from(plain, 'base64')
}

const fromPercent = (text: string): Buffer | null => {
  const bytes: number[] = []
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] !== '%') {
      // Unescaped characters are encoded as UTF-8, as in browsers.
      const character = String.fromCodePoint(text.codePointAt(index) ?? 0)
      bytes.push(...Buffer.from(character))
      index += character.length - 1
      continue
    }
    const byte = /^%([0-9a-f]{2})/i.exec(text.slice(index, index + 3))?.[1]
    if (byte === undefined) return null
    bytes.push(Number.parseInt(byte, 16))
    index += 2
  }
  return Buffer.from(bytes)
}

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
