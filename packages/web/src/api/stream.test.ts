// Guards: a stream that ends is dialled again, but not while what it tells of is being deleted.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { duringRemoval, followStream } from './stream.ts'

const dial = vi.fn(async () => new Response(''))

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('fetch', dial)
  dial.mockClear()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const follow = () => followStream('flows.stream', { path: { id: 'f1' }, onEvent: () => {} })
const aWhile = () => vi.advanceTimersByTimeAsync(60_000)

it('one that breaks off is dialled again', async () => {
  const leave = follow()
  await aWhile()
  leave()
  expect(dial.mock.calls.length).toBeGreaterThan(2)
})

it.each([
  ['done', () => {}],
  ['refused', () => Promise.reject(new Error('refused'))],
])('while a deletion is under way nobody dials, and where it is %s those who are still there do', async (_, end) => {
  let settle = (): void => {}
  const removal = duringRemoval(async () => {
    await new Promise<void>((resolve) => {
      settle = resolve
    })
    await end()
  }).catch(() => undefined)
  const [leave, stays] = [follow(), follow()]
  await aWhile()
  expect(dial).toHaveBeenCalledTimes(2)
  leave()
  settle()
  await removal
  await vi.advanceTimersByTimeAsync(1_000)
  expect(dial).toHaveBeenCalledTimes(3)
  stays()
})
