// A small balancer: forwards each connection to the next server that is ready, or to the next that accepts.
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

export type Balancer = { readonly url: string; close(): Promise<void> }

const askMs = 200
/** The time that a connection waits for a ready server. */
const readyTimeoutMs = 60_000

/** A paused server is not ready; a slow one is. */
const isReady = async (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
    ({ ok }) => ok,
    () => false,
  )

const dial = (port: number): Promise<Socket | null> =>
  new Promise((resolve) => {
    const far = createConnection({ port, host: '127.0.0.1' })
    far.once('connect', () => resolve(far))
    far.once('error', () => resolve(null))
  })

export const startBalancer = async (ports: readonly number[]): Promise<Balancer> => {
  const ready = new Set<number>()
  let turn = 0
  const open = new Set<Socket>()
  // Independent checks, so that one hanging server does not delay the others.
  const asking = new Set<number>()
  const look = async (port: number): Promise<void> => {
    if (asking.has(port)) return
    asking.add(port)
    if (await isReady(port)) ready.add(port)
    else ready.delete(port)
    asking.delete(port)
  }
  const timer = setInterval(() => {
    for (const port of ports) void look(port)
  }, askMs)
  const reach = async (tries = readyTimeoutMs / askMs): Promise<Socket | null> => {
    turn += 1
    const known = ports.filter((port) => ready.has(port))
    const order = known.map((_, index) => known[(index + turn) % known.length] ?? 0)
    for (const port of order) {
      const far = await dial(port)
      if (far) return far
    }
    if (tries <= 0) return null
    await new Promise((resolve) => setTimeout(resolve, askMs))
    return reach(tries - 1)
  }
  const server = createServer({ pauseOnConnect: true }, async (near) => {
    near.on('error', () => near.destroy())
    const far = await reach()
    if (!far) return near.destroy()
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
      from.pipe(to)
    }
    near.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      clearInterval(timer)
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}
