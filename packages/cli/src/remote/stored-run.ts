// One command: its process, its unacknowledged output and its end. It survives connections. After a restart of the
// supervisor it is read from its folder.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chunkBytesLimit, type RemoteExecExit, type RemoteExecStart } from '@millrace/contract/remote-frames'
import { type Child, type Ended, environmentOf, startChild } from './child.ts'
import { type Chunk, openSpool, type Spool, type Stream } from './spool.ts'

export type Exit = RemoteExecExit['data']

/** The command is paused while more than this is stored on disk. */
export const spoolLimitBytes = 64 * 1024 * 1024
/** Output within this time is combined, except for the first output after a pause. */
const gatherMs = 5

export type StoredRun = {
  readonly id: string
  chunkAfter(seq: number): Chunk | undefined
  /** Undefined while the command runs. */
  exit(): Exit | undefined
  lastSeq(): number
  acknowledge(seq: number): void
  input(seq: number, data: Buffer, eof: boolean): number
  resize(cols: number, rows: number): void
  kill(): void
  /** Everything is acknowledged. */
  remove(): void
}

const writeJson = (path: string, value: unknown): void => {
  writeFileSync(`${path}.new`, JSON.stringify(value), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** Combines output that follows in quick succession. The first chunk after a pause is stored at once. */
const gatherer = (store: (stream: Stream, data: Buffer) => void) => {
  let parts: Buffer[] = []
  let size = 0
  let stream: Stream = 'stdout'
  let timer: NodeJS.Timeout | undefined
  const flush = (): void => {
    const data = Buffer.concat(parts)
    parts = []
    size = 0
    for (let at = 0; at < data.length; at += chunkBytesLimit) store(stream, data.subarray(at, at + chunkBytesLimit))
  }
  return {
    add: (from: Stream, data: Buffer): void => {
      if (from !== stream) flush()
      stream = from
      parts.push(data)
      size += data.length
      if (size >= chunkBytesLimit) flush()
      if (timer) return
      flush()
      timer = setTimeout(() => {
        timer = undefined
        flush()
      }, gatherMs)
    },
    end: (): void => {
      clearTimeout(timer)
      timer = undefined
      flush()
    },
  }
}

type Parts = { folder: string; spool: Spool; id: string }

const exitPath = (folder: string): string => join(folder, 'exit.json')

const storedRunOf = ({ folder, spool, id }: Parts, live: Live): StoredRun => ({
  id,
  chunkAfter: spool.after,
  exit: live.exit,
  lastSeq: spool.lastSeq,
  acknowledge: (seq) => {
    spool.acknowledge(seq)
    live.roomMade()
  },
  input: live.input,
  resize: live.resize,
  kill: live.kill,
  remove: () => {
    spool.close()
    rmSync(folder, { recursive: true, force: true })
  },
})

type Live = Pick<StoredRun, 'exit' | 'input' | 'resize' | 'kill'> & { roomMade(): void }

/** Reads a command from an earlier process. If the command had not ended, its exit is unknown. */
export const readRun = (runsFolder: string, id: string): StoredRun => {
  const folder = join(runsFolder, id)
  if (!existsSync(exitPath(folder)))
    writeJson(exitPath(folder), {
      exec_run_id: id,
      exit_code: null,
      error: 'the machine or the command supervisor stopped',
      timed_out: false,
      duration_ms: 0,
    } satisfies Exit)
  const exit = JSON.parse(readFileSync(exitPath(folder), 'utf8')) as Exit
  const ended: Live = { exit: () => exit, input: (seq) => seq, resize: () => {}, kill: () => {}, roomMade: () => {} }
  return storedRunOf({ folder, spool: openSpool(folder), id }, ended)
}

export type RunUpdate = { onUpdate: () => void; now: () => number }

export const startRun = (
  runsFolder: string,
  start: RemoteExecStart['data'],
  base: Readonly<Record<string, string | undefined>>,
  { onUpdate, now }: RunUpdate,
): StoredRun => {
  const { exec_run_id: id, timeout_ms: timeoutMs } = start
  const folder = join(runsFolder, id)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const spool = openSpool(folder)
  const beganMs = now()
  let child: Child | undefined
  let exit: Exit | undefined
  let timedOut = false
  let killed = false
  let paused = false
  let inputSeq = 0
  const early: ((child: Child) => void)[] = []
  const toChild = (act: (child: Child) => void): void => {
    if (child) act(child)
    else early.push(act)
  }
  const kill = (): void => {
    killed = true
    toChild((child) => child.kill())
  }
  const timer =
    timeoutMs === 0
      ? undefined
      : setTimeout(() => {
          timedOut = true
          kill()
        }, timeoutMs)
  const gathered = gatherer((stream, data) => {
    spool.append(stream, data)
    if (!paused && spool.unacknowledgedBytes() > spoolLimitBytes && !killed) {
      paused = true
      toChild((child) => child.pause())
    }
    onUpdate()
  })
  const ended = ({ code, error }: Ended): void => {
    clearTimeout(timer)
    gathered.end()
    if (spool.isClosed()) return
    exit = {
      exec_run_id: id,
      exit_code: code,
      error: timedOut ? `timed out after ${timeoutMs} ms` : error,
      timed_out: timedOut,
      duration_ms: Math.max(0, Math.round(now() - beganMs)),
    }
    writeJson(exitPath(folder), exit)
    onUpdate()
  }
  startChild(start, environmentOf(base, start.env), { output: gathered.add, ended }).then(
    (started) => {
      child = started
      for (const act of early.splice(0)) act(started)
    },
    (error: unknown) => ended({ code: null, error: `could not be started: ${(error as Error).message}` }),
  )
  return storedRunOf(
    { folder, spool, id },
    {
      exit: () => exit,
      kill: () => {
        kill()
        // Unread output must not keep the process from ending.
        if (paused) toChild((child) => child.resume())
        paused = false
      },
      resize: (cols, rows) => toChild((child) => child.resize(cols, rows)),
      input: (seq, data, eof) => {
        if (seq <= inputSeq) return inputSeq
        inputSeq = seq
        toChild((child) => {
          if (data.length > 0) child.write(data)
          if (eof) child.endInput()
        })
        return inputSeq
      },
      roomMade: () => {
        if (!paused || spool.unacknowledgedBytes() > spoolLimitBytes / 2) return
        paused = false
        toChild((child) => child.resume())
      },
    },
  )
}
