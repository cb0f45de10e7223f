// Gives each process its own copy of the bundle, because apps and their tools write into their code and packages, and
// the bundle is shared by processes and workspaces. Large files are read-only links to the bundle instead.

import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, readlink, stat, symlink } from 'node:fs/promises'

const maxCopiedBytes = 16 * 1024 * 1024

/** `sandboxPath`: the path of the bundle inside the sandbox. */
export const copyCode = (bundle: string, into: string, sandboxPath: string): Promise<void> =>
  copyFolder({ from: Buffer.from(bundle), to: Buffer.from(into), inSandbox: Buffer.from(sandboxPath) })

// Paths are bytes, because names need not be UTF-8.
type CopyPaths = { from: Buffer; to: Buffer; inSandbox: Buffer }
type Entry = { name: Buffer; isDirectory: () => boolean; isFile: () => boolean; isSymbolicLink: () => boolean }

const copyFolder = async (paths: CopyPaths): Promise<void> => {
  await mkdir(paths.to, { recursive: true })
  const copied = (await entriesOf(paths.from)).map((entry) => {
    const inner = childPaths(paths, entry.name)
    return entry.isDirectory() ? copyFolder(inner) : copyEntry(inner, entry)
  })
  await Promise.all(copied)
}

const copyEntry = async ({ from, to, inSandbox }: CopyPaths, entry: Entry): Promise<void> => {
  if (entry.isSymbolicLink()) await symlink(await readlink(from, { encoding: 'buffer' }), to)
  // Reading a leftover pipe or socket would never end.
  else if (!entry.isFile()) return
  else if ((await stat(from)).size > maxCopiedBytes) await symlink(inSandbox, to)
  else await copyFile(from, to, constants.COPYFILE_FICLONE)
}

const entriesOf = (folder: Buffer): Promise<Entry[]> => readdir(folder, { withFileTypes: true, encoding: 'buffer' })

const childPaths = ({ from, to, inSandbox }: CopyPaths, name: Buffer): CopyPaths => {
  const step = (folder: Buffer) => Buffer.concat([folder, Buffer.from('/'), name])
  return { from: step(from), to: step(to), inSandbox: step(inSandbox) }
}
