// The program itself. It alone reads the terminal and the environment, and returns the exit code.
import { homedir } from 'node:os'
import { createStopRequests } from '@millrace/launch/stop-signals'
import { openBrowser } from './browser.ts'
import { commands } from './commands.ts'
import { runProgram } from './program.ts'
import type { Terminal } from './shell.ts'

// A closed pipe (`millrace task list | head -1`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

/** https://no-color.org: any non-empty value turns colors off. A pipe has no colors unless they are forced. */
const wantsColors = (env: NodeJS.ProcessEnv, terminal: boolean): boolean => {
  if (env.NO_COLOR) return false
  return Boolean(env.FORCE_COLOR && env.FORCE_COLOR !== '0') || (terminal && env.TERM !== 'dumb')
}

const personsTerminal: Terminal = {
  size: () => ({ cols: process.stdout.columns, rows: process.stdout.rows }),
  raw: () => {
    process.stdin.setRawMode(true)
    return () => void process.stdin.setRawMode(false)
  },
  onResize: (act) => {
    process.stdout.on('resize', act)
    return () => void process.stdout.off('resize', act)
  },
}

export const runCli = (words: string[]): Promise<number> =>
  runProgram(
    commands,
    {
      env: process.env,
      cwd: process.cwd(),
      home: homedir(),
      platform: process.platform,
      stdin: process.stdin,
      interactive: process.stdin.isTTY === true && process.stderr.isTTY === true && !process.env.CI,
      columns: process.stderr.isTTY === true ? process.stderr.columns || 80 : null,
      outColumns: process.stdout.isTTY === true ? process.stdout.columns || 80 : null,
      colors: wantsColors(process.env, process.stdout.isTTY === true),
      out: (text) => void process.stdout.write(text),
      err: (text) => void process.stderr.write(text),
      write: (stream, data) => {
        const target = stream === 'out' ? process.stdout : process.stderr
        return new Promise((resolve) => (target.write(data) ? resolve() : void target.once('drain', resolve)))
      },
      terminal: process.stdin.isTTY && process.stdout.isTTY ? personsTerminal : null,
      now: () => new Date(),
      openUrl: openBrowser,
      onInterrupt: (act) => {
        const isNewRequest = createStopRequests()
        const onSignal = (signal: NodeJS.Signals) => void (isNewRequest(signal) && act())
        process.on('SIGINT', onSignal)
        return () => void process.off('SIGINT', onSignal)
      },
      exit: (code) => process.exit(code),
    },
    words,
  )
