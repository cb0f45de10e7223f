// Turns a foreign name into a safe file name: one path segment, not hidden and not reserved by a system. Pure.

const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i
const maxBytes = 200

export const safeName = (name: string): string => {
  const last = name.split(/[\\/]/).at(-1) ?? ''
  const plain = last
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}<>:"|?*]/gu, '_')
    .replace(/^[.\s]+|[.\s]+$/g, '')
  const short = shorten(plain)
  return short === '' ? 'file' : reserved.test(short) ? `_${short}` : short
}

/** Keeps the extension. */
const shorten = (name: string): string => {
  if (Buffer.byteLength(name) <= maxBytes) return name
  const dot = name.lastIndexOf('.')
  const ending = dot > 0 && name.length - dot <= 16 ? name.slice(dot) : ''
  let stem = ending === '' ? name : name.slice(0, dot)
  while (Buffer.byteLength(stem + ending) > maxBytes) stem = [...stem].slice(0, -1).join('')
  return stem + ending
}

/** `a.png`, then `a-2.png`. */
export const numberedName = (name: string, number: number): string => {
  if (number === 1) return name
  const dot = name.lastIndexOf('.')
  return dot > 0 ? `${name.slice(0, dot)}-${number}${name.slice(dot)}` : `${name}-${number}`
}

/** RFC 6266: the exact name when there is one, else the ASCII one. */
export const nameOfDisposition = (header: string | null): string | null => {
  const exact = /filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header ?? '')?.[1]
  if (exact !== undefined) return decoded(exact)
  const plain = /filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header ?? '')
  return plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2] ?? null
}

export const nameOfUrl = (url: URL): string => decoded(url.pathname.split('/').at(-1) ?? '') ?? ''

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
