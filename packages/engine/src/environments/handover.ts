// Reuses the packages that a deploy installed to read an app's schemas, when the engine runs on the same machine as the
// same user. They are stored in the user's cache under the checksum of the bundle, for at most a day and within a size
// limit; the oldest are removed first. Packages deployed by root are also copied by engines of other users, because
// files that only root can write are trustworthy.

import { randomBytes } from 'node:crypto'
import { cp, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { folderBytes } from '../machine/disk-watch.ts'
import { type EnvironmentHost, environmentFolder } from './environment.ts'

const retentionMs = 24 * 3_600_000
/** Size limit of all stored packages. */
const defaultMaxBytes = 10e9

/** Readable by every user. */
const rootsFolder = '/var/cache/millrace/prepared'

/** Undefined for a user without a home folder. */
export const handoverFolder = (env: Readonly<Record<string, string | undefined>>): string | undefined => {
  if (process.getuid?.() === 0 && !env.XDG_CACHE_HOME) return rootsFolder
  const cache = env.XDG_CACHE_HOME || (env.HOME && join(env.HOME, '.cache'))
  return cache ? join(cache, 'millrace', 'prepared') : undefined
}

/** Packages that were built for another interpreter or processor do not load. */
const stamp = (): string => `${process.platform} ${process.arch} ${process.versions.modules}`

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Moves the packages installed for the bundle in `work` to where engines look for them, and replaces an earlier set. */
export const handOver = async (
  work: string,
  checksum: string,
  root: string,
  maxBytes = defaultMaxBytes,
): Promise<void> => {
  const bytes = await folderBytes(places(join(work, 'code')).map(([from]) => from))
  if (bytes > maxBytes) return
  await tidyHandover(root, maxBytes - bytes)
  const made = uniqueName(join(root, checksum))
  try {
    await mkdir(made, { recursive: true, mode: root === rootsFolder ? 0o755 : 0o700 })
    for (const [from, name] of places(join(work, 'code'))) if (await exists(from)) await move(from, join(made, name))
    await writeFile(join(made, 'stamp'), stamp())
    await replace(join(root, checksum), made)
  } catch (error) {
    await rm(made, { recursive: true, force: true })
    if (!isHarmless(error)) throw error
  }
}

/** The earlier set may be for another Python. */
const replace = async (path: string, made: string): Promise<void> => {
  const earlier = uniqueName(path)
  await rename(path, earlier).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  await rename(made, path)
  await rm(earlier, { recursive: true, force: true })
}

const uniqueName = (path: string): string => `${path}.${randomBytes(6).toString('hex')}`

/** A line of the build log. */
export const reusedPackages = 'The packages were installed when the app was deployed from this machine'

/**
 * Moves stored packages of this bundle to the place where an installer would put them. Returns whether there were any.
 */
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
  if (!(await isWritableOnlyBy(offered, process.getuid?.()))) return false
  // The rename decides between two engines of one user.
  const taken = uniqueName(offered)
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

/** Root's packages stay for the next engine. Later deploys of root remove them. */
const copyRoots = async (offered: string, bundle: string): Promise<boolean> => {
  if (!(await isWritableOnlyBy(dirname(offered), 0)) || !(await isWritableOnlyBy(offered, 0))) return false
  try {
    return await putInPlace(offered, bundle, copy)
  } catch {
    // A part may be unreadable for this user.
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

/** Whether no other user can change the folder. */
const isWritableOnlyBy = async (folder: string, uid: number | undefined): Promise<boolean> => {
  const found = await lstat(folder).catch(() => undefined)
  return found?.isDirectory() === true && found.uid === uid && (found.mode & 0o022) === 0
}

const copy = (from: string, to: string): Promise<void> => cp(from, to, { recursive: true, verbatimSymlinks: true })

const move = (from: string, to: string): Promise<void> =>
  rename(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EXDEV') throw error
    return copy(from, to)
  })

/** Another deploy was faster, or the disk is full. The engine then installs the packages itself. */
const isHarmless = (error: unknown): boolean =>
  ['ENOTEMPTY', 'EEXIST', 'EACCES', 'EROFS', 'ENOSPC'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Removes packages that are too old, then the oldest beyond the limit. */
export const tidyHandover = async (root: string, maxBytes = defaultMaxBytes): Promise<void> => {
  const found: { path: string; ageMs: number }[] = []
  for (const name of await readdir(root).catch(() => [])) {
    const path = join(root, name)
    const facts = await lstat(path).catch(() => undefined)
    if (facts) found.push({ path, ageMs: Date.now() - facts.mtimeMs })
  }
  let left = maxBytes
  for (const { path, ageMs } of found.sort((one, other) => one.ageMs - other.ageMs)) {
    left -= await folderBytes([path])
    if (ageMs > retentionMs || left < 0) await rm(path, { recursive: true, force: true })
  }
}
