// Turns an output into JSON. A File that lies outside the app's own folders is copied into them first: the engine
// uploads only from there, and the copy is made with the app's own rights. No path of this machine leaves as a text:
// what the run itself wrote or was given is uploaded, any other file of the app must be returned as a File.

import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, statSync } from 'node:fs'
import { basename, join, resolve, sep } from 'node:path'
import { fileFields } from './file-fields.mjs'

const { MILLRACE_DATA_DIR, MILLRACE_TMP_DIR, MILLRACE_CACHE_DIR, MILLRACE_FILES_DIR } = process.env
const uploadable = [MILLRACE_DATA_DIR, MILLRACE_TMP_DIR, MILLRACE_CACHE_DIR].filter(Boolean)
const ofThisRun = [MILLRACE_TMP_DIR, MILLRACE_FILES_DIR].filter(Boolean)
const kept = [MILLRACE_DATA_DIR, MILLRACE_CACHE_DIR, process.argv[2]].filter(Boolean)
const fileKeys = new Set(['path', 'uri', 'content_type', 'contentType', 'size', 'filename'])

export class OutputRefused extends Error {}

export const toWire = (line, schema) => {
  if (!('data' in line)) return JSON.stringify(line)
  const files = new WeakSet()
  const asFile = (described) => {
    files.add(described)
    return described
  }
  const data = fileFields(schema, line.data, (path) => asFile({ path: adopt(path) }))
  return JSON.stringify({ ...line, data }, function (key, member) {
    if (files.has(this) || files.has(member)) return member
    if (typeof member === 'bigint') throw new TypeError(`${key || 'the output'} is a BigInt`)
    if (isFile(this[key])) return asFile(describeFile(this[key], key))
    return typeof member === 'string' && !isDescribedFile(this) ? ownPath(member, asFile) : member
  })
}

/** An instance of a class named File, whichever package brought it. */
function isFile(value) {
  for (let at = value; at !== null && typeof at === 'object'; at = Object.getPrototypeOf(at))
    if (Object.hasOwn(at, 'constructor') && at.constructor?.name === 'File') return true
  return false
}

const isDescribedFile = (value) =>
  !Array.isArray(value) && 'path' in value && Object.keys(value).every((key) => fileKeys.has(key))

function describeFile(file, key) {
  const { uri, path, size, filename } = file
  const content_type = file.content_type ?? file.contentType
  if (typeof path !== 'string' && typeof uri !== 'string')
    throw new OutputRefused(`${key || 'the output'} is a File without a path or uri; write it to disk first`)
  const local = path ?? (/^[a-z][a-z0-9+.-]*:/i.test(uri) ? undefined : uri)
  const given = local === undefined ? { uri } : { path: adopt(local) }
  return Object.fromEntries(
    Object.entries({ ...given, content_type, size, filename }).filter(([, value]) => value != null),
  )
}

const within = (folders, path) => folders.some((folder) => path.startsWith(folder + sep))

function ownPath(text, asFile) {
  if (!text.startsWith(sep) || text.length > 4096) return text
  const path = resolve(text)
  if (!within([...ofThisRun, ...kept], path) || !statSync(path, { throwIfNoEntry: false })?.isFile()) return text
  if (within(ofThisRun, path)) return asFile({ path: adopt(path) })
  throw new OutputRefused(
    `the output names ${basename(path)} in the app's own folder by its path; return a File to hand it over`,
  )
}

function adopt(path) {
  const absolute = resolve(path)
  if (within(uploadable, absolute)) return absolute
  const folder = join(MILLRACE_TMP_DIR ?? '.', 'outputs', randomUUID())
  mkdirSync(folder, { recursive: true })
  const copy = join(folder, basename(absolute))
  copyFileSync(absolute, copy)
  return copy
}
