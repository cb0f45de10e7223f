// A cache of credentials by the hash of their text. Entries expire; a revocation, a lost membership or a changed role
// drops the affected entries at once, here through the bus and on other servers through PostgreSQL.
import { LRUCache } from 'lru-cache'
import Type from 'typebox'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { subject } from '#platform/core/subject.ts'
import { notify } from '#platform/db/notify.ts'

export type CachedCredential = {
  readonly actor: Member
  /** The expiry; null without one. */
  endsAtMs: number | null
  /** When its use was last recorded. */
  touchedMs: number
  /** The username of the workspace that a key is pinned to. */
  readonly teamName?: string
  readonly csrf?: string
}

export type CredentialCache = {
  get(key: string): CachedCredential | undefined
  /** Loads and caches a credential, unless entries were dropped while it loaded. */
  load(key: string, load: () => Promise<CachedCredential>): Promise<CachedCredential>
  /** Drops all entries of this credential, user or team. */
  drop(id: string): void
  /** Clears the cache and caches nothing until `resume`, while revocations cannot be received. */
  suspend(): void
  resume(): void
}

/** Sent through PostgreSQL within the transaction; received by the other servers. */
export const accessChannel = 'millrace_access'
export const accessSubject = subject('access', 'here', Type.String())
/** Revocations may have been missed. */
export const accessUnknownSubject = subject('access:doubt', 'here', Type.Null())

const maxEntries = 20_000
const maxAgeMs = 30_000

/** `isSure`: revocations would have been received. Nothing is cached while this is unknown. */
export const createCredentialCache = (now: () => Date, isSure: () => boolean = () => true): CredentialCache => {
  const entries = new LRUCache<string, CachedCredential & { loadedMs: number }>({ max: maxEntries })
  let drops = 0
  let suspended = false
  const clear = (): void => {
    drops += 1
    entries.clear()
  }
  return {
    get: (key) => {
      const entry = entries.get(key)
      if (!entry || !isSure()) return undefined
      if (now().getTime() - entry.loadedMs < maxAgeMs) return entry
      entries.delete(key)
      return undefined
    },
    load: async (key, load) => {
      const dropsBefore = drops
      const credential = await load()
      if (suspended || drops !== dropsBefore) return credential
      const entry = Object.assign(credential, { loadedMs: now().getTime() })
      entries.set(key, entry)
      return entry
    },
    drop: (id) => {
      drops += 1
      for (const [key, { actor }] of entries)
        if (actor.credentialId === id || actor.userId === id || actor.teamId === id) entries.delete(key)
    },
    suspend: () => {
      suspended = true
      clear()
    },
    resume: () => {
      suspended = false
      clear()
    },
  }
}

/** Call in the transaction that removes access from a key, session, user or team. */
export const forgetCredentials = async (ctx: Ctx<Actor>, id: string): Promise<void> => {
  ctx.emit({ subject: accessSubject, data: id })
  await notify(ctx.db, accessChannel, id)
}
