// The CLI as a person or script calls it, with its own config folder: as a process, or inside this process where a new
// process would add nothing.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { commands } from '../../packages/cli/src/commands.ts'
import { runProgram } from '../../packages/cli/src/program.ts'

const program = fileURLToPath(new URL('../../packages/cli/bin/millrace.mjs', import.meta.url))

export type Ended = { readonly code: number | null; readonly out: string; readonly err: string }

export type Running = {
  readonly child: ChildProcess
  /** Its output on stderr so far. */
  err(): string
  /** Waits until stderr matches, and returns the first group. */
  said(pattern: RegExp): Promise<string>
  type(text: string): void
  readonly ended: Promise<Ended>
}

export type CliContext = {
  readonly configDir: string
  readonly cwd: string
  readonly env?: Record<string, string>
  /** Another CLI than this repository's. */
  readonly program?: string
}

const environmentOf = (context: CliContext): Record<string, string | undefined> => ({
  PATH: process.env.PATH,
  HOME: context.cwd,
  MILLRACE_CONFIG_DIR: context.configDir,
  ...context.env,
})

export const startCli = (context: CliContext, args: readonly string[]): Running => {
  const child = spawn(process.execPath, [context.program ?? program, ...args], {
    cwd: context.cwd,
    env: environmentOf(context),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk
  })
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    err += chunk
  })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out, err }))
  return {
    child,
    err: () => err,
    said: async (pattern) => {
      for (;;) {
        const found = pattern.exec(err)
        if (found) return found[1] ?? ''
        if (child.exitCode !== null) throw new Error(`millrace ${args.join(' ')} ended without ${pattern}:\n${err}`)
        await Promise.race([once(child.stderr ?? child, 'data'), ended])
      }
    },
    type: (text) => child.stdin?.end(text),
    ended,
  }
}

export const runCli = (context: CliContext, args: readonly string[], stdin = ''): Promise<Ended> => {
  const running = startCli(context, args)
  running.type(stdin)
  return running.ended
}

/** The same commands without a process; only the terminal and the exit code are not covered. */
export const runInside = async (context: CliContext, args: readonly string[], stdin = ''): Promise<Ended> => {
  const said = { out: '', err: '' }
  const code = await runProgram(
    commands,
    {
      env: environmentOf(context),
      cwd: context.cwd,
      home: context.cwd,
      platform: process.platform,
      stdin: Readable.from([Buffer.from(stdin)]),
      interactive: false,
      columns: null,
      outColumns: null,
      colors: false,
      out: (text) => {
        said.out += text
      },
      err: (text) => {
        said.err += text
      },
      write: async (stream, data) => {
        said[stream] += Buffer.from(data).toString()
      },
      terminal: null,
      now: () => new Date(),
      openUrl: () => {},
      onInterrupt: () => () => {},
      exit: (status) => {
        throw new Error(`millrace ${args.join(' ')} would have ended with ${status} in the middle`)
      },
    },
    [...args],
  )
  return { code, ...said }
}
