// How long somebody who was let in once may stay: a stream outlives the request that opened it, so it must end when what
// let it in is taken away. Its reader may come back and is then judged anew.
import type { Bus } from '../bus/bus.ts'
import type { Member } from '../core/actor.ts'
import { accessChannel } from './credential-cache.ts'

/** Aborts with `signal`, or when something is taken from the credential, the person or the workspace. */
export const whileAccessHolds = (
  bus: Bus,
  { credentialId, userId, teamId }: Pick<Member, 'credentialId' | 'userId' | 'teamId'>,
  signal: AbortSignal,
): AbortSignal => {
  const lost = new AbortController()
  const unsubscribe = bus.subscribe(accessChannel, (id) => {
    if (id === credentialId || id === userId || id === teamId) lost.abort()
  })
  const either = AbortSignal.any([signal, lost.signal])
  either.addEventListener('abort', unsubscribe, { once: true })
  return either
}
