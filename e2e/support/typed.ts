// Commands as a person types them into a terminal: by a shell, ended by Ctrl-C, every wait with a limit.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

export type Typed = {
  readonly child: ChildProcess
  /** Everything that the person sees. */
  said(): string
  /** What a pipe behind it would get. */
  out(): string
  /** Its end, and that of everything that printed into it. */
  readonly closed: Promise<number | null>
  /** Its own end: what it leaves running holds its pipes open, and is not waited for. */
  readonly ended: Promise<number | null>
}

export const type = (cwd: string, command: string, env: Record<string, string | undefined>): Typed => {
  // A group of its own, as a terminal gives each command: Ctrl-C reaches all of it.
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

/** Looks until it finds something; says what was printed when the command ends before that, or takes too long. */
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
