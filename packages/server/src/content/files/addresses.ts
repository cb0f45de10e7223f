// Names around a file: its public address, where its bytes lie, and what a client called it. Pure.
import { maxFileBytes } from '@millrace/contract/files'
import { newId, shortId } from '@millrace/contract/ids'
import { parseMediaType, safeContentType, safeExtension } from '#platform/blobs/content-types.ts'
import { cleanCustomPath, cleanFilename } from '#platform/blobs/keys.ts'
import { mediaKey } from '#platform/blobs/signed-urls.ts'

/** Everything this feature stores lies below; the orphan sweep looks nowhere else. */
export const blobPrefix = 'files/'

/** A place for one upload. Never used twice, so that bytes once acknowledged are never written over. */
export const newBlobKey = (teamId: string): string => `${blobPrefix}${shortId(teamId)}/${newId()}`

const mediaKeyPattern = /^[0-9a-z]{8}\/[0-9a-z]{24}\.[a-z0-9]{1,10}$/

export const isMediaKey = (text: string): boolean => mediaKeyPattern.test(text)

/**
 * The media key that a stored file's address ends with, or null. The host is not compared: an installation that has
 * moved to another address still knows its files, and the 120 random bits cannot be guessed under any host.
 */
export const mediaKeyOf = (uri: string): string | null => {
  const path = URL.parse(uri)?.pathname ?? ''
  const key = /\/media\/([^/]+\/[^/]+)$/.exec(path)?.[1]
  return key !== undefined && isMediaKey(key) ? key : null
}

export type ClientName = { filename?: string; content_type?: string; path?: string; size?: number }

/** What a client said about a file, cleaned. A hostile path is refused, everything else is narrowed. */
export const describe = ({ filename = '', content_type = '', path = '', size = 0 }: ClientName) => {
  const cleanPath = path === '' ? '' : cleanCustomPath(path)
  return {
    path: cleanPath,
    filename: cleanFilename(filename) || cleanFilename(cleanPath),
    content_type: parseMediaType(content_type) ? safeContentType(content_type) : '',
    size,
    // 0 is what a client sends that does not know.
    max_bytes: size === 0 ? maxFileBytes : size,
  }
}

export const newMediaKey = (teamId: string, name: { filename: string; content_type: string }, random: Uint8Array) =>
  mediaKey(shortId(teamId), safeExtension(name.filename, name.content_type), random)
