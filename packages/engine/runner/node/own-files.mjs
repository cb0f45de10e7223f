// Which files of an output are handed over. The engine uploads only from the app's own folders, so what lies elsewhere is
// copied there, with the app's own rights. No path of this machine leaves as data: an app that merely repeats what its
// caller wrote must neither hand over a file of the host nor lose one of its own.

import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { basename, join, resolve, sep } from 'node:path'

const { MILLRACE_DATA_DIR, MILLRACE_TMP_DIR, MILLRACE_CACHE_DIR, MILLRACE_FILES_DIR } = process.env
// Folders that this process alone sees, besides its own: the /tmp of a sandbox. Without a sandbox there are none.
const scratch = (process.env.MILLRACE_SCRATCH_DIRS ?? '').split(':').filter(Boolean)
const uploadable = [MILLRACE_DATA_DIR, MILLRACE_TMP_DIR, MILLRACE_CACHE_DIR].filter(Boolean)
const inputs = [MILLRACE_FILES_DIR].filter(Boolean)
const ofThisRun = [MILLRACE_TMP_DIR, ...inputs, ...scratch].filter(Boolean)
const kept = [MILLRACE_DATA_DIR, MILLRACE_CACHE_DIR, process.argv[2]].filter(Boolean)
const sharedTemporary = '/tmp'

// File systems keep time by a coarser clock than programs read.
const clockGrainMs = 20
const longestPath = 4096

export class OutputRefused extends Error {}

const within = (folders, path) => folders.some((folder) => path === folder || path.startsWith(folder + sep))
const absolute = (text) => {
  try {
    return resolve(text)
  } catch {
    // The app removed the folder it stands in.
    return resolve(process.argv[2], text)
  }
}
const factsOf = (path) => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** An input as it was lent: it has an address already. */
export const isLent = (path) => within(inputs, absolute(path))

/** `since`: when the run began, so that what it wrote can be told from what was there. */
export function ownFiles(since) {
  const isNew = (facts) => facts !== undefined && facts.ctimeMs >= since - clockGrainMs

  /** Of a File, or of a text where the schema wants a file: the app itself says that it hands it over. */
  const given = (text) => {
    const path = absolute(text)
    if (within([...ofThisRun, ...kept], path) || scratch.length > 0) return adopt(path)
    if (within([sharedTemporary], path) && isNew(factsOf(path))) return adopt(path)
    throw outside(path)
  }

  /** Of an object that says where a file lies. Undefined: it names nothing on this machine and is data. */
  const described = (text) => {
    if (text === '') return undefined
    const path = absolute(text)
    if (within([...ofThisRun, ...kept], path)) {
      const facts = factsOf(path)
      if (facts === undefined && !text.startsWith(sep)) return undefined
      if (within([...ofThisRun, ...uploadable], path) || !facts?.isFile() || isNew(facts)) return adopt(path)
      throw unnamed(path)
    }
    // Looking further than the first folder would tell a caller what this machine holds.
    if (text.startsWith(sep) && !existsSync(join(sep, path.split(sep)[1] ?? ''))) return undefined
    throw outside(path)
  }

  /** Of any other text. A bare word is a path only when this run has written the file. */
  const named = (text) => {
    if (text === '' || text.length > longestPath || /[\0\n]/.test(text)) return undefined
    const path = absolute(text)
    const own = within([...ofThisRun, ...kept], path)
    const shared = scratch.length === 0 && within([sharedTemporary], path)
    const facts = own || shared ? factsOf(path) : undefined
    if (!facts?.isFile()) return undefined
    if (!own) {
      // Without a sandbox /tmp is everybody's: what this run wrote there would be lost, anything else is a text.
      if (isNew(facts)) throw outside(path)
      return undefined
    }
    if (within(ofThisRun, path) || isNew(facts)) return adopt(path)
    if (!text.includes(sep)) return undefined
    throw unnamed(path)
  }

  return { given, described, named }
}

function adopt(path) {
  const facts = factsOf(path)
  if (facts === undefined) throw missing(path)
  if (!facts.isFile())
    throw new OutputRefused(`the app returned the file ${basename(path)}, which is not an ordinary file`)
  if (within(uploadable, path)) return path
  const folder = join(MILLRACE_TMP_DIR ?? '.', 'outputs', randomUUID())
  mkdirSync(folder, { recursive: true })
  const copy = join(folder, basename(path))
  try {
    copyFileSync(path, copy)
  } catch (error) {
    throw new OutputRefused(`the app returned the file ${basename(path)}, which cannot be read (${error.code})`)
  }
  return copy
}

const missing = (path) => new OutputRefused(`the app returned the file ${basename(path)}, which does not exist`)
const unnamed = (path) =>
  new OutputRefused(
    `the output names ${basename(path)} in the app's own folder by its path; return a File to hand it over`,
  )
const outside = (path) =>
  new OutputRefused(
    `the app returned the file ${basename(path)}, which lies outside its folders; write files to the folder that TMPDIR names`,
  )
