// The guarded client as a `fetch` function, for libraries that accept one (OAuth, MCP) and parse the answers.
import { boundedAnswer } from './bounded-answer.ts'
import type { Outbound, OutboundRequest } from './client.ts'

export type FetchLimits = Pick<OutboundRequest, 'timeoutMs' | 'idleTimeoutMs' | 'maxBytes' | 'maxRedirects'>

export const asFetch =
  (outbound: Outbound, limits: FetchLimits = {}): typeof fetch =>
  async (input, init) => {
    const given = input instanceof Request ? input.url : String(input)
    // A Request parses every body form and sets its content type. It rejects some URLs with its own messages, so it is
    // created with a neutral URL and our guard checks the given one.
    const request = input instanceof Request ? new Request(input, init) : new Request('http://url.invalid', init)
    const answer = await outbound.fetch(given, {
      ...limits,
      method: request.method,
      headers: [...request.headers],
      body: request.body === null ? null : new Uint8Array(await request.arrayBuffer()),
      redirect: request.redirect,
      signal: request.signal,
    })
    return boundedAnswer(answer)
  }
