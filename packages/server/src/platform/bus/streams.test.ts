// Guarantees: a reader of a resource gets a snapshot and then every change once, in order; gaps and overload become a
// new snapshot; disconnecting frees everything.
import Type from 'typebox'
import { describe, expect, it } from 'vitest'
import { type Subject, subject } from '../core/subject.ts'
import type { ListenOptions } from './bus.ts'
import { createMemoryBus } from './memory.ts'
import {
  backlogBytesLimit,
  type ResourceEvent,
  resourceStream,
  resourceSubject,
  type Snapshot,
} from './resource-stream.ts'
import { topicStream } from './topic-stream.ts'

const resource = resourceSubject('streams_test')('r')
const topic = subject('streams_test_topic', 'everyone', Type.Number())

const setting = (first: Snapshot = { seq: 1, data: { id: 'r', seq: 1 }, terminal: false }) => {
  const failures: unknown[] = []
  const bus = createMemoryBus((error) => failures.push(error))
  let listeners = 0
  let lookAgain = () => {}
  const counted = {
    ...bus,
    subscribe: <P>(subject: Subject<P>, listener: (data: P) => void, options?: ListenOptions) => {
      listeners += 1
      lookAgain = options?.onQuiet ?? lookAgain
      const stop = bus.subscribe(subject, listener)
      return () => {
        listeners -= 1
        stop()
      }
    },
  }
  let state = first
  const abort = new AbortController()
  let loads = 0
  const source = {
    subject: resource,
    load: async () => {
      loads += 1
      return state
    },
    isTerminal: (data: object) => 'done' in data,
  }
  const events = resourceStream(counted, source, abort.signal)
  const change = (seq: number, data: object = {}) => {
    state = { seq, data: { id: 'r', seq, ...data }, terminal: 'done' in data }
    bus.publish(resource, { seq, data: { id: 'r', ...data }, fields: Object.keys(data) })
  }
  return {
    bus,
    events,
    change,
    abort,
    failures,
    loads: () => loads,
    listeners: () => listeners,
    quiet: () => lookAgain(),
    set: (to: Snapshot) => {
      state = to
    },
  }
}

const next = async (events: AsyncGenerator<ResourceEvent>) => (await events.next()).value
const numbers = async (events: AsyncGenerator<ResourceEvent>) => {
  const all: unknown[] = []
  for await (const event of events) all.push(event.type === 'update' ? event.id : 'delta')
  return all
}

describe('a resource', () => {
  it('sends a snapshot, changes in order and the complete final state', async () => {
    const { events, change } = setting()
    expect(await next(events)).toEqual({ type: 'update', id: 1, data: { id: 'r', seq: 1 } })
    change(2, { a: 1 })
    expect(await next(events)).toEqual({ type: 'update', id: 2, data: { id: 'r', a: 1 }, fields: ['a'] })
    change(3, { done: true })
    expect(await next(events)).toEqual({ type: 'update', id: 3, data: { id: 'r', seq: 3, done: true } })
    expect((await events.next()).done).toBe(true)
  })

  it('a terminal change with the whole resource is sent to all readers without a query', async () => {
    const { events, loads, bus } = setting()
    await next(events)
    expect(bus.hasListener(resource)).toBe(true)
    bus.publish(resource, { seq: 2, data: { id: 'r', done: true }, fields: ['done'], whole: { id: 'r', all: 1 } })
    expect(await next(events)).toEqual({ type: 'update', id: 2, data: { id: 'r', all: 1 } })
    expect((await events.next()).done).toBe(true)
    expect(loads()).toBe(1)
    expect(bus.hasListener(resource)).toBe(false)
  })

  it('a change during the snapshot is neither missed nor sent twice', async () => {
    const { events, change } = setting()
    const first = next(events)
    change(2, { a: 1 })
    change(3, { a: 2 })
    await first
    change(4, { a: 3 })
    change(5, { done: true })
    expect((await numbers(events)).at(-1)).toBe(5)
  })

  it('an old change is not sent again', async () => {
    const { events, change, bus } = setting({ seq: 5, data: { id: 'r' }, terminal: false })
    await next(events)
    bus.publish(resource, { seq: 4, data: { id: 'r' }, fields: [] })
    change(6, { done: true })
    expect(await numbers(events)).toEqual([6])
  })

  it('a gap, or a change without its data, is closed by a snapshot', async () => {
    const { events, change, bus, set } = setting()
    await next(events)
    change(3, { a: 1 })
    expect(await next(events)).toEqual({ type: 'update', id: 3, data: { id: 'r', seq: 3, a: 1 } })
    set({ seq: 4, data: { id: 'r', big: true }, terminal: false })
    bus.publish(resource, { seq: 4 })
    expect(await next(events)).toEqual({ type: 'update', id: 4, data: { id: 'r', big: true } })
  })

  it('a reader that does not read has a limited backlog and then gets the current state', async () => {
    const { events, change, loads } = setting()
    await next(events)
    for (let seq = 2; seq <= 5_000; seq += 1) change(seq, { a: seq })
    expect(await next(events)).toMatchObject({ id: 5_000, data: { a: 5_000 } })
    expect(loads()).toBe(2)
    change(5_001, { done: true })
    expect(await numbers(events)).toEqual([5_001])
  })

  it('the backlog of large values is limited, too', async () => {
    const { events, bus, loads, set } = setting()
    await next(events)
    const weightBytes = backlogBytesLimit / 2
    for (let seq = 2; seq <= 20; seq += 1)
      bus.publish(resource, { seq, data: { id: 'r', a: seq }, fields: ['a'], weightBytes })
    set({ seq: 20, data: { id: 'r', a: 20 }, terminal: false })
    expect(await next(events)).toMatchObject({ id: 20, data: { a: 20 } })
    expect(loads()).toBe(2)
  })

  it('reloads after a quiet period and sends only missed changes', async () => {
    const { events, quiet, set, loads } = setting()
    await next(events)
    quiet()
    set({ seq: 2, data: { id: 'r', done: true }, terminal: true })
    expect(await next(events)).toEqual({ type: 'update', id: 2, data: { id: 'r', done: true } })
    expect((await events.next()).done).toBe(true)
    expect(loads()).toBe(2)
  })

  it('deltas are sent in order before the end', async () => {
    const { events, change, bus } = setting()
    await next(events)
    bus.publish(resource, { delta: { delta: 'a', seq: 1 } })
    bus.publish(resource, { delta: { delta: 'b', seq: 2 } })
    change(2, { done: true })
    expect(await next(events)).toEqual({ type: 'delta', data: { delta: 'a', seq: 1 } })
    expect(await next(events)).toEqual({ type: 'delta', data: { delta: 'b', seq: 2 } })
    expect(await numbers(events)).toEqual([2])
  })

  it('a finished resource is one event', async () => {
    const { events, listeners } = setting({ seq: 9, data: { id: 'r' }, terminal: true })
    expect(await numbers(events)).toEqual([9])
    expect(listeners()).toBe(0)
  })

  it.each(['waiting', 'between events'])('leaving while %s frees the listener', async (when) => {
    const { events, abort, listeners } = setting()
    await next(events)
    expect(listeners()).toBe(1)
    const waiting = when === 'waiting' ? events.next() : null
    abort.abort()
    expect((await (waiting ?? events.next())).done).toBe(true)
    expect(listeners()).toBe(0)
  })

  it('an error of one listener does not affect others', async () => {
    const { bus, events, change, failures } = setting()
    bus.subscribe(resource, () => {
      throw new Error('broken')
    })
    await next(events)
    change(2, { done: true })
    expect(await numbers(events)).toEqual([2])
    expect(failures).toHaveLength(1)
  })
})

describe('a topic', () => {
  it('sends later messages in order', async () => {
    const { bus, abort } = setting()
    const update = topicStream(bus, topic, abort.signal)
    bus.publish(topic, 0)
    const first = update.next()
    for (const n of [1, 2, 3]) bus.publish(topic, n)
    expect([(await first).value, (await update.next()).value, (await update.next()).value]).toEqual([1, 2, 3])
    abort.abort()
    expect((await update.next()).done).toBe(true)
  })

  it('disconnects a reader that does not read', async () => {
    const { bus, abort } = setting()
    const update = topicStream(bus, topic, abort.signal)
    const first = update.next()
    for (let n = 0; n < 5_000; n += 1) bus.publish(topic, n)
    await expect(first).rejects.toThrow('is too slow')
  })
})
