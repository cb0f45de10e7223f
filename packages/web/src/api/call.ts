// The one way from the console to the server: an operation by its name, with the cookie and the chosen workspace.
import { type BodyOf, type OperationName, operations, type ReplyOf } from './operations.ts'
import { problemFrom, unreachable } from './problem.ts'

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

export type CallInput<N extends OperationName> = {
  path?: Readonly<Record<string, string>>
  query?: Query
  signal?: AbortSignal
} & (undefined extends BodyOf<N> ? { body?: BodyOf<N> } : { body: BodyOf<N> })

const workspaceKey = 'millrace.workspace'

export const workspaceId = (): string => localStorage.getItem(workspaceKey) ?? ''

export const chooseWorkspace = (id: string): void => {
  if (id === '') localStorage.removeItem(workspaceKey)
  else localStorage.setItem(workspaceKey, id)
}

/** Signed out in the meantime: the sign-in page leads back to where the person was. Never settles: the page is left. */
const leaveForSignIn = (): Promise<never> => {
  const here = `${location.pathname}${location.search}`
  location.assign(`/sign-in?redirect_to=${encodeURIComponent(here)}`)
  return new Promise(() => {})
}

export const requestOf = (
  name: OperationName,
  { path = {}, query = {} }: { path?: Readonly<Record<string, string>>; query?: Query },
): { method: string; url: string } => {
  const [method = 'GET', pattern = '/'] = operations[name].door.split(' ')
  const filled = pattern.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(path[key] ?? ''))
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  ).toString()
  return { method, url: search === '' ? filled : `${filled}?${search}` }
}

export const headersOf = (extra: Record<string, string> = {}): Record<string, string> => ({
  ...(workspaceId() === '' ? {} : { 'x-team-id': workspaceId() }),
  'x-client-source': 'console',
  ...extra,
})

export const call = async <N extends OperationName>(
  name: N,
  ...[input]: undefined extends BodyOf<N> ? [CallInput<N>?] : [CallInput<N>]
): Promise<ReplyOf<N>> => {
  const { body, signal } = (input ?? {}) as { body?: unknown; signal?: AbortSignal }
  const { method, url } = requestOf(name, input ?? {})
  const response = await fetch(url, {
    method,
    headers: headersOf(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw unreachable(error)
  })
  if (!response.ok) {
    if (response.status === 401) return leaveForSignIn()
    throw await problemFrom(response)
  }
  if (response.status === 204) return undefined as ReplyOf<N>
  const { data } = (await response.json()) as { data: ReplyOf<N> }
  return data
}
