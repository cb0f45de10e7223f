// A short name for the temporary folder of an app. The path of a socket has at most 107 bytes, and browsers create one
// 46 bytes below TMPDIR: under a longer path, no browser starts.

import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const maxBytes = 60

export type ShortTemporary = { path: string; remove: () => Promise<void> }

export const shortTemporary = async (folder: string): Promise<ShortTemporary> => {
  if (Buffer.byteLength(folder) <= maxBytes) return { path: folder, remove: async () => {} }
  const parent = await mkdtemp(join(tmpdir(), 'mr-'))
  const path = join(parent, 't')
  await symlink(folder, path, 'dir')
  // Removes the link, not the folder that it leads to.
  return { path, remove: () => rm(parent, { recursive: true, force: true }) }
}
