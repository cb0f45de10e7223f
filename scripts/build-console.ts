// Builds the console when its sources have changed since the last build; otherwise does nothing. Run by `npm start` and by
// the browser tests. Prints one line when it builds.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const web = join(root, 'packages', 'web')
const dist = join(web, 'dist')
const stampName = '.built-from'

/** Everything a build reads: the sources of the console and the contract, and the list of installed packages. */
const sources = (): string[] => {
  const below = (folder: string): string[] =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
  return [
    ...below('packages/web/src'),
    ...below('packages/web/public'),
    ...below('packages/contract/src'),
    ...['packages/web/index.html', 'packages/web/vite.config.ts', 'package-lock.json'].map((path) => join(root, path)),
  ].sort()
}

const fingerprint = (): string => {
  const hash = createHash('sha256')
  for (const path of sources())
    hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0')
  return hash.digest('hex')
}

const lastBuiltFrom = (): string => {
  try {
    return readFileSync(join(dist, stampName), 'utf8')
  } catch {
    return ''
  }
}

/** Atomic: several test files may build at once, and a server may be reading the previous build. */
const putInPlace = (built: string): void => {
  const old = `${built}.old`
  try {
    renameSync(dist, old)
  } catch {
    // There is no previous build, or a concurrent build has replaced it.
  }
  try {
    renameSync(built, dist)
  } catch {
    // A concurrent build from the same sources finished first.
    rmSync(built, { recursive: true, force: true })
  }
  rmSync(old, { recursive: true, force: true })
}

export const buildConsole = (): void => {
  const wanted = fingerprint()
  if (lastBuiltFrom() === wanted) return
  console.error('Building the console (once per change of its sources) …')
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const built = join(root, 'node_modules', '.cache', `console-${process.pid}`)
  const { status } = spawnSync(
    process.execPath,
    [vite, 'build', '--logLevel', 'warn', '--outDir', built, '--emptyOutDir'],
    {
      cwd: web,
      stdio: ['ignore', process.stderr, process.stderr],
      env: { ...process.env, NODE_ENV: 'production' },
    },
  )
  if (status !== 0)
    throw new Error('The console could not be built; see the message above. CONSOLE=false starts without it.')
  writeFileSync(join(built, stampName), wanted)
  putInPlace(built)
}
