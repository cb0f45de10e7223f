// Guarantees: events refetch the affected queries once, and a reconnect refetches the queries that may have missed events.
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { followUpdates } from './workspace-updates.ts'

const breakStream: (() => void)[] = []
const send: ((name: string, data: object) => void)[] = []

/** A stream that stays open until the test breaks it. */
const fetchStream = vi.fn(async () => {
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => {
      breakStream.push(() => stream.close())
      const encoder = new TextEncoder()
      send.push((name, data) => stream.enqueue(encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)))
    },
  })
  return new Response(body)
})

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', fetchStream)
  breakStream.length = 0
  send.length = 0
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const keys = {
  runs: ['tasks', 'tasks.list', {}],
  counts: ['tasks', 'tasks.counts', {}],
  fires: ['trigger_fires', 'trigger_fires.list', {}],
  flows: ['flows', 'flows.list', {}],
  flow: ['flows', 'flows.get', {}],
  triggers: ['triggers', 'triggers.list', {}],
  trigger: ['triggers', 'triggers.get', {}],
  inbox: ['inbox'],
  run: ['tasks', 'tasks.get', {}],
  secrets: ['secrets', 'secrets.list', {}],
  entries: ['knowledge', 'knowledge.list', {}],
  skills: ['skills', 'skills.list', {}],
  files: ['files', 'files.list', {}],
}

/** Observes every query; `requested` contains the names of the requested ones. */
const observeAll = () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const requested: string[] = []
  const leave = Object.entries(keys).map(([name, queryKey]) =>
    new QueryObserver(client, { queryKey, queryFn: () => requested.push(name) }).subscribe(() => {}),
  )
  const close = () => {
    for (const each of leave) each()
    client.clear()
  }
  return { client, requested, close }
}

it.each([
  ['flows', ['flows']],
  ['triggers', ['fires', 'trigger', 'triggers']],
  ['knowledge', ['entries', 'skills']],
  ['secrets', ['secrets']],
])('several updates of %s refetch the affected queries once', async (name, lists) => {
  const { client, requested, close } = observeAll()
  const stop = followUpdates(client, () => {})
  await vi.advanceTimersByTimeAsync(100)
  requested.length = 0
  for (const id of ['a', 'b', 'c']) send[0]?.(name, { data: { id }, fields: [] })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(requested.toSorted()).toEqual(lists)
  stop()
  close()
})

it('a reconnected stream refetches the queries that it keeps fresh, and no others', async () => {
  const { client, requested, close } = observeAll()
  const states: string[] = []
  const stop = followUpdates(client, (state) => states.push(state))
  await vi.advanceTimersByTimeAsync(100)
  requested.length = 0
  await vi.advanceTimersByTimeAsync(5_000)
  expect(requested).toEqual([])

  breakStream[0]?.()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(states).toEqual(['connecting', 'live', 'waiting', 'connecting', 'live'])
  const expected = ['counts', 'entries', 'fires', 'flows', 'inbox', 'runs', 'secrets', 'skills', 'trigger', 'triggers']
  expect(requested.toSorted()).toEqual(expected)
  stop()
  close()
})
