// Cache of versions. Versions never change, so the cache needs no invalidation, only a size limit. Compiled validators
// are attached to their schemas and released with them.
import type { Db } from '#platform/db/database.ts'
import { toVersion, type Version } from './dto.ts'
import { findVersionsByIds } from './store.ts'

const maxBytes = 64 * 1024 * 1024

/** In order of use; the first is the least recently used. */
const cached = new Map<string, { version: Version; bytes: number }>()
let cachedBytes = 0

const touch = (id: string): Version | undefined => {
  const entry = cached.get(id)
  if (!entry) return undefined
  cached.delete(id)
  cached.set(id, entry)
  return entry.version
}

const addToCache = (version: Version): void => {
  const bytes = JSON.stringify(version).length
  cached.set(version.id, { version, bytes })
  cachedBytes += bytes
  for (const [id, entry] of cached) {
    if (cachedBytes <= maxBytes) return
    cached.delete(id)
    cachedBytes -= entry.bytes
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
    if (!cached.has(row.id)) addToCache(version)
    found.set(row.id, version)
  }
  return found
}

export const loadVersion = async (db: Db, id: string): Promise<Version | undefined> =>
  (await loadVersions(db, [id])).get(id)
