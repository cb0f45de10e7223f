// Public addresses, blob keys and client-supplied names of files. Pure.
import { maxFileBytes } from '@millrace/contract/files'
import { newId, shortId } from '@millrace/contract/ids'
import { parseMediaType, safeContentType, safeExtension } from '#platform/blobs/content-types.ts'
import { cleanCustomPath, cleanFilename } from '#platform/blobs/keys.ts'
import { mediaKey } from '#platform/blobs/signed-urls.ts'

/** Prefix of every blob of this feature; the orphan sweep is limited to it. */
export const blobPrefix = 'files/'

/** A new key for every upload, so that acknowledged bytes are never overwritten. */
export const newBlobKey = (teamId: string): string => `${blobPrefix}${shortId(teamId)}/${newId()}`

const mediaKeyPattern = /^[0-9a-z]{8}\/[0-9a-z]{24}\.[a-z0-9]{1,10}$/

export const isMediaKey = (text: string): boolean => mediaKeyPattern.test(text)

/**
 * Returns the media key at the end of a stored file's address, or null. The host is not compared, so addresses stay
 * valid after an installation moves; the key has 120 random bits and cannot be guessed.
 */
export const mediaKeyOf = (uri: string): string | null => {
  const path = URL.parse(uri)?.pathname ?? ''
  const key = /\/media\/([^/]+\/[^/]+)$/.exec(path)?.[1]
  return key !== undefined && isMediaKey(key) ? key : null
}

export type ClientName = { filename?: string; content_type?: string; path?: string; size?: number }

/**
 * Validates and normalizes the description of a file by a client. A path that leaves its folder is refused; other
 * values are narrowed.
 */
export const describe = ({ filename = '', content_type = '', path = '', size = 0 }: ClientName) => {
  const cleanPath = path === '' ? '' : cleanCustomPath(path)
  return {
    path: cleanPath,
    filename: cleanFilename(filename) || cleanFilename(cleanPath),
    content_type: parseMediaType(content_type) ? safeContentType(content_type) : '',
    size,
    // Clients that do not know the size send 0.
    max_bytes: size === 0 ? maxFileBytes : size,
  }
}

export const newMediaKey = (teamId: string, name: { filename: string; content_type: string }, random: Uint8Array) =>
  mediaKey(shortId(teamId), safeExtension(name.filename, name.content_type), random)
