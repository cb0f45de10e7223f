// Guarantees: which workers an engine gets for its hardware and its requested layout.
import { describe, expect, it } from 'vitest'
import { chooseLayout, type Layout, planWorkers } from './allocation.ts'

describe('allocation', () => {
  const gpus = [0, 1, 2].map((index) => ({ id: `g${index}`, index, type: 'nvidia', name: 'n', vram: 10 + index }))
  const plan = (config: Parameters<typeof planWorkers>[0]) =>
    planWorkers(config, { gpus }).map(({ gpu_count, gpu_vram }) => [gpu_count, gpu_vram])
  const cpuWorkers = (count: number) => Array(count).fill([0, 0])
  const everyGpu = [0, 1, 2].map((index) => [1, 10 + index])
  it.each([
    ['no request: one worker per GPU and two CPU workers', undefined, [...everyGpu, ...cpuWorkers(2)]],
    ['an empty request: the same', {}, [...everyGpu, ...cpuWorkers(2)]],
    ['only a number of CPU workers: every GPU', { cpu: { count: 3 } }, [...everyGpu, ...cpuWorkers(3)]],
    ['no CPU worker', { cpu: { count: 0 } }, everyGpu],
    ['no GPU worker', { gpu: [] }, cpuWorkers(2)],
    ['an entry without GPUs', { gpu: [{}], cpu: {} }, cpuWorkers(2)],
    ['at most the maximum', { gpu: [], cpu: { count: 1_000_000_000 } }, cpuWorkers(256)],
    [
      'one per GPU entry, and the default CPU workers',
      { gpu: [{ gpus: [0] }, { gpus: ['g1', 'g2'] }] },
      [[1, 10], [2, 11], ...cpuWorkers(2)],
    ],
    [
      'two that share a GPU',
      { gpu: [{ gpus: [0] }, { gpus: [0] }], cpu: { count: 0 } },
      [
        [1, 10],
        [1, 10],
      ],
    ],
    ['both', { gpu: [{ gpus: [2] }], cpu: { count: 1 } }, [[1, 12], ...cpuWorkers(1)]],
    ['an unknown GPU', { gpu: [{ gpus: [7] }] }, cpuWorkers(2)],
  ])('%s', (_claim, config, expected) => expect(plan(config)).toEqual(expected))
})

describe('workers that share a GPU', () => {
  const gpus = [{ id: 'g0', index: 0, type: 'nvidia', name: 'n', vram: 140e9 }]
  it('know the card that they share, and the share that the layout gives them', () => {
    const config = { gpu: [{ gpus: [0], vram: 40 }, { gpus: [0] }], cpu: { count: 1 } }
    const shown = planWorkers(config, { gpus }).map((one) => [one.gpu_vram, one.card_vram, one.shared_gpus])
    expect(shown).toEqual([
      [40e9, 140e9, ['g0']],
      [140e9, 140e9, ['g0']],
      [0, 0, []],
    ])
    expect(planWorkers(null, { gpus })[0]?.shared_gpus).toEqual([])
  })
})

describe('the layout that applies', () => {
  const cpu = (count: number) => ({ cpu: { count } })
  const before = (more: Partial<Layout> = {}): Layout => ({ planned: null, overruled: null, workers: cpu(1), ...more })
  const inForce = { planned: cpu(3), overruled: cpu(1), workers: cpu(3) }
  it.each<[string, Layout, ReturnType<typeof cpu> | null, Layout]>([
    ['the requested one', before(), cpu(2), before({ workers: cpu(2) })],
    ['the current one, without a request', before(), null, before()],
    ['a planned one before the requested one', before({ planned: cpu(3) }), cpu(1), inForce],
    ['a planned one, without a request', before({ planned: cpu(3) }), null, { ...inForce, overruled: null }],
    ['an applied plan, while the request is unchanged', inForce, cpu(1), inForce],
    ['an applied plan, without a request', inForce, null, inForce],
    ['a new request after an applied plan', inForce, cpu(2), before({ workers: cpu(2) })],
  ])('%s', (_claim, given, requested, expected) => expect(chooseLayout(given, requested)).toEqual(expected))
})
