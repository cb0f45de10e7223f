// Reads `postmaster.pid`, the note PostgreSQL leaves in its folder, and tells our own server from a stranger
// that happens to carry its old process id.
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandOf } from './processes.ts'

export type PostmasterNote = {
  pid: number
  status: 'starting' | 'ready' | 'stopping'
  socketDir: string
}

export const portNumber = 5432

/** Linux: how a server reaches its own folder when the way there is barred to its user (see privileges.ts). */
export const ownWorkingDir = '/proc/self/cwd'

export const parsePostmasterNote = (text: string, pgDir: string): PostmasterNote | null => {
  const lines = text.split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return null
  const word = lines[7]?.trim()
  const status = word === 'ready' || word === 'stopping' ? word : 'starting'
  const socketDir = lines[4] && lines[4] !== ownWorkingDir ? lines[4] : pgDir
  return { pid, status, socketDir }
}

const fileIn = (pgDir: string) => join(pgDir, 'postmaster.pid')

const readText = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

export const readPostmasterNote = async (pgDir: string) => parsePostmasterNote(await readText(fileIn(pgDir)), pgDir)

/** A setting on the server's command line that names its folder; PostgreSQL itself ignores it. */
export const folderMark = (pgDir: string) =>
  `millrace.folder=${createHash('sha256').update(pgDir).digest('hex').slice(0, 32)}`

export const isPostmasterOf = async (pgDir: string, pid: number): Promise<boolean> =>
  (await commandOf(pid)).includes(folderMark(pgDir))

/**
 * Makes a stale note harmless when its process id now belongs to a stranger. PostgreSQL takes its parent's id for stale
 * but still checks the shared memory named further down, so the file is kept: it guards against surviving backends.
 */
export const disarmStaleNote = async (pgDir: string): Promise<void> => {
  const text = await readText(fileIn(pgDir))
  if (text === '') return
  await writeFile(fileIn(pgDir), [String(process.pid), ...text.split('\n').slice(1)].join('\n'))
}
