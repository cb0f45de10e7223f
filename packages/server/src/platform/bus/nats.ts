// NATS as the transport between servers, without persistence. Each server subscribes only to the subjects of its
// listeners; a message for one server uses a queue group.
import { connect, type NatsConnection, type Subscription } from '@nats-io/transport-node'
import { declarationOf } from '../core/subject.ts'
import type { Keyring } from '../keyring/keyring.ts'
import type { Receiver, Transport } from './shared.ts'

const takers = 'servers'
/**
 * Limit of messages that wait in the client while NATS is unavailable; older ones are lost, and all listeners reload.
 */
const maxBytes = 900 * 1024
const closeTimeoutMs = 2_000
/** Callers do not wait longer while NATS is unavailable. */
const settleLimitMs = 500

export type NatsBusOptions = {
  url: string
  serverId: string
  /** Separates installations that share a NATS server. */
  installation: string
  /** Whether this server is shutting down and accepts no work that another server can do. */
  isDraining: () => boolean
  onError: (error: unknown) => void
  /** Other programs may reach the NATS server, so a message counts only with the signature of a server. */
  keyring: Pick<Keyring, 'sign' | 'verify'>
}

/** A program that sends forged messages must not fill the log. */
const forgedLogMs = 60_000

/** Signed text is bound to its subject, so that it cannot be sent under another one. */
const createSignedText = ({ keyring, onError }: Pick<NatsBusOptions, 'keyring' | 'onError'>) => {
  let loggedMs = Number.NEGATIVE_INFINITY
  return {
    seal: (subject: string, text: string): string => `${keyring.sign(`${subject}\n${text}`)}\n${text}`,
    /** Undefined for a message that no server of this installation sent. */
    open: (subject: string, sealed: string): string | undefined => {
      const end = sealed.indexOf('\n')
      const text = sealed.slice(end + 1)
      if (end > 0 && keyring.verify(`${subject}\n${text}`, sealed.slice(0, end)) === 'signed') return text
      if (performance.now() - loggedMs >= forgedLogMs) {
        loggedMs = performance.now()
        onError(new Error('Messages without a valid signature were received from NATS and ignored'))
      }
      return undefined
    },
  }
}

/** Names may contain the separators and wildcards of NATS. */
const tokenOf = (subject: string): string => Buffer.from(subject).toString('base64url')

export const connectNatsBus = async (
  { url, serverId, installation, isDraining, onError, keyring }: NatsBusOptions,
  receiver: Receiver,
): Promise<Transport> => {
  const client: NatsConnection = await connect({
    servers: url,
    name: `millrace ${serverId}`,
    noEcho: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
    pingInterval: 5_000,
    maxPingOut: 2,
  })
  const signed = createSignedText({ keyring, onError })
  const subscriptions = new Map<string, Subscription[]>()
  const natsSubject = (subject: string, to: 'all' | 'one'): string =>
    `millrace.${installation}.${to}.${tokenOf(subject)}`

  const listen = (subject: string): Subscription[] => {
    const callback = (error: Error | null, message: { string(): string }): void => {
      try {
        if (error) throw error
        const text = signed.open(subject, message.string())
        if (text !== undefined) receiver.receive(subject, JSON.parse(text))
      } catch (failure) {
        onError(failure)
      }
    }
    const { address } = declarationOf(subject)
    if (address === 'here') return []
    if (address === 'one')
      return isDraining() ? [] : [client.subscribe(natsSubject(subject, 'one'), { queue: takers, callback })]
    return [client.subscribe(natsSubject(subject, 'all'), { callback })]
  }

  /** One flush for all concurrent callers. */
  let settling: Promise<void> | undefined
  const settle = async (): Promise<void> => {
    await Promise.resolve()
    settling = undefined
    const limit = new Promise<void>((resolve) => setTimeout(resolve, settleLimitMs).unref())
    await Promise.race([client.flush().catch(onError), limit])
  }

  const backSubject = `millrace.${installation}.back`
  // Messages of that server were lost while it was disconnected.
  client.subscribe(backSubject, {
    callback: (_error, message) => {
      if (signed.open(backSubject, message.string()) !== undefined) receiver.missed()
    },
  })

  const watch = async (): Promise<void> => {
    for await (const status of client.status()) {
      if (status.type === 'reconnect') {
        client.publish(backSubject, signed.seal(backSubject, ''))
        receiver.missed()
      }
      if (status.type === 'slowConsumer') receiver.missed()
      if (status.type === 'error') onError(status.error)
    }
  }
  watch().catch(onError)

  return {
    send: (subject, data, to) => {
      let text = JSON.stringify(data)
      if (text.length > maxBytes) {
        const { brief } = declarationOf(subject)
        if (brief) text = JSON.stringify(brief(data))
      }
      try {
        client.publish(natsSubject(subject, to), signed.seal(subject, text))
      } catch (error) {
        onError(error)
      }
    },
    interest: (subject, hasListener) => {
      if (hasListener) subscriptions.set(subject, listen(subject))
      else {
        for (const subscription of subscriptions.get(subject) ?? []) subscription.unsubscribe()
        subscriptions.delete(subject)
      }
    },
    settled: () => {
      settling ??= settle()
      return settling
    },
    close: async () => {
      const limit = new Promise<void>((resolve) => setTimeout(resolve, closeTimeoutMs).unref())
      await Promise.race([client.drain(), limit]).catch(() => undefined)
    },
  }
}
