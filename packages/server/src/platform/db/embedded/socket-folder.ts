// The folder of the server's socket: the database folder, or a private temporary folder if that path is too long for a
// socket address.
import { createHash } from 'node:crypto'
import { lchown, lstat, mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeStaleSocketLock, socketName } from './postmaster-file.ts'
import { ownerFor, type RunAs } from './privileges.ts'

// 108 bytes on Linux, 104 on macOS, including the final zero.
const maxAddressBytes = 103

export const fitsSocketAddress = (dir: string): boolean => Buffer.byteLength(join(dir, socketName)) <= maxAddressBytes

export const shortFolderFor = (pgDir: string, temporaryDir: string): string => {
  const name = `millrace-${createHash('sha256').update(pgDir).digest('hex').slice(0, 16)}`
  const folder = join(temporaryDir, name)
  return fitsSocketAddress(folder) ? folder : join('/tmp', name)
}

const makePrivate = async (dir: string, runAs: RunAs): Promise<void> => {
  const owner = ownerFor(runAs)
  const us = { uid: process.geteuid?.(), gid: process.getegid?.() }
  await mkdir(dir, { mode: 0o700 }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  })
  // The name is guessable in a folder that is open to all, so its owner must be this user or the server's user.
  const found = await lstat(dir)
  const isPrivate = found.isDirectory() && (found.mode & 0o777) === 0o700
  if (!isPrivate || (found.uid !== us.uid && found.uid !== owner?.uid)) {
    throw new Error(`The folder ${dir} for PostgreSQL's socket exists but is not private to this user. Remove it.`)
  }
  if (owner !== null) await lchown(dir, owner.uid, owner.gid)
}

/** Returns a folder in which the server can create its socket. */
export const prepareSocketFolder = async (pgDir: string, runAs: RunAs): Promise<string> => {
  const dir = fitsSocketAddress(pgDir) ? pgDir : shortFolderFor(pgDir, tmpdir())
  if (dir !== pgDir) await makePrivate(dir, runAs)
  await removeStaleSocketLock(pgDir, dir)
  return dir
}

/** Removes a temporary socket folder; keeps the database folder. */
export const dropSocketFolder = async (pgDir: string, socketDir: string): Promise<void> => {
  if (socketDir !== pgDir) await rm(socketDir, { recursive: true, force: true })
}
