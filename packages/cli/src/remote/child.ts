// Starts a command, with pipes or on a terminal of its own, and hands its output over piece by piece. It is never given to
// a shell, and it leads a process group, so that ending it ends everything it started.
import { type ChildProcess, spawn } from 'node:child_process'
import type { RemoteExecStart } from '@millrace/contract/remote-frames'
import type { Stream } from './spool.ts'

export type Ended = { code: number | null; error: string }

export type Child = {
  readonly pid: number | undefined
  write(data: Buffer): void
  endInput(): void
  resize(cols: number, rows: number): void
  kill(): void
  pause(): void
  resume(): void
}

export type ChildEvents = {
  output(stream: Stream, data: Buffer): void
  /** Once, after the last of its output. */
  ended(end: Ended): void
}

type Start = RemoteExecStart['data']

export const environmentOf = (
  base: Readonly<Record<string, string | undefined>>,
  pairs: readonly string[],
): Record<string, string> => {
  const env: Record<string, string> = {}
  // What this program is told about itself, its key above all, is not the command's business.
  for (const [name, value] of Object.entries(base))
    if (value !== undefined && !name.startsWith('MILLRACE_')) env[name] = value
  for (const pair of pairs) env[pair.slice(0, pair.indexOf('='))] = pair.slice(pair.indexOf('=') + 1)
  return env
}

const killGroup = (pid: number | undefined): void => {
  if (pid === undefined) return
  for (const target of [-pid, pid])
    try {
      process.kill(target, 'SIGKILL')
    } catch {
      // It ended by itself.
    }
}

/** How long what a command left running may keep its output open and silent. */
const lingerMs = 500

const withPipes = (start: Start, env: Record<string, string>, events: ChildEvents): Child => {
  const child: ChildProcess = spawn(start.command, start.args, {
    cwd: start.cwd,
    env,
    detached: true,
    stdio: [start.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  })
  let paused = false
  let isOver = false
  let quiet: NodeJS.Timeout | undefined
  const over = (end: Ended) => {
    clearTimeout(quiet)
    if (!isOver) events.ended(end)
    isOver = true
  }
  const endOf = (code: number | null, signal: NodeJS.Signals | null): Ended => ({
    code,
    error: signal === null ? '' : `ended by ${signal}`,
  })
  /** A grandchild may hold the pipes for ever: after a silent while the command counts as ended. */
  const linger = (end: Ended) => {
    clearTimeout(quiet)
    quiet = setTimeout(() => (paused ? linger(end) : over(end)), lingerMs)
  }
  let exit: Ended | undefined
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (data: Buffer) => {
      if (isOver) return
      events.output(name, data)
      if (exit) linger(exit)
    })
  child.stdin?.on('error', () => {})
  child.once('error', (error) => over({ code: null, error: `could not be started: ${error.message}` }))
  child.once('exit', (code, signal) => {
    exit = endOf(code, signal)
    linger(exit)
  })
  child.once('close', (code, signal) => over(endOf(code, signal)))
  return {
    pid: child.pid,
    write: (data) => child.stdin?.write(data),
    endInput: () => child.stdin?.end(),
    resize: () => {},
    kill: () => killGroup(child.pid),
    pause: () => {
      paused = true
      child.stdout?.pause()
      child.stderr?.pause()
    },
    resume: () => {
      paused = false
      child.stdout?.resume()
      child.stderr?.resume()
    },
  }
}

const withTerminal = async (start: Start, env: Record<string, string>, events: ChildEvents): Promise<Child> => {
  const { spawn: spawnTerminal } = await import('@lydell/node-pty')
  const terminal = spawnTerminal(start.command, start.args, {
    name: env.TERM ?? 'xterm-256color',
    cols: start.cols ?? 80,
    rows: start.rows ?? 24,
    cwd: start.cwd,
    env,
    // Bytes are passed on as they are: what they mean is the reader's business.
    encoding: null,
  })
  terminal.onData((data: string | Buffer) => events.output('stdout', Buffer.from(data)))
  terminal.onExit(({ exitCode, signal }) =>
    events.ended(signal ? { code: null, error: `ended by signal ${signal}` } : { code: exitCode, error: '' }),
  )
  return {
    pid: terminal.pid,
    // Its types know texts only; bytes pass as they are.
    write: (data) => terminal.write(data as unknown as string),
    // Ctrl-D: what the end of the input is on a terminal.
    endInput: () => terminal.write('\u0004'),
    resize: (cols, rows) => terminal.resize(cols, rows),
    kill: () => killGroup(terminal.pid),
    pause: () => terminal.pause(),
    resume: () => terminal.resume(),
  }
}

export const startChild = async (start: Start, env: Record<string, string>, events: ChildEvents): Promise<Child> =>
  start.pty ? withTerminal(start, env, events) : withPipes(start, env, events)
