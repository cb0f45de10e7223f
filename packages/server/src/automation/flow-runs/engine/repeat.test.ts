// Guarantees: a repeated node runs until its condition holds, at most as often as allowed, with the previous output
// where it asks for it. A repetition has its own retries.
import { expect, test } from 'vitest'
import { rebuild } from './events.ts'
import { begin, chanceAt, finish, from, planOf, retryNode, started } from './testing/flow-builder.ts'

const repeated = (repeat: object, more = {}) => {
  const plan = planOf({
    in: { type: 'inputNode' },
    poll: { data: { repeat: repeat as never, ...more }, inputs: { job: from('in', 'job') } },
    next: { inputs: { last: from('poll', 'n') } },
  })
  return { plan, first: begin(plan, { input: { job: 7 }, failOnError: true }, chanceAt()) }
}

test('runs until the condition holds, and its result is the last output', () => {
  const { plan, first } = repeated({ max: 5, until: 'output.n >= 2 && input.job == 7' })
  const second = finish(plan, first.state, 'poll', { output: { n: 1 } })
  expect(started(second)).toMatchObject([{ nodeId: 'poll', attempt: 1, input: { job: 7 } }])
  const done = finish(plan, second.state, 'poll', { output: { n: 2 } }, 3_000)
  expect(started(done)).toMatchObject([{ nodeId: 'next', input: { last: 2 } }])
  expect(rebuild(plan, [...first.events, ...second.events, ...done.events])).toEqual(done.state)
})

test('waits between the repetitions, and receives the previous output', () => {
  const { plan, first } = repeated({ max: 3, until: 'turn == 3', delay_ms: 500, carry: 'before' })
  const ended = finish(plan, first.state, 'poll', { output: { n: 1 } })
  expect(ended.commands).toEqual([{ type: 'wake', nodeId: 'poll', atMs: 2_500 }])
  expect(ended.state.nodes.get('poll')).toMatchObject({ status: 'ready', turn: 2, carried: { n: 1 } })
  const again = retryNode(plan, ended.state, 'poll', chanceAt(2_500))
  expect(started(again)).toMatchObject([{ input: { job: 7, before: { n: 1 } } }])
})

test('a failed attempt is retried within its repetition', () => {
  const { plan, first } = repeated({ max: 3, carry: 'before' }, { retry: { attempts: 2, backoff_ms: 10 } })
  const second = finish(plan, first.state, 'poll', { output: 'A' })
  const failed = finish(plan, second.state, 'poll', { error: 'no' }, 3_000)
  expect(failed.state.nodes.get('poll')).toMatchObject({ status: 'ready', attempt: 1, turn: 2, carried: 'A' })
  const again = retryNode(plan, failed.state, 'poll', chanceAt(4_000))
  expect(started(again)).toMatchObject([{ attempt: 2, input: { before: 'A' } }])
})

test('without a condition it runs exactly as often as allowed', () => {
  const { plan, first } = repeated({ max: 2 })
  const second = finish(plan, first.state, 'poll', { output: { n: 1 } })
  const done = finish(plan, second.state, 'poll', { output: { n: 2 } }, 3_000)
  expect(started(done)).toMatchObject([{ nodeId: 'next', input: { last: 2 } }])
})

test.each([
  ['a condition that never holds', { max: 1, until: 'false' }, 'did not hold after 1 repetitions'],
  ['a condition that is not one', { max: 2, until: '1' }, 'must be true or false'],
])('%s fails the node', (_name, repeat, error) => {
  const { plan, first } = repeated(repeat)
  const ended = finish(plan, first.state, 'poll', { output: { n: 1 } })
  expect(ended.state).toMatchObject({ status: 'failed', error: expect.stringContaining(error) })
})

test('a loop cannot be repeated', () => {
  const { first } = repeated({ max: 2 }, { for_each: { input: 'job' } })
  expect(first.state.error).toContain('both `for_each` and `repeat`')
})
