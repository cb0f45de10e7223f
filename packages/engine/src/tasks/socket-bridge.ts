// Connects the two ends of a live socket: the server's relay and the app process. Frames pass in order and unchanged.
// Backpressure slows the faster side down until the other end is connected and has caught up.

import type { WorkerSocket } from '@millrace/contract/engine-frames'
import WebSocket from 'ws'

const maxUnsentBytes = 1024 * 1024
const options = { maxPayload: 64 * 1024 * 1024, perMessageDeflate: false, handshakeTimeout: 30_000 } as const

export type Bridge = { close: () => void }

export const openBridge = (relay: WorkerSocket, app: { url: string; headers: Record<string, string> }): Bridge => {
  const outside = new WebSocket(relay.url, { ...options, headers: { authorization: `Bearer ${relay.token}` } })
  const inside = new WebSocket(app.url, { ...options, headers: app.headers })
  pipe(outside, inside)
  pipe(inside, outside)
  const shut = (socket: WebSocket) => () => {
    if (socket.readyState === WebSocket.CONNECTING) socket.terminate()
    else socket.close(1000)
  }
  outside.on('close', shut(inside))
  inside.on('close', shut(outside))
  // A close event always follows an error and contains all details.
  outside.on('error', () => {})
  inside.on('error', () => {})
  return {
    close: () => {
      shut(outside)()
      shut(inside)()
    },
  }
}

const pipe = (from: WebSocket, to: WebSocket): void => {
  const early: { data: WebSocket.RawData; binary: boolean }[] = []
  const resume = () => from.resume()
  const forward = (data: WebSocket.RawData, binary: boolean) => {
    to.send(data, { binary }, resume)
    if (to.bufferedAmount > maxUnsentBytes) from.pause()
  }
  from.on('message', (data, binary) => {
    if (to.readyState === WebSocket.OPEN) forward(data, binary)
    else if (to.readyState === WebSocket.CONNECTING) {
      early.push({ data, binary })
      from.pause()
    }
  })
  to.on('open', () => {
    from.resume()
    for (const { data, binary } of early.splice(0)) forward(data, binary)
  })
}
