// A TCP proxy that can break connections on demand.

import type { AddressInfo } from 'node:net'
import { createConnection, createServer, type Socket } from 'node:net'

export type TcpProxy = {
  readonly port: number
  /** Breaks open connections; new ones pass. Returns the number of broken connections. */
  cut(): number
  /** Breaks open and new connections until the returned function is called. */
  part(): () => void
  /** Bytes in both directions so far. */
  passedBytes(): number
  close(): Promise<void>
}

/** Forwards to a local port or a Unix socket. */
export const startTcpProxy = async (target: number | string): Promise<TcpProxy> => {
  const pairs = new Set<readonly [Socket, Socket]>()
  let isParted = false
  let passedBytes = 0
  const server = createServer((near) => {
    if (isParted) return near.resetAndDestroy()
    const far = createConnection(typeof target === 'string' ? { path: target } : { port: target, host: '127.0.0.1' })
    const pair = [near, far] as const
    pairs.add(pair)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true)
      from.on('data', ({ length }) => {
        passedBytes += length
      })
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        to.destroy()
        pairs.delete(pair)
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): number => {
    const open = [...pairs]
    for (const [near, far] of open) {
      near.resetAndDestroy()
      far.destroy()
    }
    return open.length
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    passedBytes: () => passedBytes,
    part: () => {
      isParted = true
      cut()
      return () => {
        isParted = false
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cut()
      }),
  }
}

/** A currently free port, for a server that must restart on the same port. */
export const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
