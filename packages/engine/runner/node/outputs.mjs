// Turns an output into JSON. A File that lies outside the app's own folders is copied into them first: the engine
// uploads only from there, and the copy is made with the app's own rights.

import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync } from 'node:fs'
import { basename, join, resolve, sep } from 'node:path'

const ownFolders = () =>
  [process.env.MILLRACE_DATA_DIR, process.env.MILLRACE_TMP_DIR, process.env.MILLRACE_CACHE_DIR].filter(Boolean)

export const toWire = (value) =>
  JSON.stringify(value, function (key, member) {
    const original = this[key]
    if (typeof member === 'bigint') throw new TypeError(`${key || 'the output'} is a BigInt`)
    if (member === null || typeof member !== 'object' || typeof member.path !== 'string') return member
    return isFile(original) ? { ...member, path: adopt(member.path) } : member
  })

const isFile = (value) => value?.constructor?.name === 'File' && typeof value.path === 'string'

function adopt(path) {
  const absolute = resolve(path)
  if (ownFolders().some((folder) => absolute.startsWith(folder + sep))) return absolute
  const folder = join(process.env.MILLRACE_TMP_DIR ?? '.', 'outputs', randomUUID())
  mkdirSync(folder, { recursive: true })
  const copy = join(folder, basename(absolute))
  copyFileSync(absolute, copy)
  return copy
}
