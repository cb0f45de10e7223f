// Starts a PostgreSQL server process and waits until it accepts connections. The caller ensures that none is running.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { open, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { initialise } from './initialise.ts'
import { disarmStaleNote, folderMark, ownWorkingDir, portNumber, readPostmasterNote } from './postmaster-file.ts'
import { chooseRunAs, handOver, launchAs, launchEnv, type RunAs } from './privileges.ts'
import { type PostgresSettings, writeSettings } from './settings.ts'
import { prepareSocketFolder } from './socket-folder.ts'

export type Log = (line: string) => void

export type Postmaster = {
  pid: number
  socketDir: string
  /** Resolves when the process has ended for any reason. */
  gone: Promise<void>
}

export type LaunchOptions = {
  pgDir: string
  password: string
  log: Log
  settings?: PostgresSettings
  runAs?: RunAs
}

const maxLogBytes = 4 * 1024 * 1024
const recoveryLimitMs = 15 * 60_000
const reportEveryMs = 10_000

// Sessions can outlive a killed postmaster for a moment, and a postmaster of a killed process may start only now.
// PostgreSQL refuses to start in both cases, so the start is retried.
const passingTroubles = ['pre-existing shared memory block', 'lock file "postmaster.pid" already exists']

const openLog = async (path: string) => {
  if (existsSync(path) && (await stat(path)).size > maxLogBytes) await rename(path, `${path}.1`)
  return open(path, 'a+', 0o600)
}

const serverArgs = (pgDir: string, socketDir: string, runAs: RunAs): string[] => {
  const fromInside = runAs.kind === 'user' && runAs.fromInside
  const settings = [
    folderMark(pgDir),
    'listen_addresses=',
    `port=${portNumber}`,
    `unix_socket_directories="${(fromInside && socketDir === pgDir ? ownWorkingDir : socketDir).replaceAll('"', '""')}"`,
  ]
  return ['-D', fromInside ? ownWorkingDir : pgDir, ...settings.flatMap((setting) => ['-c', setting])]
}

export type Outcome = { kind: 'ready'; postmaster: Postmaster } | { kind: 'failed'; reason: string; willPass: boolean }

const spawnPostmaster = async ({ pgDir, log }: LaunchOptions, runAs: RunAs): Promise<Outcome> => {
  const socketDir = await prepareSocketFolder(pgDir, runAs)
  const logFile = await openLog(join(dirname(pgDir), 'postgres.log'))
  try {
    const logStart = (await logFile.stat()).size
    const { file, args, ...ids } = launchAs(runAs, 'postgres', serverArgs(pgDir, socketDir, runAs))
    // Detached: Ctrl-C in a terminal reaches the whole process group, but PostgreSQL must stop after its clients. Its
    // output goes to a file, so that it can outlive this process.
    const stdio = ['ignore' as const, logFile.fd, logFile.fd]
    const child = spawn(file, args, { ...ids, cwd: pgDir, env: launchEnv(), stdio, detached: true })
    child.unref()
    let ended: string | null = null
    const gone = new Promise<void>((done) => {
      child.once('error', (error) => {
        ended = `${file} cannot be run (${error.message}). On a system without glibc, such as Alpine, set DATABASE_URL.`
        done()
      })
      child.once('exit', (code, signal) => {
        ended = `it exited with ${signal ?? `exit code ${code}`}`
        done()
      })
    })
    const isReady = await untilReady(pgDir, child.pid, log, () => ended !== null)
    if (isReady && child.pid !== undefined) return { kind: 'ready', postmaster: { pid: child.pid, socketDir, gone } }
    const { size } = await logFile.stat()
    const output = Buffer.alloc(Math.min(size - logStart, 4_000))
    await logFile.read(output, 0, output.length, size - output.length)
    const reason = `${ended ?? 'it did not become ready'}\n${output.toString('utf8')}`.trim()
    return { kind: 'failed', reason, willPass: passingTroubles.some((trouble) => reason.includes(trouble)) }
  } finally {
    await logFile.close()
  }
}

const untilReady = async (pgDir: string, pid: number | undefined, log: Log, hasEnded: () => boolean) => {
  const startedAt = performance.now()
  let reportAt = reportEveryMs
  for (;;) {
    const waitedMs = performance.now() - startedAt
    const note = await readPostmasterNote(pgDir)
    if (note?.pid === pid && note?.status === 'ready') return true
    if (hasEnded() || waitedMs > recoveryLimitMs) return false
    if (waitedMs > reportAt) {
      log(`PostgreSQL is still starting after ${Math.round(waitedMs / 1000)} s; it is replaying its write-ahead log`)
      reportAt += reportEveryMs
    }
    await sleep(waitedMs < 500 ? 5 : 50)
  }
}

export const launchPostmaster = async (options: LaunchOptions): Promise<Outcome> => {
  const { pgDir, password, log } = options
  const runAs = options.runAs ?? (await chooseRunAs(pgDir))
  if (!existsSync(pgDir)) {
    log(`creating the database in ${pgDir}`)
    await initialise(pgDir, runAs, password)
  }
  await writeSettings(pgDir, options.settings)
  await handOver(pgDir, runAs)
  await disarmStaleNote(pgDir)
  return spawnPostmaster(options, runAs)
}
