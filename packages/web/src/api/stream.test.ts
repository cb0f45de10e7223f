// Guarantees: a stream reconnects after it breaks, but not while its resource is being deleted.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { duringRemoval, followStream } from './stream.ts'

const fetchStream = vi.fn(async () => new Response(''))

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', fetchStream)
  fetchStream.mockClear()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const follow = () => followStream('flows.stream', { path: { id: 'f1' }, onEvent: () => {} })
const waitOneMinute = () => vi.advanceTimersByTimeAsync(60_000)

it('reconnects after a break', async () => {
  const leave = follow()
  await waitOneMinute()
  leave()
  expect(fetchStream.mock.calls.length).toBeGreaterThan(2)
})

it.each([
  ['done', () => {}],
  ['refused', () => Promise.reject(new Error('refused'))],
])('does not reconnect during a deletion; when it is %s, the remaining streams reconnect', async (_, end) => {
  let settle = (): void => {}
  const removal = duringRemoval(async () => {
    await new Promise<void>((resolve) => {
      settle = resolve
    })
    await end()
  }).catch(() => undefined)
  const [leave, leaveLater] = [follow(), follow()]
  await waitOneMinute()
  expect(fetchStream).toHaveBeenCalledTimes(2)
  leave()
  settle()
  await removal
  await vi.advanceTimersByTimeAsync(1_000)
  expect(fetchStream).toHaveBeenCalledTimes(3)
  leaveLater()
})
