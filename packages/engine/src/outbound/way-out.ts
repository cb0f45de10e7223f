// How programs in a sandbox without a network get out: the engine's proxy for them, what their environment says about it,
// and the ports inside that lead to it.

import { networkInterfaces } from 'node:os'
import { addressPolicy } from './address-policy.ts'
import { createDial } from './dial.ts'
import { type EgressProxy, openEgressProxy } from './egress-proxy.ts'
import type { ServerAddress } from './server-address.ts'

export type WayOut = {
  open: (socketPath: string, purpose: 'app' | 'install') => Promise<EgressProxy>
  // `inside`: the socket as the sandbox shows it.
  env: (inside: string, purpose: 'app' | 'install') => Record<string, string>
  // A command that opens the ports inside and then runs what follows it.
  wrapper: readonly string[]
}

export type WayOutOptions = {
  server: () => ServerAddress
  allowPrivateHosts: readonly string[]
  // Hosts of the package indexes the operator named, which installers may reach besides.
  indexHosts: readonly string[]
  ownPorts: readonly number[]
  hostEnv: Record<string, string>
  wrapper: readonly string[]
}

const insidePort = 17_700
const ownNames = { localhost: '127.0.0.1', '127.0.0.1': '127.0.0.1', '::1': '::1' }

export const createWayOut = (options: WayOutOptions): WayOut => {
  const dialFor = (allowed: readonly string[]) =>
    createDial(addressPolicy(allowed, options.ownPorts, machineAddresses), options.hostEnv)
  const policy = addressPolicy(options.allowPrivateHosts)
  // An app talks to servers it started itself without the proxy, unless the operator gave these names to the machine's.
  // An installer has none, and its index may be on a local address.
  const ownServers = Object.entries(ownNames).flatMap(([name, address]) =>
    policy.allows(name, address, 0) ? [] : [name],
  )
  const dials = {
    app: dialFor(options.allowPrivateHosts),
    install: dialFor([...options.allowPrivateHosts, ...options.indexHosts]),
  }
  return {
    wrapper: options.wrapper,
    open: (socketPath, purpose) => openEgressProxy(socketPath, { dial: dials[purpose], server: options.server() }),
    env: (inside, purpose) => {
      const proxy = `http://127.0.0.1:${insidePort}`
      const direct = purpose === 'app' ? ownServers.join(',') : ''
      return {
        MILLRACE_RUNNER_FORWARD: `${inside}:${[insidePort, ...serverPorts(options.server())].join(',')}`,
        MILLRACE_PROXY: proxy,
        ...Object.fromEntries(['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, proxy])),
        ...{ NO_PROXY: direct, no_proxy: direct, NODE_USE_ENV_PROXY: '1' },
      }
    },
  }
}

export const machineAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address))

// Where the server goes by a loopback address, programs call it without the proxy: the sandbox listens there as well.
const serverPorts = ({ apiUrl, baseUrl }: ServerAddress): number[] => {
  const ports = [apiUrl, baseUrl].flatMap((address) => {
    const url = URL.parse(address)
    const isLocal = url?.protocol === 'http:' && ['localhost', '127.0.0.1'].includes(url.hostname)
    return isLocal ? [Number(url.port) || 80] : []
  })
  return [...new Set(ports)].filter((port) => port !== insidePort && port >= 1024)
}
