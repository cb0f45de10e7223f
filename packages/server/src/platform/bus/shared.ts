// The bus of several servers: local listeners are called at once, others through a transport. The declaration of the
// subject defines the receivers: everyone, one server, or the holder.
import { declarationOf } from '../core/subject.ts'
import type { Bus } from './bus.ts'
import { createListeners, type Listeners } from './listeners.ts'

/** Transports messages between servers. May lose messages. */
export type Transport = {
  /** Sends to all other servers, or to one that listens. */
  send(subject: string, data: unknown, to: 'all' | 'one'): void
  /** A subject got its first local listener or lost its last one. */
  interest(subject: string, hasListener: boolean): void
  /** Resolves when all interests are in effect; undefined if they are at once. */
  settled(): Promise<void> | undefined
  close(): Promise<void>
}

export type Receiver = {
  receive(subject: string, data: unknown): void
  hasListener(subject: string): boolean
  /** Messages were lost for a while, so listeners reload. */
  missed(): void
}

export type SharedBus = Bus & { close(): Promise<void> }

export type SharedOptions = {
  connect: (receiver: Receiver) => Promise<Transport>
  onError: (error: unknown) => void
  /** Listeners without a message for this time reload. */
  quietMs?: number
}

const quietMsDefault = 15_000

export const createSharedBus = async ({
  connect,
  onError,
  quietMs = quietMsDefault,
}: SharedOptions): Promise<SharedBus> => {
  let transport: Transport | undefined
  const listeners: Listeners = createListeners({
    onError,
    onInterest: (subject, hasListener) => transport?.interest(subject, hasListener),
  })
  transport = await connect({
    receive: (subject, data) => {
      // A server of another version may send unknown subjects or data.
      if (!listeners.hasListener(subject)) return
      if (declarationOf(subject).accepts(data)) listeners.deliver(subject, data)
      else onError(new Error(`Another server sent invalid data for ${declarationOf(subject).name}`))
    },
    hasListener: listeners.hasListener,
    missed: () => listeners.notifyQuiet(Number.POSITIVE_INFINITY),
  })
  const sent = transport
  const timer = setInterval(() => listeners.notifyQuiet(performance.now() - quietMs), quietMs / 3)
  return {
    publish: (subject, data) => {
      const { address } = declarationOf(subject)
      const hasListener = address === 'everyone' || address === 'here' || listeners.hasListener(subject)
      if (hasListener) listeners.deliver(subject, data)
      if (address === 'everyone') sent.send(subject, data, 'all')
      else if (!hasListener) sent.send(subject, data, address === 'one' ? 'one' : 'all')
    },
    hasListener: listeners.hasListener,
    subscribe: listeners.subscribe,
    settled: sent.settled,
    close: async () => {
      clearInterval(timer)
      await sent.close()
    },
  }
}
