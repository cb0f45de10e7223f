// MCP client: one session per request, through the guarded client, signed with a connection. No state survives the
// request, so any server process can handle the next one.
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Connection } from '#connections/credentials/service.ts'
import { withConnection } from '#connections/credentials/service.ts'
import type { Platform } from '#platform/core/ctx.ts'
import { asFetch } from '#platform/outbound/fetch.ts'
import { statusIn } from './failures.ts'

export type Parts = Pick<Platform, 'db' | 'keyring' | 'outbound' | 'now' | 'log'>

export type McpEndpoint = { readonly serverUrl: string; readonly credential: Connection | null }

export type McpSession = {
  readonly client: Client
  /** Credentials that were sent, so that they can be removed from answers. */
  readonly secrets: readonly string[]
}

export const connectTimeoutMs = 15_000
const maxBytes = 8 * 1024 * 1024

type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>

/** Declines the optional standing stream: everything we need is in the response. */
const withoutStandingStream = new Response(null, { status: 405 })

const tracedFetch =
  (plain: Fetch, traceparent: string): Fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('traceparent', traceparent)
    return plain(input, { ...init, headers })
  }

const signedFetch = (plain: Fetch, parts: Parts, credential: Connection | null, secrets: string[]): Fetch => {
  return async (input, init) => {
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

type Opening = { url: URL; ask: Fetch; connect: { timeout: number; signal?: AbortSignal } }
type Opened = { client: Client; end: () => void }

const newClient = async (): Promise<Client> => {
  // A large package that many servers never need.
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  return new Client({ name: 'millrace', version: '1' }, { capabilities: { elicitation: { form: {}, url: {} } } })
}

const openPresent = async (parts: Parts, { url, ask: fetchMcp, connect }: Opening): Promise<Opened> => {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
  const withoutStream: Fetch = (input, init) =>
    (init?.method ?? 'GET') === 'GET' ? Promise.resolve(withoutStandingStream.clone()) : fetchMcp(input, init)
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: withoutStream as typeof fetch,
    reconnectionOptions: {
      initialReconnectionDelay: 1000,
      maxReconnectionDelay: 1000,
      reconnectionDelayGrowFactor: 1,
      maxRetries: 0,
    },
  })
  const client = await newClient()
  // Ending the session is not awaited; if it fails, the session expires.
  const end = (): void =>
    void transport
      .terminateSession()
      .catch((error: unknown) => parts.log.debug({ err: error }, 'ending an MCP session failed'))
      .finally(() => client.close())
  await client.connect(transport, connect).catch((error: unknown) => {
    end()
    throw error
  })
  return { client, end }
}

/** Servers of the first protocol revision answer over an SSE stream that stays open for the whole session. */
const openOld = async ({ url, ask: fetchMcp, connect }: Opening): Promise<Opened> => {
  const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js')
  const transport = new SSEClientTransport(url, { fetch: fetchMcp as typeof fetch })
  const client = await newClient()
  const end = (): void => void client.close()
  await client.connect(transport, connect).catch((error: unknown) => {
    end()
    throw error
  })
  return { client, end }
}

/** The statuses with which a server of the first revision rejects a current request. */
const isOldServer = (error: unknown): boolean => [400, 404, 405].includes(statusIn(error) ?? 0)

export const withSession = async <T>(
  parts: Parts,
  { serverUrl, credential }: McpEndpoint,
  {
    timeoutMs,
    signal,
    traceparent = '',
  }: { timeoutMs: number; signal?: AbortSignal | undefined; traceparent?: string },
  work: (session: McpSession) => Promise<T>,
): Promise<T> => {
  const secrets: string[] = []
  const guarded = asFetch(parts.outbound, { timeoutMs, maxBytes, maxRedirects: 5 })
  const plain = traceparent === '' ? guarded : tracedFetch(guarded, traceparent)
  const opening: Opening = {
    url: new URL(serverUrl),
    ask: signedFetch(plain, parts, credential, secrets),
    connect: { timeout: Math.min(timeoutMs, connectTimeoutMs), ...(signal && { signal }) },
  }
  const { client, end } = await openPresent(parts, opening).catch(async (error: unknown) => {
    if (!isOldServer(error)) throw error
    // If the server does not speak the old revision either, the first error is reported.
    return openOld(opening).catch(() => {
      throw error
    })
  })
  try {
    return await work({ client, secrets })
  } finally {
    end()
  }
}
