// Uploads a file to the workspace: requests an upload URL, sends the bytes and reports the progress.
import { call } from '../api/call.ts'
import { Problem, type ProblemBody } from '../api/problem.ts'
import { strings } from './strings.ts'

const words = strings.file

const maxDetail = 300

/** Millrace answers with a problem document; an external object store answers in its own format. */
export const uploadProblem = (text: string, status: number, requestId: string | undefined): Problem => {
  try {
    const body = JSON.parse(text) as ProblemBody | null
    if (typeof body === 'object' && typeof body?.title === 'string') return new Problem(body, status, requestId)
  } catch {
    // Not JSON: the text is the detail.
  }
  return new Problem({ title: words.rejected, detail: text.slice(0, maxDetail) }, status, requestId)
}

const send = (url: string, file: Blob, type: string, onProgress: (share: number) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    // fetch does not report upload progress.
    const request = new XMLHttpRequest()
    request.open('PUT', url)
    request.setRequestHeader('content-type', type)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
    request.onload = () =>
      request.status < 300
        ? resolve()
        : reject(
            uploadProblem(request.responseText, request.status, request.getResponseHeader('x-request-id') ?? undefined),
          )
    request.onerror = () =>
      reject(new Problem({ title: words.interrupted, detail: words.interruptedText }, 0, undefined))
    request.send(file)
  })

export type Uploaded = { id: string; uri: string; filename: string }

export const uploadFile = async (
  file: globalThis.File,
  onProgress: (share: number) => void,
  /** `apps` stores the bundle of an app; the default is an ordinary file. */
  category?: 'apps',
): Promise<Uploaded> => {
  const type = file.type || 'application/octet-stream'
  const [made] = await call('files.create', {
    body: {
      files: [{ uri: '', filename: file.name, content_type: type, size: file.size }],
      ...(category === undefined ? {} : { category }),
    },
  })
  if (!made) throw new Problem({ title: words.rejected }, 0, undefined)
  // The URL may name another host of this server, but the page may only connect to its own host.
  const address = new URL(made.upload_url, location.href)
  await send(
    made.upload_url.startsWith('/') ? address.pathname + address.search : made.upload_url,
    file,
    type,
    onProgress,
  )
  return { id: made.id, uri: made.uri, filename: file.name }
}
