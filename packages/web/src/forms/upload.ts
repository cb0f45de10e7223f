// A file of this machine into the workspace: asks for an address, sends the bytes there, says how far it is.
import { call } from '../api/call.ts'
import { Problem, type ProblemBody } from '../api/problem.ts'

const mostShown = 300

/** Millrace says why as it always does; a store elsewhere answers in words of its own. */
export const refusalOf = (text: string, status: number, requestId: string | undefined): Problem => {
  try {
    const body = JSON.parse(text) as ProblemBody | null
    if (typeof body === 'object' && typeof body?.title === 'string') return new Problem(body, status, requestId)
  } catch {
    // Not JSON: shown as it is.
  }
  return new Problem({ title: 'The upload was refused', detail: text.slice(0, mostShown) }, status, requestId)
}

const send = (url: string, file: Blob, type: string, onProgress: (share: number) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    // Not fetch, which cannot say how much has been sent.
    const request = new XMLHttpRequest()
    request.open('PUT', url)
    request.setRequestHeader('content-type', type)
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
    request.onload = () =>
      request.status < 300
        ? resolve()
        : reject(
            refusalOf(request.responseText, request.status, request.getResponseHeader('x-request-id') ?? undefined),
          )
    request.onerror = () => reject(new Problem({ title: 'The upload broke off', detail: 'Try again.' }, 0, undefined))
    request.send(file)
  })

export type Uploaded = { id: string; uri: string; filename: string }

export const uploadFile = async (
  file: globalThis.File,
  onProgress: (share: number) => void,
  /** What it is kept as; an ordinary file unless said otherwise. */
  category?: 'apps',
): Promise<Uploaded> => {
  const type = file.type || 'application/octet-stream'
  const [made] = await call('files.create', {
    body: {
      files: [{ uri: '', filename: file.name, content_type: type, size: file.size }],
      ...(category === undefined ? {} : { category }),
    },
  })
  if (!made) throw new Problem({ title: 'The upload was refused' }, 0, undefined)
  // The address may name another host of the same server; the page's own is the one it may talk to.
  const address = new URL(made.upload_url, location.href)
  await send(
    made.upload_url.startsWith('/') ? address.pathname + address.search : made.upload_url,
    file,
    type,
    onProgress,
  )
  return { id: made.id, uri: made.uri, filename: file.name }
}
