// Guards: a workspace beside others loses room only while the process is busy, never all of it, and gets it back.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createElbowRoom, type ElbowRoom } from './load.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const looksAt = (room: ElbowRoom, count: number): number[] =>
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
      createElbowRoom(() => busy),
      100,
    ).at(-1),
  ).toBe(left)
})

it('room that was lost comes back slowly once it is calm', () => {
  let busy = 1
  const room = createElbowRoom(() => busy)
  looksAt(room, 10)
  busy = 0
  const regained = looksAt(room, 30)
  expect(regained[0]).toBeLessThan(0.2)
  expect(regained.at(-1)).toBe(1)
  expect(regained).toEqual([...regained].sort((a, b) => a - b))
})

it('a while in which nobody looked gives as much room back as many looks', () => {
  let busy = 1
  const room = createElbowRoom(() => busy)
  looksAt(room, 100)
  busy = 0
  vi.advanceTimersByTime(10_000)
  expect(room()).toBe(1)
})

it('how busy it is is looked at now and then, not with every question', () => {
  let looks = 0
  const room = createElbowRoom(() => {
    looks += 1
    return 1
  })
  for (let asked = 0; asked < 100; asked += 1) room()
  expect(looks).toBe(1)
})
