// The claim of a data folder: one server per folder. The lock is SQLite's (built into Node) on an empty file, because it is
// the one file lock Node offers that the kernel itself drops when the holder dies: no stale lock, no takeover race, and it
// holds between containers that share a volume. Nothing else may open the lock file: closing any handle drops the lock.
import { mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from './processes.ts'

export type Claim = { release(): Promise<void> }
type Attempt = { kind: 'claimed'; claim: Claim } | { kind: 'held'; holderPid: number | null }

const SQLITE_BUSY = 5
// Also keeps the handles reachable: a collected handle would silently give the folder away.
const claimedHere = new Map<string, DatabaseSync>()

/** Folder by folder: Node's own way never ends below a folder that takes no new ones, such as /proc. */
const createFolder = (path: string): void => {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  if (path !== dirname(path)) createFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/** The folder's one true name, created when missing; only its owner may look inside. */
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
  // The holder writes its pid right after it took the lock; look again in case we came in between.
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

/** Holds until released or until this process ends, however it ends. */
export const claimDataFolder = async (dataDir: string): Promise<Claim> => {
  const attempt = await tryClaimDataFolder(dataDir)
  if (attempt.kind === 'claimed') return attempt.claim
  const holder = attempt.holderPid === null ? 'another Millrace process' : `Millrace process ${attempt.holderPid}`
  throw new Error(
    `The data folder ${resolve(dataDir)} is in use by ${holder}. Stop that process, or set DATA_DIR to another folder.`,
  )
}
