// Apps write beside their code, and the bundle serves other processes and other workspaces too, so each process gets its
// own copy. Large files and installed packages are links to the bundle instead, which cannot be written.

import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, readlink, stat, symlink } from 'node:fs/promises'

const maxCopiedBytes = 16 * 1024 * 1024

/** `seenAt` is where the app sees the bundle. */
export const copyCode = (bundle: string, into: string, seenAt: string): Promise<void> =>
  copyFolder({ from: Buffer.from(bundle), to: Buffer.from(into), seen: Buffer.from(seenAt) })

// Paths are bytes, because names need not be UTF-8.
type Place = { from: Buffer; to: Buffer; seen: Buffer }
type Entry = { name: Buffer; isDirectory: () => boolean; isFile: () => boolean; isSymbolicLink: () => boolean }

const copyFolder = async (place: Place): Promise<void> => {
  await mkdir(place.to, { recursive: true })
  for (const entry of await entriesOf(place.from)) {
    const inner = inside(place, entry.name)
    if (entry.isDirectory()) {
      if (entry.name.toString() === 'node_modules') await linkPackages(inner)
      else await copyFolder(inner)
    } else await copyEntry(inner, entry)
  }
}

const copyEntry = async ({ from, to, seen }: Place, entry: Entry): Promise<void> => {
  if (entry.isSymbolicLink()) await symlink(await readlink(from, { encoding: 'buffer' }), to)
  // A build may have left a pipe or a socket: reading it would not end.
  else if (!entry.isFile()) return
  else if ((await stat(from)).size > maxCopiedBytes) await symlink(seen, to)
  else await copyFile(from, to, constants.COPYFILE_FICLONE)
}

// A folder of links instead of one link: tools keep caches and programs of their own beside the packages.
const linkPackages = async (place: Place): Promise<void> => {
  await mkdir(place.to)
  for (const entry of await entriesOf(place.from)) {
    const inner = inside(place, entry.name)
    if (entry.isDirectory() && entry.name[0] === at) await linkPackages(inner)
    else await symlink(inner.seen, inner.to)
  }
}

const at = '@'.charCodeAt(0)

const entriesOf = (folder: Buffer): Promise<Entry[]> => readdir(folder, { withFileTypes: true, encoding: 'buffer' })

const inside = ({ from, to, seen }: Place, name: Buffer): Place => {
  const step = (folder: Buffer) => Buffer.concat([folder, Buffer.from('/'), name])
  return { from: step(from), to: step(to), seen: step(seen) }
}
