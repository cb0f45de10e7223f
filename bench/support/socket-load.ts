// A closed loop of POSTs over bare sockets, because Node's own HTTP client costs more than the measured servers. Parses
// only the status and content length of answers.
import { connect, type Socket } from 'node:net'
import type { Load } from './load.ts'

export type SocketLoadOptions = {
  url: string
  /** Sent with every request, in addition to its own idempotency key. */
  headers: Readonly<Record<string, string>>
  body: string
  connections: number
  seconds: number
}

let keys = 0

const opened = (socket: Socket): Promise<void> =>
  new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))

export const socketLoad = async (options: SocketLoadOptions): Promise<Load> => {
  const { hostname, port, pathname, host } = new URL(options.url)
  const head = Object.entries(options.headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const before = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\n${head.join('')}content-length: ${Buffer.byteLength(options.body)}\r\nidempotency-key: `
  const after = `\r\n\r\n${options.body}`
  const latencies: number[] = []
  let errors = 0
  const sockets = Array.from({ length: options.connections }, () => connect({ host: hostname, port: Number(port) }))
  await Promise.all(sockets.map(opened))
  const startedAt = performance.now()
  const endAt = startedAt + options.seconds * 1000
  const drive = (socket: Socket): Promise<void> =>
    new Promise((resolve) => {
      let sentAt = 0
      let received = ''
      const send = (): void => {
        sentAt = performance.now()
        keys += 1
        socket.write(`${before}bench-${keys}${after}`)
      }
      socket.setNoDelay(true)
      socket.setEncoding('latin1')
      socket.on('data', (chunk: string) => {
        received += chunk
        const headEnd = received.indexOf('\r\n\r\n')
        if (headEnd < 0) return
        const length = /content-length: (\d+)/i.exec(received)?.[1]
        if (received.length < headEnd + 4 + Number(length ?? 0)) return
        if (!received.startsWith('HTTP/1.1 200')) errors += 1
        received = ''
        const now = performance.now()
        latencies.push(now - sentAt)
        if (now < endAt) send()
        else {
          socket.destroy()
          resolve()
        }
      })
      socket.on('error', () => {
        errors += 1
        resolve()
      })
      send()
    })
  await Promise.all(sockets.map(drive))
  const elapsed = (performance.now() - startedAt) / 1000
  latencies.sort((a, b) => a - b)
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0
  return {
    requestsPerSecond: latencies.length / elapsed,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    errors,
    requests: latencies.length,
  }
}
