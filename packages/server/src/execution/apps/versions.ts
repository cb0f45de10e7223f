// Versions never change, so those in use are kept in memory, up to a bound on their size. Compiled validators hang on
// their schemas and go with them.
import type { Db } from '#platform/db/database.ts'
import { toVersion, type Version } from './dto.ts'
import { findVersionsByIds } from './store.ts'

const maxBytes = 64 * 1024 * 1024

/** Least recently used first. */
const held = new Map<string, { version: Version; bytes: number }>()
let heldBytes = 0

const touch = (id: string): Version | undefined => {
  const entry = held.get(id)
  if (!entry) return undefined
  held.delete(id)
  held.set(id, entry)
  return entry.version
}

const keep = (version: Version): void => {
  const bytes = JSON.stringify(version).length
  held.set(version.id, { version, bytes })
  heldBytes += bytes
  for (const [id, entry] of held) {
    if (heldBytes <= maxBytes) return
    held.delete(id)
    heldBytes -= entry.bytes
  }
}

export const loadVersions = async (db: Db, ids: readonly string[]): Promise<Map<string, Version>> => {
  const found = new Map<string, Version>()
  const missing: string[] = []
  for (const id of new Set(ids)) {
    const version = touch(id)
    if (version) found.set(id, version)
    else missing.push(id)
  }
  if (missing.length === 0) return found
  for (const row of await findVersionsByIds(db, missing)) {
    const version = touch(row.id) ?? toVersion(row)
    if (!held.has(row.id)) keep(version)
    found.set(row.id, version)
  }
  return found
}

export const loadVersion = async (db: Db, id: string): Promise<Version | undefined> =>
  (await loadVersions(db, [id])).get(id)
