// Starts a program quickly. To find, read and link two thousand modules costs more than a second of processor time at
// every start, so `npm start` and the tests join each program's modules into one file. That file is only a cache:
// whenever a source has changed since, the sources themselves are run.
import { readFileSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const cacheFolder = fileURLToPath(new URL('../../../node_modules/.cache/millrace/', import.meta.url))
export const joinedFile = (name: string): string => `${cacheFolder}${name}.mjs`
/** Says what the joined file was made of, and where. */
export const originFile = (name: string): string => `${cacheFolder}${name}.json`

type Origin = { readonly cacheFolder: string; readonly sources: Readonly<Record<string, string>> }

/** Changes with a file's content, for little work; an absent file has one too. */
const fingerprint = (path: string): string => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.mtimeMs}:${found.size}` : 'absent'
}

export const originOf = (sources: readonly string[]): Origin => ({
  cacheFolder,
  sources: Object.fromEntries(sources.map((path) => [path, fingerprint(path)])),
})

/** A clone that was copied or moved has a joined file that speaks of another place, whose sources are not its own. */
export const isFresh = (name: string): boolean => {
  try {
    const seen = JSON.parse(readFileSync(originFile(name), 'utf8')) as Origin
    return (
      seen.cacheFolder === cacheFolder &&
      Object.entries(seen.sources).every(([path, then]) => fingerprint(path) === then)
    )
  } catch {
    return false
  }
}

/** Loads a program, known by its name and by the source it begins with, and resolves to what that exports. */
export const launch = async (name: string, source: URL): Promise<unknown> => {
  // Before the first import: what is compiled once is not compiled again at later starts.
  enableCompileCache(cacheFolder)
  if (!isFresh(name)) return import(source.href)
  // An error still names the file and line that somebody wrote.
  process.setSourceMapsEnabled(true)
  return import(pathToFileURL(joinedFile(name)).href)
}
