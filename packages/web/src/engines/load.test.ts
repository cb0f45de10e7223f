// Guarantees: the plots show the reported values, and a machine that reports nothing shows nothing.
import { expect, it } from 'vitest'
import { gpusOf } from './gpus.ts'
import { loadOf, pointsOf, positionOf, withLoad } from './load.ts'

it('returns memory, the fullest disk and busy workers as shares', () => {
  const info = { ram: { total: 8, available: 2 }, volumes: [{ size: 10, used: 1 }, { size: 4, used: 3 }, {}] }
  const workers = [{ status: 'busy' }, { status: 'idle' }]
  expect(loadOf(info, workers, 7)).toMatchObject({ atMs: 7, memory: 0.75, disk: 0.75, workers: 0.5 })
})

it('weights CPUs by cores, accepts shares and percentages, and picks the fullest GPU', () => {
  const cpus = [
    { cores: 3, usage: 80, normalized_usage: 0.2 },
    { cores: 1, usage: 60 },
  ]
  const gpus = [{ memory_used: 1, memory_total: 4, usage: 0.9 }, { memory_used: 3, memory_total: 4, usage: 0 }, {}]
  const load = loadOf({ cpus, gpus }, [], 7)
  expect(load.processor).toBeCloseTo(0.3)
  expect([load.gpu, load.gpuUsage]).toEqual([0.75, 0.9])
})

it('places each report at its time and leaves out missing values', () => {
  const loads = [
    loadOf({ cpus: [{ usage: 0.5 }] }, [], 10),
    loadOf({}, [], 20),
    loadOf({ cpus: [{ usage: 1 }] }, [], 50),
  ]
  expect(pointsOf(loads, 'processor')).toEqual([
    { atMs: 10, value: 0.5 },
    { atMs: 50, value: 1 },
  ])
  expect([10, 20, 50].map((atMs) => positionOf(atMs, 10, 50))).toEqual([0, 0.25, 1])
  expect(positionOf(10, 10, 10)).toBe(0)
})

const zeros = {
  cpus: [{ cores: 4, usage: 0 }],
  gpus: [{ memory_total: 8, memory_used: 0 }],
  ram: { total: 8, available: 0, used: 0 },
  volumes: [{ size: 4, used: 0 }],
}

it.each([[null], [{}], [{ ram: null, volumes: null }], [{ ram: { total: 0, available: 0 } }], [zeros]])(
  'returns no load for %j',
  (info) => {
    expect(loadOf(info, [], 0)).toEqual({
      atMs: 0,
      workers: null,
      processor: null,
      memory: null,
      gpu: null,
      gpuUsage: null,
      disk: null,
    })
  },
)

it('keeps the newest reports, one per time', () => {
  let loads = withLoad([], loadOf({}, [], 0))
  for (let atMs = 0; atMs < 300; atMs += 1) loads = withLoad(loads, loadOf({}, [], atMs))
  expect([loads.length, loads.at(-1)?.atMs]).toEqual([240, 299])
})

it('describes each GPU, without values that the card does not report', () => {
  const gpu = { index: 1, name: 'NVIDIA H200', memory_used: 2e9, memory_total: 150e9, usage: 0.371, temperature: 41 }
  expect(gpusOf({ gpus: [{ ...gpu, power: 76.5, driver_version: '580.1', cuda_version: '13.0' }, {}] })).toEqual([
    {
      ...{ index: 1, name: 'NVIDIA H200', memory: '2.0 GB of 150 GB' },
      facts: ['37 % busy', '41 °C', '77 W', 'driver 580.1', 'CUDA 13.0'],
    },
    { index: 1, name: 'GPU', memory: '', facts: [] },
  ])
})
