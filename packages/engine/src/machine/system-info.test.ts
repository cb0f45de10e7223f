// Guarantees: processor load is measured from one sample to the next.
import { expect, it } from 'vitest'
import { busyShare } from './system-info.ts'

const core = (user: number, idle: number) => ({ times: { user, nice: 0, sys: 0, idle, irq: 0 } })

it.each([
  ['half of two', [core(10, 10), core(0, 0)], [core(20, 20), core(10, 10)], 0.5],
  ['none', [core(5, 0)], [core(5, 50)], 0],
  ['all', [core(0, 5)], [core(8, 5)], 1],
])('%s worked', (_words, before, now, share) => {
  expect(busyShare(before, now)).toBe(share)
})

it('no result without elapsed time', () => {
  expect(busyShare([core(1, 1)], [core(1, 1)])).toBeUndefined()
})
