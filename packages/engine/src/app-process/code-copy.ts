// Gives each process its own copy of the bundle, because apps and their tools write into their code and packages, and
// the bundle is shared by processes and workspaces. Large files are read-only links to the bundle instead.

import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, readlink, stat, symlink } from 'node:fs/promises'

const maxCopiedBytes = 16 * 1024 * 1024

/** `seenAt`: the path of the bundle inside the sandbox. */
export const copyCode = (bundle: string, into: string, seenAt: string): Promise<void> =>
  copyFolder({ from: Buffer.from(bundle), to: Buffer.from(into), seen: Buffer.from(seenAt) })

// Paths are bytes, because names need not be UTF-8.
type Place = { from: Buffer; to: Buffer; seen: Buffer }
type Entry = { name: Buffer; isDirectory: () => boolean; isFile: () => boolean; isSymbolicLink: () => boolean }

const copyFolder = async (place: Place): Promise<void> => {
  await mkdir(place.to, { recursive: true })
  const copied = (await entriesOf(place.from)).map((entry) => {
    const inner = inside(place, entry.name)
    return entry.isDirectory() ? copyFolder(inner) : copyEntry(inner, entry)
  })
  await Promise.all(copied)
}

const copyEntry = async ({ from, to, seen }: Place, entry: Entry): Promise<void> => {
  if (entry.isSymbolicLink()) await symlink(await readlink(from, { encoding: 'buffer' }), to)
  // Reading a leftover pipe or socket would never end.
  else if (!entry.isFile()) return
  else if ((await stat(from)).size > maxCopiedBytes) await symlink(seen, to)
  else await copyFile(from, to, constants.COPYFILE_FICLONE)
}

const entriesOf = (folder: Buffer): Promise<Entry[]> => readdir(folder, { withFileTypes: true, encoding: 'buffer' })

const inside = ({ from, to, seen }: Place, name: Buffer): Place => {
  const step = (folder: Buffer) => Buffer.concat([folder, Buffer.from('/'), name])
  return { from: step(from), to: step(to), seen: step(seen) }
}
