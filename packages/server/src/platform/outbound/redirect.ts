// Computes the request after a redirect. Pure; the new target is checked like any other.

export type Hop = {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: string | Uint8Array | null
}

/** The target of a redirect; undefined if the response is final. It may be an invalid URL, which is rejected later. */
export const redirectTarget = (status: number, headers: Headers, from: URL): string | undefined => {
  const location = headers.get('location')
  if (location === null || ![301, 302, 303, 307, 308].includes(status)) return undefined
  return URL.canParse(location, from.href) ? new URL(location, from).href : location
}

// Any header may contain a key, so another origin gets only these.
const harmlessHeaders = new Set([
  'accept',
  'accept-language',
  'content-type',
  'content-language',
  'user-agent',
  'range',
  'last-event-id',
  'mcp-protocol-version',
])

export const nextHop = (hop: Hop, status: number, url: URL): Hop => {
  const becomesGet = (status === 303 && hop.method !== 'HEAD') || (status <= 302 && hop.method === 'POST')
  const headers = new Headers(hop.headers)
  if (url.origin !== hop.url.origin) {
    for (const name of [...headers.keys()]) if (!harmlessHeaders.has(name)) headers.delete(name)
  }
  if (!becomesGet) return { ...hop, url, headers }
  headers.delete('content-type')
  headers.delete('content-language')
  return { url, method: 'GET', headers, body: null }
}
