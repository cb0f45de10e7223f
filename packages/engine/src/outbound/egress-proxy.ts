// The only egress of a sandbox without a network: an HTTP proxy of the engine on a Unix socket, one for each app
// process. CONNECT opens a tunnel to any port, other requests are forwarded; both only to addresses that the policy
// allows. Of the server, only its stored files are readable, which are public to anyone with their URL.

import { createServer, type IncomingMessage, request as plainRequest, Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as secure } from 'node:tls'
import { withBoundary } from '../error-boundary.ts'
import type { Dial } from './dial.ts'
import { AddressRejected } from './guarded-agent.ts'
import { type ServerAddress, storedFile } from './server-address.ts'

const maxConnections = 256
// Limit for an idle tunnel.
const idleMs = 15 * 60_000

export type EgressProxy = { close: () => void }
export type EgressProxyOptions = { dial: Dial; server: ServerAddress }

export const openEgressProxy = (path: string, options: EgressProxyOptions): Promise<EgressProxy> =>
  new Promise((resolve, reject) => {
    const ends = new Set<Duplex>()
    const closeWithProxy = (end: Duplex) => {
      ends.add(end)
      end.once('close', () => ends.delete(end))
      end.on('error', () => end.destroy())
    }
    const ownServer = storedFilesOnly(options)
    const proxy = createServer(
      requestHandler((request, response) => passOn(request, response, { ...options, closeWithProxy })),
    )
    proxy.maxConnections = maxConnections
    proxy.requestTimeout = 0
    proxy.on('connection', (socket: Socket) => {
      closeWithProxy(socket)
      socket.setTimeout(idleMs, () => socket.destroy())
    })
    proxy.on('connect', (request, client, head) => {
      const open = withBoundary(
        () => client.destroy(),
        () => {
          const target = targetOf(request.url ?? '')
          if (!target) return refuse(client, 400, 'a host and a port are required')
          if (!isServer(target, options.server))
            return tunnel(client, head, { ...target, dial: options.dial, closeWithProxy })
          client.write('HTTP/1.1 200 connected\r\n\r\n')
          if (head.length > 0) client.unshift(head)
          ownServer.emit('connection', client)
        },
      )
      open()
    })
    proxy.on('clientError', (_error, socket) => void socket.destroy())
    proxy.once('error', reject)
    proxy.listen(path, () =>
      resolve({
        close: () => {
          proxy.close()
          for (const end of ends) end.destroy()
        },
      }),
    )
  })

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/** An error in the code of one request, for example a response that cannot be forwarded, ends only that request. */
const requestHandler =
  (handler: Handler): ((request: IncomingMessage, response: ServerResponse) => void) =>
  (request, response) =>
    withBoundary((error) => fail(response, error), handler)(request, response)

const fail = (response: ServerResponse, error: unknown): void => {
  const { status, reason } = refusalOf(error)
  if (response.headersSent) response.destroy()
  else answer(response, status, reason)
}

// --- Tunnels --------------------------------------------------------------------------------------------------------

type Target = { host: string; port: number }
// Closes the stream when the proxy closes.
type CloseWithProxy = (end: Duplex) => void

export const targetOf = (authority: string): Target | undefined => {
  const port = Number(/^[^/?#@\\\s]+:(\d{1,5})$/.exec(authority)?.[1])
  const url = URL.parse(`http://${authority}/`)
  if (!url || !(port > 0 && port < 65_536)) return undefined
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port }
}

const tunnel = async (
  client: Duplex,
  head: Buffer,
  { host, port, dial, closeWithProxy }: Target & { dial: Dial; closeWithProxy: CloseWithProxy },
): Promise<void> => {
  client.on('error', () => client.destroy())
  try {
    const upstream = await dial(host, port)
    closeWithProxy(upstream)
    if (client.destroyed) return void upstream.destroy()
    client.once('close', () => upstream.destroy())
    upstream.once('close', () => client.destroy())
    client.write('HTTP/1.1 200 connected\r\n\r\n')
    if (head.length > 0) upstream.write(head)
    client.pipe(upstream).pipe(client)
  } catch (error) {
    const { status, reason } = refusalOf(error)
    refuse(client, status, reason)
  }
}

const refuse = (client: Duplex, status: number, reason: string): void => {
  client.end(`HTTP/1.1 ${status} ${reason}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
}

/** Shown to the operator, who can change the setting. */
export const refusedAddress = "private address, closed unless the engine's allow_private_hosts names it"

// The reason is the text after the status, which installers and clients print.
const refusalOf = (error: unknown): { status: number; reason: string } => {
  if (error instanceof AddressRejected) return { status: 403, reason: refusedAddress }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return { status: 502, reason: /^\w+$/.test(code) ? code : 'unreachable' }
}

// --- Requests -------------------------------------------------------------------------------------------------------

const hopByHopHeaders = [
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'proxy-authenticate'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]

const passOn = async (
  request: IncomingMessage,
  response: ServerResponse,
  options: EgressProxyOptions & { closeWithProxy: CloseWithProxy },
): Promise<void> => {
  const given = request.url ?? ''
  // A path without a host means the server: the sandbox also listens at the server's address.
  const url = URL.parse(given.startsWith('/') ? `${options.server.apiUrl}${given}` : given)
  if (!url || !/^https?:$/.test(url.protocol)) return answer(response, 400, 'an http or https URL is required')
  const target = { host: url.hostname.replace(/^\[|\]$/g, ''), port: portOf(url) }
  try {
    if (isServer(target, options.server)) {
      sendStoredFile(request, response, url, options.server)
      return
    }
    const upstream = await options.dial(target.host, target.port)
    options.closeWithProxy(upstream)
    // The client may have disconnected meanwhile; then the new connection must be closed here.
    if (response.destroyed) return void upstream.destroy()
    const stream = url.protocol === 'https:' ? secure({ socket: upstream, servername: target.host }) : upstream
    send(request, response, url, stream)
  } catch (error) {
    fail(response, error)
  }
}

const send = (request: IncomingMessage, response: ServerResponse, url: URL, through?: Duplex): void => {
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !hopByHopHeaders.includes(name)),
  )
  const upstream = plainRequest({
    method: request.method,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: portOf(url),
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host, connection: 'close' },
    ...(through && { createConnection: () => through }),
  })
  const failed = (error: unknown) => {
    upstream.destroy()
    fail(response, error)
  }
  upstream.on('error', failed)
  // The upstream chose the status and the headers, and some of them cannot be forwarded.
  const respond = withBoundary(failed, (message: IncomingMessage) => {
    const forwarded = Object.entries(message.headers).filter(([name]) => !hopByHopHeaders.includes(name))
    response.writeHead(message.statusCode ?? 502, message.statusMessage, Object.fromEntries(forwarded))
    message.on('error', () => response.destroy())
    message.pipe(response)
  })
  upstream.on('response', respond)
  upstream.on('upgrade', (_message, socket) => {
    socket.destroy()
    failed(new Error('unrequested upgrade'))
  })
  response.once('close', () => upstream.destroy())
  request.on('error', () => upstream.destroy())
  request.pipe(upstream)
}

const answer = (response: ServerResponse, status: number, reason: string): void => {
  response.writeHead(status, reason, { 'content-type': 'text/plain' }).end(`${reason}\n`)
}

const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80)

// --- The server -----------------------------------------------------------------------------------------------------

const isServer = ({ host, port }: Target, { apiUrl, baseUrl }: ServerAddress): boolean =>
  [apiUrl, baseUrl].some((address) => {
    const url = URL.parse(address)
    return url?.protocol === 'http:' && url.hostname.replace(/^\[|\]$/g, '') === host && portOf(url) === port
  })

const sendStoredFile = (request: IncomingMessage, response: ServerResponse, url: URL, server: ServerAddress): void => {
  const own = storedFile(url, server)
  if (own === undefined || (request.method !== 'GET' && request.method !== 'HEAD'))
    answer(response, 403, 'private address')
  else send(request, response, new URL(own))
}

// The target of a tunnel to the server.
const storedFilesOnly = ({ server }: EgressProxyOptions): Server =>
  new Server(
    requestHandler((request, response) => {
      const url = URL.parse(`${server.apiUrl}${request.url ?? ''}`)
      if (!url || !request.url?.startsWith('/')) return answer(response, 400, 'a path')
      sendStoredFile(request, response, url, server)
    }),
  )
