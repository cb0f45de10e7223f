// Joins the two ends of live sockets, frame by frame. An end whose peer is not there yet is heard out up to a bound and then
// not read any more; an end whose peer is slow is read as fast as the peer takes it.
import type { SocketOutcome } from '@millrace/contract/sockets'
import type { RawData, WebSocket } from 'ws'
import { guarded } from '#platform/core/boundary.ts'
import { type KeepAliveTimes, keepAlive, keepAliveTimes } from '#platform/ws/keep-alive.ts'
import type { Counters } from './store.ts'
import type { SocketRole } from './tokens.ts'

export const heldFramesLimit = 64
/** An end whose peer is missing is heard out up to this much, and at most one frame more. */
export const heldBytesLimit = 1024 * 1024
/** All ends that wait for their peers, together: whoever comes with more then has to come again. */
export const waitingBytesLimit = 256 * 1024 * 1024
const crowdedBytes = 1024 * 1024

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
  /** Once per pair of ends that met. */
  ended(socketId: string, end: RelayEnd): void
}

type Frame = { data: RawData; binary: boolean }
type End = { socket: WebSocket; held: Frame[]; heldBytes: number; stopWatch: () => void }
type Joint = { ends: Partial<Record<SocketRole, End>>; paired: boolean; over: boolean; counters: Counters }

export type Relay = {
  join(socketId: string, role: SocketRole, socket: WebSocket): void
  /** The task is over: both ends are closed, without an outcome of the relay's own. */
  finish(socketId: string): void
  close(): void
}

const sizeOf = (data: RawData): number =>
  Array.isArray(data) ? data.reduce((sum, part) => sum + part.length, 0) : data.byteLength

const peerOf = (role: SocketRole): SocketRole => (role === 'client' ? 'worker' : 'client')

export const createRelay = (events: RelayEvents, times: RelayTimes = relayTimes): Relay => {
  const joints = new Map<string, Joint>()
  let waitingBytes = 0

  const newJoint = (): Joint => ({
    ends: {},
    paired: false,
    over: false,
    counters: { client_frames: 0, client_bytes: 0, worker_frames: 0, worker_bytes: 0 },
  })

  const forward = (from: End, to: End, { data, binary }: Frame): void => {
    to.socket.send(data, { binary }, () => from.socket.resume())
    if (to.socket.bufferedAmount > crowdedBytes) from.socket.pause()
  }

  const received = (joint: Joint, role: SocketRole, frame: Frame): void => {
    const [from, to] = [joint.ends[role], joint.ends[peerOf(role)]]
    if (!from || joint.over || (to && to.socket.readyState !== to.socket.OPEN)) return
    joint.counters[`${role}_frames`] += 1
    joint.counters[`${role}_bytes`] += sizeOf(frame.data)
    if (to) forward(from, to, frame)
    else hold(from, frame)
  }

  const hold = (from: End, frame: Frame): void => {
    const size = sizeOf(frame.data)
    if (waitingBytes + size > waitingBytesLimit) {
      from.socket.close(closeCodes.noPeer, 'too much waits here; come again')
      return
    }
    waitingBytes += size
    from.heldBytes += size
    from.held.push(frame)
    if (from.held.length >= heldFramesLimit || from.heldBytes >= heldBytesLimit) from.socket.pause()
  }

  /** What was held for the peer is handed over or dropped. */
  const letGo = (end: End): Frame[] => {
    waitingBytes -= end.heldBytes
    end.heldBytes = 0
    return end.held.splice(0)
  }

  const pair = (socketId: string, joint: Joint): void => {
    const { client, worker } = joint.ends
    if (!client || !worker) return
    joint.paired = true
    events.paired(socketId)
    for (const [from, to] of [
      [client, worker],
      [worker, client],
    ] as const) {
      for (const frame of letGo(from)) forward(from, to, frame)
      from.socket.resume()
    }
  }

  const finishJoint = (socketId: string, joint: Joint, code: number, end: Omit<RelayEnd, 'counters'> | null): void => {
    if (joint.over) return
    joint.over = true
    joints.delete(socketId)
    for (const held of Object.values(joint.ends)) held.socket.close(code, end?.reason.slice(0, 100))
    if (end && joint.paired) events.ended(socketId, { ...end, counters: joint.counters })
  }

  const left = (socketId: string, joint: Joint, role: SocketRole, end: End, code: number, reason: string): void => {
    end.stopWatch()
    letGo(end)
    if (joint.ends[role] !== end || joint.over) return
    delete joint.ends[role]
    if (joint.paired) {
      // An end that came through another server is gone because that server restarts.
      const drained = code === closeCodes.restart
      const outcome = drained ? 'drained' : role === 'client' ? 'client_closed' : 'worker_closed'
      finishJoint(socketId, joint, drained ? closeCodes.restart : closeCodes.done, { outcome, code, reason })
    } else if (Object.keys(joint.ends).length === 0) joints.delete(socketId)
  }

  const watch = (socket: WebSocket, joint: Joint): (() => void) => {
    const stopKeepAlive = keepAlive(socket, times)
    const patience = setTimeout(() => {
      if (!joint.paired) socket.close(closeCodes.noPeer, 'the other end did not come')
    }, times.peerWaitMs)
    return () => {
      stopKeepAlive()
      clearTimeout(patience)
    }
  }

  return {
    join: (socketId, role, socket) => {
      const joint = joints.get(socketId) ?? newJoint()
      joints.set(socketId, joint)
      const former = joint.ends[role]
      if (former && joint.paired) {
        socket.close(closeCodes.refused, 'this end is taken')
        return
      }
      former?.socket.close(closeCodes.replaced, 'replaced by a newer connection')
      const end: End = { socket, held: [], heldBytes: 0, stopWatch: watch(socket, joint) }
      joint.ends[role] = end
      const broken = (): void => socket.close(closeCodes.broken)
      socket.on(
        'message',
        guarded(broken, (data: RawData, binary: boolean) => received(joint, role, { data, binary })),
      )
      socket.on(
        'close',
        guarded(broken, (code: number, reason: Buffer) => left(socketId, joint, role, end, code, reason.toString())),
      )
      // A close event always follows an error, and says all there is to say.
      socket.on('error', () => {})
      pair(socketId, joint)
    },
    finish: (socketId) => {
      const joint = joints.get(socketId)
      if (joint)
        finishJoint(socketId, joint, closeCodes.done, { outcome: 'task_ended', code: closeCodes.done, reason: '' })
    },
    close: () => {
      for (const [socketId, joint] of joints)
        finishJoint(socketId, joint, closeCodes.restart, {
          outcome: 'drained',
          code: closeCodes.restart,
          reason: 'the server is restarting',
        })
    },
  }
}
