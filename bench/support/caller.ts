// A cheap HTTP caller: one keep-alive connection, one request at a time, minimal parsing. Callers share the cores with
// the server, so their cost must be small. Requires a Content-Length, which the server sends.
import { connect, type Socket } from 'node:net'

export type Answered = { status: number; text: string }
export type Caller = {
  ask(method: string, path: string, body?: string): Promise<Answered>
  close(): void
}

const endOfHead = Buffer.from('\r\n\r\n')

/** Undefined until the answer is complete. */
const readAnswer = (received: Buffer): Answered | undefined => {
  const end = received.indexOf(endOfHead)
  if (end < 0) return undefined
  const head = received.toString('latin1', 0, end)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)
  if (!length) throw new Error(`The answer has no Content-Length:\n${head}`)
  const from = end + endOfHead.length
  const to = from + Number(length[1])
  return received.length < to
    ? undefined
    : { status: Number(head.slice(9, 12)), text: received.toString('utf8', from, to) }
}

export const openCaller = (url: string, headers: Readonly<Record<string, string>>): Caller => {
  const { hostname, port, host } = new URL(url)
  const headerLines = Object.entries({ host, ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  let socket: Socket | null = null
  let received: Buffer = Buffer.alloc(0)
  let waiting: { resolve(answer: Answered): void; reject(error: Error): void } | null = null

  const fail = (error: Error): void => {
    socket = null
    waiting?.reject(error)
    waiting = null
  }
  const onData = (chunk: Buffer): void => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    const answer = readAnswer(received)
    if (!answer) return
    received = Buffer.alloc(0)
    waiting?.resolve(answer)
    waiting = null
  }
  /** The server closes idle connections after some seconds. */
  const dial = (): Socket =>
    connect({ host: hostname, port: Number(port), noDelay: true })
      .on('data', onData)
      .on('error', fail)
      .on('close', () => fail(new Error('The server closed the connection')))
  return {
    ask: (method, path, body = '') =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket ??= dial()
        const size =
          body === '' ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
        socket.write(`${method} ${path} HTTP/1.1\r\n${headerLines}${size}\r\n${body}`)
      }),
    close: () => socket?.destroy(),
  }
}
