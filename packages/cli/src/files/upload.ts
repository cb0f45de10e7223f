// Uploads a local file: creates it on the server, then streams it to the signed address.
import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { contentTypeOf } from '@millrace/contract/content-types'
import type { File, FileCategory } from '@millrace/contract/files'
import type { Api } from '../api/client.ts'
import { toFailure } from '../api/problem.ts'
import { CliFailure, usage } from '../failures.ts'

export type UploadOptions = { filename?: string; contentType?: string; category?: FileCategory }

export const uploadFile = async (api: Api, path: string, options: UploadOptions = {}): Promise<File> => {
  const found = await stat(path).catch(() => null)
  if (!found?.isFile()) throw usage(`${path} is not a file`)
  const filename = options.filename ?? basename(path)
  const contentType = options.contentType ?? contentTypeOf(filename)
  const [file] = await api.call('files.create', {
    body: {
      files: [{ uri: '', filename, content_type: contentType, size: found.size }],
      ...(options.category === undefined ? {} : { category: options.category }),
    },
  })
  if (!file?.upload_url) throw new CliFailure('The server returned no upload address')
  // The signature in the address authorizes the upload. The address can belong to another host, so no credential is
  // sent.
  const sent = await fetch(file.upload_url, {
    method: 'PUT',
    headers: { 'content-type': contentType },
    body: await openAsBlob(path),
    redirect: 'manual',
  }).catch((error: unknown) => {
    throw new CliFailure(`The upload of ${filename} was interrupted`, {
      details: [String((error as Error).cause ?? error)],
    })
  })
  if (!sent.ok) throw toFailure(sent.status, await sent.text())
  await sent.body?.cancel()
  return { ...file, upload_url: '', size: found.size, content_type: contentType }
}
