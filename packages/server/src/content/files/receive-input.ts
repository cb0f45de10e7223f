// Prepares a run's input for an engine: every file becomes a plain URL. Files inside the input are stored first.
import { mediaUrl } from '#platform/blobs/signed-urls.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { isDataUri, parseDataUri } from './data-uri.ts'
import { type FileValue, replaceInputFiles } from './input-files.ts'
import { fileByUri } from './references.ts'
import { storeBytes } from './uploads.ts'

/** `field` names the value in error details, such as `input`. */
export const receiveInputFiles = <T>(ctx: Ctx, schema: unknown, value: T, field = 'input'): Promise<T> =>
  replaceInputFiles(schema, value, (file) =>
    receiveFile(ctx, { ...file, at: [field, file.at].filter(Boolean).join('.') }),
  )

const receiveFile = async (ctx: Ctx, file: FileValue): Promise<string> => {
  const { uri, at } = file
  if (isDataUri(uri)) return storeDataUri(ctx, file)
  const url = URL.parse(uri)
  const known = url && (await fileByUri(ctx, uri))
  if (known && !known.ready) throw fail('validation_error', `${at}: the upload of this file is not complete`)
  if (known || url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) return uri
  throw fail('validation_error', `${at} must be an https URL, a data: URI or the uri of a stored file`)
}

/** For development servers. Whether an engine may reach the host is decided by the engine. */
const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)

const storeDataUri = async (ctx: Ctx, { uri, at, filename, content_type }: FileValue): Promise<string> => {
  const parsed = parseDataUri(uri)
  if (!parsed) throw fail('validation_error', `${at} is not a valid data: URI`)
  const stored = await storeBytes(ctx, {
    body: parsed.bytes,
    filename,
    content_type: content_type ?? parsed.contentType,
  })
  return mediaUrl(ctx.settings.BASE_URL, stored.media_key)
}
