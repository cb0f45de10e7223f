// This server among the others: a row that it renews every second. Who does not renew in time is gone as far as the
// others are concerned: they free what it held. One that was paused for long finds its row gone, lets go of everything
// and joins anew.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Platform } from '../core/ctx.ts'
import { refusalOf } from './refusals.ts'
import * as store from './store.ts'
import { leaseLostSubject } from './subjects.ts'

declare module '../core/ctx.ts' {
  interface Platform {
    readonly server: ServerSelf
  }
}

declare module '../core/feature.ts' {
  interface Feature {
    /** Frees what servers held that are not there any more. Called at the start and every few seconds. */
    readonly reclaim?: (platform: Platform) => Promise<void>
  }
}

export type ServerSelf = {
  readonly id: string
  /** On its way out: it takes nothing that another server could take. */
  draining: boolean
}

export const leaseSeconds = 8
const renewMs = 1_000

/** Connections to the database carry the name of their server, so that the others can end them. */
export const applicationName = (serverId: string): string => `millrace ${serverId}`

export type MembershipOptions = {
  row: Omit<store.ServerRow, 'id'>
  /** There can be no other server: whatever rows say, nobody else is there. */
  isOnlyOne: boolean
  reclaim: () => Promise<void>
}

export type Membership = {
  /** Says to the others that it takes nothing more. Resolves to whether there is anybody to take it. */
  drain(): Promise<boolean>
  leave(): Promise<void>
}

/** Why a server may not join, because of whom, and when that one was last seen. */
type Refusal = { words: string; by: string; seenAt: string }

/**
 * Throws the sentence why it may not. Whoever stands in the way may be gone: it is in the way once it has renewed its lease
 * before our eyes, and not any more when the lease has run out.
 */
const join = async (platform: Platform, options: MembershipOptions): Promise<void> => {
  const row = { ...options.row, id: platform.server.id }
  const tryJoin = (): Promise<Refusal | null> =>
    platform.db.transaction().execute(async (db) => {
      await store.lockJoining(db)
      if (options.isOnlyOne) await store.deleteAllServers(db)
      await store.deleteFormerLives(db, row.place, row.id)
      for (const other of await store.findOthers(db, row.id, leaseSeconds)) {
        const words = refusalOf(row, other)
        if (words !== null) return { words, by: other.id, seenAt: other.seen_at }
      }
      await store.insertServer(db, row)
      return null
    })
  for (let before: Refusal | null = null; ; await sleep(renewMs)) {
    const refusal = await tryJoin()
    if (refusal === null) return
    if (before?.by === refusal.by && before.seenAt !== refusal.seenAt) throw new Error(refusal.words)
    before = refusal
  }
}

export const joinFleet = async (platform: Platform, options: MembershipOptions): Promise<Membership> => {
  const { db, server, log, bus } = platform
  await join(platform, options)
  try {
    await options.reclaim()
  } catch (error) {
    await store.deleteServer(db, server.id).catch(() => undefined)
    throw error
  }

  /** Since when every renewal has worked: after an outage of the database all get the time to renew. */
  let steadySinceMs = performance.now()
  let lastMs = performance.now()
  let running: Promise<void> | null = null

  const renew = async (): Promise<void> => {
    const beganMs = performance.now()
    if (beganMs - lastMs > 3 * renewMs) steadySinceMs = beganMs
    lastMs = beganMs
    try {
      if (!(await store.renewLease(db, server.id, server.draining))) await loseLease()
    } catch (error) {
      steadySinceMs = performance.now()
      throw error
    }
    if (performance.now() - steadySinceMs < leaseSeconds * 1000) return
    for (const { id, address } of await store.deleteExpired(db, leaseSeconds)) {
      const ended = await store.endConnectionsOf(db, applicationName(id))
      log.warn({ server: id, address, connections: ended }, 'a server is gone: what it held is freed')
    }
    await options.reclaim()
  }

  const loseLease = async (): Promise<void> => {
    log.warn('this server was taken for gone: it lets go of its sockets and joins anew')
    bus.publish(leaseLostSubject, null)
    await join(platform, options)
  }

  // Nobody looks at the lease of one that is alone, and a server that rests should rest.
  const timer = options.isOnlyOne
    ? undefined
    : setInterval(() => {
        running ??= renew()
          .catch((error: unknown) => log.warn({ err: error }, 'the lease of this server could not be renewed'))
          .finally(() => {
            running = null
          })
      }, renewMs)
  return {
    drain: async () => {
      server.draining = true
      await store.renewLease(db, server.id, true)
      return (await store.findOthers(db, server.id, leaseSeconds)).length > 0
    },
    leave: async () => {
      clearInterval(timer)
      await running
      await store.deleteServer(db, server.id)
    },
  }
}
