// Guarantees: which workers an engine gets for its hardware and its requested layout.
import { describe, expect, it } from 'vitest'
import { chooseLayout, type Layout, planWorkers } from './allocation.ts'

describe('allocation', () => {
  const gpus = [0, 1, 2].map((index) => ({ id: `g${index}`, index, type: 'nvidia', name: 'n', vram: 10 + index }))
  const plan = (config: Parameters<typeof planWorkers>[0]) =>
    planWorkers(config, { gpus }).map(({ gpu_count, gpu_vram }) => [gpu_count, gpu_vram])
  const nothing = [
    [0, 0],
    [0, 0],
  ]
  it.each([
    ['no request: two CPU workers', undefined, nothing],
    ['an entry without GPUs', { gpu: [{}], cpu: {} }, nothing],
    [
      'an empty request: two CPU workers',
      {},
      [
        [0, 0],
        [0, 0],
      ],
    ],
    [
      'a count',
      { cpu: { count: 3 } },
      [
        [0, 0],
        [0, 0],
        [0, 0],
      ],
    ],
    ['none', { cpu: { count: 0 } }, []],
    ['at most the maximum', { cpu: { count: 1_000_000_000 } }, Array(256).fill([0, 0])],
    [
      'one per GPU entry and no additional CPU worker',
      { gpu: [{ gpus: [0] }, { gpus: ['g1', 'g2'] }] },
      [
        [1, 10],
        [2, 11],
      ],
    ],
    [
      'both',
      { gpu: [{ gpus: [2] }], cpu: { count: 1 } },
      [
        [1, 12],
        [0, 0],
      ],
    ],
    [
      'an unknown GPU',
      { gpu: [{ gpus: [7] }] },
      [
        [0, 0],
        [0, 0],
      ],
    ],
  ])('%s', (_claim, config, expected) => expect(plan(config)).toEqual(expected))
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
