// PostgreSQL as the transport between servers. Messages are batched and sent on one connection outside of business
// transactions, because every transaction with NOTIFY takes a lock over all commits. A message that exceeds a
// notification is stored as a row.
import { declarationOf } from '../core/subject.ts'
import { openPersistentConnection, type PersistentConnection } from '../db/persistent-connection.ts'
import { createOutbox } from './outbox.ts'
import { createPeers } from './peers.ts'
import type { Receiver, Transport } from './shared.ts'

const channel = 'millrace_bus'
/** The limit of PostgreSQL is 8,000 bytes. */
const payloadBytes = 7_600
const maxWaitingBytes = 32 * 1024 * 1024
const gatherMs = 2
const beatMs = 1_000
const largeMessageSeconds = 60

export type PostgresBusOptions = {
  connectionString: string
  serverId: string
  /** Whether this server is shutting down and accepts no work that another server can do. */
  isDraining: () => boolean
  onError: (error: unknown) => void
}

type Item = readonly [subject: string, to: string | null, data: unknown]

export const connectPostgresBus = async (
  { connectionString, serverId, isDraining, onError }: PostgresBusOptions,
  receiver: Receiver,
): Promise<Transport> => {
  const outbox = createOutbox({ payloadBytes, maxBytes: maxWaitingBytes })
  const peers = createPeers(() => performance.now())
  let sending: Promise<void> | null = null
  let closed = false
  /** Rows are fetched asynchronously, so later messages wait to keep the order. */
  let reading: Promise<void> | null = null

  const deliverItems = (items: readonly Item[]): void => {
    for (const [subject, to, data] of items) if (to === null || to === serverId) receiver.receive(subject, data)
  }

  const fetchLargeMessage = async (id: string): Promise<void> => {
    const rows = await connection.query<{ body: string }>('select body from bus_letters where id = $1', [id])
    const [row] = rows
    if (row) deliverItems(JSON.parse(row.body))
    else receiver.missed()
  }

  /** `sender kind rest`: the sender is readable without parsing the rest. */
  const onPayload = (payload: string): void => {
    const [, sender = '', kind = '', rest = ''] = /^(\S+) (\S+) ?(.*)$/s.exec(payload) ?? []
    if (sender === serverId) return
    if (kind !== 'news' && kind !== 'letter') {
      peers.update(sender, kind === 'gone' ? 'gone' : rest === 'draining' ? 'draining' : 'up')
      if (kind === 'hello') void beat('beat')
      // Its messages were lost while it was disconnected.
      if (kind === 'back') receiver.missed()
      return
    }
    const work = async (): Promise<void> => {
      if (kind === 'letter') await fetchLargeMessage(rest)
      else deliverItems(JSON.parse(rest))
    }
    if (kind === 'news' && !reading) {
      deliverItems(JSON.parse(rest))
      return
    }
    const next: Promise<void> = (reading ?? Promise.resolve())
      .then(work)
      .catch((error: unknown) => {
        onError(error)
        receiver.missed()
      })
      .finally(() => {
        if (reading === next) reading = null
      })
    reading = next
  }

  const connection: PersistentConnection = await openPersistentConnection(connectionString, {
    prepare: async (client) => {
      client.on('notification', ({ payload = '' }) => {
        try {
          onPayload(payload)
        } catch (error) {
          onError(error)
        }
      })
      await client.query(`listen ${channel}`)
    },
    onBack: () => {
      void beat('back')
      receiver.missed()
    },
    onError,
  })

  const notify = (payloads: readonly string[]): Promise<unknown> =>
    connection.query(
      `select pg_notify('${channel}', p) from unnest($1::text[]) with ordinality as t (p, n) order by n`,
      [payloads],
    )

  const flush = async (): Promise<void> => {
    while (!outbox.isEmpty()) {
      const { payloads, large } = outbox.take()
      const ids: string[] = []
      for (const { subject, text, to } of large) {
        const body = `[[${JSON.stringify(subject)},${JSON.stringify(to)},${text}]]`
        const [row] = await connection.query<{ id: string }>(
          'insert into bus_letters (body) values ($1) returning id',
          [body],
        )
        ids.push(String(row?.id))
      }
      await notify(
        payloads.map((payload) =>
          payload.startsWith('@')
            ? `${serverId} letter ${ids[Number(payload.slice(1))]}`
            : `${serverId} news ${payload}`,
        ),
      )
    }
  }

  const sendSoon = (): void => {
    if (sending || closed) return
    sending = new Promise<void>((resolve) => setTimeout(resolve, gatherMs))
      .then(flush)
      .catch(onError)
      .finally(() => {
        sending = null
        if (!outbox.isEmpty() && connection.ageMs() < Number.POSITIVE_INFINITY) sendSoon()
      })
  }

  const beat = (kind: 'hello' | 'beat' | 'back' | 'gone'): Promise<void> =>
    notify([`${serverId} ${kind} ${isDraining() ? 'draining' : 'up'}`]).then(
      () => undefined,
      () => undefined,
    )

  const tidy = (): void => {
    connection
      .query(`delete from bus_letters where sent_at < now() - make_interval(secs => $1)`, [largeMessageSeconds])
      .catch(() => undefined)
  }

  void beat('hello')
  const beats = setInterval(() => void beat('beat'), beatMs)
  const tidying = setInterval(tidy, largeMessageSeconds * 500)
  return {
    send: (subject, data, to) => {
      // A single server has no receivers, and a new one reads the database first.
      const others = peers.up()
      if (others.length === 0) return
      const taker = to === 'one' ? (others[Math.floor(Math.random() * others.length)] ?? null) : null
      let text = JSON.stringify(data)
      if (text.length > payloadBytes / 2) {
        const { brief } = declarationOf(subject)
        if (brief) text = JSON.stringify(brief(data))
      }
      outbox.add({ subject, text, to: taker })
      sendSoon()
    },
    interest: () => {},
    settled: () => undefined,
    close: async () => {
      closed = true
      clearInterval(beats)
      clearInterval(tidying)
      await sending
      await flush().catch(() => undefined)
      await beat('gone')
      await connection.close()
    },
  }
}
