// What the rest of the server may ask of access: the gate in front of every operation.
import type { Platform } from '../core/ctx.ts'
import type { Gate } from '../http/mount.ts'
import { createAuthenticate } from './authenticate.ts'
import { accessChannel, createCredentialCache } from './credential-cache.ts'
import { limitRate } from './rate-limits.ts'

export { browserSessionSeconds, csrfCookie, sessionCookie } from './authenticate.ts'
export { forgetCredentials } from './credential-cache.ts'

export type LiveAccess = {
  gate: Gate
  channels: Record<string, (payload: string) => void>
  forgetAll(): void
}

export const startAccess = (platform: Platform, ownOrigins: ReadonlySet<string>): LiveAccess => {
  const { db, now, log, bus } = platform
  const cache = createCredentialCache(now)
  const authenticate = createAuthenticate({ db, cache, now, log, ownOrigins })
  bus.subscribe(accessChannel, (id) => cache.drop(String(id)))
  return {
    gate: { authenticate, limit: limitRate },
    channels: { [accessChannel]: cache.drop },
    forgetAll: cache.clear,
  }
}
