// Downloads a file under the rules of download-rules.ts. The file appears under its name only when it is complete, and
// never replaces another one.
import { constants, createWriteStream } from 'node:fs'
import { copyFile, link, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Api, credentialHeaders } from '../api/client.ts'
import { toFailure } from '../api/problem.ts'
import { CliFailure } from '../failures.ts'
import { firstHop, nextHop } from './download-rules.ts'
import { nameOfDisposition, nameOfUrl, numberedName, safeName } from './safe-name.ts'

export type Downloaded = { readonly url: string; readonly path: string; readonly size: number }

export type DownloadTarget =
  /** The name comes from the sender and is made safe and unique. */
  | { readonly folder: string }
  /** The person chose the path. */
  | { readonly path: string }

export const downloadFile = async (api: Api, url: string, target: DownloadTarget): Promise<Downloaded> => {
  const response = await openDownload(api, url)
  const name = safeName(nameOfDisposition(response.headers.get('content-disposition')) ?? nameOfUrl(new URL(url)))
  const folder = 'folder' in target ? target.folder : dirname(target.path)
  await mkdir(folder, { recursive: true })
  const part = join(folder, `.millrace-${process.pid}-${Math.random().toString(36).slice(2)}.part`)
  try {
    const file = createWriteStream(part, { flags: 'wx' })
    if (response.body) await pipeline(Readable.fromWeb(response.body), file)
    else await new Promise<void>((resolve) => file.end(resolve))
    const path = 'folder' in target ? await takeFreeName(part, folder, name) : await takeName(part, target.path)
    return { url, path, size: file.bytesWritten }
  } finally {
    await rm(part, { force: true })
  }
}

const openDownload = async (api: Api, url: string): Promise<Response> => {
  let hop = firstHop(url, api.url, credentialHeaders(api.login))
  for (;;) {
    const response = await fetch(hop.url, { headers: hop.headers, redirect: 'manual' }).catch((error: unknown) => {
      throw new CliFailure(`No answer from ${hop.url.host}`, { details: [String((error as Error).cause ?? error)] })
    })
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
    if (location === null) {
      if (!response.ok) throw toFailure(response.status, await response.text())
      return response
    }
    await response.body?.cancel()
    hop = nextHop(hop, location, api.url)
  }
}

/**
 * False if the name exists. A link fails where a rename would replace the file, so two downloads cannot use the same
 * name.
 */
const place = async (part: string, path: string): Promise<boolean> => {
  // Some file systems have no links; there the file is copied.
  const linked = link(part, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') throw error
    return copyFile(part, path, constants.COPYFILE_EXCL)
  })
  return linked.then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )
}

const takeName = async (part: string, path: string): Promise<string> => {
  if (!(await place(part, path))) throw new CliFailure(`${path} already exists`, { code: 'exists' })
  return path
}

const namesMax = 10_000

const takeFreeName = async (part: string, folder: string, name: string): Promise<string> => {
  for (let number = 1; number <= namesMax; number++) {
    const path = join(folder, numberedName(name, number))
    if (await place(part, path)) return path
  }
  throw new CliFailure(`Too many files are named ${name} in ${folder}`)
}
