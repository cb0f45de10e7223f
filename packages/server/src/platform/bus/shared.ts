// The bus of several servers: local listeners hear at once, the others through a transport. Which of the others is the
// subject's own business: everyone, one of them, or the one that holds what the message is about.
import { declarationOf } from '../core/subject.ts'
import type { Bus } from './bus.ts'
import { createListeners, type Listeners } from './listeners.ts'

/** What carries messages between servers. It may lose them. */
export type Transport = {
  /** To all others, or to one of them that listens. */
  send(subject: string, data: unknown, to: 'all' | 'one'): void
  /** Somebody here listens to the subject from now on, or nobody does any more. */
  interest(subject: string, isHeard: boolean): void
  /** Resolves when every interest told so far is in effect; undefined where it is at once. */
  settled(): Promise<void> | undefined
  close(): Promise<void>
}

export type Receiver = {
  receive(subject: string, data: unknown): void
  isHeard(subject: string): boolean
  /** What was sent for a while did not arrive: whoever listens looks again. */
  missed(): void
}

export type SharedBus = Bus & { close(): Promise<void> }

export type SharedOptions = {
  connect: (receiver: Receiver) => Promise<Transport>
  onError: (error: unknown) => void
  /** Those who have heard nothing for this long look again. */
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
    onInterest: (subject, isHeard) => transport?.interest(subject, isHeard),
  })
  transport = await connect({
    receive: (subject, data) => {
      // A server of another version may say what this one does not know, and say it differently.
      if (!listeners.isHeard(subject)) return
      if (declarationOf(subject).accepts(data)) listeners.deliver(subject, data)
      else onError(new Error(`Another server sent what ${declarationOf(subject).name} does not carry`))
    },
    isHeard: listeners.isHeard,
    missed: () => listeners.lookAgain(Number.POSITIVE_INFINITY),
  })
  const sent = transport
  const timer = setInterval(() => listeners.lookAgain(performance.now() - quietMs), quietMs / 3)
  return {
    publish: (subject, data) => {
      const { address } = declarationOf(subject)
      const isHeard = address === 'everyone' || address === 'here' || listeners.isHeard(subject)
      if (isHeard) listeners.deliver(subject, data)
      if (address === 'everyone') sent.send(subject, data, 'all')
      else if (!isHeard) sent.send(subject, data, address === 'one' ? 'one' : 'all')
    },
    isHeard: listeners.isHeard,
    subscribe: listeners.subscribe,
    settled: sent.settled,
    close: async () => {
      clearInterval(timer)
      await sent.close()
    },
  }
}
