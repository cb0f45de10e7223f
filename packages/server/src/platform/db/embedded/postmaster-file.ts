// Reads `postmaster.pid`, which PostgreSQL writes into its folder, and distinguishes our server from an unrelated
// process with the same process id.
import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { commandOf, isAlive } from './processes.ts'

export type PostmasterNote = {
  pid: number
  status: 'starting' | 'ready' | 'stopping'
  socketDir: string
}

export const portNumber = 5432
export const socketName = `.s.PGSQL.${portNumber}`

/** Linux: the path by which a server reaches its folder if its user cannot traverse the parents (see privileges.ts). */
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

/** A command line argument that identifies the folder of a server; PostgreSQL ignores it. */
export const folderMark = (pgDir: string) =>
  `millrace.folder=${createHash('sha256').update(pgDir).digest('hex').slice(0, 32)}`

export const isPostmasterOf = async (pgDir: string, pid: number): Promise<boolean> =>
  (await commandOf(pid)).includes(folderMark(pgDir))

/**
 * True if PostgreSQL would wrongly respect the file, because its process id belongs to an unrelated process or a
 * zombie.
 */
const misleads = async (note: PostmasterNote | null, pgDir: string): Promise<boolean> =>
  note !== null && isAlive(note.pid) && !(await isPostmasterOf(pgDir, note.pid))

/**
 * Makes a misleading file harmless: with its parent's process id, PostgreSQL considers it stale. The file is not
 * deleted, because PostgreSQL still checks the shared memory named in it for surviving backends.
 */
export const disarmStaleNote = async (pgDir: string): Promise<void> => {
  const text = await readText(fileIn(pgDir))
  if (!(await misleads(parsePostmasterNote(text, pgDir), pgDir))) return
  await writeFile(fileIn(pgDir), [String(process.pid), ...text.split('\n').slice(1)].join('\n'))
}

/** The socket has a lock file in the same format; without it PostgreSQL replaces the socket. */
export const removeStaleSocketLock = async (pgDir: string, socketDir: string): Promise<void> => {
  const file = join(socketDir, `${socketName}.lock`)
  if (await misleads(parsePostmasterNote(await readText(file), pgDir), pgDir)) await rm(file, { force: true })
}
