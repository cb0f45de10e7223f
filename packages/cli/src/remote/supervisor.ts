// The command supervisor. It starts each command once, sends its output from the position that the receiver requests,
// and deletes a command when the receiver has everything. It does not know the transport.
import { mkdirSync, readdirSync } from 'node:fs'
import type { RemoteExecInput, RemoteExecStart, RemoteToServer, ServerToRemote } from '@millrace/contract/remote-frames'
import { readRun, type StoredRun, startRun } from './stored-run.ts'

/** Sends a frame; false if the transport is full and will call `pump`. */
export type Carrier = (frame: RemoteToServer) => boolean

export type Supervisor = {
  /** Connects a transport. A new one must first request its positions. */
  connect(carrier: Carrier): void
  disconnect(): void
  receive(frame: ServerToRemote): void
  /** The transport has room again. */
  pump(): void
  running(): number
  killAll(): void
}

/** The maximum of unacknowledged bytes per command. */
const windowBytes = 2 * 1024 * 1024
/** After this time a command is reported even if the receiver has not asked for it. */
const maxWaitMs = 2_000

type RunProgress = {
  run: StoredRun
  sentSeq: number
  inFlight: { seq: number; size: number }[]
  exitSent: boolean
  isReportable: boolean
}

export const createSupervisor = (
  runsFolder: string,
  base: Readonly<Record<string, string | undefined>>,
  now: () => number,
): Supervisor => {
  mkdirSync(runsFolder, { recursive: true, mode: 0o700 })
  const runs = new Map<string, RunProgress>()
  let carrier: Carrier | undefined
  let timer: NodeJS.Timeout | undefined
  let pumping = false

  const addRun = (run: StoredRun): RunProgress => {
    const progress = { run, sentSeq: 0, inFlight: [], exitSent: false, isReportable: false }
    runs.set(run.id, progress)
    return progress
  }
  for (const id of readdirSync(runsFolder)) addRun(readRun(runsFolder, id))

  const bytesInFlight = ({ inFlight }: RunProgress): number => inFlight.reduce((sum, { size }) => sum + size, 0)

  /** Sends one chunk or the exit. False if there is nothing to send, null if the transport is full. */
  const sendNext = (progress: RunProgress): boolean | null => {
    if (!carrier || !progress.isReportable || bytesInFlight(progress) >= windowBytes) return false
    const { run } = progress
    const chunk = run.chunkAfter(progress.sentSeq)
    if (chunk) {
      progress.sentSeq = chunk.seq
      progress.inFlight.push({ seq: chunk.seq, size: chunk.data.length })
      const data = { exec_run_id: run.id, seq: chunk.seq, stream: chunk.stream, data: chunk.data.toString('base64') }
      return carrier({ type: 'remote_exec_output', data }) ? true : null
    }
    const exit = run.exit()
    if (!exit || progress.exitSent) return false
    progress.exitSent = true
    return carrier({ type: 'remote_exec_exit', data: exit }) ? true : null
  }

  /**
   * Sends in turns, so that one busy command does not block the others, and in slices, so that input is read in
   * between.
   */
  const pump = (): void => {
    if (pumping) return
    pumping = true
    let count = 0
    for (let any = true; any && count < 64; ) {
      any = false
      for (const progress of runs.values()) {
        const sent = sendNext(progress)
        if (sent === null) {
          pumping = false
          return
        }
        if (sent) {
          any = true
          count += 1
        }
      }
    }
    pumping = false
    if (count >= 64) setImmediate(pump)
  }

  const rewind = (progress: RunProgress, afterSeq: number): void => {
    progress.sentSeq = afterSeq
    progress.inFlight = []
    progress.exitSent = false
    progress.isReportable = true
  }

  const acknowledge = (id: string, seq: number, exited: boolean): void => {
    const progress = runs.get(id)
    if (!progress) return
    progress.run.acknowledge(seq)
    progress.inFlight = progress.inFlight.filter((sent) => sent.seq > seq)
    if (exited) {
      // The server has ended this command.
      progress.run.kill()
      runs.delete(id)
      progress.run.remove()
    }
    pump()
  }

  const unknown = (id: string): void => {
    carrier?.({
      type: 'remote_exec_exit',
      data: { exec_run_id: id, exit_code: null, error: 'unknown run', timed_out: false, duration_ms: 0 },
    })
  }

  /** A repeated start of the same command does nothing. */
  const start = (data: RemoteExecStart['data']): void => {
    if (runs.has(data.exec_run_id)) return
    addRun(startRun(runsFolder, data, base, { onUpdate: pump, now })).isReportable = true
  }

  const replay = (id: string, afterSeq: number): void => {
    const progress = runs.get(id)
    if (!progress) {
      unknown(id)
      return
    }
    rewind(progress, afterSeq)
    pump()
  }

  const type = ({ exec_run_id: id, seq, data, eof = false }: RemoteExecInput['data']): void => {
    const run = runs.get(id)?.run
    const reached = run ? run.input(seq, Buffer.from(data, 'base64'), eof) : seq
    carrier?.({ type: 'remote_exec_input_ack', data: { exec_run_id: id, seq: reached } })
  }

  const receive = ({ type: kind, data }: ServerToRemote): void => {
    if (kind === 'remote_exec_start') start(data)
    else if (kind === 'remote_exec_ack') acknowledge(data.exec_run_id, data.seq, data.exited)
    else if (kind === 'remote_exec_replay') replay(data.exec_run_id, data.after_seq)
    else if (kind === 'remote_exec_signal') runs.get(data.exec_run_id)?.run.kill()
    else if (kind === 'remote_exec_resize') runs.get(data.exec_run_id)?.run.resize(data.cols, data.rows)
    else if (kind === 'remote_exec_input') type(data)
  }

  const stopWaiting = (): void => clearTimeout(timer)

  return {
    connect: (next) => {
      carrier = next
      stopWaiting()
      for (const progress of runs.values()) {
        rewind(progress, 0)
        progress.isReportable = false
      }
      timer = setTimeout(() => {
        for (const progress of runs.values()) progress.isReportable = true
        pump()
      }, maxWaitMs)
    },
    disconnect: () => {
      carrier = undefined
      stopWaiting()
    },
    receive,
    pump,
    running: () => [...runs.values()].filter(({ run }) => run.exit() === undefined).length,
    killAll: () => {
      for (const { run } of runs.values()) run.kill()
    },
  }
}
