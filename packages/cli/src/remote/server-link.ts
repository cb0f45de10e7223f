// The connection of the remote to the server: dials, registers and reconnects. The supervisor handles the frames.
import { frameBytesLimit } from '@millrace/contract/remote-frames'
import WebSocket from 'ws'

export type LinkTimes = {
  heartbeatMs: number
  pingMs: number
  silenceMs: number
  firstWaitMs: number
  maxWaitMs: number
}
export const linkTimes: LinkTimes = {
  heartbeatMs: 15_000,
  pingMs: 20_000,
  silenceMs: 60_000,
  firstWaitMs: 200,
  maxWaitMs: 15_000,
}

export type LinkOptions = {
  url: string
  headers: Record<string, string>
  times: LinkTimes
  onOpen: () => void
  onLost: (why: string) => void
  onFrame: (frame: unknown) => void
  /** The server accepts frames again. */
  onRoom: () => void
  /** Reconnecting cannot succeed. */
  onRefused: (why: string) => void
}

export type ServerLink = {
  /** False if the server is slow; nothing more should be sent until `onRoom`. */
  send(frame: unknown): boolean
  close(): Promise<void>
}

const crowdedBytes = 1024 * 1024
const replacedCode = 4000
const refusals: Readonly<Record<number, string>> = {
  401: 'the credential is no longer valid',
  403: 'the credential lacks remotes:write',
  404: 'the remote was deleted',
}

/** A random time between half and all of a doubling wait, so that many machines do not reconnect at once. */
export const waitMs = (failures: number, random: number, { firstWaitMs, maxWaitMs }: LinkTimes): number =>
  Math.min(firstWaitMs * 2 ** Math.min(failures, 20), maxWaitMs) * (0.5 + random / 2)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export const openServerLink = (options: LinkOptions): ServerLink => {
  const { times } = options
  let socket: WebSocket | undefined
  let failures = 0
  let closing = false
  let crowded = false
  let receivedMs = performance.now()
  let redial: NodeJS.Timeout | undefined

  const refuse = (why: string): void => {
    closing = true
    options.onRefused(why)
  }
  const sent = (): void => {
    if (!crowded || (socket?.bufferedAmount ?? 0) > crowdedBytes / 2) return
    crowded = false
    options.onRoom()
  }
  const put = (frame: unknown): boolean => {
    if (socket?.readyState !== WebSocket.OPEN) return false
    socket.send(JSON.stringify(frame), sent)
    crowded = socket.bufferedAmount > crowdedBytes
    return !crowded
  }
  const beat = (): void => void put({ type: 'remote_heartbeat', data: { status: 'running' } })

  const dial = (): void => {
    const made = new WebSocket(options.url, {
      headers: options.headers,
      perMessageDeflate: false,
      handshakeTimeout: 15_000,
      maxPayload: 16 * frameBytesLimit,
    })
    socket = made
    const onReceived = (): void => {
      receivedMs = performance.now()
    }
    made.on('open', () => {
      failures = 0
      crowded = false
      onReceived()
      beat()
      options.onOpen()
    })
    made.on('message', (data) => {
      onReceived()
      options.onFrame(parse(data.toString()))
    })
    made.on('ping', onReceived)
    made.on('pong', onReceived)
    made.on('unexpected-response', (_request, response) => {
      const why = refusals[response.statusCode ?? 0]
      if (why !== undefined) refuse(why)
      made.terminate()
    })
    // A close event with the reason follows.
    made.on('error', () => {})
    made.on('close', (code, reason) => {
      if (socket !== made) return
      socket = undefined
      if (!closing && code === replacedCode) refuse('another process replaced this one')
      if (closing) return
      options.onLost(reason.toString() || `code ${code}`)
      redial = setTimeout(dial, waitMs(failures++, Math.random(), times))
    })
  }

  const keepAlive = setInterval(() => {
    if (socket?.readyState !== WebSocket.OPEN) return
    if (performance.now() - receivedMs > times.silenceMs) socket.terminate()
    else socket.ping()
  }, times.pingMs)
  const heart = setInterval(beat, times.heartbeatMs)
  dial()

  return {
    send: put,
    close: () =>
      new Promise((resolve) => {
        closing = true
        clearTimeout(redial)
        clearInterval(keepAlive)
        clearInterval(heart)
        if (!socket) return resolve()
        const open = socket
        const force = setTimeout(() => open.terminate(), 2_000)
        open.once('close', () => {
          clearTimeout(force)
          resolve()
        })
        open.close(1000)
      }),
  }
}
