// Starts a command with pipes or on its own terminal and passes on its output. No shell is involved. The command leads
// a process group, so that ending it also ends its children.
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
  /** Called once, after the last output. */
  ended(end: Ended): void
}

type Start = RemoteExecStart['data']

export const environmentOf = (
  base: Readonly<Record<string, string | undefined>>,
  pairs: readonly string[],
): Record<string, string> => {
  const env: Record<string, string> = {}
  // Variables of this program, such as its key, are not passed to the command.
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
      // The process has already ended.
    }
}

/** How long a child of the ended command may keep its output open without writing. */
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
  /** A grandchild can keep the pipes open, so the command counts as ended after a time without output. */
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
    // Bytes are passed on unchanged.
    encoding: null,
  })
  terminal.onData((data: string | Buffer) => events.output('stdout', Buffer.from(data)))
  terminal.onExit(({ exitCode, signal }) =>
    events.ended(signal ? { code: null, error: `ended by signal ${signal}` } : { code: exitCode, error: '' }),
  )
  return {
    pid: terminal.pid,
    // The types accept only text; bytes work as well.
    write: (data) => terminal.write(data as unknown as string),
    // Ctrl-D ends the input of a terminal.
    endInput: () => terminal.write('\u0004'),
    resize: (cols, rows) => terminal.resize(cols, rows),
    kill: () => killGroup(terminal.pid),
    pause: () => terminal.pause(),
    resume: () => terminal.resume(),
  }
}

export const startChild = async (start: Start, env: Record<string, string>, events: ChildEvents): Promise<Child> =>
  start.pty ? withTerminal(start, env, events) : withPipes(start, env, events)
