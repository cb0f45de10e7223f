// Guards: what the stream tells of is asked for again, and what a broken one may have missed when it is back, and only then.
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { followUpdates } from './workspace-updates.ts'

const breakOff: (() => void)[] = []
const say: ((name: string, data: object) => void)[] = []

/** A stream that stays open until the test breaks it. */
const dial = vi.fn(async () => {
  const body = new ReadableStream<Uint8Array>({
    start: (stream) => {
      breakOff.push(() => stream.close())
      const encoder = new TextEncoder()
      say.push((name, data) => stream.enqueue(encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)))
    },
  })
  return new Response(body)
})

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', dial)
  breakOff.length = 0
  say.length = 0
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

/** Everything is looked at; `asked` names what is asked of the server. */
const lookAtAll = () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const asked: string[] = []
  const leave = Object.entries(keys).map(([name, queryKey]) =>
    new QueryObserver(client, { queryKey, queryFn: () => asked.push(name) }).subscribe(() => {}),
  )
  const close = () => {
    for (const each of leave) each()
    client.clear()
  }
  return { client, asked, close }
}

it.each([
  ['flows', ['flows']],
  ['triggers', ['fires', 'trigger', 'triggers']],
  ['knowledge', ['entries', 'skills']],
  ['secrets', ['secrets']],
])('update of %s makes lists of them be asked for again, once for all of them', async (name, lists) => {
  const { client, asked, close } = lookAtAll()
  const stop = followUpdates(client, () => {})
  await vi.advanceTimersByTimeAsync(100)
  asked.length = 0
  for (const id of ['a', 'b', 'c']) say[0]?.(name, { data: { id }, fields: [] })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(asked.toSorted()).toEqual(lists)
  stop()
  close()
})

it('a stream that is back asks again for what it keeps fresh, and for nothing else', async () => {
  const { client, asked, close } = lookAtAll()
  const states: string[] = []
  const stop = followUpdates(client, (state) => states.push(state))
  await vi.advanceTimersByTimeAsync(100)
  asked.length = 0
  await vi.advanceTimersByTimeAsync(5_000)
  expect(asked).toEqual([])

  breakOff[0]?.()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(states).toEqual(['connecting', 'live', 'waiting', 'connecting', 'live'])
  const kept = ['counts', 'entries', 'fires', 'flows', 'inbox', 'runs', 'secrets', 'skills', 'trigger', 'triggers']
  expect(asked.toSorted()).toEqual(kept)
  stop()
  close()
})
