// Forwards an end of a live socket to the server of its peer, frame by frame, with backpressure.
import { type RawData, WebSocket } from 'ws'
import { guarded } from '#platform/core/boundary.ts'

export const forwardedHeader = 'x-millrace-forwarded'

const maxUnsentBytes = 1024 * 1024
const dialLimitMs = 5_000
const unreachableCode = 1013
const restartCode = 1012

/** Close codes that may be sent. The others are reserved for broken connections. */
const maySend = (code: number): boolean => code === 1000 || (code >= 1007 && code <= 1014) || code >= 3000

const carry = (from: WebSocket, to: WebSocket): void => {
  const broken = (): void => {
    for (const end of [from, to]) end.terminate()
  }
  const receive = (data: RawData, binary: boolean): void => {
    if (to.readyState !== to.OPEN) return
    to.send(data, { binary }, () => from.resume())
    if (to.bufferedAmount > maxUnsentBytes) from.pause()
  }
  const close = (code: number, reason: Buffer): void => {
    if (maySend(code)) to.close(code, reason)
    else to.terminate()
  }
  from.on('message', guarded(broken, receive))
  from.on('close', guarded(broken, close))
  // Every error is followed by a close event, which is handled.
  from.on('error', () => {})
}

export type Forwarded = { end(): void }

export const forwardEnd = (localSocket: WebSocket, address: string, token: string): Forwarded => {
  // Frames of the near end stay in its socket until the other server has accepted.
  localSocket.pause()
  const remoteSocket = new WebSocket(address, {
    headers: { authorization: `Bearer ${token}`, [forwardedHeader]: '1' },
    handshakeTimeout: dialLimitMs,
  })
  let isOpen = false
  remoteSocket.once('open', () => {
    isOpen = true
    localSocket.resume()
  })
  remoteSocket.once('close', () => {
    if (!isOpen) localSocket.close(unreachableCode, 'the server of the other end is unreachable; reconnect')
    localSocket.resume()
  })
  localSocket.once('close', () => {
    if (!isOpen) remoteSocket.terminate()
  })
  carry(localSocket, remoteSocket)
  carry(remoteSocket, localSocket)
  return {
    // Closes only the far socket. The near end closes after it, once frames in transit have arrived.
    end: () => remoteSocket.close(restartCode, 'the server is restarting'),
  }
}
