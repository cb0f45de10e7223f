// Decides which files of an output are uploaded. The engine uploads only from the app's own folders, so files elsewhere
// are copied there with the app's own rights. Local paths are never sent as data: an app that repeats text from its
// caller must neither upload a file of the host nor lose one of its own.

import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { basename, join, resolve, sep } from 'node:path'

const { MILLRACE_DATA_DIR, MILLRACE_TMP_DIR, MILLRACE_CACHE_DIR, MILLRACE_FILES_DIR, TMPDIR } = process.env
// Folders that only this process sees, in addition to its own: the /tmp of a sandbox. Empty without a sandbox.
const scratch = (process.env.MILLRACE_SCRATCH_DIRS ?? '').split(':').filter(Boolean)
const uploadable = [MILLRACE_DATA_DIR, MILLRACE_TMP_DIR, MILLRACE_CACHE_DIR].filter(Boolean)
const inputs = [MILLRACE_FILES_DIR].filter(Boolean)
const ofThisRun = [MILLRACE_TMP_DIR, ...inputs, ...scratch].filter(Boolean)
const permanent = [MILLRACE_DATA_DIR, MILLRACE_CACHE_DIR, process.argv[2]].filter(Boolean)
const sharedTemporary = '/tmp'

// File timestamps are coarser than the clock of the process.
const clockGrainMs = 20
const maxPathLength = 4096

export class OutputRejected extends Error {}

const within = (folders, path) => folders.some((folder) => path === folder || path.startsWith(folder + sep))
const resolved = (text) => {
  try {
    return resolve(text)
  } catch {
    // The app removed its working directory.
    return resolve(process.argv[2] ?? '.', text)
  }
}
// TMPDIR can be a short name of the temporary folder.
const absolute = (text) => {
  const path = resolved(text)
  if (!MILLRACE_TMP_DIR || !TMPDIR || !within([TMPDIR], path)) return path
  return MILLRACE_TMP_DIR + path.slice(TMPDIR.length)
}
const factsOf = (path) => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** An input file, which already has a URL. */
export const isInputFile = (path) => within(inputs, absolute(path))

/** `since`: start time of the run, used to distinguish new files from old ones. */
export function ownFiles(since) {
  const isNew = (facts) => facts !== undefined && facts.ctimeMs >= since - clockGrainMs

  /** For a File object, or a string where the schema expects a file: the app returns the file explicitly. */
  const given = (text) => {
    const path = absolute(text)
    if (within([...ofThisRun, ...permanent], path) || scratch.length > 0) return adopt(path)
    if (within([sharedTemporary], path) && isNew(factsOf(path))) return adopt(path)
    throw outside(path)
  }

  /**
   * For an object with the path of a file. Undefined: the path does not exist on this machine and the object is data.
   */
  const described = (text) => {
    if (text === '') return undefined
    const path = absolute(text)
    if (within([...ofThisRun, ...permanent], path)) {
      const facts = factsOf(path)
      if (facts === undefined && !text.startsWith(sep)) return undefined
      if (within([...ofThisRun, ...uploadable], path) || !facts?.isFile() || isNew(facts)) return adopt(path)
      throw unnamed(path)
    }
    // A check below the first folder would reveal to a caller which paths exist on this machine.
    if (text.startsWith(sep) && !existsSync(join(sep, path.split(sep)[1] ?? ''))) return undefined
    throw outside(path)
  }

  /** For any other string. A bare word is a path only when this run has written the file. */
  const named = (text) => {
    if (text === '' || text.length > maxPathLength || /[\0\n]/.test(text)) return undefined
    const path = absolute(text)
    const own = within([...ofThisRun, ...permanent], path)
    const shared = scratch.length === 0 && within([sharedTemporary], path)
    const facts = own || shared ? factsOf(path) : undefined
    if (!facts?.isFile()) return undefined
    if (!own) {
      // Without a sandbox, /tmp is shared: a file written there by this run would be lost, any other path is plain
      // text.
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
    throw new OutputRejected(`the app returned the file ${basename(path)}, which is not a regular file`)
  if (within(uploadable, path)) return path
  const folder = join(MILLRACE_TMP_DIR ?? '.', 'outputs', randomUUID())
  mkdirSync(folder, { recursive: true })
  const copy = join(folder, basename(path))
  try {
    copyFileSync(path, copy)
  } catch (error) {
    throw new OutputRejected(`the app returned the file ${basename(path)}, which cannot be read (${error.code})`)
  }
  return copy
}

const missing = (path) => new OutputRejected(`the app returned the file ${basename(path)}, which does not exist`)
const unnamed = (path) =>
  new OutputRejected(
    `the output contains ${basename(path)} in the app's own folder as a path; return a File to upload it`,
  )
const outside = (path) =>
  new OutputRejected(
    `the app returned the file ${basename(path)}, which is outside its folders; write files to the folder in TMPDIR`,
  )
