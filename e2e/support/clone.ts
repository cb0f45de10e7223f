// A clean clone of the committed state in its own folder. Its packages are links to this repository's, so that nothing
// is installed and nothing can be written back; or none, so that `npm start` installs them.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export const cloneInto = async (folder: string, { linked }: { linked: boolean }): Promise<void> => {
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, folder])
  if (!linked) return
  await linkPackages(folder)
  // Reuses a console build of the same sources; the clone verifies that.
  await cp(join(root, 'packages/web/dist'), join(folder, 'packages/web/dist'), { recursive: true }).catch(() => {})
}

const linkPackages = async (folder: string): Promise<void> => {
  const [from, to] = [join(root, 'node_modules'), join(folder, 'node_modules')]
  await mkdir(join(to, '.bin'), { recursive: true })
  for (const name of await readdir(from))
    if (!['.bin', '.cache', '.millrace-setup', '@millrace'].includes(name))
      await symlink(join(from, name), join(to, name))
  // These are links into the repository and must point into the clone.
  for (const place of ['.bin', '@millrace']) {
    await mkdir(join(to, place), { recursive: true })
    for (const name of await readdir(join(from, place))) {
      const held = join(from, place, name)
      await symlink(await readlink(held).catch(() => held), join(to, place, name))
    }
  }
  for (const name of await readdir(join(root, 'packages'))) {
    const own = join('packages', name, 'node_modules')
    const held = await readdir(join(root, own)).catch(() => [])
    if (held.length > 0) await symlink(join(root, own), join(folder, own))
  }
  const lock = await readFile(join(folder, 'package-lock.json'))
  await writeFile(join(to, '.millrace-setup'), createHash('sha256').update(lock).digest('hex'))
}
