// Calls an operation of the server by its name, with the session cookie and the workspace of the address.
import {
  type ApiRequest,
  type CallName,
  type CallOptions,
  createCall,
  dataOf,
  type InputOf,
  noticesOf,
  type ReplyOf,
  requestOf,
} from '@millrace/contract/call'
import type { Notice } from '@millrace/contract/common'
import { showNotices } from '../ui/notify.ts'
import { problemFrom, unreachable } from './problem.ts'
import { workspaceId } from './workspace.ts'

/** The session has ended. The sign-in page leads back to this page. Never settles, because the page is left. */
const leaveForSignIn = (): Promise<never> => {
  const here = `${location.pathname}${location.search}`
  location.assign(`/sign-in?redirect_to=${encodeURIComponent(here)}`)
  return new Promise(() => {})
}

export const headersOf = (extra: Record<string, string> = {}, workspace = workspaceId()): Record<string, string> => ({
  ...(workspace === '' ? {} : { 'x-team-id': workspace }),
  'x-client-source': 'console',
  ...extra,
})

type Answer<T> = { data: T; notices: readonly Notice[] }

const ask = async (request: ApiRequest, workspace?: string): Promise<Answer<unknown>> => {
  const hasBody = request.encoding !== null
  const response = await fetch(request.path, {
    method: request.method,
    // Only the console's own cache may be used: the ETag of a knowledge entry covers its text but not its other fields.
    cache: 'no-store',
    headers: headersOf(
      {
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...(request.ifMatch === undefined ? {} : { 'if-match': `"${request.ifMatch}"` }),
      },
      workspace,
    ),
    ...(hasBody ? { body: JSON.stringify(request.body) } : {}),
    ...(request.signal ? { signal: request.signal } : {}),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw unreachable(error)
  })
  if (!response.ok) {
    if (response.status === 401) return leaveForSignIn()
    throw await problemFrom(response)
  }
  if (response.status === 204) return { data: undefined, notices: [] }
  const json: unknown = await response.json()
  const notices = noticesOf(request, json)
  showNotices(notices)
  return { data: dataOf(request, json), notices }
}

export const call = createCall(async (request) => (await ask(request)).data)

/** Calls in another workspace than the one of the address. Empty means the person's own. */
export const callIn = (workspace: string) => createCall(async (request) => (await ask(request, workspace)).data)

/** Like `call`, for pages that show the notices of the response themselves. */
export const callWithNotices = async <N extends CallName>(
  name: N,
  input: InputOf<N>,
  options: CallOptions = {},
): Promise<Answer<ReplyOf<N>>> => {
  const { data, notices } = await ask(requestOf(name, input, options))
  return { data: data as ReplyOf<N>, notices }
}
