// The guarded client in the shape of the platform's `fetch`, for libraries that accept one (OAuth, MCP, model SDKs).
import type { Outbound, OutboundRequest } from './client.ts'

export type FetchLimits = Pick<OutboundRequest, 'timeoutMs' | 'idleTimeoutMs' | 'maxBytes' | 'maxRedirects'>

export const asFetch =
  (outbound: Outbound, limits: FetchLimits = {}): typeof fetch =>
  async (input, init) => {
    const given = input instanceof Request ? input.url : String(input)
    // A Request reads every body form and sets its content type. It refuses some URLs itself, in words that are not
    // ours, so it is built on a neutral one and the given URL goes to the guard untouched.
    const request = input instanceof Request ? new Request(input, init) : new Request('http://url.invalid', init)
    return outbound.fetch(given, {
      ...limits,
      method: request.method,
      headers: [...request.headers],
      body: request.body === null ? null : new Uint8Array(await request.arrayBuffer()),
      redirect: request.redirect,
      signal: request.signal,
    })
  }
