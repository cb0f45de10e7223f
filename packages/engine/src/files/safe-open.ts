// Opens files in folders that an app can change at the same time. Every step of a path is opened relative to the
// descriptor of its parent folder and never follows a link, so the file that was checked is the file that is read or
// removed. Systems without /proc have no sandbox either; there, only the last step is opened without following links.

import { constants, existsSync } from 'node:fs'
import { chmod, type FileHandle, mkdir, open, opendir, readFile, rename, rm, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { newId } from '@millrace/contract/ids'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
// Refers to a file without opening it, which also works for unreadable files.
const O_PATH = 0o10000000
const byDescriptor = existsSync('/proc/self/fd')
const maxPathDepth = 128

export type Refusal = 'missing' | 'leads outside' | 'not a regular file'

export class UnsafeFile extends Error {
  override readonly name = 'NotBeneath'
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(`the file is ${refusal}`)
    this.refusal = refusal
  }
}

const at = (folder: FileHandle, name = ''): string => join(`/proc/self/fd/${folder.fd}`, name)

// Names are bytes: an app may choose one that is not UTF-8 and has no string form.
const entryAt = (folder: FileHandle, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${at(folder)}/`), name])

// Opens a regular file with a single name; `path` is relative to `root`. Hard links are rejected, because another name
// may be in a folder that the app cannot read. Fifos and devices are rejected, because reading them may never end or
// have side effects.
export const openFileSafely = async (root: string, path: string): Promise<FileHandle> => {
  const steps = path.split('/').filter((step) => step !== '' && step !== '.')
  const last = steps.pop()
  if (last === undefined || steps.length > maxPathDepth || [...steps, last].includes('..'))
    throw new UnsafeFile('missing')
  const file = byDescriptor
    ? await openByDescriptor(root, steps, last)
    : await openStep(join(root, ...steps, last), O_NOFOLLOW | O_NONBLOCK, 'not a regular file')
  const facts = await file.stat()
  if (facts.isFile() && facts.nlink === 1) return file
  await file.close()
  throw new UnsafeFile('not a regular file')
}

const openByDescriptor = async (root: string, steps: readonly string[], last: string): Promise<FileHandle> => {
  let folder = await openStep(root, O_DIRECTORY, 'leads outside')
  try {
    for (const step of steps) {
      const next = await openStep(at(folder, step), O_DIRECTORY | O_NOFOLLOW, 'leads outside')
      await folder.close()
      folder = next
    }
    return await openStep(at(folder, last), O_NOFOLLOW | O_NONBLOCK, 'not a regular file')
  } finally {
    await folder.close()
  }
}

const openStep = (path: string, flags: number, otherwise: Refusal): Promise<FileHandle> =>
  open(path, O_RDONLY | flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new UnsafeFile('missing')
    if (['ELOOP', 'ENOTDIR', 'ENXIO', 'EACCES', 'ENAMETOOLONG'].includes(error.code ?? ''))
      throw new UnsafeFile(otherwise)
    throw error
  })

// The text of a small file, or undefined when there is no readable file.
export const readTextSafely = async (root: string, path: string, limitBytes: number): Promise<string | undefined> => {
  const file = await openFileSafely(root, path).catch((error: unknown) => {
    if (error instanceof UnsafeFile) return undefined
    throw error
  })
  if (!file) return undefined
  try {
    return (await file.stat()).size > limitBytes ? undefined : await readFile(file, 'utf8')
  } finally {
    await file.close()
  }
}

// Removes the contents of a folder at any depth, even while they are still written to. Nested folders are moved up
// before they are emptied, so that depth costs neither descriptors nor path length. Never rejects: an entry that cannot
// be removed stays.
export const emptyFolder = async (root: string): Promise<void> => {
  if (!byDescriptor) {
    await worked(rm(root, { recursive: true, force: true }))
    await worked(mkdir(root, { recursive: true }))
    return
  }
  const top = await openFolder(root)
  if (!top) return
  try {
    for (let progress = true, rounds = 0; progress && rounds < maxRounds; rounds++) {
      progress = false
      for await (const name of namesIn(top)) progress = (await removeEntry(top, name)) || progress
    }
  } finally {
    await top.close()
  }
}

// A process that writes faster than this loop removes is ended by its limits.
const maxRounds = 10_000

// Returns whether anything was removed, or moved up to be removed next.
const removeEntry = async (top: FileHandle, name: Buffer): Promise<boolean> => {
  const path = entryAt(top, name)
  if (await worked(unlink(path))) return true
  const folder = await openFolder(path)
  if (!folder) return false
  let progress = false
  try {
    for await (const inner of namesIn(folder)) {
      const gone = await worked(unlink(entryAt(folder, inner)))
      progress = gone || (await worked(rename(entryAt(folder, inner), at(top, newId())))) || progress
    }
  } finally {
    await folder.close()
  }
  return (await worked(rmdir(path))) || progress
}

// The app may change the mode of the folder between two steps; the listing then ends early.
async function* namesIn(folder: FileHandle): AsyncGenerator<Buffer> {
  try {
    for await (const { name } of await opendir(at(folder), { encoding: 'buffer' as BufferEncoding }))
      yield Buffer.from(name)
  } catch {
    return
  }
}

const worked = (step: Promise<unknown>): Promise<boolean> =>
  step.then(
    () => true,
    () => false,
  )

// An app may have removed all permissions from its own folder, including the engine's.
const openFolder = async (path: string | Buffer): Promise<FileHandle | undefined> => {
  const named = await open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW).catch(ignoreMissing)
  if (!named) return undefined
  try {
    await chmod(at(named), 0o700).catch(ignoreMissing)
    return await open(`${at(named)}/.`, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch(ignoreMissing)
  } finally {
    await named.close()
  }
}

const ignoreMissing = (): undefined => undefined

export const removeFolder = async (root: string): Promise<void> => {
  await emptyFolder(root)
  await worked(rmdir(root))
}
