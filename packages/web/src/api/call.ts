// The one way from the console to the server: an operation by its name, with the cookie and the chosen workspace.
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

const workspaceKey = 'millrace.workspace'

export const workspaceId = (): string => localStorage.getItem(workspaceKey) ?? ''

export const chooseWorkspace = (id: string): void => {
  if (id === '') localStorage.removeItem(workspaceKey)
  else localStorage.setItem(workspaceKey, id)
}

/** A link can name the workspace that it is about: chosen before the first call, and taken out of the address. */
export const chooseWorkspaceOfAddress = (): void => {
  const address = new URL(location.href)
  const named = address.searchParams.get('workspace')
  if (named === null) return
  chooseWorkspace(named)
  address.searchParams.delete('workspace')
  history.replaceState(history.state, '', address)
}

/** Signed out in the meantime: the sign-in page leads back to where the person was. Never settles: the page is left. */
const leaveForSignIn = (): Promise<never> => {
  const here = `${location.pathname}${location.search}`
  location.assign(`/sign-in?redirect_to=${encodeURIComponent(here)}`)
  return new Promise(() => {})
}

export const headersOf = (extra: Record<string, string> = {}): Record<string, string> => ({
  ...(workspaceId() === '' ? {} : { 'x-team-id': workspaceId() }),
  'x-client-source': 'console',
  ...extra,
})

type Answer<T> = { data: T; notices: readonly Notice[] }

const ask = async (request: ApiRequest): Promise<Answer<unknown>> => {
  const hasBody = request.encoding !== null
  const response = await fetch(request.path, {
    method: request.method,
    // Held by the console's own cache alone: the tag of an entry is that of its text, and a browser that asks by it would show
    // for good what else of it has changed since.
    cache: 'no-store',
    headers: headersOf({
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...(request.ifMatch === undefined ? {} : { 'if-match': `"${request.ifMatch}"` }),
    }),
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

/** The same, for pages that show in their own place what the server says besides. */
export const callWithNotices = async <N extends CallName>(
  name: N,
  input: InputOf<N>,
  options: CallOptions = {},
): Promise<Answer<ReplyOf<N>>> => {
  const { data, notices } = await ask(requestOf(name, input, options))
  return { data: data as ReplyOf<N>, notices }
}
