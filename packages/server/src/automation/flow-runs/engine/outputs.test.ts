// Guarantees: a switch runs exactly the nodes of the chosen case. A handled failure runs the nodes at the output
// `error`, and the run completes. Skipped nodes skip the nodes after them up to a join or a fallback value. A wait ends
// once, at its time or with its answer.
import { describe, expect, test } from 'vitest'
import { rebuild } from './events.ts'
import { planRerun } from './rerun.ts'
import { nodeStatuses, type RunState } from './state.ts'
import {
  begin,
  chanceAt,
  endWait,
  finish,
  from,
  type NodeSpec,
  planOf,
  retryNode,
  started,
} from './testing/flow-builder.ts'

type Nodes = Record<string, NodeSpec>

const start = (nodes: Nodes, input: Record<string, unknown> = {}, failOnError = true) => {
  const plan = planOf(nodes)
  return { plan, first: begin(plan, { input, failOnError }, chanceAt()) }
}

const size = (name: string, when: string) => ({ name, when })

const routed: Nodes = {
  in: { type: 'inputNode' },
  route: {
    type: 'switch',
    data: { switch: { cases: [size('big', 'input.n > 10'), size('small', 'input.n > 0')] } },
    inputs: { n: from('in', 'n') },
  },
  big: { after: ['route:big'], inputs: { n: from('in', 'n') } },
  small: { inputs: { n: from('route', 'n', 'small') } },
  other: { after: ['route:default'] },
  afterBig: { after: ['big'], inputs: { n: from('in', 'n') } },
  both: { type: 'merge', inputs: { a: from('afterBig'), b: from('small') } },
  always: { after: ['route'] },
}

describe('a switch', () => {
  test.each([
    [50, ['big', 'always']],
    [5, ['small', 'always']],
    [0, ['other', 'always']],
  ])('with %i starts %j', (n, nodes) => {
    expect(started(start(routed, { n }).first).map(({ nodeId }) => nodeId)).toEqual(nodes)
  })

  test('gives the inputs to the chosen case and skips the others up to a merge', () => {
    const { plan, first } = start(routed, { n: 5 })
    expect(started(first)[0]).toMatchObject({ nodeId: 'small', input: { n: 5 } })
    expect(nodeStatuses(plan, first.state)).toMatchObject({ big: 'skipped', afterBig: 'skipped', both: 'pending' })
    const second = finish(plan, first.state, 'small', { output: 'S' })
    expect(second.state.nodes.get('both')).toMatchObject({ status: 'completed', output: { b: 'S' } })
    const last = finish(plan, second.state, 'always', { output: 1 })
    expect(last.state.status).toBe('completed')
  })

  test('a merge without any value is skipped', () => {
    const { plan, first } = start(routed, { n: 0 })
    expect(nodeStatuses(plan, first.state)).toMatchObject({ both: 'skipped' })
  })

  test.each([
    ['no cases', undefined, 'has no cases'],
    ['two cases of one name', { cases: [size('a', 'true'), size('a', 'true')] }, 'two cases'],
    ['a reserved name', { cases: [size('error', 'true')] }, 'cannot have the name'],
    ['a condition that is not a condition', { cases: [size('a', '1')] }, 'must be true or false'],
  ])('with %s fails', (_name, config, error) => {
    const { first } = start({ route: { type: 'switch', data: { ...(config && { switch: config }) } } })
    expect(first.state).toMatchObject({ status: 'failed', error: expect.stringContaining(error) })
  })
})

describe('a condition `when`', () => {
  test('that is false skips the node and the nodes after it', () => {
    const { plan, first } = start({
      step: { data: { when: 'input.n > 1' }, inputs: { n: 1 } },
      next: { after: ['step'] },
      tolerant: { inputs: { v: { ...from('step'), value: 'fallback' } } },
    })
    expect(nodeStatuses(plan, first.state)).toEqual({ step: 'skipped', next: 'skipped', tolerant: 'running' })
    expect(started(first)).toMatchObject([{ nodeId: 'tolerant', input: { v: 'fallback' } }])
  })

  test('is not evaluated again for a retry', () => {
    const data = { when: 'input.n == 1', retry: { attempts: 2, backoff_ms: 0 } }
    const { plan, first } = start({ step: { data, inputs: { n: 1 } } })
    const failed = finish(plan, first.state, 'step', { error: 'once' })
    expect(started(retryNode(plan, failed.state, 'step', chanceAt(9_000)))).toHaveLength(1)
  })

  test('with an error fails the node', () => {
    const { first } = start({ step: { data: { when: 'input.gone > 1' } } })
    expect(first.state).toMatchObject({ status: 'failed', error: expect.stringContaining('`when`') })
  })
})

describe('the output `error`', () => {
  const guarded: Nodes = {
    in: { type: 'inputNode' },
    step: { data: { on_error: 'branch', retry: { attempts: 2, backoff_ms: 5, codes: ['timed_out'] } } },
    good: { inputs: { v: from('step', 'v') } },
    repair: { inputs: { reason: from('step', 'error', 'error'), all: from('step', '', 'error') } },
    end: { type: 'merge', inputs: { good: from('good'), repair: from('repair') } },
  }

  test('runs with the failure, and the run completes', () => {
    const { plan, first } = start(guarded)
    const failed = finish(plan, first.state, 'step', { error: 'broken', code: 'not_found' })
    expect(started(failed)).toMatchObject([
      { nodeId: 'repair', input: { reason: 'broken', all: { error: 'broken', code: 'not_found', node: 'step' } } },
    ])
    const last = finish(plan, failed.state, 'repair', { output: 'R' })
    expect(nodeStatuses(plan, last.state)).toMatchObject({ step: 'failed', good: 'skipped', end: 'completed' })
    expect(last.state.status).toBe('completed')
    const log = [...first.events, ...failed.events, ...last.events]
    expect(rebuild(plan, log)).toEqual(last.state)
  })

  test('is skipped after a success', () => {
    const { plan, first } = start(guarded)
    const ended = finish(plan, first.state, 'step', { output: { v: 1 } })
    expect(nodeStatuses(plan, ended.state)).toMatchObject({ good: 'running', repair: 'skipped' })
  })

  test('waits for the retries of the named failures', () => {
    const { plan, first } = start(guarded)
    const failed = finish(plan, first.state, 'step', { error: 'late', code: 'timed_out' })
    expect(nodeStatuses(plan, failed.state)).toMatchObject({ step: 'ready', repair: 'pending' })
  })

  test('means nothing without `on_error`', () => {
    const { plan, first } = start({ step: {}, next: { after: ['step:error'] } })
    const ended = finish(plan, first.state, 'step', { output: 1 })
    expect(nodeStatuses(plan, ended.state)).toEqual({ step: 'completed', next: 'running' })
  })

  test('a rerun keeps the handled failure and the chosen branches', () => {
    const { plan, first } = start(guarded)
    const failed = finish(plan, first.state, 'step', { error: 'broken' })
    const over = finish(plan, failed.state, 'repair', { error: 'no repair' })
    const planned = planRerun(plan, over.state)
    if ('error' in planned) throw new Error(planned.error)
    const again = begin(plan, { input: {}, failOnError: true, reused: planned.reused }, chanceAt(5_000))
    expect(started(again)).toMatchObject([{ nodeId: 'repair', input: { reason: 'broken' } }])
    expect(nodeStatuses(plan, again.state)).toMatchObject({ step: 'failed', good: 'skipped' })
  })
})

describe('a wait', () => {
  const waiting = (wait: NonNullable<NodeSpec['data']>['wait'], inputs: Record<string, unknown> = {}) =>
    start({
      pause: { type: 'wait', data: { wait: wait ?? null }, inputs },
      next: { after: ['pause'] },
      late: { after: ['pause:timeout'] },
    })

  const statuses = ({ plan }: ReturnType<typeof waiting>, state: RunState) => nodeStatuses(plan, state)

  test('for a duration ends when due, and not before', () => {
    const given = waiting({ mode: 'duration', duration_ms: 5_000 })
    expect(given.first.commands).toEqual([{ type: 'wake', nodeId: 'pause', atMs: 6_000 }])
    expect(statuses(given, given.first.state)).toMatchObject({ pause: 'running', next: 'pending' })
    const early = endWait(given.plan, given.first.state, 'pause', { event: 'due' }, chanceAt(5_999))
    expect(early.events).toEqual([])
    const due = endWait(given.plan, given.first.state, 'pause', { event: 'due' }, chanceAt(6_000))
    expect(statuses(given, due.state)).toEqual({ pause: 'completed', next: 'running', late: 'skipped' })
  })

  test('for a time that has passed does not wait', () => {
    const given = waiting({ mode: 'time' }, { until: '1970-01-01T00:00:00Z' })
    expect(statuses(given, given.first.state)).toMatchObject({ pause: 'completed', next: 'running' })
  })

  test.each([
    [{ mode: 'duration' as const }, {}, 'duration_ms must be between'],
    [{ mode: 'time' as const, until: 'soon' }, {}, 'RFC 3339'],
    [{ mode: 'time' as const }, { until: '2999-01-01T00:00:00Z' }, 'at most 366 days away'],
    [undefined, {}, 'does not say what it waits for'],
  ])('%j with %j fails', (wait, inputs, error) => {
    const { first } = waiting(wait, inputs)
    expect(first.state).toMatchObject({ status: 'failed', error: expect.stringContaining(error) })
  })

  test('for its URL ends once, with the sent value', () => {
    const given = waiting({ mode: 'resume', timeout_ms: 100 })
    const resumed = (state: RunState) =>
      endWait(given.plan, state, 'pause', { event: 'resumed', data: { yes: true } }, chanceAt(1_050))
    const first = resumed(given.first.state)
    expect(first.state.nodes.get('pause')).toEqual({ status: 'completed', output: { yes: true } })
    expect(statuses(given, first.state)).toMatchObject({ next: 'running', late: 'skipped' })
    expect(resumed(first.state).events).toEqual([])
  })

  test('for its URL continues at the output `timeout` when no answer comes', () => {
    const given = waiting({ mode: 'resume', timeout_ms: 100 })
    const due = endWait(given.plan, given.first.state, 'pause', { event: 'due' }, chanceAt(1_100))
    expect(statuses(given, due.state)).toEqual({ pause: 'completed', next: 'skipped', late: 'running' })
  })

  test('its URL is known to earlier nodes and orders nothing', () => {
    const { plan, first } = start({
      mail: { inputs: { link: from('pause', '', 'url') } },
      pause: { type: 'wait', data: { wait: { mode: 'resume' } }, after: ['mail'] },
    })
    expect(started(first)).toMatchObject([{ nodeId: 'mail', input: { link: 'url:pause' } }])
    expect(nodeStatuses(plan, first.state)).toEqual({ mail: 'running', pause: 'pending' })
  })
})
