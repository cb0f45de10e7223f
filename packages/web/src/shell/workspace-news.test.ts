// Guards: what a broken stream may have missed is asked for again when it is back, and only then.
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { followNews } from './workspace-news.ts'

const breakOff: (() => void)[] = []

/** A stream that stays open until the test breaks it. */
const dial = vi.fn(async () => {
  const body = new ReadableStream<Uint8Array>({ start: (stream) => void breakOff.push(() => stream.close()) })
  return new Response(body)
})

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', dial)
  vi.stubGlobal('localStorage', { getItem: () => null })
  breakOff.length = 0
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const keys = {
  runs: ['tasks', 'tasks.list', {}],
  counts: ['tasks', 'tasks.counts', {}],
  fires: ['trigger_fires', 'trigger_fires.list', {}],
  inbox: ['inbox'],
  run: ['tasks', 'tasks.get', {}],
  secrets: ['secrets', 'secrets.list', {}],
}

it('a stream that is back asks again for what it keeps fresh, and for nothing else', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const asked: string[] = []
  const leave = Object.entries(keys).map(([name, queryKey]) =>
    new QueryObserver(client, { queryKey, queryFn: () => asked.push(name) }).subscribe(() => {}),
  )
  const states: string[] = []
  const stop = followNews(client, (state) => states.push(state))
  await vi.advanceTimersByTimeAsync(100)
  asked.length = 0
  await vi.advanceTimersByTimeAsync(5_000)
  expect(asked).toEqual([])

  breakOff[0]?.()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(states).toEqual(['connecting', 'live', 'waiting', 'connecting', 'live'])
  expect(asked.toSorted()).toEqual(['counts', 'fires', 'inbox', 'runs'])
  stop()
  for (const each of leave) each()
  client.clear()
})
