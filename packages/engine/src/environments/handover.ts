// A deploy installs an app's packages to read its schemas. Where the engine is on the same machine and belongs to the same
// user, it takes these packages over instead of installing them again. They lie in the user's cache under the checksum of
// the bundle, are taken once, and forgotten after a day.

import { randomBytes } from 'node:crypto'
import { cp, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type EnvironmentHost, environmentFolder } from './environment.ts'

const keptMs = 24 * 3_600_000

/** Nowhere, for a user without a home. */
export const handoverFolder = (env: Readonly<Record<string, string | undefined>>): string | undefined => {
  const cache = env.XDG_CACHE_HOME || (env.HOME && join(env.HOME, '.cache'))
  return cache ? join(cache, 'millrace', 'prepared') : undefined
}

/** What was built for another interpreter or processor would not load. */
const stamp = (): string => `${process.platform} ${process.arch} ${process.versions.modules}`

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Puts what was installed for the bundle in `work` where an engine looks for it. */
export const handOver = async (work: string, checksum: string, root: string): Promise<void> => {
  await forgetOld(root)
  const made = join(root, `${checksum}.${randomBytes(6).toString('hex')}`)
  await mkdir(made, { recursive: true, mode: 0o700 })
  try {
    for (const [from, name] of places(join(work, 'code'))) if (await exists(from)) await move(from, join(made, name))
    await writeFile(join(made, 'stamp'), stamp())
    await rename(made, join(root, checksum))
  } catch (error) {
    await rm(made, { recursive: true, force: true })
    if (!isTaken(error)) throw error
  }
}

/** What the log says of it. */
export const takenOver = 'The packages were installed when the app was deployed from this machine'

/** Whether the packages of this bundle were at hand; they then lie where an installer would have put them. */
export const takeOver = async (bundle: string, { env, runtime }: EnvironmentHost): Promise<boolean> => {
  const root = handoverFolder(env)
  if (root === undefined || runtime.name === 'container') return false
  const offered = join(root, basename(dirname(bundle)))
  if (!(await isOurs(offered))) return false
  // Whoever renames it has it: two engines of one user may ask at once.
  const taken = `${offered}.${randomBytes(6).toString('hex')}`
  try {
    await rename(offered, taken)
  } catch {
    return false
  }
  try {
    if ((await readFile(join(taken, 'stamp'), 'utf8')) !== stamp()) return false
    for (const [to, name] of places(bundle)) {
      const from = join(taken, name)
      if (!(await exists(from))) continue
      await rm(to, { recursive: true, force: true })
      await move(from, to)
    }
    return true
  } finally {
    await rm(taken, { recursive: true, force: true })
  }
}

const places = (bundle: string): [string, string][] => [
  [join(bundle, 'node_modules'), 'node_modules'],
  [environmentFolder(bundle), 'environment'],
]

const isOurs = async (folder: string): Promise<boolean> => {
  const found = await lstat(folder).catch(() => undefined)
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0
}

const move = (from: string, to: string): Promise<void> =>
  rename(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EXDEV') throw error
    await cp(from, to, { recursive: true, verbatimSymlinks: true })
  })

const isTaken = (error: unknown): boolean =>
  ['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')

const forgetOld = async (root: string): Promise<void> => {
  for (const name of await readdir(root).catch(() => [])) {
    const found = await lstat(join(root, name)).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > keptMs) await rm(join(root, name), { recursive: true, force: true })
  }
}
