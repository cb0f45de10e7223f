// Guarantees: a rerun keeps all results that do not depend on its start, runs the rest again, and names its origin.
import { expect, test } from 'vitest'
import { rebuild } from './events.ts'
import { planRerun } from './rerun.ts'
import { nodeStatuses, type RunState } from './state.ts'
import { begin, chanceAt, finish, from, planOf, started } from './testing/flow-builder.ts'

const plan = planOf(
  {
    in: { type: 'inputNode' },
    dice: { type: 'constant', data: { utility: { random: true } } },
    a: { inputs: { x: from('in', 'x'), dice: from('dice') } },
    b: { inputs: { a: from('a') } },
    side: { inputs: { x: from('in', 'x') } },
    end: { type: 'merge', inputs: { b: from('b'), side: from('side') } },
  },
  { mappings: { end: { sourceNodeId: 'end' } } },
)

const run = (outcomes: [string, { output: unknown } | { error: string }][]): RunState =>
  outcomes.reduce(
    (state, [id, outcome]) => finish(plan, state, id, outcome).state,
    begin(plan, { input: { x: 1 }, failOnError: false }, chanceAt()).state,
  )

const failedRun = run([
  ['a', { output: 'A' }],
  ['side', { output: 'S' }],
  ['b', { error: 'boom' }],
])
const goodRun = run([
  ['a', { output: 'A' }],
  ['side', { output: 'S' }],
  ['b', { output: 'B' }],
])

test('from the failed nodes: successful results are kept with their tasks', () => {
  expect(planRerun(plan, failedRun)).toEqual({
    reused: [
      { nodeId: 'in' },
      { nodeId: 'dice', output: 500_000 },
      { nodeId: 'a', output: 'A', taskId: 'task-1000-2' },
      { nodeId: 'side', output: 'S', taskId: 'task-1000-1' },
    ],
    reset: ['b', 'end'],
  })
})

test.each([
  ['a', ['a', 'b', 'end']],
  ['side', ['side', 'end']],
  ['in', ['in', 'a', 'b', 'side', 'end']],
  ['end', ['end']],
])('from %s of a successful run: the node and its descendants', (nodeId, reset) => {
  expect(planRerun(plan, goodRun, nodeId)).toMatchObject({ reset })
})

test('from a node before the failure: the failed nodes run again too', () => {
  expect(planRerun(plan, failedRun, 'side')).toMatchObject({ reset: ['b', 'side', 'end'] })
})

test('the new run starts only reset nodes, with the kept values', () => {
  const rerun = planRerun(plan, failedRun)
  if ('error' in rerun) throw new Error(rerun.error)
  const request = { input: failedRun.input, failOnError: true, originRunId: 'run-1', reused: rerun.reused }
  const first = begin(plan, request, { ...chanceAt(9), random: () => 0 })
  expect(started(first)).toMatchObject([{ nodeId: 'b', input: { a: 'A' }, attempt: 1 }])
  expect(first.state.originRunId).toBe('run-1')
  expect(nodeStatuses(plan, first.state)).toMatchObject({
    in: 'completed',
    a: 'completed',
    b: 'running',
    end: 'pending',
  })
  expect(Object.fromEntries(first.state.tasks)).toEqual({ a: 'task-1000-2', side: 'task-1000-1', b: 'task-9-1' })
  expect(rebuild(plan, first.events)).toEqual(first.state)
  const last = finish(plan, first.state, 'b', { output: 'B2' })
  expect(last.state).toMatchObject({ status: 'completed', output: { end: { b: 'B2', side: 'S' } } })
})

test.each([
  ['an unfinished run', run([]), undefined, 'not over'],
  ['a successful run without a node', goodRun, undefined, 'no node failed'],
  ['an unknown node', failedRun, 'q', 'node "q" does not exist'],
])('%s is refused', (_claim, state, nodeId, error) => {
  expect(planRerun(plan, state, nodeId)).toEqual({ error: expect.stringContaining(error) })
})
