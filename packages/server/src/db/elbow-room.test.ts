// Guards: a workspace beside others loses room only while the process is busy, never all of it, and gets it back.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createElbowRoom } from './elbow-room.ts'
import { createShares, type Leave } from './shares.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** What is left of `most` after so many looks at a loop that is so busy. */
const roomAfter = (looks: number, busyness: () => number, most = 8): number => {
  const room = createElbowRoom(busyness)
  let left = most
  for (let look = 0; look < looks; look += 1) {
    left = room(most)
    vi.advanceTimersByTime(1_000)
  }
  return left
}

it.each([
  ['not busy', 0.3, 8],
  ['just right', 0.7, 8],
  ['too busy', 0.95, 1],
])('a loop that is %s', (_, busy, left) => {
  expect(roomAfter(10, () => busy)).toBe(left)
})

it('room that was lost comes back slowly once it is calm', () => {
  let busy = 1
  const room = createElbowRoom(() => busy)
  const look = (): number => {
    vi.advanceTimersByTime(1_000)
    return room(8)
  }
  for (let looks = 0; looks < 10; looks += 1) look()
  busy = 0
  expect(look()).toBe(1)
  const regained = Array.from({ length: 30 }, look)
  expect(regained.at(-1)).toBe(8)
  expect(regained).toEqual([...regained].sort((a, b) => a - b))
})

it('how busy it is is looked at now and then, not with every question', () => {
  let looks = 0
  const room = createElbowRoom(() => {
    looks += 1
    return 1
  })
  for (let asked = 0; asked < 100; asked += 1) room(8)
  expect(looks).toBe(1)
})

it('in a busy process a flood is served one at a time beside others, and all at once alone', () => {
  const room = createElbowRoom(() => 1)
  for (let looks = 0; looks < 10; looks += 1) {
    room(4)
    vi.advanceTimersByTime(1_000)
  }
  const shares = createShares({
    places: 8,
    perTenant: 6,
    besideOthers: () => room(4),
    maxWaiting: 100,
    waitMs: 60_000,
    busyDetail: 'The database is busy; try again in a moment',
  })
  const enterAtOnce = (tenant: string): Leave[] =>
    Array.from({ length: 6 }, () => shares.enter(tenant)).filter((turn) => typeof turn === 'function')
  const alone = enterAtOnce('flood')
  expect(alone).toHaveLength(6)
  for (const leave of alone) leave()
  expect(shares.enter('neighbour')).toBeTypeOf('function')
  expect(enterAtOnce('flood')).toHaveLength(1)
})
