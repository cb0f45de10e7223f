// Guarantees: spending is shown for each of thirty days.
import { expect, it } from 'vitest'
import { lastDays } from './days.ts'

it('has thirty days up to today, with zero for days without spending', () => {
  const days = lastDays([{ date: '2026-03-01', microcents: 7 }], Date.parse('2026-03-02T10:00:00Z'))
  expect(days).toHaveLength(30)
  expect(days.at(-1)).toEqual({ date: '2026-03-02', microcents: 0 })
  expect(days.at(-2)).toEqual({ date: '2026-03-01', microcents: 7 })
  expect(days[0]).toEqual({ date: '2026-02-01', microcents: 0 })
})
