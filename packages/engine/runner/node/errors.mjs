// How a failure of an app is told. The task gets its sentence and the nearest lines of the app's own code; the log
// gets every frame. Paths are those of the app's folder: where that folder lies on this machine is nobody's business.

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { inspect } from 'node:util'

const shownFrames = 3
const loggedFrames = 30
const checkedFiles = 200
const skippedFolders = new Set(['node_modules', '.git', '.venv'])

export function errorTeller(bundle) {
  const folders = [...new Set([bundle, realpathSync(bundle)])].flatMap((path) => [
    `${pathToFileURL(path).href}/`,
    `${path}/`,
  ])
  const relative = (text) => folders.reduce((told, folder) => told.replaceAll(folder, ''), text)

  /** Frames in the app's folder, nearest first; those of its packages last and only when there are no others. */
  const framesOf = (error) => {
    const lines = String(error?.stack ?? '').split('\n')
    const inside = lines.filter((line) => /^\s+at /.test(line) && folders.some((folder) => line.includes(folder)))
    const own = inside.filter((line) => !line.includes('/node_modules/'))
    return { own: (own.length > 0 ? own : inside).map(relative), all: inside.map(relative) }
  }

  const sentence = (error) => {
    if (!(error instanceof Error)) return relative(thrownText(error))
    const text = relative(error.message)
    const hasCause = error.cause instanceof Error && error.cause.message && !text.startsWith('fetch failed: ')
    const cause = hasCause ? ` (${relative(error.cause.message)})` : ''
    return `${error.name === 'Error' ? '' : `${error.name}: `}${text}${cause}`
  }

  /** What the owner of the task reads. */
  const describe = (error) => [sentence(error), ...framesOf(error).own.slice(0, shownFrames)].join('\n')

  /** Into the app's log: the whole way, and what caused it. A refusal by the runner itself has no way to show. */
  const print = (error, { always = false } = {}) => {
    const lines = error instanceof Error ? [] : [relative(thrownText(error))]
    for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
      const frames = framesOf(at).all.slice(0, loggedFrames)
      if (depth === 0 && frames.length === 0 && !always) return
      lines.push(`${depth === 0 ? '' : 'caused by '}${at.name}: ${relative(at.message)}`, ...frames)
    }
    if (lines.length > 0) process.stderr.write(`${lines.join('\n')}\n`)
  }

  /** A fault of grammar and a missing import carry no frame: the file is looked for, and its line told. */
  const describeLoad = (error) => {
    if (framesOf(error).own.length > 0) return describe(error)
    const place = error instanceof SyntaxError ? findUnreadable(bundle) : findImport(error)
    return place ? `${sentence(error)}\n    at ${relative(place)}` : describe(error)
  }

  return { describe, describeLoad, print }
}

/** Anything can be thrown; what is no Error may still have a message. */
const thrownText = (thrown) => {
  if (thrown === null || typeof thrown !== 'object') return String(thrown)
  const { message } = thrown
  return typeof message === 'string' && message !== '' ? message : inspect(thrown, { depth: 3, breakLength: Infinity })
}

function findImport(error) {
  const [, wanted, importer] =
    /^Cannot find (?:package|module) '(.+)' imported from (.+)$/.exec(error?.message ?? '') ?? []
  if (importer === undefined) return undefined
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

// The entry first: most often it is the one.
const sourcesOf = (folder) =>
  readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : sourcesOf(path)
      return ['.js', '.mjs', '.cjs', '.ts'].includes(extname(entry.name)) ? [path] : []
    })
    .sort((a, b) => Number(b.includes('inference.')) - Number(a.includes('inference.')))
