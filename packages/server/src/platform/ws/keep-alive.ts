// Pings WebSockets and closes silent ones. Counts unanswered pings instead of seconds, because nothing could be
// received while this process was paused.
import type { WebSocket } from 'ws'

export type KeepAliveTimes = { pingMs: number; silenceMs: number }
export const keepAliveTimes: KeepAliveTimes = { pingMs: 20_000, silenceMs: 60_000 }

const silentCode = 1001
/** A silent peer will probably not answer the close frame either. */
const closeTimeoutMs = 1_000

/** Returns a function that stops the pings when the socket is closed. */
export const keepAlive = (socket: WebSocket, { pingMs, silenceMs } = keepAliveTimes): (() => void) => {
  let unanswered = 0
  let closeTimer: NodeJS.Timeout | undefined
  const onPong = () => {
    unanswered = 0
  }
  for (const event of ['message', 'ping', 'pong']) socket.on(event, onPong)
  const timer = setInterval(() => {
    if (socket.readyState !== socket.OPEN) return
    if (unanswered * pingMs >= silenceMs) {
      socket.close(silentCode, 'silent for too long')
      closeTimer ??= setTimeout(() => socket.terminate(), closeTimeoutMs)
      return
    }
    unanswered += 1
    socket.ping()
  }, pingMs)
  return () => {
    clearInterval(timer)
    clearTimeout(closeTimer)
  }
}
