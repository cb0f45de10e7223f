// Keeps commands: starts each once, says what they print to whoever is connected, again from where the other side asks, and
// forgets a command when the other side has all of it. Knows frames, not how they travel.
import { mkdirSync, readdirSync } from 'node:fs'
import type { RemoteExecInput, RemoteExecStart, RemoteToServer, ServerToRemote } from '@millrace/contract/remote-frames'
import { type KeptRun, readRun, startRun } from './kept-run.ts'

/** Takes a frame; false when it wants no more for now and will ask again. */
export type Carrier = (frame: RemoteToServer) => boolean

export type Keeper = {
  /** Somebody who takes frames is there; a new one has to be told where it stands. */
  connect(carrier: Carrier): void
  disconnect(): void
  receive(frame: ServerToRemote): void
  /** The carrier takes frames again. */
  pump(): void
  running(): number
  killAll(): void
}

/** Sent and not acknowledged, of one command. */
const windowBytes = 2 * 1024 * 1024
/** One that the other side does not ask about is spoken of anyway, after a while. */
const patienceMs = 2_000

type Spoken = {
  run: KeptRun
  sentSeq: number
  inFlight: { seq: number; size: number }[]
  exitSent: boolean
  due: boolean
}

export const createKeeper = (
  runsFolder: string,
  base: Readonly<Record<string, string | undefined>>,
  now: () => number,
): Keeper => {
  mkdirSync(runsFolder, { recursive: true, mode: 0o700 })
  const runs = new Map<string, Spoken>()
  let carrier: Carrier | undefined
  let patience: NodeJS.Timeout | undefined
  let pumping = false

  const keep = (run: KeptRun): Spoken => {
    const spoken = { run, sentSeq: 0, inFlight: [], exitSent: false, due: false }
    runs.set(run.id, spoken)
    return spoken
  }
  for (const id of readdirSync(runsFolder)) keep(readRun(runsFolder, id))

  const flying = ({ inFlight }: Spoken): number => inFlight.reduce((sum, { size }) => sum + size, 0)

  /** One chunk, or the exit; false when there is nothing to say, null when nobody takes more. */
  const sayNext = (spoken: Spoken): boolean | null => {
    if (!carrier || !spoken.due || flying(spoken) >= windowBytes) return false
    const { run } = spoken
    const chunk = run.chunkAfter(spoken.sentSeq)
    if (chunk) {
      spoken.sentSeq = chunk.seq
      spoken.inFlight.push({ seq: chunk.seq, size: chunk.data.length })
      const data = { exec_run_id: run.id, seq: chunk.seq, stream: chunk.stream, data: chunk.data.toString('base64') }
      return carrier({ type: 'remote_exec_output', data }) ? true : null
    }
    const exit = run.exit()
    if (!exit || spoken.exitSent) return false
    spoken.exitSent = true
    return carrier({ type: 'remote_exec_exit', data: exit }) ? true : null
  }

  /** In turns, so that one command's flood does not silence the others; in slices, so that input is heard meanwhile. */
  const pump = (): void => {
    if (pumping) return
    pumping = true
    let said = 0
    for (let any = true; any && said < 64; ) {
      any = false
      for (const spoken of runs.values()) {
        const went = sayNext(spoken)
        if (went === null) {
          pumping = false
          return
        }
        if (went) {
          any = true
          said += 1
        }
      }
    }
    pumping = false
    if (said >= 64) setImmediate(pump)
  }

  const rewind = (spoken: Spoken, afterSeq: number): void => {
    spoken.sentSeq = afterSeq
    spoken.inFlight = []
    spoken.exitSent = false
    spoken.due = true
  }

  const acknowledge = (id: string, seq: number, exited: boolean): void => {
    const spoken = runs.get(id)
    if (!spoken) return
    spoken.run.acknowledge(seq)
    spoken.inFlight = spoken.inFlight.filter((sent) => sent.seq > seq)
    if (exited) {
      // Ended there whatever goes on here.
      spoken.run.kill()
      runs.delete(id)
      spoken.run.remove()
    }
    pump()
  }

  const unknown = (id: string): void => {
    carrier?.({
      type: 'remote_exec_exit',
      data: { exec_run_id: id, exit_code: null, error: 'unknown run', timed_out: false, duration_ms: 0 },
    })
  }

  /** A command is started once, whoever asks again. */
  const start = (data: RemoteExecStart['data']): void => {
    if (runs.has(data.exec_run_id)) return
    keep(startRun(runsFolder, data, base, { onNews: pump, now })).due = true
  }

  const replay = (id: string, afterSeq: number): void => {
    const spoken = runs.get(id)
    if (!spoken) {
      unknown(id)
      return
    }
    rewind(spoken, afterSeq)
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

  const stopWaiting = (): void => clearTimeout(patience)

  return {
    connect: (next) => {
      carrier = next
      stopWaiting()
      for (const spoken of runs.values()) {
        rewind(spoken, 0)
        spoken.due = false
      }
      patience = setTimeout(() => {
        for (const spoken of runs.values()) spoken.due = true
        pump()
      }, patienceMs)
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
