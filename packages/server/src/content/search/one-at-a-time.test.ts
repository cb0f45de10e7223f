// Guarantees: simultaneous callers share one run; a caller during a run is served by the next one, also after a
// failure.
import { setImmediate as endOfTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { oneAtATime } from './one-at-a-time.ts'

/** Work that the test ends. */
const givenWork = () => {
  const begun: { end(): void; fail(): void }[] = []
  const ask = oneAtATime(
    () =>
      new Promise<number>((resolve, reject) => {
        const number = begun.length + 1
        begun.push({ end: () => resolve(number), fail: () => reject(new Error(`run ${number}`)) })
      }),
  )
  const untilBegun = async (count: number): Promise<void> => {
    while (begun.length < count) await endOfTurn()
  }
  return { ask, begun, untilBegun }
}

it('callers of one event-loop turn share one run', async () => {
  const { ask, begun, untilBegun } = givenWork()
  const together = Promise.all([ask(), Promise.resolve().then(ask), ask()])
  await untilBegun(1)
  begun[0]?.end()
  expect(await together).toEqual([1, 1, 1])
  expect(begun).toHaveLength(1)
})

it('callers during a run share the next one', async () => {
  const { ask, begun, untilBegun } = givenWork()
  const first = ask()
  await untilBegun(1)
  const later = Promise.all([ask(), ask()])
  await endOfTurn()
  expect(begun).toHaveLength(1)
  begun[0]?.end()
  expect(await first).toBe(1)
  await untilBegun(2)
  begun[1]?.end()
  expect(await later).toEqual([2, 2])
})

it('a failed run rejects for its callers, and the next one starts', async () => {
  const { ask, begun, untilBegun } = givenWork()
  const first = ask()
  await untilBegun(1)
  const second = ask()
  begun[0]?.fail()
  await expect(first).rejects.toThrow('run 1')
  await untilBegun(2)
  begun[1]?.end()
  expect(await second).toBe(2)
})
