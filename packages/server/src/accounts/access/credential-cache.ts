// Credentials that were looked up a moment ago, by the hash of their text. Entries age out; a revocation, a lost
// membership or a changed role drops what it touches at once, here through the bus and elsewhere through PostgreSQL.
import { LRUCache } from 'lru-cache'
import Type from 'typebox'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { subject } from '#platform/core/subject.ts'
import { notify } from '#platform/db/notify.ts'

export type HeldCredential = {
  readonly actor: Member
  /** When it stops being valid; null when it does not. */
  endsAtMs: number | null
  /** When its use was last written down. */
  touchedMs: number
  /** Username of the workspace a key is pinned to. */
  readonly teamName?: string
  readonly csrf?: string
}

export type CredentialCache = {
  get(key: string): HeldCredential | undefined
  /** Loads and keeps a credential, unless something was dropped while it was being loaded. */
  load(key: string, load: () => Promise<HeldCredential>): Promise<HeldCredential>
  /** Drops every entry of this credential, user or team. */
  drop(id: string): void
  /** Forgets everything and keeps nothing until `resume`: used while news of revocations cannot arrive. */
  suspend(): void
  resume(): void
}

/** Through PostgreSQL, in the transaction itself; the other servers hear it there. */
export const accessChannel = 'millrace_access'
export const accessSubject = subject('access', 'here', Type.String())
/** News of revocations may have been missed. */
export const accessDoubtSubject = subject('access:doubt', 'here', Type.Null())

const maxEntries = 20_000
const maxAgeMs = 30_000

/** `isSure`: news of revocations would have been heard. Nothing is remembered while that is not known. */
export const createCredentialCache = (now: () => Date, isSure: () => boolean = () => true): CredentialCache => {
  const entries = new LRUCache<string, HeldCredential & { loadedMs: number }>({ max: maxEntries })
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
      const held = await load()
      if (suspended || drops !== dropsBefore) return held
      const entry = Object.assign(held, { loadedMs: now().getTime() })
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

/** To be called in the transaction that takes something away from a key, session, user or team. */
export const forgetCredentials = async (ctx: Ctx<Actor>, id: string): Promise<void> => {
  ctx.emit({ subject: accessSubject, data: id })
  await notify(ctx.db, accessChannel, id)
}
