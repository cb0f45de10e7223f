// The engine's connection: dials, sends heartbeats, reconnects after an interruption, and carries frames. It knows
// which frames must not be lost; it does not interpret them.

import type { Duplex } from 'node:stream'
import {
  type EngineToServer,
  ServerToEngine,
  type TaskFrame,
  type TerminalFrame,
} from '@millrace/contract/engine-frames'
import { Compile } from 'typebox/compile'
import WebSocket from 'ws'
import { tryParseJson } from '../bounded-json.ts'
import { logError, type OnError, withBoundary } from '../error-boundary.ts'
import type { Log } from '../log.ts'
import { backoffMs, maxWaitMs } from './backoff.ts'
import { createOutbox, isStatus, isTerminal } from './outbox.ts'

const check = Compile(ServerToEngine)

export type LinkTimes = {
  pingMs: number
  silenceMs: number
  repeatMs: number
  heartbeatMs: number
  telemetryMs: number
  // Maximum delay between two connection attempts.
  redialMs: number
}
export const linkTimes: LinkTimes = {
  pingMs: 20_000,
  silenceMs: 60_000,
  repeatMs: 10_000,
  heartbeatMs: 10_000,
  telemetryMs: 30_000,
  redialMs: maxWaitMs,
}

export type LinkOptions = {
  url: string
  headers: Record<string, string>
  log: Log
  times: LinkTimes
  heartbeat: () => EngineToServer
  telemetry: () => Promise<EngineToServer>
  onFrame: (frame: ServerToEngine) => void
  // The server rejects this engine: its key is invalid, its record is deleted, or another process took over.
  onRefused: (reason: 'unauthorized' | 'unknown_engine' | 'replaced') => void
}

export type Link = {
  sendTask: (frame: TaskFrame) => void
  // For deltas and similar frames: sent now or dropped.
  sendNow: (frame: EngineToServer) => void
  beat: () => void
  terminalOf: (taskId: string) => TerminalFrame | undefined
  connected: () => boolean
  // Settles when every terminal frame is acknowledged, or after the time limit.
  settled: (withinMs: number) => Promise<void>
  close: () => Promise<void>
}

// Above this amount of unsent data, optional frames are dropped, because the server reads too slowly.
const maxUnsentBytes = 16 * 1024 * 1024

const maxFrameBytes = 64 * 1024 * 1024

const replacedCode = 4000

// Delay of a status frame, so that the frames of a short task are sent in one write.
const flushDelayMs = 20

export const openLink = (options: LinkOptions): Link => {
  const { log, times } = options
  const outbox = createOutbox()
  // An error in one frame or report does not close the connection, because the next one may succeed.
  const failed = logError(log, 'server connection')
  let socket: WebSocket | undefined
  let failures = 0
  let closing = false
  let lastReceivedMs = Date.now()
  let redial: NodeJS.Timeout | undefined
  let onAck: () => void = () => {}

  let waiting: TaskFrame[] = []
  let timer: NodeJS.Timeout | undefined
  // The stream below the WebSocket: frames between cork and uncork are sent in one write.
  let carrier: Duplex | undefined

  const isOpen = () => socket?.readyState === WebSocket.OPEN
  const put = (frame: EngineToServer) => socket?.send(JSON.stringify(frame))

  const sendTask = (frame: TaskFrame) => {
    if (isTerminal(frame)) outbox.expectAck(frame, Date.now())
    if (droppable(frame) && (socket?.bufferedAmount ?? 0) > maxUnsentBytes) return
    // A delta changes no row, so it does not flush the delayed frames.
    if (isDelta(frame)) return sendNow(frame)
    waiting.push(frame)
    if (isStatus(frame) && isOpen()) timer ??= setTimeout(sendWaiting, flushDelayMs)
    else sendWaiting()
  }

  const sendWaiting = () => {
    clearTimeout(timer)
    timer = undefined
    const frames = waiting
    waiting = []
    if (!isOpen()) {
      for (const frame of frames) {
        outbox.retain(frame)
        log('debug', 'queued until the server is back', { type: frame.type })
      }
      return
    }
    carrier?.cork()
    for (const frame of frames) put(frame)
    carrier?.uncork()
  }

  const sendNow = (frame: EngineToServer) => {
    if (isOpen()) put(frame)
  }

  // The heartbeat comes first, then the queued frames, so that telemetry never shows a worker as idle before the server
  // knows how its task ended.
  const sendInitialFrames = async () => {
    put(options.heartbeat())
    for (const frame of outbox.takeHeld()) put(frame)
    for (const { frame } of outbox.unacknowledged()) sendTask(frame)
    sendNow(await options.telemetry())
  }

  const receive = (text: string) => {
    const frame = parseFrame(text)
    if (!frame) return log('warn', 'frame not understood', { bytes: text.length })
    if (frame.type !== 'task_ack') return options.onFrame(frame)
    outbox.acknowledge(frame.data.task_id, frame.data.attempt)
    onAck()
  }

  const dial = () => {
    const made = new WebSocket(options.url, {
      headers: options.headers,
      perMessageDeflate: false,
      maxPayload: maxFrameBytes,
      handshakeTimeout: 15_000,
    })
    const onReceived = () => {
      lastReceivedMs = Date.now()
    }
    socket = made
    made.on('upgrade', (response) => {
      carrier = response.socket
    })
    made.on('open', () => {
      failures = 0
      onReceived()
      log('info', 'connected')
      withBoundary(failed, sendInitialFrames)()
    })
    made.on(
      'message',
      withBoundary(failed, (data: WebSocket.RawData) => {
        onReceived()
        receive(data.toString())
      }),
    )
    made.on('ping', onReceived)
    made.on('pong', onReceived)
    made.on('unexpected-response', (_request, response) => {
      if (response.statusCode === 401 || response.statusCode === 403) options.onRefused('unauthorized')
      if (response.statusCode === 404) options.onRefused('unknown_engine')
      made.terminate()
    })
    made.on('error', (error) => log('debug', 'socket error', { error: error.message }))
    made.on('close', (code) => {
      if (socket !== made) return
      socket = undefined
      if (closing) return
      if (code === replacedCode) return options.onRefused('replaced')
      const waitMs = backoffMs(failures++, Math.random(), times.redialMs)
      log('warn', 'disconnected', { code, waitMs })
      redial = setTimeout(dial, waitMs)
    })
  }

  const keepAlive = () => {
    if (!isOpen()) return
    if (Date.now() - lastReceivedMs > times.silenceMs) return socket?.terminate()
    socket?.ping()
  }
  const repeat = () => {
    if (!isOpen()) return
    const dueMs = Date.now() - times.repeatMs
    for (const { frame, sentAtMs } of outbox.unacknowledged()) if (sentAtMs <= dueMs) sendTask(frame)
  }
  const timers = repeatedly(failed, [
    [keepAlive, times.pingMs],
    [repeat, times.repeatMs],
    [() => sendNow(options.heartbeat()), times.heartbeatMs],
    [() => options.telemetry().then(sendNow), times.telemetryMs],
  ])
  dial()

  return {
    sendTask,
    sendNow,
    beat: () => sendNow(options.heartbeat()),
    terminalOf: outbox.terminalOf,
    connected: isOpen,
    settled: (withinMs) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, withinMs)
        onAck = () => {
          if (outbox.unacknowledged().length > 0) return
          clearTimeout(timer)
          resolve()
        }
        onAck()
      }),
    close: () =>
      new Promise((resolve) => {
        closing = true
        clearTimeout(redial)
        sendWaiting()
        for (const timer of timers) clearInterval(timer)
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

const repeatedly = (failed: OnError, jobs: readonly (readonly [job: () => unknown, everyMs: number])[]) =>
  jobs.map(([job, everyMs]) => setInterval(withBoundary(failed, job), everyMs))

const isDelta = (frame: TaskFrame): boolean => frame.type === 'task_progress' && frame.data.is_delta === true

// A frame contains inputs, settings and secrets, each already limited by the server.
const frameBounds = { depth: 128, names: 100_000, parts: 1_000_000, values: 4_000_000 }

const droppable = (frame: TaskFrame): boolean => frame.type === 'task_log' || frame.type === 'task_progress'

const parseFrame = (text: string): ServerToEngine | undefined => {
  const value = tryParseJson(text, frameBounds)
  return check.Check(value) ? value : undefined
}
