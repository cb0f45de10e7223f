// Guarantees for every transport: messages reach everyone, one server or the holder, as declared; each server's
// messages keep their order, including large ones; and readers end with the correct state although messages are lost,
// duplicated and reordered.
import { createHash } from 'node:crypto'
import { connect } from '@nats-io/transport-node'
import Type from 'typebox'
import { afterAll, afterEach, beforeAll, describe, expect, it as test, vi } from 'vitest'
import { startTcpProxy } from '../../testing/tcp-proxy.ts'
import { subject, subjectOf } from '../core/subject.ts'
import type { Keyring } from '../keyring/keyring.ts'
import { connectNatsBus } from './nats.ts'
import { createPeers } from './peers.ts'
import { connectPostgresBus } from './postgres.ts'
import { resourceStream, resourceSubject } from './resource-stream.ts'
import { createSharedBus, type Receiver, type SharedBus } from './shared.ts'
import { chaotic, seeded } from './testing/chaos.ts'
import { type OwnDatabase, ownDatabase } from './testing/database.ts'
import { hasNats, type NatsServer, startNats } from './testing/nats-server.ts'

const update = subjectOf(
  'buses_test_messages',
  'everyone',
  Type.Object({ n: Type.Integer(), text: Type.Optional(Type.String()) }),
)
const brief = subjectOf(
  'buses_test_brief',
  'everyone',
  Type.Object({ seq: Type.Integer(), text: Type.Optional(Type.String()) }),
  { brief: ({ seq }) => ({ seq }) },
)
const work = subject('buses_test_work', 'one', Type.Integer())
const frames = subjectOf('buses_test_frames', 'holder', Type.Integer())
const secret = subject('buses_test_here', 'here', Type.Integer())
const resource = resourceSubject('buses_test_resource')

/** Those of the servers of one installation. */
const keyring: Pick<Keyring, 'sign' | 'verify'> = {
  sign: (text) => createHash('sha256').update(`master ${text}`).digest('hex'),
  verify: (text, signature) => (keyring.sign(text) === signature ? 'signed' : 'forged'),
}

type Open = (
  id: string,
  options?: { around?: (receiver: Receiver) => Receiver; quietMs?: number; url?: string },
) => Promise<SharedBus>

let database: OwnDatabase
const errors: unknown[] = []
const draining = new Set<string>()
const opened: SharedBus[] = []

let nats: NatsServer | undefined
beforeAll(async () => {
  database = await ownDatabase()
  if (hasNats()) nats = await startNats()
})
afterAll(async () => {
  await database?.drop()
  await nats?.stop()
})
afterEach(async () => {
  for (const bus of opened.splice(0)) await bus.close()
  draining.clear()
})

const openPostgres: Open = async (id, { around = (receiver: Receiver) => receiver, quietMs } = {}) => {
  const bus = await createSharedBus({
    connect: (receiver) =>
      connectPostgresBus(
        {
          connectionString: database.connectionString,
          serverId: id,
          isDraining: () => draining.has(id),
          onError: (error) => errors.push(error),
        },
        around(receiver),
      ),
    onError: (error) => errors.push(error),
    ...(quietMs === undefined ? {} : { quietMs }),
  })
  opened.push(bus)
  return bus
}

const openNats: Open = async (id, { around = (receiver: Receiver) => receiver, quietMs, url = nats?.url } = {}) => {
  const bus = await createSharedBus({
    connect: (receiver) =>
      connectNatsBus(
        {
          url: url ?? '',
          serverId: id,
          installation: 'test',
          keyring,
          isDraining: () => draining.has(id),
          onError: (error) => errors.push(error),
        },
        around(receiver),
      ),
    onError: (error) => errors.push(error),
    ...(quietMs === undefined ? {} : { quietMs }),
  })
  opened.push(bus)
  return bus
}

/** Two servers that are connected. */
const pair = async (open: Open) => {
  const [a, b] = [await open('a'), await open('b')]
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    let met = false
    const stop = to.subscribe(update('greeting'), () => {
      met = true
    })
    await vi.waitFor(
      () => {
        from.publish(update('greeting'), { n: 0 })
        expect(met).toBe(true)
      },
      { timeout: 60_000 },
    )
    stop()
  }
  return { a, b }
}

describe.each([
  ['postgres', openPostgres, true],
  ['nats (needs the program nats-server)', openNats, hasNats()],
] as const)('over %s', (_name, open, isThere) => {
  const it = isThere ? test : test.skip
  it('a message for everyone reaches everyone once and in order, whatever its size is', async () => {
    const { a, b } = await pair(open)
    const heard: Record<'a' | 'b', number[]> = { a: [], b: [] }
    a.subscribe(update('x'), ({ n }) => heard.a.push(n))
    b.subscribe(update('x'), ({ n, text = '' }) => heard.b.push(text.length > 0 ? -n : n))
    await b.settled()
    for (let n = 1; n <= 300; n += 1) a.publish(update('x'), n % 50 === 0 ? { n, text: 'é'.repeat(20_000) } : { n })
    const numbers = Array.from({ length: 300 }, (_, index) => index + 1)
    expect(heard.a).toEqual(numbers)
    await vi.waitFor(() => expect(heard.b).toEqual(numbers.map((n) => (n % 50 === 0 ? -n : n))), { timeout: 60_000 })
  })

  it('a message that is too large is replaced by its short form', async () => {
    const { a, b } = await pair(open)
    const heard: unknown[] = []
    b.subscribe(brief('x'), (data) => heard.push(data))
    await b.settled()
    a.publish(brief('x'), { seq: 1, text: 'x'.repeat(1_000_000) })
    await expect.poll(() => heard).toEqual([{ seq: 1 }])
  })

  it('a message for one server is received by one: this one if it listens, otherwise another that is not draining', async () => {
    const { a, b } = await pair(open)
    draining.add('c')
    const c = await open('c')
    const taken: string[] = []
    b.subscribe(work, (n) => taken.push(`b${n}`))
    c.subscribe(work, (n) => taken.push(`c${n}`))
    await Promise.all([b.settled(), c.settled()])
    for (let n = 0; n < 20; n += 1) a.publish(work, n)
    c.publish(work, 99)
    await expect.poll(() => taken).toHaveLength(21)
    expect(taken.filter((one) => one.startsWith('c'))).toEqual(['c99'])
  })

  it('a message for a holder reaches the holder', async () => {
    const { a, b } = await pair(open)
    const heard: string[] = []
    a.subscribe(frames('e1'), (n) => heard.push(`a${n}`))
    b.subscribe(frames('e2'), (n) => heard.push(`b${n}`))
    await Promise.all([a.settled(), b.settled()])
    a.publish(frames('e1'), 1)
    a.publish(frames('e2'), 2)
    b.publish(frames('e1'), 3)
    await expect.poll(() => heard.toSorted()).toEqual(['a1', 'a3', 'b2'])
  })

  it('a local message stays local, and invalid messages of another version are ignored', async () => {
    const { a, b } = await pair(open)
    const heard: unknown[] = []
    b.subscribe(secret, (n) => heard.push(n))
    b.subscribe(update('z'), (data) => heard.push(data))
    await b.settled()
    a.publish(secret, 1)
    a.publish(update('z'), { n: 'not a number' } as never)
    a.publish(update('z'), { n: 2 })
    await expect.poll(() => heard).toEqual([{ n: 2 }])
    expect(errors.splice(0)).toHaveLength(1)
  })

  it('readers end with the correct state although a fifth of the messages is lost and the rest is late, duplicated and reordered', async () => {
    const writer = await open('w')
    const random = seeded(7)
    const chaos = (receiver: Receiver) => chaotic(receiver, { drop: 0.2, twice: 0.2, lateMs: 20, random })
    const reader = await open('r', { around: chaos, quietMs: 60 })
    const last = 120
    const rows = new Map<string, number>()
    let loads = 0
    const read = async (id: string): Promise<number[]> => {
      const seen: number[] = []
      const source = {
        subject: resource(id),
        load: async () => {
          loads += 1
          const seq = rows.get(id) ?? 0
          return { seq, data: { id }, terminal: seq === last }
        },
        isTerminal: (data: object) => 'done' in data,
      }
      for await (const event of resourceStream(reader, source, new AbortController().signal))
        if (event.type === 'update') seen.push(event.id)
      return seen
    }
    const ids = Array.from({ length: 20 }, (_, n) => `r${n}`)
    const readers = ids.map(read)
    await expect.poll(() => loads).toBeGreaterThanOrEqual(ids.length)
    for (let seq = 1; seq <= last; seq += 1) {
      for (const id of ids) {
        rows.set(id, seq)
        writer.publish(resource(id), { seq, data: { id, ...(seq === last && { done: true }) }, fields: [] })
      }
      if (seq % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    for (const seen of await Promise.all(readers)) {
      expect(seen.at(-1)).toBe(last)
      expect(seen).toEqual([...new Set(seen)].toSorted((x, y) => x - y))
    }
  })
})

test('a silent or draining server is not a target', () => {
  let nowMs = 0
  const peers = createPeers(() => nowMs)
  expect(peers.up()).toEqual([])
  peers.update('b', 'up')
  peers.update('c', 'draining')
  expect(peers.up()).toEqual(['b'])
  nowMs = 5_001
  expect(peers.up()).toEqual([])
})

test.skipIf(!hasNats())('a message on NATS that no server has signed for its subject is ignored', async () => {
  const { a, b } = await pair(openNats)
  const heard: number[] = []
  b.subscribe(update('forged'), ({ n }) => heard.push(n))
  await b.settled()
  const stranger = await connect({ servers: nats?.url ?? '' })
  const captured: string[] = []
  stranger.subscribe('millrace.>', { callback: (_error, message) => void captured.push(message.string()) })
  await stranger.flush()
  a.publish(update('forged'), { n: 1 })
  a.publish(update('other'), { n: 2 })
  await expect.poll(() => captured).toHaveLength(2)
  const target = `millrace.test.all.${Buffer.from(String(update('forged'))).toString('base64url')}`
  const elsewhere = captured.find((text) => text.endsWith('{"n":2}')) ?? ''
  expect(elsewhere).not.toBe('')
  for (const text of ['{"n":3}', '\n{"n":4}', `${'0'.repeat(64)}\n{"n":5}`, elsewhere, '', '\n'])
    stranger.publish(target, text)
  await stranger.drain()
  a.publish(update('forged'), { n: 6 })
  await expect.poll(() => heard).toEqual([1, 6])
  expect(errors.splice(0)).toHaveLength(1)
})

test.skipIf(!hasNats())('after an outage of NATS, subscribers check again and receive events', async () => {
  const { a, b } = await pair(openNats)
  let looked = 0
  const heard: number[] = []
  b.subscribe(update('away'), ({ n }) => heard.push(n), { onQuiet: () => (looked += 1) })
  await nats?.stop()
  await nats?.start()
  await vi.waitFor(
    () => {
      expect(looked).toBeGreaterThan(0)
      a.publish(update('away'), { n: 1 })
      expect(heard).toContain(1)
    },
    { timeout: 60_000 },
  )
})

test.skipIf(!hasNats())('a server that was away from NATS has the others look again', async () => {
  const cable = await startTcpProxy(Number(new URL(nats?.url ?? '').port))
  const away = await openNats('away', { url: `nats://127.0.0.1:${cable.port}` })
  const stays = await openNats('stays')
  const [heard, looked] = [vi.fn(), vi.fn()]
  stays.subscribe(update('away'), heard, { onQuiet: looked })
  await expect
    .poll(() => {
      away.publish(update('away'), { n: 0 })
      return heard.mock.calls.length
    })
    .toBeGreaterThan(0)
  expect(looked).not.toHaveBeenCalled()
  cable.cut()
  await expect.poll(() => looked.mock.calls.length).toBeGreaterThan(0)
  await cable.close()
})
