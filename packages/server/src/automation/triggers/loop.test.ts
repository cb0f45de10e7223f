// Guarantees: a background loop runs one turn at a time, misses no wake-up, survives failures, and has ended when its
// stop resolves.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { until } from '../../testing/until.ts'
import { type BackgroundLoop, startLoop } from './loop.ts'

const hourMs = 3_600_000

it('runs at once, rests, and runs again when woken', async () => {
  let turns = 0
  const loop = startLoop(async () => ++turns * hourMs, { restMs: hourMs, onError: () => {} })
  await until(() => turns === 1)
  loop.wake()
  await until(() => turns === 2)
  await loop.stop()
  loop.wake()
  await sleep(5)
  expect(turns).toBe(2)
})

it('continues without rest while its work asks for it', async () => {
  let turns = 0
  const loop = startLoop(async () => (++turns < 5 ? 0 : hourMs), { restMs: hourMs, onError: () => {} })
  await until(() => turns === 5)
  await loop.stop()
})

it('never rests longer than the limit', async () => {
  let turns = 0
  const loop = startLoop(async () => ++turns * hourMs, { restMs: 1, onError: () => {} })
  await until(() => turns >= 3)
  await loop.stop()
})

it('runs one turn at a time; a wake-up during a turn causes another', async () => {
  let [turns, atOnce, most] = [0, 0, 0]
  const loop: BackgroundLoop = startLoop(
    async () => {
      most = Math.max(most, ++atOnce)
      await sleep(0)
      if (++turns === 1) for (let wakes = 0; wakes < 3; wakes += 1) loop.wake()
      await sleep(2)
      atOnce -= 1
      return hourMs
    },
    { restMs: hourMs, onError: () => {} },
  )
  loop.wake()
  await until(() => turns === 2)
  await loop.stop()
  expect({ turns, most }).toEqual({ turns: 2, most: 1 })
})

it('a turn may wake its own loop', async () => {
  let turns = 0
  const update = new EventTarget()
  const loop = startLoop(
    async () => {
      turns += 1
      if (turns === 2) update.dispatchEvent(new Event('work'))
      return hourMs
    },
    { restMs: hourMs, onError: () => {} },
  )
  update.addEventListener('work', loop.wake)
  loop.wake()
  await until(() => turns === 3)
  await loop.stop()
  expect(turns).toBe(3)
})

it('reports a failed turn and continues', async () => {
  const told: unknown[] = []
  let turns = 0
  const fault = new Error('a bad turn')
  const loop = startLoop(
    async () => {
      if (++turns === 1) throw fault
      return hourMs
    },
    { restMs: 1, onError: (error) => told.push(error) },
  )
  await until(() => turns >= 2)
  await loop.stop()
  expect(told).toEqual([fault])
})
