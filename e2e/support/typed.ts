// Commands typed into a terminal: run by a shell, ended by Ctrl-C, every wait with a limit.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

export type Typed = {
  readonly child: ChildProcess
  /** The output on the terminal. */
  said(): string
  /** The output to a pipe. */
  out(): string
  /** Ends with the command and everything that writes to its pipes. */
  readonly closed: Promise<number | null>
  /** Ends with the command itself; background processes may still hold its pipes. */
  readonly ended: Promise<number | null>
}

export const type = (cwd: string, command: string, env: Record<string, string | undefined>): Typed => {
  // Its own process group, as in a terminal: Ctrl-C reaches all of it.
  const child = spawn('bash', ['-c', command], { cwd, env, detached: true })
  let said = ''
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
      if (stream === child.stdout) out += chunk
    })
  const codeOf = (event: string) => once(child, event).then(([code]) => code as number | null)
  return { child, said: () => said, out: () => out, closed: codeOf('close'), ended: codeOf('exit') }
}

const limitMs = 180_000

/** Polls until it finds something; the error contains the output if the command ends before, or after the limit. */
export const untilFound = async <T>(typed: Typed, what: string, look: () => Promise<T | undefined> | T | undefined) => {
  for (const startedAt = Date.now(); ; await sleep(50)) {
    const found = await look()
    if (found !== undefined) return found
    if (typed.child.exitCode !== null) throw new Error(`It ended without ${what}:\n${typed.said()}`)
    if (Date.now() - startedAt > limitMs) throw new Error(`No ${what} within ${limitMs / 1000} s:\n${typed.said()}`)
  }
}

export const pressCtrlC = async ({ child, ended }: Typed): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  process.kill(-child.pid, 'SIGINT')
  const forced = setTimeout(() => process.kill(-Number(child.pid), 'SIGKILL'), 60_000)
  await ended
  clearTimeout(forced)
}
