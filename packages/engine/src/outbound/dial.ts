// Opens a TCP connection for an app, only to addresses that the policy allows. If the operator configured a proxy, the
// connection goes through it; the name is still checked if it can be resolved here.

import { lookup, Resolver } from 'node:dns/promises'
import { request } from 'node:http'
import { connect, isIP, type Socket } from 'node:net'
import type { AddressPolicy } from './address-policy.ts'
import { AddressRejected } from './guarded-agent.ts'

export type Dial = (host: string, port: number) => Promise<Socket>

const connectMs = 15_000

export const createDial = (policy: AddressPolicy, env: Record<string, string>): Dial => {
  // The system resolver uses a small shared thread pool, so one app with slow names would delay all others.
  const resolver = new Resolver({ timeout: 3_000, tries: 2 })
  const addressesOf = async (host: string): Promise<string[]> => {
    if (isIP(host) !== 0) return [host]
    if (policy.names(host)) return (await lookup(host, { all: true })).map(({ address }) => address)
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    if (addresses.length === 0) throw Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' })
    return addresses
  }
  return async (host, port) => {
    const upstream = upstreamFor(host, env)
    const addresses = await addressesOf(host).catch((error: unknown) => {
      if (upstream) return undefined
      throw error
    })
    const allowed = addresses?.filter((address) => policy.allows(host, address, port))
    if (allowed?.length === 0) throw new AddressRejected(host)
    return upstream ? dialThrough(upstream, host, port) : dialAddresses(allowed ?? [], port)
  }
}

const dialAddresses = async (addresses: readonly string[], port: number): Promise<Socket> => {
  let failure: unknown
  for (const address of addresses.slice(0, 4)) {
    try {
      return await opened(connect({ host: address, port, timeout: connectMs, allowHalfOpen: true }))
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

const opened = (socket: Socket): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      socket.destroy()
      reject(error)
    }
    const late = () => fail(Object.assign(new Error('the connection took too long'), { code: 'ETIMEDOUT' }))
    socket.once('error', fail)
    socket.once('timeout', late)
    socket.once('connect', () => {
      socket.off('error', fail)
      socket.off('timeout', late)
      socket.setTimeout(0)
      resolve(socket)
    })
  })

// --- The operator's proxy -------------------------------------------------------------------------------------------

export const upstreamFor = (host: string, env: Record<string, string>): URL | undefined => {
  const text = env.https_proxy ?? env.HTTPS_PROXY ?? env.http_proxy ?? env.HTTP_PROXY ?? ''
  const direct = (env.no_proxy ?? env.NO_PROXY ?? '').split(',').map((entry) => entry.trim().toLowerCase())
  const bare = (entry: string) => entry.replace(/^\*?\./, '')
  const name = host.toLowerCase()
  const isDirect = direct.some(
    (entry) => entry !== '' && (entry === '*' || name === bare(entry) || name.endsWith(`.${bare(entry)}`)),
  )
  return isDirect || !URL.canParse(text) ? undefined : new URL(text)
}

const dialThrough = (proxy: URL, host: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
    const account = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`
    const asked = request({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: Number(proxy.port) || 80,
      method: 'CONNECT',
      path: authority,
      timeout: connectMs,
      headers: {
        host: authority,
        ...(account !== ':' && { 'proxy-authorization': `Basic ${Buffer.from(account).toString('base64')}` }),
      },
    })
    asked.once('timeout', () => asked.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })))
    asked.once('error', reject)
    asked.once('response', ({ statusCode }) => {
      asked.destroy()
      reject(Object.assign(new Error(`the proxy answered ${statusCode}`), { code: 'EPROXY' }))
    })
    asked.once('connect', (answer, socket, head) => {
      if (answer.statusCode !== 200) {
        socket.destroy()
        return reject(Object.assign(new Error(`the proxy answered ${answer.statusCode}`), { code: 'EPROXY' }))
      }
      if (head.length > 0) socket.unshift(head)
      resolve(socket as Socket)
    })
    asked.end()
  })
