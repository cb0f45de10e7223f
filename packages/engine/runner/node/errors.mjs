// Reports errors of an app. The task receives the message and the nearest lines of the app's own code; the log receives
// every frame. Paths are relative to the bundle, because paths of this machine must not be published.

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { inspect } from 'node:util'

const shownFrames = 3
const loggedFrames = 30
const checkedFiles = 200
const skippedFolders = new Set(['node_modules', '.git', '.venv'])

export function errorReporter(bundle) {
  const folders = [...new Set([bundle, realpathSync(bundle)])].flatMap((path) => [
    `${pathToFileURL(path).href}/`,
    `${path}/`,
  ])
  const relative = (text) => folders.reduce((result, folder) => result.replaceAll(folder, ''), text)

  /** Frames in the app's folder, nearest first. Frames of its packages are included only when there are no others. */
  const framesOf = (error) => {
    const lines = String(error?.stack ?? '').split('\n')
    const inside = lines.filter((line) => /^\s+at /.test(line) && folders.some((folder) => line.includes(folder)))
    const own = inside.filter((line) => !line.includes('/node_modules/'))
    return { own: (own.length > 0 ? own : inside).map(relative), all: inside.map(relative) }
  }

  const messageOf = (error) => {
    if (!(error instanceof Error)) return relative(messageOfThrown(error))
    const text = relative(error.message)
    const reason = error.cause instanceof Error && !text.startsWith('fetch failed: ') ? error.cause.message : ''
    const cause = reason === '' ? '' : ` (${relative(reason)})`
    return `${error.name === 'Error' ? '' : `${error.name}: `}${text}${cause}`
  }

  /** The error text of the task. */
  const describe = (error) => [messageOf(error), ...framesOf(error).own.slice(0, shownFrames)].join('\n')

  /**
   * Writes the stack trace and its causes to the app's log. Errors without frames, raised by the runner itself, are
   * skipped.
   */
  const print = (error, { always = false } = {}) => {
    const lines = error instanceof Error ? [] : [relative(messageOfThrown(error))]
    for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
      const frames = framesOf(at).all.slice(0, loggedFrames)
      if (depth === 0 && frames.length === 0 && !always) return
      lines.push(`${depth === 0 ? '' : 'caused by '}${at.name}: ${relative(at.message)}`, ...frames)
    }
    if (lines.length > 0) process.stderr.write(`${lines.join('\n')}\n`)
  }

  /** Syntax errors and missing imports have no frame, so the file and line are searched. */
  const describeLoad = (error) => {
    if (framesOf(error).own.length > 0) return describe(error)
    const place = error instanceof SyntaxError ? findUnreadable(bundle) : findImport(error)
    return place ? `${messageOf(error)}\n    at ${relative(place)}` : describe(error)
  }

  return { describe, describeLoad, print }
}

/** Any value can be thrown; a value that is not an Error may still have a message. */
const messageOfThrown = (thrown) => {
  if (thrown === null || typeof thrown !== 'object') return String(thrown)
  const { message } = thrown
  return typeof message === 'string' && message !== '' ? message : inspect(thrown, { depth: 3, breakLength: Infinity })
}

function findImport(error) {
  const [, wanted, importer] =
    /^Cannot find (?:package|module) '(.+)' imported from (.+)$/.exec(error?.message ?? '') ?? []
  if (wanted === undefined || importer === undefined) return undefined
  try {
    const file = importer.startsWith('file:') ? fileURLToPath(importer) : importer
    const lines = readFileSync(file, 'utf8').split('\n')
    const name = wanted.startsWith('/') || wanted.startsWith('file:') ? basename(wanted) : wanted
    const at = lines.findIndex((line) => /\b(import|from|require)\b/.test(line) && line.includes(name))
    return at < 0 ? undefined : `${file}:${at + 1}`
  } catch {
    return undefined
  }
}

function findUnreadable(bundle) {
  for (const file of sourcesOf(bundle).slice(0, checkedFiles)) {
    const { status, stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8', timeout: 10_000 })
    if (status === 0) continue
    const place = stderr.split('\n').find((line) => line.includes(basename(file)) && /:\d+$/.test(line))
    if (place) return place.trim()
  }
  return undefined
}

// The entry file comes first, because it is the most likely place.
const sourcesOf = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : sourcesOf(path)
      return ['.js', '.mjs', '.cjs', '.ts'].includes(extname(entry.name)) ? [path] : []
    })
    .sort((a, b) => Number(b.includes('inference.')) - Number(a.includes('inference.')))
