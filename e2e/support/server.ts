// The real program as a child process, on a free port with its own data folder. Uses only its flags, output and
// signals.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freshFolder } from './fresh-folder.ts'

const ownProgram = fileURLToPath(new URL('../../packages/server/src/start/main.mjs', import.meta.url))

export type ServerProcess = {
  readonly url: string
  readonly dataDir: string
  readonly pid: number
  /** The one-time link of the banner; null once the installation has an owner. */
  readonly ownerLink: string | null
  /** The output so far. */
  output(): string
  /** Number of mails to an address so far. */
  mailCount(to: string): number
  /**
   * The first group of a pattern in the latest mail to an address; waits until more than `after` mails were printed.
   */
  mailPart(to: string, pattern: RegExp, after?: number): Promise<string>
  /** Stops in order and waits for the end. The data folder remains. */
  stop(): Promise<void>
  /** Like a power cut: no cleanup. */
  kill(): Promise<void>
  /** Stops and removes the data folder. */
  remove(): Promise<void>
}

export type StartOptions = {
  /** The folder of an earlier server; default: a fresh one. */
  dataDir?: string
  env?: Record<string, string>
  args?: readonly string[]
  /** The main file of another version. */
  program?: string
}

/** Foreign keys and databases do not match a copied folder, which has its own. */
const isOrdinary = ({ env = {}, program }: StartOptions): boolean =>
  program === undefined && !('MASTER_KEY' in env) && !('DATABASE_URL' in env)

/** The guides are embedded once, not by every server that gets a copy. */
const untilIndexed = async (url: string): Promise<void> => {
  const isIndexed = async () => (await (await fetch(`${url}/metrics`)).text()).includes('\nmillrace_search_waiting 0\n')
  while (!(await isIndexed())) await sleep(200)
}

const createFolder = (options: StartOptions): Promise<string> =>
  isOrdinary(options)
    ? freshFolder(async (dataDir) => {
        const first = await startServer({ dataDir, env: { ENGINE: 'false', CONSOLE: 'false' } })
        await untilIndexed(first.url)
        await first.stop()
      })
    : mkdtemp(join(tmpdir(), 'millrace-e2e-'))

export const startServer = async (options: StartOptions = {}): Promise<ServerProcess> => {
  const dataDir = options.dataDir ?? (await createFolder(options))
  const { program = ownProgram } = options
  const child = spawn(process.execPath, [program, '--port', '0', '--data-dir', dataDir, ...(options.args ?? [])], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: 'warn', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collect(child)
  const started = await until(() => {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The server ended before it was ready:\n${output()}`)
    return readBanner(output())
  })
  if (!started || child.pid === undefined) {
    child.kill('SIGKILL')
    throw new Error(`The server did not become ready:\n${output()}`)
  }
  // If a test fails because its server ended, the error includes the server's output.
  let isAsked = false
  child.once('exit', (code, signal) => {
    if (!isAsked) console.error(`The server ended by itself (${signal ?? code}):\n${output().slice(-4_000)}`)
  })
  const endBy = (signal: 'SIGTERM' | 'SIGKILL') => {
    isAsked = true
    return end(child, signal)
  }
  const stop = () => endBy('SIGTERM')
  return {
    ...started,
    dataDir,
    pid: child.pid,
    output,
    mailCount: (to) => mailsTo(output(), to).length,
    mailPart: async (to, pattern, after = 0) => {
      const found = await until(() => pattern.exec(mailsTo(output(), to).slice(after).at(-1) ?? '')?.[1])
      if (found === undefined) throw new Error(`No printed mail to ${to} matches ${pattern}:\n${output()}`)
      return found
    },
    stop,
    kill: () => endBy('SIGKILL'),
    remove: async () => {
      await stop()
      await endEngine(dataDir)
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** An engine that outlived a killed server would wait for the next server on this folder. */
const endEngine = async (dataDir: string): Promise<void> => {
  const text = await readFile(join(dataDir, 'engine', 'engine.pid'), 'utf8').catch(() => null)
  if (text === null) return
  try {
    process.kill((JSON.parse(text) as { pid: number }).pid, 'SIGKILL')
  } catch {
    // It ended between the check and the signal.
  }
}

const collect = (child: ChildProcess): (() => string) => {
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
  return () => text
}

/** The banner is printed at once when the server listens. */
const readBanner = (output: string): { url: string; ownerLink: string | null } | undefined => {
  const url = /^ {2}Address {3}(\S+)$/m.exec(output)?.[1]
  if (url === undefined) return undefined
  return { url, ownerLink: /^ {2}(\S+\/sign-in\/setup\?token=\S+)$/m.exec(output)?.[1] ?? null }
}

/** Printed mails, oldest first: a headline, then the indented text. */
const mailsTo = (output: string, to: string): string[] =>
  output
    .split(/^ {2}Mail to /m)
    .slice(1)
    .filter((mail) => mail.startsWith(`${to}:`))
    .map((mail) => /^.*\n((?: {4}.*\n|\n)*)/.exec(mail)?.[1] ?? '')

/** Shorter than the timeout of a test, so that the error can name the missing output. */
const outputTimeoutMs = 180_000

const until = async <T>(look: () => T | undefined): Promise<T | undefined> => {
  for (let waitedMs = 0; waitedMs < outputTimeoutMs; waitedMs += 20) {
    const found = look()
    if (found !== undefined) return found
    await sleep(20)
  }
  return look()
}

const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}
