// A deploy installs an app's packages to read its schemas. Where the engine is on the same machine and belongs to the same
// user, it takes these packages over instead of installing them again. They lie in the user's cache under the checksum of
// the bundle, are taken once, forgotten after a day, and never take more than a bound: the oldest go first. What root deploys is copied by engines of other users too, such as
// the one of a server that root started: whatever root alone can write need not be distrusted.

import { randomBytes } from 'node:crypto'
import { cp, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { folderBytes } from '../machine/disk-watch.ts'
import { type EnvironmentHost, environmentFolder } from './environment.ts'

const keptMs = 24 * 3_600_000
/** All that waits to be taken. */
const mostBytes = 10e9

/** Root's, where everybody may read. */
const rootsFolder = '/var/cache/millrace/prepared'

/** Nowhere, for a user without a home. */
export const handoverFolder = (env: Readonly<Record<string, string | undefined>>): string | undefined => {
  if (process.getuid?.() === 0 && !env.XDG_CACHE_HOME) return rootsFolder
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
export const handOver = async (work: string, checksum: string, root: string, most = mostBytes): Promise<void> => {
  const bytes = await folderBytes(places(join(work, 'code')).map(([from]) => from))
  if (bytes > most) return
  await tidyHandover(root, most - bytes)
  const made = join(root, `${checksum}.${randomBytes(6).toString('hex')}`)
  try {
    await mkdir(made, { recursive: true, mode: root === rootsFolder ? 0o755 : 0o700 })
    for (const [from, name] of places(join(work, 'code'))) if (await exists(from)) await move(from, join(made, name))
    await writeFile(join(made, 'stamp'), stamp())
    await rename(made, join(root, checksum))
  } catch (error) {
    await rm(made, { recursive: true, force: true })
    if (!isNoLoss(error)) throw error
  }
}

/** What the log says of it. */
export const takenOver = 'The packages were installed when the app was deployed from this machine'

/** Whether the packages of this bundle were at hand; they then lie where an installer would have put them. */
export const takeOver = async (
  bundle: string,
  { env, runtime }: Pick<EnvironmentHost, 'env'> & { runtime: { name: string } },
  roots = rootsFolder,
): Promise<boolean> => {
  if (runtime.name === 'container') return false
  const name = basename(dirname(bundle))
  const own = handoverFolder(env)
  return (own !== undefined && (await takeOwn(join(own, name), bundle))) || (await copyRoots(join(roots, name), bundle))
}

const takeOwn = async (offered: string, bundle: string): Promise<boolean> => {
  if (!(await isOnlyOf(offered, process.getuid?.()))) return false
  // Whoever renames it has it: two engines of one user may ask at once.
  const taken = `${offered}.${randomBytes(6).toString('hex')}`
  try {
    await rename(offered, taken)
  } catch {
    return false
  }
  try {
    return await putInPlace(taken, bundle, move)
  } finally {
    await rm(taken, { recursive: true, force: true })
  }
}

/** It stays for the next engine; root's next deploys forget it. */
const copyRoots = async (offered: string, bundle: string): Promise<boolean> => {
  if (!(await isOnlyOf(dirname(offered), 0)) || !(await isOnlyOf(offered, 0))) return false
  try {
    return await putInPlace(offered, bundle, copy)
  } catch {
    // Something in it is not for everybody to read.
    for (const [to] of places(bundle)) await rm(to, { recursive: true, force: true })
    return false
  }
}

const putInPlace = async (
  offered: string,
  bundle: string,
  put: (from: string, to: string) => Promise<void>,
): Promise<boolean> => {
  if ((await readFile(join(offered, 'stamp'), 'utf8')) !== stamp()) return false
  for (const [to, name] of places(bundle)) {
    const from = join(offered, name)
    if (!(await exists(from))) continue
    await rm(to, { recursive: true, force: true })
    await put(from, to)
  }
  return true
}

const places = (bundle: string): [string, string][] => [
  [join(bundle, 'node_modules'), 'node_modules'],
  [environmentFolder(bundle), 'environment'],
]

/** A folder that nobody else can change. */
const isOnlyOf = async (folder: string, uid: number | undefined): Promise<boolean> => {
  const found = await lstat(folder).catch(() => undefined)
  return found?.isDirectory() === true && found.uid === uid && (found.mode & 0o022) === 0
}

const copy = (from: string, to: string): Promise<void> => cp(from, to, { recursive: true, verbatimSymlinks: true })

const move = (from: string, to: string): Promise<void> =>
  rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EXDEV') throw error
    return copy(from, to)
  })

/** It is there already, or there is no room for it: then the engine installs for itself. */
const isNoLoss = (error: unknown): boolean =>
  ['ENOTEMPTY', 'EEXIST', 'EACCES', 'EROFS', 'ENOSPC'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Forgets what is too old, and of the rest what is beyond the bound. */
export const tidyHandover = async (root: string, most = mostBytes): Promise<void> => {
  const found: { path: string; ageMs: number }[] = []
  for (const name of await readdir(root).catch(() => [])) {
    const path = join(root, name)
    const facts = await lstat(path).catch(() => undefined)
    if (facts) found.push({ path, ageMs: Date.now() - facts.mtimeMs })
  }
  let left = most
  for (const { path, ageMs } of found.sort((one, other) => one.ageMs - other.ageMs)) {
    left -= await folderBytes([path])
    if (ageMs > keptMs || left < 0) await rm(path, { recursive: true, force: true })
  }
}
