// The headers under which somebody's bytes are served from our origin. The type is the uploader's word, so nothing that a
// browser would execute is ever shown in place: it is downloaded, and even then bound to an empty sandbox.
import { parseMediaType, safeContentType } from './content-types.ts'
import { cleanFilename } from './keys.ts'

// Shown in place: only formats that no browser runs as a page. SVG is absent on purpose (it carries scripts when opened by
// itself; as an <img> it works anyway, since the disposition does not apply there). PDF too: its viewers run scripts.
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

// A browser wraps a lone image or video in a document of its own, which needs to load that very image or video.
const inlinePolicy = "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'"
const closedPolicy = "sandbox; default-src 'none'"

export type ServedContent = {
  contentType?: string | null
  filename?: string | null
  /** Asked for as a download: never shown in place, whatever the type. */
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
    // Dashboards and apps on other origins embed media; the URL itself is the permission.
    'cross-origin-resource-policy': 'cross-origin',
    'referrer-policy': 'no-referrer',
    'cache-control': 'private',
    'accept-ranges': 'bytes',
  }
}

/** RFC 6266: an ASCII name for old clients and, when it differs, the exact one in RFC 5987 coding. */
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

// encodeURIComponent leaves !'()*~ alone; of these only ! and ~ are attr-char.
const extendedValue = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
