// Ends of live sockets for tests: real WebSockets that record what they receive.
import { once } from 'node:events'
import WebSocket from 'ws'

export type LiveEnd = {
  socket: WebSocket
  received: (string | Buffer)[]
  next(): Promise<string | Buffer>
  closed: Promise<{ code: number; reason: string }>
}

export const follow = (socket: WebSocket): LiveEnd => {
  const received: (string | Buffer)[] = []
  const untaken: (string | Buffer)[] = []
  let wake: () => void = () => {}
  socket.on('message', (data: Buffer, binary: boolean) => {
    const frame = binary ? data : data.toString()
    received.push(frame)
    untaken.push(frame)
    wake()
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() })),
  )
  socket.on('error', () => undefined)
  const next = async (): Promise<string | Buffer> => {
    for (;;) {
      const frame = untaken.shift()
      if (frame !== undefined) return frame
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return { socket, received, next, closed }
}

export const openEnd = async (url: string, headers: Record<string, string> = {}): Promise<LiveEnd> => {
  const end = follow(new WebSocket(url, { headers }))
  await once(end.socket, 'open')
  return end
}

/** The HTTP status of a refused upgrade. */
export const refusedStatus = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url)
    socket.on('error', () => undefined)
    socket.once('unexpected-response', (request, response) => {
      resolve(response.statusCode ?? 0)
      request.destroy()
    })
    socket.once('open', () => reject(new Error('The upgrade was accepted')))
  })
