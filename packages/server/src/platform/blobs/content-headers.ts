// Headers for serving uploaded bytes. The uploader chooses the content type, so everything that a browser could execute
// is served as a download, with an empty sandbox.
import { parseMediaType, safeContentType } from './content-types.ts'
import { cleanFilename } from './keys.ts'

// Shown inline: only formats that no browser executes. SVG can contain scripts when opened as a page (as an <img> it
// works without this header), and PDF viewers run scripts.
const inlineTypes = new Set([
  'application/json',
  'image/apng',
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
  'image/x-icon',
  'text/plain',
])

const isInline = (essence: string): boolean =>
  inlineTypes.has(essence) || essence.startsWith('audio/') || essence.startsWith('video/')

// A browser wraps a single image or video in its own document, which must load that image or video.
const inlinePolicy = "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'"
const closedPolicy = "sandbox; default-src 'none'"

export type ServedContent = {
  contentType?: string | null
  filename?: string | null
  /** Served as a download, independent of the type. */
  download?: boolean
}

export const contentHeaders = (content: ServedContent): Record<string, string> => {
  const contentType = safeContentType(content.contentType)
  const inline = !content.download && isInline(parseMediaType(contentType)?.essence ?? '')
  return {
    'content-type': contentType,
    'content-disposition': contentDisposition(inline ? 'inline' : 'attachment', content.filename),
    'content-security-policy': inline ? inlinePolicy : closedPolicy,
    'x-content-type-options': 'nosniff',
    // Pages on other origins may embed media; the URL itself gives access.
    'cross-origin-resource-policy': 'cross-origin',
    'referrer-policy': 'no-referrer',
    'cache-control': 'private',
    'accept-ranges': 'bytes',
  }
}

/** RFC 6266: an ASCII name for old clients and, if different, the exact name in RFC 5987 encoding. */
export const contentDisposition = (kind: 'inline' | 'attachment', filename?: string | null): string => {
  const name = cleanFilename(filename ?? '')
  if (name === '') return kind
  // `%` is replaced because some clients decode it inside the quoted form.
  const ascii = name
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .replace(/[^\x20-\x7e]/gu, '_')
    .replace(/["\\%]/g, '_')
  const quoted = `${kind}; filename="${ascii}"`
  return ascii === name ? quoted : `${quoted}; filename*=UTF-8''${extendedValue(name)}`
}

// encodeURIComponent keeps !'()*~; of these only ! and ~ are attr-char.
const extendedValue = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
