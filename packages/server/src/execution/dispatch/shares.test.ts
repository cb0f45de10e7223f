// Guards: who floods the shared workers does not make the others' runs cold, and nobody waits for a worker that is free.
import { expect, it } from 'vitest'
import { createShares, type Holding } from './shares.ts'

const holding = (team_id: string | null, workers: number, has_gpu = false): Holding => ({ team_id, workers, has_gpu })
const kept = (kept_for: string | null, gpu_count = 0) => ({ kept_for, gpu_count })

const cases: [claim: string, holdings: Holding[], team: string, worker: ReturnType<typeof kept>, may: boolean][] = [
  ['what nobody used lately', [holding('flood', 3), holding(null, 1)], 'flood', kept(null), true],
  ['one’s own', [holding('flood', 3), holding('quiet', 1)], 'quiet', kept('quiet'), true],
  ['another’s, beyond one’s share', [holding('flood', 3), holding('quiet', 1)], 'flood', kept('quiet'), false],
  ['another’s, within one’s share', [holding('flood', 3), holding('quiet', 1)], 'quiet', kept('flood'), true],
  ['another’s, having none', [holding('a', 1), holding('b', 1)], 'c', kept('a'), true],
  ['the only one there is', [holding('flood', 1)], 'quiet', kept('flood'), true],
  ['one with a GPU, having others', [holding('a', 2), holding('b', 1, true)], 'a', kept('b', 1), true],
]

it.each(cases)('%s', (_claim, holdings, team, worker, may) =>
  expect(createShares(holdings).mayTake({ team_id: team }, worker)).toBe(may),
)

it('what was taken counts', () => {
  const shares = createShares([holding('flood', 3), holding('quiet', 1)])
  shares.took({ team_id: 'quiet' }, kept('flood'))
  expect(shares.mayTake({ team_id: 'quiet' }, kept('flood'))).toBe(false)
  expect(shares.mayTake({ team_id: 'flood' }, kept('flood'))).toBe(true)
})
