// A PostgreSQL server that outlived its Millrace process: adopt it, wait for it, or stop it.
import { setTimeout as sleep } from 'node:timers/promises'
import { connectionString, endOtherSessions, hasSqlState } from './connection.ts'
import type { Log, Postmaster } from './launch.ts'
import { isPostmasterOf, readPostmasterNote } from './postmaster-file.ts'
import { signal } from './processes.ts'

const INVALID_PASSWORD = '28P01'
const answerLimitMs = 15_000
const fastStopLimitMs = 30_000
const immediateStopLimitMs = 10_000

const untilGone = async (pgDir: string, pid: number, limitMs = Number.POSITIVE_INFINITY): Promise<boolean> => {
  const startedAt = performance.now()
  while (await isPostmasterOf(pgDir, pid)) {
    const waitedMs = performance.now() - startedAt
    if (waitedMs > limitMs) return false
    await sleep(waitedMs < 500 ? 10 : 100)
  }
  return true
}

/**
 * Ends sessions and writes all data (fast shutdown). If that takes too long, stops immediately; PostgreSQL then
 * recovers from its log.
 */
export const stopPostmaster = async (pgDir: string, pid: number): Promise<void> => {
  if (!(await isPostmasterOf(pgDir, pid))) return
  signal(pid, 'SIGINT')
  if (await untilGone(pgDir, pid, fastStopLimitMs)) return
  signal(pid, 'SIGQUIT')
  if (await untilGone(pgDir, pid, immediateStopLimitMs)) return
  throw new Error(`PostgreSQL (process ${pid}) in ${pgDir} does not stop.`)
}

/** Polls for the end of a process that is not our child, without keeping this process alive. */
const pollUntilGone = (pgDir: string, pid: number): Promise<void> =>
  new Promise((done) => {
    const timer = setInterval(async () => {
      // An error does not show that the process has ended.
      if (await isPostmasterOf(pgDir, pid).catch(() => true)) return
      clearInterval(timer)
      done()
    }, 1_000)
    timer.unref()
  })

/** The running server of this folder, ready for use; null if there is none. */
export const adoptLeftOver = async (pgDir: string, password: string, log: Log): Promise<Postmaster | null> => {
  let firstFailureAt: number | null = null
  for (;;) {
    const note = await readPostmasterNote(pgDir)
    if (note === null || !(await isPostmasterOf(pgDir, note.pid))) return null
    const { pid, socketDir } = note
    if (note.status === 'ready') {
      try {
        await endOtherSessions(connectionString(socketDir, password, 'postgres'))
        log(`found PostgreSQL running (process ${pid}) and adopted it`)
        return { pid, socketDir, gone: pollUntilGone(pgDir, pid) }
      } catch (error) {
        if (hasSqlState(error, INVALID_PASSWORD)) {
          throw new Error(`PostgreSQL in ${pgDir} refuses the password of the data folder. Restore the password file.`)
        }
        firstFailureAt ??= performance.now()
        if (performance.now() - firstFailureAt > answerLimitMs) {
          log(`PostgreSQL (process ${pid}) is running but does not respond; stopping it`)
          await stopPostmaster(pgDir, pid)
          return null
        }
      }
    }
    await sleep(20)
  }
}
