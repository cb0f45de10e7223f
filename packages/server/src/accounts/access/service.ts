// Access functions for the rest of the server: the gate in front of every operation, keys and audit verification.
import type { Bus } from '#platform/bus/bus.ts'
import { type Actor, guest, isMember, personOf } from '#platform/core/actor.ts'
import { callerOfAddress } from '#platform/core/caller.ts'
import type { Platform } from '#platform/core/ctx.ts'
import type { Gate } from '#platform/core/gate.ts'
import { createLoadFactor, type LoadFactor } from '#platform/fairness/load.ts'
import { currentWork, inWork } from '#platform/fairness/work.ts'
import { serialiseCookie } from '#platform/http/cookies.ts'
import type { HttpGate } from '#platform/http/mount.ts'
import { requireRowRoom } from '../plans/service.ts'
import { browserSessionSeconds, createAuthenticate, csrfCookie, sessionCookie } from './authenticate.ts'
import { accessChannel, accessSubject, accessUnknownSubject, createCredentialCache } from './credential-cache.ts'
import { createFairQueue } from './fair-queue.ts'
import { answerOnce } from './idempotency.ts'
import { limitRate } from './rate-limits.ts'

export { type AuditVerdict, verifyAuditOf } from './audit-verify.ts'
export { browserSessionSeconds, csrfCookie, sessionCookie } from './authenticate.ts'
export { accessSubject, forgetCredentials } from './credential-cache.ts'
export { type EngineRights, engineRightsOf } from './engine-keys.ts'
export { planKey } from './key-rules.ts'
export {
  createKey,
  ensureServiceAccount,
  revokeKeysFromSource,
  revokeKeysOfMember,
  revokeKeysOfTeam,
  revokeLeakedKey,
} from './keys.ts'
export { mintKey, programSource } from './mint-key.ts'
export { limitSignedOut, takeFromRate } from './rate-limits.ts'

/** A revoked key is refused everywhere within a second, so older entries are not trusted. */
const trustedMs = 900

export type LiveAccess = {
  gate: HttpGate
  channels: Record<string, (payload: string) => void>
  /** Revocations can no longer be received; nothing may be cached until they can. */
  eventsLost(): void
  eventsBack(): void
  /** How long ago the connection that delivers revocations was known to work. */
  trust(ageMs: () => number): void
}

/**
 * The tenant in the fair queue: a workspace, or the address of a caller without one. The platform's own workspace is
 * exempt, because shared engines call from there.
 */
const tenantOf = (actor: Actor): string | null => {
  if (!isMember(actor)) return currentWork().tenant
  return actor.inPlatformTeam ? null : actor.teamId
}

/** The checks before and around an operation, used by every transport. */
export const createGate = (bus: Bus, room: LoadFactor = createLoadFactor()): Gate => {
  const turns = createFairQueue(room)
  return {
    watch: (actor, onLoss) => {
      if (!isMember(actor)) return () => {}
      const { credentialId, userId, teamId } = actor
      const unsubscribes = [
        bus.subscribe(accessSubject, (id) => {
          if (id === credentialId || id === userId || id === teamId) onLoss()
        }),
        bus.subscribe(accessUnknownSubject, onLoss),
      ]
      return () => {
        for (const unsubscribe of unsubscribes) unsubscribe()
      }
    },
    limit: limitRate,
    turn: (actor, work, onDisconnect) =>
      turns.take({ person: personOf(actor), workspace: tenantOf(actor) }, work, onDisconnect),
    workspaceTurn: (teamId, work) => turns.take({ person: null, workspace: teamId }, work),
    charge: (actor, spentMs) => turns.charge({ person: personOf(actor), workspace: tenantOf(actor) }, spentMs),
    callsWaiting: turns.waiting,
    once: answerOnce,
    requireRoom: async (ctx, bytes) => {
      if (isMember(ctx.actor)) await requireRowRoom(ctx, ctx.actor.teamId, bytes)
    },
  }
}

export const startAccess = (platform: Platform, ownOrigins: ReadonlySet<string>): LiveAccess => {
  const { db, now, log, bus, settings, gate } = platform
  let eventAgeMs = (): number => 0
  const cache = createCredentialCache(now, () => eventAgeMs() < trustedMs)
  const authenticate = createAuthenticate({ db, cache, now, log, ownOrigins, turn: (work) => gate.turn(guest, work) })
  bus.subscribe(accessSubject, cache.drop)
  const secure = settings.APP_URL.startsWith('https:')
  const cookie = (name: string, value: string, httpOnly: boolean): string =>
    serialiseCookie(name, value, { maxAgeSeconds: browserSessionSeconds, httpOnly, secure })
  return {
    gate: {
      ...gate,
      // Until the actor is known, a request counts for its network.
      authenticate: (request, reply) =>
        inWork({ kind: 'request', tenant: callerOfAddress(request.clientIp) }, () =>
          authenticate(request, ({ secret, csrf }) => {
            reply?.header('set-cookie', cookie(sessionCookie, secret, true))
            reply?.header('set-cookie', cookie(csrfCookie, csrf, false))
          }),
        ),
    },
    channels: {
      [accessChannel]: (id) => {
        cache.drop(id)
        // Streams on this server must learn about revocations from other servers.
        bus.publish(accessSubject, id)
      },
    },
    eventsLost: cache.suspend,
    eventsBack: () => {
      cache.resume()
      // Missed revocations are unknown, so streams reconnect and are authorized again.
      bus.publish(accessUnknownSubject, null)
    },
    trust: (ageMs) => {
      eventAgeMs = ageMs
    },
  }
}
