// Apps like to write beside their code, and the bundle serves other processes and other workspaces too: so each process
// gets a copy of its own. What is large or installed is lent from the bundle by a link instead, and cannot be written.

import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, readlink, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'

const largestCopiedBytes = 16 * 1024 * 1024

// `seenAt` is where the app sees the bundle.
export const copyCode = async (bundle: string, into: string, seenAt: string): Promise<void> => {
  await mkdir(into, { recursive: true })
  for (const entry of await readdir(bundle, { withFileTypes: true })) {
    const [from, to, seen] = [bundle, into, seenAt].map((folder) => join(folder, entry.name)) as [
      string,
      string,
      string,
    ]
    if (entry.isSymbolicLink()) await symlink(await readlink(from), to)
    else if (entry.name === 'node_modules') await symlink(seen, to)
    else if (entry.isDirectory()) await copyCode(from, to, seen)
    // A package that was built beside the code may have left what nobody ever writes into: reading it would not end.
    else if (!entry.isFile()) continue
    else if ((await stat(from)).size > largestCopiedBytes) await symlink(seen, to)
    else await copyFile(from, to, constants.COPYFILE_FICLONE)
  }
}
