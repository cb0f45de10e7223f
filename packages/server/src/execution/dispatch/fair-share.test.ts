// Guarantees: a workspace that floods the shared workers does not cause cold starts for others, and no task waits for
// an idle worker that is not reserved.
import { expect, it } from 'vitest'
import { createFairShare, type WorkerUse } from './fair-share.ts'

const use = (team_id: string | null, workers: number, has_gpu = false): WorkerUse => ({ team_id, workers, has_gpu })
const reserved = (reserved_for: string | null, gpu_count = 0) => ({ reserved_for, gpu_count })

const cases: [claim: string, uses: WorkerUse[], team: string, worker: ReturnType<typeof reserved>, may: boolean][] = [
  ['a worker that was not used recently', [use('flood', 3), use(null, 1)], 'flood', reserved(null), true],
  ['one’s own', [use('flood', 3), use('quiet', 1)], 'quiet', reserved('quiet'), true],
  [
    'a worker of another workspace, above the own share',
    [use('flood', 3), use('quiet', 1)],
    'flood',
    reserved('quiet'),
    false,
  ],
  [
    'a worker of another workspace, within the own share',
    [use('flood', 3), use('quiet', 1)],
    'quiet',
    reserved('flood'),
    true,
  ],
  ['a worker of another workspace, having none', [use('a', 1), use('b', 1)], 'c', reserved('a'), true],
  ['the only worker', [use('flood', 1)], 'quiet', reserved('flood'), true],
  ['a GPU worker, having CPU workers', [use('a', 2), use('b', 1, true)], 'a', reserved('b', 1), true],
]

it.each(cases)('%s', (_claim, uses, team, worker, may) =>
  expect(createFairShare(uses).mayTake({ team_id: team }, worker)).toBe(may),
)

it('a taken worker counts', () => {
  const fairShare = createFairShare([use('flood', 3), use('quiet', 1)])
  fairShare.matched({ team_id: 'quiet' }, reserved('flood'))
  expect(fairShare.mayTake({ team_id: 'quiet' }, reserved('flood'))).toBe(false)
  expect(fairShare.mayTake({ team_id: 'flood' }, reserved('flood'))).toBe(true)
})
