// @ts-check
// Starts a program quickly. To find, read and link two thousand modules costs more than a second of processor time at
// every start, so `npm start` and the tests join each program's modules into one file. That file is only a cache:
// whenever a source has changed since, the sources themselves are run.
//
// This file and the `main.mjs` of each program are plain JavaScript: to load what reads TypeScript would cost each start and
// each command a sixth of the time that a short command takes.
import { readFileSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const cacheFolder = fileURLToPath(new URL('../../../node_modules/.cache/millrace/', import.meta.url))

/** @param {string} name */
export const joinedFile = (name) => `${cacheFolder}${name}.mjs`

/** Says what the joined file was made of, and where. @param {string} name */
export const originFile = (name) => `${cacheFolder}${name}.json`

/** @typedef {{ readonly cacheFolder: string, readonly sources: Readonly<Record<string, string>> }} Origin */

/** Changes with a file's content, for little work; an absent file has one too. @param {string} path */
const fingerprint = (path) => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? `${found.mtimeMs}:${found.size}` : 'absent'
}

/**
 * @param {readonly string[]} sources
 * @returns {Origin}
 */
export const originOf = (sources) => ({
  cacheFolder,
  sources: Object.fromEntries(sources.map((path) => [path, fingerprint(path)])),
})

/**
 * A clone that was copied or moved has a joined file that speaks of another place, whose sources are not its own.
 * @param {string} name
 */
export const isFresh = (name) => {
  try {
    /** @type {Origin} */
    const seen = JSON.parse(readFileSync(originFile(name), 'utf8'))
    return (
      seen.cacheFolder === cacheFolder &&
      Object.entries(seen.sources).every(([path, then]) => fingerprint(path) === then)
    )
  } catch {
    return false
  }
}

/**
 * Loads a program, known by its name and by the source it begins with, and resolves to what that exports.
 * @param {string} name
 * @param {URL} source
 * @returns {Promise<unknown>}
 */
export const launch = async (name, source) => {
  // Before the first import: what is compiled once is not compiled again at later starts.
  enableCompileCache(cacheFolder)
  if (!isFresh(name)) return import(source.href)
  // An error still names the file and line that somebody wrote.
  process.setSourceMapsEnabled(true)
  return import(pathToFileURL(joinedFile(name)).href)
}
