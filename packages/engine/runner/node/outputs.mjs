// Converts an output to JSON. Files in it are adopted (own-files.mjs). A value without a JSON form is rejected with its
// path.

import { fileFields } from './file-fields.mjs'
import { isInputFile, OutputRejected, ownFiles } from './own-files.mjs'

const fileKeys = new Set(['path', 'uri', 'content_type', 'contentType', 'size', 'filename'])
const isAddress = (uri) => typeof uri === 'string' && /^(https?|data):/i.test(uri)

/** For one run; `since` is its start time. */
export const wireWriter = (since) => {
  const files = ownFiles(since)
  return (line, schema) => ('data' in line ? toWire(line, schema, files) : JSON.stringify(line))
}

function toWire(line, schema, files) {
  const ready = new WeakSet()
  const asFile = (described) => {
    ready.add(described)
    return described
  }
  const places = new WeakMap()
  const data = fileFields(schema, line.data, (path) => asFile({ path: files.given(path) }))
  return JSON.stringify({ ...line, data }, function (key, member) {
    if (ready.has(this) || ready.has(member)) return member
    const place = places.has(this) ? [...places.get(this), key] : []
    const original = this[key]
    if (isFile(original)) return asFile(describeFile(original, nameOf(place), files))
    if (typeof member === 'string') return fileNamed(member, files, asFile)
    if (!isObject(member)) return sayable(member, place)
    if (isDescribed(member)) {
      const described = handOver(member, files)
      if (described) return asFile(described)
    }
    places.set(sayable(member, place), place)
    return member
  })
}

const isObject = (value) => value !== null && typeof value === 'object'
const nameOf = (place) => place.slice(1).join('.') || 'the output'

/** An instance of any class named File. */
function isFile(value) {
  for (let at = value; isObject(at); at = Object.getPrototypeOf(at))
    if (Object.hasOwn(at, 'constructor') && at.constructor?.name === 'File') return true
  return false
}

const isDescribed = (value) =>
  !Array.isArray(value) && typeof value.path === 'string' && Object.keys(value).every((key) => fileKeys.has(key))

function describeFile(file, name, files) {
  const { uri, path } = file
  if (typeof path !== 'string' && typeof uri !== 'string')
    throw new OutputRejected(`${name} is a File without a path or uri; write it to disk first`)
  const local = path ?? (/^[a-z][a-z0-9+.-]*:/i.test(uri) ? undefined : uri)
  return withFacts(
    file,
    local === undefined || (isInputFile(local) && isAddress(uri)) ? { uri } : { path: files.given(local) },
  )
}

function handOver(value, files) {
  if (isInputFile(value.path) && isAddress(value.uri)) return withFacts(value, { uri: value.uri })
  const path = files.described(value.path)
  return path === undefined ? undefined : withFacts(value, { path })
}

const withFacts = (file, where) => {
  const { size, filename } = file
  const content_type = file.content_type ?? file.contentType
  return Object.fromEntries(
    Object.entries({ ...where, content_type, size, filename }).filter(([, value]) => value != null),
  )
}

function fileNamed(text, files, asFile) {
  const path = files.named(text)
  return path === undefined ? text : asFile({ path })
}

function sayable(value, place) {
  const what =
    typeof value === 'bigint'
      ? 'a BigInt'
      : typeof value === 'number' && !Number.isFinite(value)
        ? String(value)
        : value instanceof Map || value instanceof Set
          ? `a ${value.constructor.name}`
          : undefined
  if (what) throw new OutputRejected(`the output is not valid JSON: ${nameOf(place)} is ${what}`)
  return value
}
