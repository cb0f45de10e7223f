// Connects the two ends of live sockets, frame by frame. Frames of an end without a peer are buffered up to a limit,
// after which the socket is not read. With a slow peer, an end is read as fast as the peer receives.
import type { SocketOutcome } from '@millrace/contract/sockets'
import type { RawData, WebSocket } from 'ws'
import { guarded } from '#platform/core/boundary.ts'
import { type KeepAliveTimes, keepAlive, keepAliveTimes } from '#platform/ws/keep-alive.ts'
import type { Counters } from './store.ts'
import type { SocketRole } from './tokens.ts'

export const maxBufferedFrames = 64
/** Buffer limit per end without a peer; the last frame may exceed it. */
export const maxBufferedBytes = 1024 * 1024
/** Buffer limit for all ends without a peer. An end that exceeds it is closed and must reconnect. */
export const maxBufferedBytesTotal = 256 * 1024 * 1024
const maxUnsentBytes = 1024 * 1024

export const closeCodes = {
  done: 1000,
  silent: 1001,
  refused: 1008,
  broken: 1011,
  restart: 1012,
  noPeer: 1013,
  replaced: 4000,
} as const

export type RelayTimes = KeepAliveTimes & { peerWaitMs: number }
export const relayTimes: RelayTimes = { ...keepAliveTimes, peerWaitMs: 120_000 }

export type RelayEnd = { outcome: SocketOutcome; code: number; reason: string; counters: Counters }

export type RelayEvents = {
  paired(socketId: string): void
  /** Called once both ends are connected. */
  ended(socketId: string, end: RelayEnd): void
}

type Frame = { data: RawData; binary: boolean }
type End = { socket: WebSocket; buffered: Frame[]; bufferedBytes: number; stopWatch: () => void }
type SocketPair = { ends: Partial<Record<SocketRole, End>>; paired: boolean; over: boolean; counters: Counters }

export type Relay = {
  join(socketId: string, role: SocketRole, socket: WebSocket): void
  /** The task has ended: closes both ends. The task's end decides the outcome. */
  finish(socketId: string): void
  close(): void
}

const sizeOf = (data: RawData): number =>
  Array.isArray(data) ? data.reduce((sum, part) => sum + part.length, 0) : data.byteLength

const peerOf = (role: SocketRole): SocketRole => (role === 'client' ? 'worker' : 'client')

export const createRelay = (events: RelayEvents, times: RelayTimes = relayTimes): Relay => {
  const pairs = new Map<string, SocketPair>()
  let totalBufferedBytes = 0

  const newPair = (): SocketPair => ({
    ends: {},
    paired: false,
    over: false,
    counters: { client_frames: 0, client_bytes: 0, worker_frames: 0, worker_bytes: 0 },
  })

  const forward = (from: End, to: End, { data, binary }: Frame): void => {
    to.socket.send(data, { binary }, () => from.socket.resume())
    if (to.socket.bufferedAmount > maxUnsentBytes) from.socket.pause()
  }

  const received = (pair: SocketPair, role: SocketRole, frame: Frame): void => {
    const [from, to] = [pair.ends[role], pair.ends[peerOf(role)]]
    if (!from || pair.over || (to && to.socket.readyState !== to.socket.OPEN)) return
    pair.counters[`${role}_frames`] += 1
    pair.counters[`${role}_bytes`] += sizeOf(frame.data)
    if (to) forward(from, to, frame)
    else buffer(from, frame)
  }

  const buffer = (from: End, frame: Frame): void => {
    const size = sizeOf(frame.data)
    if (totalBufferedBytes + size > maxBufferedBytesTotal) {
      from.socket.close(closeCodes.noPeer, 'too many buffered frames; reconnect')
      return
    }
    totalBufferedBytes += size
    from.bufferedBytes += size
    from.buffered.push(frame)
    if (from.buffered.length >= maxBufferedFrames || from.bufferedBytes >= maxBufferedBytes) from.socket.pause()
  }

  /** Empties the buffer, so that the frames are forwarded or dropped. */
  const takeFrames = (end: End): Frame[] => {
    totalBufferedBytes -= end.bufferedBytes
    end.bufferedBytes = 0
    return end.buffered.splice(0)
  }

  const connectEnds = (socketId: string, pair: SocketPair): void => {
    const { client, worker } = pair.ends
    if (!client || !worker) return
    pair.paired = true
    events.paired(socketId)
    for (const [from, to] of [
      [client, worker],
      [worker, client],
    ] as const) {
      for (const frame of takeFrames(from)) forward(from, to, frame)
      from.socket.resume()
    }
  }

  const finishPair = (
    socketId: string,
    pair: SocketPair,
    code: number,
    end: Omit<RelayEnd, 'counters'> | null,
  ): void => {
    if (pair.over) return
    pair.over = true
    pairs.delete(socketId)
    for (const { socket } of Object.values(pair.ends)) socket.close(code, end?.reason.slice(0, 100))
    if (end && pair.paired) events.ended(socketId, { ...end, counters: pair.counters })
  }

  const onDisconnect = (
    socketId: string,
    pair: SocketPair,
    role: SocketRole,
    end: End,
    code: number,
    reason: string,
  ): void => {
    end.stopWatch()
    takeFrames(end)
    if (pair.ends[role] !== end || pair.over) return
    delete pair.ends[role]
    if (pair.paired) {
      // A forwarded end has this code because its server restarts.
      const drained = code === closeCodes.restart
      const outcome = drained ? 'drained' : role === 'client' ? 'client_closed' : 'worker_closed'
      finishPair(socketId, pair, drained ? closeCodes.restart : closeCodes.done, { outcome, code, reason })
    } else if (Object.keys(pair.ends).length === 0) pairs.delete(socketId)
  }

  const watch = (socket: WebSocket, pair: SocketPair): (() => void) => {
    const stopKeepAlive = keepAlive(socket, times)
    const timer = setTimeout(() => {
      if (!pair.paired) socket.close(closeCodes.noPeer, 'the other end did not connect')
    }, times.peerWaitMs)
    return () => {
      stopKeepAlive()
      clearTimeout(timer)
    }
  }

  return {
    join: (socketId, role, socket) => {
      const pair = pairs.get(socketId) ?? newPair()
      pairs.set(socketId, pair)
      const former = pair.ends[role]
      if (former && pair.paired) {
        socket.close(closeCodes.refused, 'this end is already connected')
        return
      }
      former?.socket.close(closeCodes.replaced, 'replaced by a newer connection')
      const end: End = { socket, buffered: [], bufferedBytes: 0, stopWatch: watch(socket, pair) }
      pair.ends[role] = end
      const broken = (): void => socket.close(closeCodes.broken)
      socket.on(
        'message',
        guarded(broken, (data: RawData, binary: boolean) => received(pair, role, { data, binary })),
      )
      socket.on(
        'close',
        guarded(broken, (code: number, reason: Buffer) =>
          onDisconnect(socketId, pair, role, end, code, reason.toString()),
        ),
      )
      // Every error is followed by a close event, which is handled.
      socket.on('error', () => {})
      connectEnds(socketId, pair)
    },
    finish: (socketId) => {
      const pair = pairs.get(socketId)
      if (pair)
        finishPair(socketId, pair, closeCodes.done, { outcome: 'task_ended', code: closeCodes.done, reason: '' })
    },
    close: () => {
      for (const [socketId, pair] of pairs)
        finishPair(socketId, pair, closeCodes.restart, {
          outcome: 'drained',
          code: closeCodes.restart,
          reason: 'the server is restarting',
        })
    },
  }
}
