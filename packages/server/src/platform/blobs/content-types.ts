// Media types and file extensions. A claimed media type is parsed strictly or ignored; an extension contains only
// letters and digits.

export const fallbackContentType = 'application/octet-stream'

const token = "[A-Za-z0-9!#$&^_.+'*`|~-]+"
const typePattern = new RegExp(`^(${token})/(${token})$`)
const parameterPattern = new RegExp(`^(${token})=(${token}|"[^"\\\\\\x00-\\x1f\\x7f-\\uffff]*")$`)
const maxTypeLength = 200

export type MediaType = { essence: string; parameters: string[] }

/** Null if invalid. A parameter that is not safe in a header invalidates the whole type. */
export const parseMediaType = (claimed: string): MediaType | null => {
  if (claimed.length > maxTypeLength) return null
  const [type = '', ...rest] = claimed.split(';').map((part) => part.trim())
  if (!typePattern.test(type)) return null
  const parameters = rest.filter((parameter) => parameter !== '')
  if (!parameters.every((parameter) => parameterPattern.test(parameter))) return null
  return { essence: type.toLowerCase(), parameters }
}

/** The claimed type in canonical form, or `application/octet-stream`. */
export const safeContentType = (claimed: string | null | undefined): string => {
  const parsed = claimed ? parseMediaType(claimed) : null
  return parsed ? [parsed.essence, ...parsed.parameters].join('; ') : fallbackContentType
}

const extensionOfType: Record<string, string> = {
  'application/gzip': 'gz',
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/x-tar': 'tar',
  'application/xml': 'xml',
  'application/zip': 'zip',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/webm': 'weba',
  'image/avif': 'avif',
  'image/bmp': 'bmp',
  'image/gif': 'gif',
  'image/heic': 'heic',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'image/tiff': 'tiff',
  'image/webp': 'webp',
  'model/gltf-binary': 'glb',
  'text/css': 'css',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/javascript': 'js',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'text/xml': 'xml',
  'video/mp4': 'mp4',
  'video/mpeg': 'mpeg',
  'video/ogg': 'ogv',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
}

/** From the file name, otherwise from the type, otherwise `bin`. At most ten lower-case letters and digits. */
export const safeExtension = (filename: string | null | undefined, contentType?: string | null): string => {
  const named = /[^./\\]\.([A-Za-z0-9]{1,10})$/.exec(filename ?? '')?.[1]
  if (named) return named.toLowerCase()
  const essence = contentType ? parseMediaType(contentType)?.essence : undefined
  return (essence !== undefined && Object.hasOwn(extensionOfType, essence) && extensionOfType[essence]) || 'bin'
}
