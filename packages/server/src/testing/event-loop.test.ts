// Guarantees: a request of any test that blocks the event loop fails its file; waiting or working in small pieces does
// not.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { maxPieceMs, watchCalls } from './event-loop.ts'

const busyMs = (ms: number): void => {
  const used = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  const until = used() + ms
  while (used() < until) Math.sqrt(until)
}

it('names only the call that blocked', async () => {
  const watch = watchCalls()
  await watch.during('GET /waits', () => sleep(300))
  await watch.during('GET /pieces', async () => {
    for (let piece = 0; piece < 30; piece += 1) {
      busyMs(10)
      await sleep(1)
    }
  })
  expect(await watch.blocking()).toEqual([])
  await watch.during('GET /blocks', async () => {
    await sleep(1)
    busyMs(5 * maxPieceMs)
  })
  let first = true
  await watch.during('GET /blocks-once', async () => {
    if (first) busyMs(5 * maxPieceMs)
    first = false
  })
  expect(await watch.blocking()).toEqual([expect.stringMatching(/^GET \/blocks: \d+ ms$/)])
})
