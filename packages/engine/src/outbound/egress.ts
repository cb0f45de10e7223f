// Egress for programs in a sandbox without a network: the engine's proxy for them, their environment variables, and the
// ports inside that forward to the proxy.

import { networkInterfaces } from 'node:os'
import { addressPolicy } from './address-policy.ts'
import { createDial } from './dial.ts'
import { type EgressProxy, openEgressProxy } from './egress-proxy.ts'
import type { ServerAddress } from './server-address.ts'

export type Egress = {
  open: (socketPath: string, purpose: 'app' | 'install') => Promise<EgressProxy>
  // `inside`: the path of the socket inside the sandbox.
  env: (inside: string, purpose: 'app' | 'install') => Record<string, string>
  // A command that opens the ports inside and then runs the command after it.
  wrapper: readonly string[]
}

export type EgressOptions = {
  server: () => ServerAddress
  allowPrivateHosts: readonly string[]
  // Hosts of the operator's package indexes, which installers may also reach.
  indexHosts: readonly string[]
  ownPorts: readonly number[]
  hostEnv: Record<string, string>
  wrapper: readonly string[]
}

const insidePort = 17_700
const ownNames = { localhost: '127.0.0.1', '127.0.0.1': '127.0.0.1', '::1': '::1' }

export const createEgress = (options: EgressOptions): Egress => {
  const dialFor = (allowed: readonly string[]) =>
    createDial(addressPolicy(allowed, options.ownPorts, machineAddresses), options.hostEnv)
  const policy = addressPolicy(options.allowPrivateHosts)
  // An app reaches its own local servers without the proxy, unless the operator allows these names for services of the
  // machine. An installer has no local servers, and its index may have a local address.
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

// If the server has a loopback address, programs call it without the proxy, so the sandbox listens on its port too.
const serverPorts = ({ apiUrl, baseUrl }: ServerAddress): number[] => {
  const ports = [apiUrl, baseUrl].flatMap((address) => {
    const url = URL.parse(address)
    const isLocal = url?.protocol === 'http:' && ['localhost', '127.0.0.1'].includes(url.hostname)
    return isLocal ? [Number(url.port) || 80] : []
  })
  return [...new Set(ports)].filter((port) => port !== insidePort && port >= 1024)
}
