// Guards: the plots of a machine show what its engine told, and a machine that tells nothing shows nothing.
import { expect, it } from 'vitest'
import { loadOf, placeOf, pointsOf, withLoad } from './load.ts'

it('reads memory, the fullest disk and busy workers as shares', () => {
  const told = { ram: { total: 8, available: 2 }, volumes: [{ size: 10, used: 1 }, { size: 4, used: 3 }, {}] }
  const workers = [{ status: 'busy' }, { status: 'idle' }]
  expect(loadOf(told, workers, 7)).toMatchObject({ atMs: 7, memory: 0.75, disk: 0.75, workers: 0.5 })
})

it('reads processors by their cores, in shares or in percent, and the card whose memory is fullest', () => {
  const cpus = [
    { cores: 3, usage: 80, normalized_usage: 0.2 },
    { cores: 1, usage: 60 },
  ]
  const gpus = [{ memory_used: 1, memory_total: 4 }, { memory_used: 3, memory_total: 4 }, {}]
  const load = loadOf({ cpus, gpus }, [], 7)
  expect(load.processor).toBeCloseTo(0.3)
  expect(load.gpu).toBe(0.75)
})

it('draws each report at its time, and leaves out what was not told', () => {
  const loads = [
    loadOf({ cpus: [{ usage: 0.5 }] }, [], 10),
    loadOf({}, [], 20),
    loadOf({ cpus: [{ usage: 1 }] }, [], 50),
  ]
  expect(pointsOf(loads, 'processor')).toEqual([
    { atMs: 10, value: 0.5 },
    { atMs: 50, value: 1 },
  ])
  expect([10, 20, 50].map((atMs) => placeOf(atMs, 10, 50))).toEqual([0, 0.25, 1])
  expect(placeOf(10, 10, 10)).toBe(0)
})

const unsaid = {
  cpus: [{ cores: 4, usage: 0 }],
  gpus: [{ memory_total: 8, memory_used: 0 }],
  ram: { total: 8, available: 0, used: 0 },
  volumes: [{ size: 4, used: 0 }],
}

it.each([[null], [{}], [{ ram: null, volumes: null }], [{ ram: { total: 0, available: 0 } }], [unsaid]])(
  'knows nothing of %j',
  (told) => {
    expect(loadOf(told, [], 0)).toEqual({
      atMs: 0,
      workers: null,
      processor: null,
      memory: null,
      gpu: null,
      disk: null,
    })
  },
)

it('keeps the newest reports, each moment once', () => {
  let held = withLoad([], loadOf({}, [], 0))
  for (let atMs = 0; atMs < 300; atMs += 1) held = withLoad(held, loadOf({}, [], atMs))
  expect([held.length, held.at(-1)?.atMs]).toEqual([240, 299])
})
