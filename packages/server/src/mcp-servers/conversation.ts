// Talking to an MCP server: one conversation per question, through the guarded client, signed with a connection. Nothing of
// it outlives the question, so it does not matter which of several servers of ours asks the next one.
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Platform } from '../core/ctx.ts'
import type { CredentialRow } from '../credentials/service.ts'
import { withConnection } from '../credentials/service.ts'
import { asFetch, type FetchLimits } from '../outbound/fetch.ts'

export type Parts = Pick<Platform, 'db' | 'keyring' | 'outbound' | 'now' | 'log'>

export type Partner = { readonly serverUrl: string; readonly credential: CredentialRow | null }

export type Talk = {
  readonly client: Client
  /** Values that were sent to prove who asks, so that an answer that repeats them can be cleaned. */
  readonly secrets: readonly string[]
}

export const connectTimeoutMs = 15_000
const maxBytes = 8 * 1024 * 1024

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>

/** No stream is kept standing beside the question: what the server has to say, it says in its answer. */
const withoutStandingStream = new Response(null, { status: 405 })

const signedFetch = (parts: Parts, credential: CredentialRow | null, limits: FetchLimits, secrets: string[]): Fetch => {
  const plain = asFetch(parts.outbound, limits)
  return async (input, init) => {
    if ((init?.method ?? 'GET') === 'GET') return withoutStandingStream.clone()
    if (credential === null) return plain(input, init)
    return withConnection(parts, credential, (auth) => {
      const values = [...Object.values(auth.headers), ...Object.values(auth.query)]
      secrets.push(...values.flatMap((value) => [value, value.replace(/^(Bearer|Basic) /, '')]))
      const url = new URL(input)
      for (const [name, value] of Object.entries(auth.query)) url.searchParams.set(name, value)
      const headers = new Headers(init?.headers)
      for (const [name, value] of Object.entries(auth.headers)) headers.set(name, value)
      return plain(url, { ...init, headers })
    })
  }
}

export const converse = async <T>(
  parts: Parts,
  { serverUrl, credential }: Partner,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal | undefined },
  talk: (talk: Talk) => Promise<T>,
): Promise<T> => {
  // A large package that many servers never need.
  const [{ Client }, { StreamableHTTPClientTransport }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  ])
  const secrets: string[] = []
  const transport = new StreamableHTTPClientTransport(new URL(serverUrl), {
    fetch: signedFetch(parts, credential, { timeoutMs, maxBytes, maxRedirects: 5 }, secrets) as typeof fetch,
    reconnectionOptions: {
      initialReconnectionDelay: 1000,
      maxReconnectionDelay: 1000,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 0,
    },
  })
  const client = new Client(
    { name: 'millrace', version: '1' },
    { capabilities: { elicitation: { form: {}, url: {} } } },
  )
  try {
    await client.connect(transport, { timeout: Math.min(timeoutMs, connectTimeoutMs), ...(signal && { signal }) })
    return await talk({ client, secrets })
  } finally {
    // Nobody waits for the farewell; a server that does not hear it ends the session by itself.
    void transport
      .terminateSession()
      .catch((error: unknown) => parts.log.debug({ err: error }, 'an MCP server did not end a session'))
      .finally(() => client.close())
  }
}
