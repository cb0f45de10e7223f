// Guarantees: a workspace loses share only while the process is busy and others are present, never all of it, and
// regains it.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLoadFactor, type LoadFactor } from './load.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const looksAt = (room: LoadFactor, count: number): number[] =>
  Array.from({ length: count }, () => {
    vi.advanceTimersByTime(100)
    return room()
  })

it.each([
  ['not busy', 0.3, 1],
  ['just right', 0.6, 1],
  ['too busy', 0.95, 1 / 128],
])('a loop that is %s', (_, busy, left) => {
  expect(
    looksAt(
      createLoadFactor(() => busy),
      100,
    ).at(-1),
  ).toBe(left)
})

it('a reduced share is regained slowly when the load is low', () => {
  let busy = 1
  const room = createLoadFactor(() => busy)
  looksAt(room, 10)
  busy = 0
  const regained = looksAt(room, 30)
  expect(regained[0]).toBeLessThan(0.2)
  expect(regained.at(-1)).toBe(1)
  expect(regained).toEqual([...regained].sort((a, b) => a - b))
})

it('a period without samples regains as much as many samples', () => {
  let busy = 1
  const room = createLoadFactor(() => busy)
  looksAt(room, 100)
  busy = 0
  vi.advanceTimersByTime(10_000)
  expect(room()).toBe(1)
})

it('the load is sampled at intervals, not with every call', () => {
  let looks = 0
  const room = createLoadFactor(() => {
    looks += 1
    return 1
  })
  for (let asked = 0; asked < 100; asked += 1) room()
  expect(looks).toBe(1)
})
