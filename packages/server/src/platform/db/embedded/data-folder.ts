// Locks a data folder for one server. Uses SQLite's lock (part of Node.js) on an empty file: it is the only file lock
// in Node.js that the kernel releases when the process ends, and it works between containers that share a volume.
// Nothing else may open the lock file, because closing any handle releases the lock.
import { mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from './processes.ts'

export type Claim = { release(): Promise<void> }
type Attempt = { kind: 'claimed'; claim: Claim } | { kind: 'held'; holderPid: number | null }

const SQLITE_BUSY = 5
// Also keeps the handles reachable: garbage collection of a handle would release the lock.
const claimedHere = new Map<string, DatabaseSync>()

/** Creates parents one by one, because Node's recursive mkdir never returns in some folders, such as /proc. */
const createFolder = (path: string): void => {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  if (path !== dirname(path)) createFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** Returns the real path of the folder. Creates the folder if it is missing, readable only by its owner. */
const openFolder = (dataDir: string): string => {
  const wanted = resolve(dataDir)
  try {
    createFolder(wanted)
    return realpathSync(wanted)
  } catch (cause) {
    throw new Error(
      `The data folder ${wanted} cannot be created or opened. Set DATA_DIR to a folder you may write to.`,
      {
        cause,
      },
    )
  }
}

const lock = (folder: string): DatabaseSync | 'busy' => {
  let handle: DatabaseSync | undefined
  try {
    handle = new DatabaseSync(join(folder, 'claim.lock'))
    handle.exec('PRAGMA journal_mode = MEMORY')
    handle.exec('BEGIN EXCLUSIVE')
    return handle
  } catch (cause) {
    handle?.close()
    if (cause instanceof Error && 'errcode' in cause && cause.errcode === SQLITE_BUSY) return 'busy'
    throw new Error(
      `The data folder ${folder} cannot be locked: it must be writable and on a disk that supports locks.`,
      {
        cause,
      },
    )
  }
}

const readHolderPid = async (pidFile: string): Promise<number | null> => {
  // The holder writes its pid after it has the lock, so the file may still be empty.
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      const pid = Number(readFileSync(pidFile, 'utf8'))
      if (Number.isInteger(pid) && pid > 0 && isAlive(pid)) return pid
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
    await sleep(20)
  }
  return null
}

export const tryClaimDataFolder = async (dataDir: string): Promise<Attempt> => {
  const folder = openFolder(dataDir)
  if (claimedHere.has(folder)) return { kind: 'held', holderPid: process.pid }
  const pidFile = join(folder, 'claim.pid')
  const handle = lock(folder)
  if (handle === 'busy') return { kind: 'held', holderPid: await readHolderPid(pidFile) }
  claimedHere.set(folder, handle)
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 })
  const release = async () => {
    if (claimedHere.get(folder) !== handle) return
    claimedHere.delete(folder)
    handle.close()
  }
  return { kind: 'claimed', claim: { release } }
}

/** The lock lasts until it is released or the process ends in any way. */
export const claimDataFolder = async (dataDir: string): Promise<Claim> => {
  const attempt = await tryClaimDataFolder(dataDir)
  if (attempt.kind === 'claimed') return attempt.claim
  const holder = attempt.holderPid === null ? 'another Millrace process' : `Millrace process ${attempt.holderPid}`
  throw new Error(
    `The data folder ${resolve(dataDir)} is in use by ${holder}. Stop that process, or set DATA_DIR to another folder.`,
  )
}
