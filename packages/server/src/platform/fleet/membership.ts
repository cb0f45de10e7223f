// The lease of this server: a row that it renews every second. When a lease expires, the other servers release the
// resources of that server. A server that was paused for long finds its row gone, closes all sockets and joins again.
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
    /** Releases resources of servers that are gone. Called at the start and every few seconds. */
    readonly reclaim?: (platform: Platform) => Promise<void>
  }
}

export type ServerSelf = {
  readonly id: string
  /** Shutting down: accepts no work that another server can do. */
  draining: boolean
}

export const leaseSeconds = 8
const renewMs = 1_000

/** Database connections have the id of their server in their name, so that others can end them. */
export const applicationName = (serverId: string): string => `millrace ${serverId}`

export type MembershipOptions = {
  row: Omit<store.ServerRow, 'id'>
  /** No other server can exist, so existing rows are ignored. */
  isOnlyOne: boolean
  reclaim: () => Promise<void>
}

export type Membership = {
  /** Announces that this server accepts no more work. Resolves to whether another server exists. */
  drain(): Promise<boolean>
  leave(): Promise<void>
}

/** The reason why a server cannot join, the conflicting server, and when it last renewed its lease. */
type Refusal = { words: string; by: string; seenAt: string }

/**
 * Throws the reason if this server cannot join. A conflicting server may be dead: it counts only if it renews its lease
 * while we wait, and no longer once its lease has expired.
 */
const join = async (platform: Platform, options: MembershipOptions): Promise<void> => {
  const row = { ...options.row, id: platform.server.id }
  const tryJoin = (): Promise<Refusal | null> =>
    platform.db.transaction().execute(async (db) => {
      await store.lockJoining(db)
      if (options.isOnlyOne) await store.deleteAllServers(db)
      await store.deleteEarlierServers(db, row.place, row.id)
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

  /** Start of continuous successful renewals: after a database outage, all servers get time to renew. */
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
      log.warn({ server: id, address, connections: ended }, 'a server is gone; its resources are released')
    }
    await options.reclaim()
  }

  const loseLease = async (): Promise<void> => {
    log.warn('the lease of this server expired; closing its sockets and joining again')
    bus.publish(leaseLostSubject, null)
    await join(platform, options)
  }

  // A single server needs no lease, and an idle server should run no statements.
  const timer = options.isOnlyOne
    ? undefined
    : setInterval(() => {
        running ??= renew()
          .catch((error: unknown) => log.warn({ err: error }, 'could not renew the lease of this server'))
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
