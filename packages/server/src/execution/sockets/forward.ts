// An end of a live socket that came to another server than the one where its peer is: carried there, frame by frame, no
// faster than it is taken.
import { type RawData, WebSocket } from 'ws'
import { guarded } from '#platform/core/boundary.ts'

export const forwardedHeader = 'x-millrace-forwarded'

const crowdedBytes = 1024 * 1024
const dialLimitMs = 5_000
const unreachableCode = 1013
const restartCode = 1012

/** Codes that may be sent on; the others only ever say how a connection broke. */
const maySend = (code: number): boolean => code === 1000 || (code >= 1007 && code <= 1014) || code >= 3000

const carry = (from: WebSocket, to: WebSocket): void => {
  const broken = (): void => {
    for (const end of [from, to]) end.terminate()
  }
  const receive = (data: RawData, binary: boolean): void => {
    if (to.readyState !== to.OPEN) return
    to.send(data, { binary }, () => from.resume())
    if (to.bufferedAmount > crowdedBytes) from.pause()
  }
  const close = (code: number, reason: Buffer): void => {
    if (maySend(code)) to.close(code, reason)
    else to.terminate()
  }
  from.on('message', guarded(broken, receive))
  from.on('close', guarded(broken, close))
  // A close event always follows an error, and says all there is to say.
  from.on('error', () => {})
}

export type Forwarded = { end(): void }

export const forwardEnd = (near: WebSocket, address: string, token: string): Forwarded => {
  // What the end says at once waits until the other server has opened.
  near.pause()
  const far = new WebSocket(address, {
    headers: { authorization: `Bearer ${token}`, [forwardedHeader]: '1' },
    handshakeTimeout: dialLimitMs,
  })
  let isOpen = false
  far.once('open', () => {
    isOpen = true
    near.resume()
  })
  far.once('close', () => {
    if (!isOpen) near.close(unreachableCode, 'the server that holds the other end cannot be reached; come again')
    near.resume()
  })
  near.once('close', () => {
    if (!isOpen) far.terminate()
  })
  carry(near, far)
  carry(far, near)
  return {
    // The near end is closed with the far one: until then it gets what is on its way.
    end: () => far.close(restartCode, 'the server is restarting'),
  }
}
