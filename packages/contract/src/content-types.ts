// Content types by file extension, for files without a declared type.

const byEnding: Readonly<Record<string, string>> = {
  '.aac': 'audio/aac',
  '.csv': 'text/csv',
  '.flac': 'audio/flac',
  '.gif': 'image/gif',
  '.gz': 'application/gzip',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.mov': 'video/quicktime',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.ogg': 'audio/ogg',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.tar': 'application/x-tar',
  '.txt': 'text/plain',
  '.wav': 'audio/wav',
  '.webm': 'video/webm',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
}

/** A dot file has no extension. */
const ending = /[^/\\](\.[^./\\]*)$/

export const contentTypeOf = (name: string): string =>
  byEnding[ending.exec(name)?.[1]?.toLowerCase() ?? ''] ?? 'application/octet-stream'
