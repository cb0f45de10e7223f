// Lifecycle of the embedded PostgreSQL: start or adopt, restart after a crash, stop. The caller has locked the data
// folder (data-folder.ts), except for `findRunningPostgres`, which is read-only.
import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectionString, openDatabase, readVersion } from './connection.ts'
import { type LaunchOptions, type Log, launchPostmaster, type Postmaster } from './launch.ts'
import { adoptLeftOver, stopPostmaster } from './left-over.ts'
import { ensurePassword, readPassword } from './password.ts'
import { isPostmasterOf, readPostmasterNote } from './postmaster-file.ts'
import type { RunAs } from './privileges.ts'
import { signal } from './processes.ts'
import type { PostgresSettings } from './settings.ts'
import { dropSocketFolder } from './socket-folder.ts'

export type EmbeddedPostgres = {
  /** For `pg`; constant for the lifetime of this object. */
  connectionString: string
  version: string
  /** The process id of the running server; changes after a restart. */
  readonly pid: number
  stop(): Promise<void>
  /** Sends the stop signal without waiting, for a process that must exit at once. */
  letGo(): void
}

export type StartOptions = {
  dataDir: string
  log?: Log
  /** Overrides our settings, for example for temporary databases in tests. */
  settings?: PostgresSettings
  /** Replaces the decision of privileges.ts. */
  runAs?: RunAs
}

const pgDirIn = (dataDir: string) => join(realpathSync(resolve(dataDir)), 'postgres')

const refuseForeignFolder = (pgDir: string): void => {
  const us = process.geteuid?.()
  const { uid } = statSync(pgDir)
  if (us === undefined || us === 0 || us === uid) return
  throw new Error(
    `The database folder ${pgDir} belongs to user ${uid}, and this is user ${us}. Start Millrace as the user who ` +
      'started it before (root, perhaps), or give the folder to this user with chown -R.',
  )
}

const maxWaitMs = 20_000

const adoptOrLaunch = async (options: LaunchOptions): Promise<Postmaster> => {
  const startedAt = performance.now()
  for (;;) {
    const adopted = await adoptLeftOver(options.pgDir, options.password, options.log)
    if (adopted !== null) return adopted
    const outcome = await launchPostmaster(options)
    if (outcome.kind === 'ready') return outcome.postmaster
    if (!outcome.willPass || performance.now() - startedAt > maxWaitMs) {
      throw new Error(`PostgreSQL did not start in ${options.pgDir}: ${outcome.reason}`)
    }
    await sleep(200)
  }
}

export const startPostgres = async ({ dataDir, log = () => {}, ...rest }: StartOptions): Promise<EmbeddedPostgres> => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const pgDir = pgDirIn(dataDir)
  const isNew = !existsSync(pgDir)
  if (!isNew) refuseForeignFolder(pgDir)
  const password = await ensurePassword(dataDir, isNew)
  const options: LaunchOptions = { pgDir, password, log, ...rest }

  let running = await adoptOrLaunch(options)
  let isStopping = false
  let bringingBack = Promise.resolve()
  const restartServer = async (): Promise<void> => {
    log(`PostgreSQL (process ${running.pid}) exited unexpectedly; restarting it`)
    for (let delayMs = 100; !isStopping; delayMs = Math.min(delayMs * 2, 2_000)) {
      try {
        running = await adoptOrLaunch(options)
        return watch(running)
      } catch (error) {
        log(error instanceof Error ? error.message : String(error))
        await sleep(delayMs)
      }
    }
  }
  const watch = (server: Postmaster): void => {
    void server.gone.then(() => {
      if (!isStopping) bringingBack = restartServer()
    })
  }
  watch(running)

  const stop = async (): Promise<void> => {
    isStopping = true
    await bringingBack
    await stopPostmaster(pgDir, running.pid)
    await dropSocketFolder(pgDir, running.socketDir)
  }
  try {
    const version = await openDatabase(running.socketDir, password, isNew)
    const url = connectionString(running.socketDir, password)
    return {
      connectionString: url,
      version,
      get pid() {
        return running.pid
      },
      stop,
      letGo: () => {
        isStopping = true
        signal(running.pid, 'SIGINT')
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** For another process, such as the CLI: the connection to the folder's PostgreSQL if it accepts connections now. */
export const findRunningPostgres = async (dataDir: string): Promise<{ connectionString: string } | null> => {
  if (!existsSync(dataDir)) return null
  const pgDir = pgDirIn(dataDir)
  const password = await readPassword(dataDir)
  const note = await readPostmasterNote(pgDir)
  if (password === null || note?.status !== 'ready' || !(await isPostmasterOf(pgDir, note.pid))) return null
  const url = connectionString(note.socketDir, password)
  try {
    await readVersion(url)
    return { connectionString: url }
  } catch {
    // Shutting down, or our database does not exist yet: not usable by a client.
    return null
  }
}
