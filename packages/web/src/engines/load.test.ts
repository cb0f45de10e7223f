// Guards: the plots of a machine show what its engine told, and a machine that tells nothing shows nothing.
import { expect, it } from 'vitest'
import { loadOf, withLoad } from './load.ts'

it('reads memory, the fullest disk and busy workers as shares', () => {
  const told = { ram: { total: 8, available: 2 }, volumes: [{ size: 10, used: 1 }, { size: 4, used: 3 }, {}] }
  const workers = [{ status: 'busy' }, { status: 'idle' }]
  expect(loadOf(told, workers, 7)).toEqual({ atMs: 7, memory: 0.75, disk: 0.75, workers: 0.5 })
})

const unsaid = { ram: { total: 8, available: 0, used: 0 }, volumes: [{ size: 4, used: 0 }] }

it.each([[null], [{}], [{ ram: null, volumes: null }], [{ ram: { total: 0, available: 0 } }], [unsaid]])(
  'knows nothing of %j',
  (told) => {
    expect(loadOf(told, [], 0)).toEqual({ atMs: 0, memory: null, disk: null, workers: null })
  },
)

it('keeps the newest reports, each moment once', () => {
  let held = withLoad([], loadOf({}, [], 0))
  for (let atMs = 0; atMs < 300; atMs += 1) held = withLoad(held, loadOf({}, [], atMs))
  expect([held.length, held.at(-1)?.atMs]).toEqual([240, 299])
})
