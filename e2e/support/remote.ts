// The daemon of a remote as a process that can be killed, with its own config folder.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { CliContext } from './cli.ts'

const program = fileURLToPath(new URL('../../packages/cli/src/main.mjs', import.meta.url))

export type RemoteProcess = {
  readonly child: ChildProcess
  said(pattern: RegExp): Promise<string>
  err(): string
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Without the launcher in between, so that a kill hits the program itself. */
export const startRemote = async (context: CliContext, args: readonly string[]): Promise<RemoteProcess> => {
  const child = spawn(process.execPath, [program, 'remote', 'start', ...args], {
    cwd: context.cwd,
    env: { PATH: process.env.PATH, HOME: context.cwd, MILLRACE_CONFIG_DIR: context.configDir, ...context.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let err = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  const closed = once(child, 'close')
  const said = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = pattern.exec(err)
      if (found) return found[1] ?? found[0]
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`The remote ended without ${pattern}:\n${err}`)
      await Promise.race([once(child.stderr, 'data'), closed])
    }
  }
  await said(/ {2}connected\n/)
  return {
    child,
    said,
    err: () => err,
    end: async (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      await closed
      return child.exitCode
    },
  }
}
