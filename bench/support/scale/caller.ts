// A process with many callers: each sends a request, reads the response to its end and repeats. Runs in processes of
// its own, so that the callers do not limit the servers. The message of the parent is the job; the answer is the result.
import { connect } from 'node:net'

export type CallerJob = {
  /** One connection per entry; the callers use them in turn. */
  targets: readonly { url: string; path: string; method: string; headers: Record<string, string>; body: string }[]
  callers: number
  seconds: number
}
export type CallerResult = { requests: number; errors: number; latenciesMs: number[] }

type Target = CallerJob['targets'][number]

const requestText = ({ url, path, method, headers, body }: Target): string => {
  const lines = Object.entries({ host: new URL(url).host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

const isComplete = (received: string): boolean => {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, headEnd))?.[1]
  return length === undefined ? received.endsWith('0\r\n\r\n') : received.length >= headEnd + 4 + Number(length)
}

/** A stream of a run must end with the status `completed`. */
const isGood = (received: string, target: Target): boolean =>
  received.startsWith('HTTP/1.1 200') && (target.method === 'GET' || /"status":10\b/.test(received))

const drive = (target: Target, endAt: number, result: CallerResult): Promise<void> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(target.url)
    const text = requestText(target)
    let received = ''
    let sentAt = 0
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    const send = (): void => {
      received = ''
      sentAt = performance.now()
      socket.write(text)
    }
    socket.setEncoding('latin1')
    socket.on('connect', send)
    socket.on('data', (chunk: string) => {
      received += chunk
      if (!isComplete(received)) return
      const now = performance.now()
      result.requests += 1
      if (!isGood(received, target)) result.errors += 1
      result.latenciesMs.push(now - sentAt)
      if (now < endAt) send()
      else socket.end()
    })
    socket.on('error', () => {
      result.errors += 1
    })
    socket.on('close', () => resolve())
  })

export const callAll = async ({ targets, callers, seconds }: CallerJob): Promise<CallerResult> => {
  const result: CallerResult = { requests: 0, errors: 0, latenciesMs: [] }
  const endAt = performance.now() + seconds * 1000
  const targetOf = (index: number): Target => targets[index % targets.length] as Target
  await Promise.all(Array.from({ length: callers }, (_, index) => drive(targetOf(index), endAt, result)))
  return result
}

/** The program of the process. */
export const serveCallerJob = (): void => {
  process.once('message', async (job) => {
    const result = await callAll(job as CallerJob)
    process.send?.(result, () => process.disconnect())
  })
}
