// Guards: which workers an engine gets for what it has and asks for.
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
    ['nothing said: two CPU workers', undefined, nothing],
    ['an entry without GPUs', { gpu: [{}], cpu: {} }, nothing],
    [
      'nothing asked: two CPU workers',
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
    ['no more than a bound', { cpu: { count: 1_000_000_000 } }, Array(256).fill([0, 0])],
    [
      'one per GPU entry, no CPU worker of its own',
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
      'a GPU that is not there',
      { gpu: [{ gpus: [7] }] },
      [
        [0, 0],
        [0, 0],
      ],
    ],
  ])('%s', (_claim, config, expected) => expect(plan(config)).toEqual(expected))
})

describe('whose layout holds', () => {
  const cpu = (count: number) => ({ cpu: { count } })
  const before = (more: Partial<Layout> = {}): Layout => ({ planned: null, overruled: null, workers: cpu(1), ...more })
  const inForce = { planned: cpu(3), overruled: cpu(1), workers: cpu(3) }
  it.each<[string, Layout, ReturnType<typeof cpu> | null, Layout]>([
    ['what the machine asks for', before(), cpu(2), before({ workers: cpu(2) })],
    ['what it has, when it asks for nothing', before(), null, before()],
    ['a plan, over what is asked for', before({ planned: cpu(3) }), cpu(1), inForce],
    ['a plan, where nothing is asked for', before({ planned: cpu(3) }), null, { ...inForce, overruled: null }],
    ['a plan that took effect, as long as the machine asks as before', inForce, cpu(1), inForce],
    ['also when it asks for nothing', inForce, null, inForce],
    ['what the machine asks for since', inForce, cpu(2), before({ workers: cpu(2) })],
  ])('%s', (_claim, given, asked, expected) => expect(chooseLayout(given, asked)).toEqual(expected))
})
