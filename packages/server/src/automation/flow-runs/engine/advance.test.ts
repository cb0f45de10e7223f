// Guarantees: a node starts when all its dependencies have results, and only then. Utility nodes need no task. Gates
// block without failing. A failure ends the run at once or after the other branches. Retries, timeouts and cancellation
// follow the tables. The output is composed by the mappings.
import { describe, expect, test } from 'vitest'
import { cancelRun } from './advance.ts'
import { nodeOutputs, nodeStatuses } from './state.ts'
import {
  advance,
  begin,
  chanceAt,
  finish,
  from,
  type NodeSpec,
  planOf,
  retryNode,
  started,
} from './testing/flow-builder.ts'

const start = (plan: ReturnType<typeof planOf>, input: Record<string, unknown> = {}, failOnError = true) =>
  begin(plan, { input, failOnError }, chanceAt())

describe('a chain of apps', () => {
  const plan = planOf(
    {
      in: { type: 'inputNode' },
      a: {
        data: { app_id: 'app1', app_version_id: 'v1', function: 'go', infra: 'cpu', workers: ['w'], setup: { s: 1 } },
        inputs: { prompt: from('in', 'prompt'), size: 3 },
      },
      b: { inputs: { text: from('a', 'text'), all: from('a') } },
      out: { type: 'outputNode', after: ['b'] },
      remark: { type: 'note' },
    },
    {
      mappings: {
        answer: { sourceNodeId: 'b', sourceFieldPath: 'items[1].name' },
        asked: { sourceNodeId: 'in', sourceFieldPath: 'prompt' },
        none: { sourceNodeId: 'b', sourceFieldPath: 'gone' },
      },
    },
  )
  const first = start(plan, { prompt: 'hi' })

  test('the first app starts with its complete input', () => {
    expect(first.commands).toEqual([
      {
        type: 'start',
        nodeId: 'a',
        taskId: 'task-1000-1',
        attempt: 1,
        appId: 'app1',
        appVersionId: 'v1',
        function: 'go',
        infra: 'cpu',
        workers: ['w'],
        setup: { s: 1 },
        input: { prompt: 'hi', size: 3 },
      },
    ])
    expect(first.state.status).toBe('running')
    expect(nodeStatuses(plan, first.state)).toEqual({ in: 'completed', a: 'running', b: 'pending', out: 'pending' })
  })

  test('its output is the input of the second, whose end completes the run', () => {
    const second = finish(plan, first.state, 'a', { output: { text: 'T', n: 1 } })
    expect(started(second)).toMatchObject([{ nodeId: 'b', input: { text: 'T', all: { text: 'T', n: 1 } } }])
    const last = finish(plan, second.state, 'b', { output: { items: [0, { name: 'N' }] } })
    expect(last.state).toMatchObject({ status: 'completed', output: { answer: 'N', asked: 'hi' } })
    expect(last.events.map((event) => event.type)).toEqual(['node_completed', 'node_completed', 'run_completed'])
    expect(Object.fromEntries(last.state.tasks)).toEqual({ a: 'task-1000-1', b: 'task-2000-1' })
  })

  test('the output of apps is not stored in nodes', () => {
    expect(nodeOutputs(plan, finish(plan, first.state, 'a', { output: 1 }).state)).toBeNull()
  })

  test('a repeated or late result, or one of another task, changes nothing', () => {
    const second = finish(plan, first.state, 'a', { output: 1 })
    for (const state of [second.state, cancelRun(plan, first.state, chanceAt()).state]) {
      const late = advance(
        plan,
        state,
        [{ nodeId: 'a', taskId: 'task-1000-1', outcome: 'completed', output: 2 }],
        chanceAt(),
      )
      expect(late).toEqual({ state, events: [], commands: [] })
    }
    const foreign = advance(
      plan,
      first.state,
      [{ nodeId: 'a', taskId: 'other', outcome: 'completed', output: 2 }],
      chanceAt(),
    )
    expect(foreign.events).toEqual([])
  })

  test('the given state is not modified', () => {
    const before = structuredClone(first.state)
    finish(plan, first.state, 'a', { error: 'x' })
    expect(first.state).toEqual(before)
  })
})

describe('one pass', () => {
  test('utility nodes are evaluated without a task', () => {
    const plan = planOf(
      {
        in: { type: 'inputNode' },
        list: { type: 'constant', data: { utility: { constant: [1, 2, 3] } } },
        pick: { type: 'selector', data: { utility: { selector: { mode: 'last' } } }, inputs: { l: from('list') } },
        sum: {
          type: 'utility',
          data: { utility: { expression: 'input.a + input.b' } },
          inputs: { a: from('pick'), b: from('in', 'n') },
        },
        both: { type: 'merge', inputs: { sum: from('sum', 'value'), list: from('list') } },
        gate: {
          type: 'gate',
          data: { utility: { gate: { field: 'sum', operator: 'gt', value: 4 } } },
          inputs: { sum: from('both', 'sum') },
        },
      },
      { mappings: { sum: { sourceNodeId: 'gate', sourceFieldPath: 'sum' }, all: { sourceNodeId: 'both' } } },
    )
    const { state, commands } = start(plan, { n: 2 })
    expect(commands).toEqual([])
    expect(state).toMatchObject({ status: 'completed', output: { sum: 5, all: { sum: 5, list: [1, 2, 3] } } })
    expect(nodeOutputs(plan, state)).toEqual({
      list: { value: [1, 2, 3] },
      pick: { value: 3 },
      sum: { value: 5 },
      both: { value: { sum: 5, list: [1, 2, 3] } },
      gate: { value: { sum: 5 } },
    })
  })

  test('an empty graph, or one of notes only, completes at once', () => {
    for (const plan of [planOf({}), planOf({ n: { type: 'note' } })]) {
      expect(start(plan).state).toMatchObject({ status: 'completed', output: {} })
    }
  })

  test('edges alone define order', () => {
    const plan = planOf({ a: {}, b: { after: ['a'] } })
    const first = start(plan)
    expect(started(first).map((command) => command.nodeId)).toEqual(['a'])
    expect(started(finish(plan, first.state, 'a', { output: null })).map((command) => command.nodeId)).toEqual(['b'])
  })

  test('a flow without mappings returns the input of its output node', () => {
    const plan = planOf({
      c: { type: 'constant', data: { utility: { constant: 1 } } },
      out: { type: 'outputNode', inputs: { x: from('c') } },
    })
    expect(start(plan).state.output).toEqual({ x: 1 })
  })

  test('input by node overrides only that node', () => {
    const plan = planOf({
      in: { type: 'inputNode' },
      a: { inputs: { x: from('in', 'x'), y: 2 } },
      b: { inputs: { z: 1 } },
    })
    expect(started(start(plan, { a: { x: 5 } })).map((command) => command.input)).toEqual([{ z: 1 }, { x: 5, y: 2 }])
    expect(
      started(start(plan, { in: { x: 'in' }, b: { q: from('in', 'x') } })).map((command) => command.input),
    ).toEqual([
      { z: 1, q: 'in' },
      { x: 'in', y: 2 },
    ])
  })

  test('a flat input is data, even if it looks like a connection', () => {
    const plan = planOf({ in: { type: 'inputNode', inputs: { preset: 1 } }, a: { inputs: { x: from('in') } } })
    const input = { db: { connection: 'postgres://host' } }
    expect(started(start(plan, input))[0]?.input).toEqual({ x: { preset: 1, ...input } })
  })
})

describe('failures', () => {
  const branches: Record<string, NodeSpec> = {
    a: {},
    afterA: { after: ['a'] },
    deep: { after: ['afterA'] },
    b: {},
    afterB: { after: ['b'] },
  }

  test('at once: the others are cancelled, later nodes are blocked', () => {
    const plan = planOf(branches)
    const { state, commands } = finish(plan, start(plan).state, 'a', { error: 'boom' })
    expect(state).toMatchObject({ status: 'failed', error: 'node "a" failed: boom' })
    expect(nodeStatuses(plan, state)).toEqual({
      a: 'failed',
      afterA: 'blocked',
      deep: 'blocked',
      b: 'cancelled',
      afterB: 'cancelled',
    })
    expect(commands).toEqual([{ type: 'cancel', nodeId: 'b', taskId: 'task-1000-2' }])
  })

  test('without fail_on_error, the other branches complete first', () => {
    const plan = planOf(branches)
    const first = finish(plan, start(plan, {}, false).state, 'a', { error: 'boom' })
    expect(first.state.status).toBe('running')
    const second = finish(plan, first.state, 'b', { output: 1 })
    expect(started(second).map((command) => command.nodeId)).toEqual(['afterB'])
    const last = finish(plan, second.state, 'afterB', { error: 'bang' })
    expect(last.state).toMatchObject({ status: 'failed', error: 'node "a" failed: boom; node "afterB" failed: bang' })
    expect(last.state.output).toBeUndefined()
  })

  test('a closed gate blocks later nodes, and the run completes with the remaining values', () => {
    const plan = planOf(
      {
        gate: {
          type: 'gate',
          data: { gate_condition: { field: 'x', operator: 'equals', value: 'y' } },
          inputs: { x: 'n' },
        },
        after: { after: ['gate'] },
        out: { type: 'outputNode', after: ['after'] },
        other: { type: 'constant', data: { utility: { constant: 7 } } },
      },
      {
        mappings: {
          seven: { sourceNodeId: 'other' },
          gate: { sourceNodeId: 'gate' },
          after: { sourceNodeId: 'after' },
        },
      },
    )
    const { state, commands } = start(plan)
    expect(commands).toEqual([])
    expect(state).toMatchObject({ status: 'completed', output: { seven: 7 } })
    expect(nodeStatuses(plan, state)).toEqual({ gate: 'failed', after: 'blocked', out: 'blocked', other: 'completed' })
    expect(nodeOutputs(plan, state)).toEqual({ other: { value: 7 } })
  })

  test('a gate and a failure together fail the run with the failure only', () => {
    const plan = planOf({
      gate: { type: 'gate', data: { gate_condition: { field: 'x', operator: 'eq' } } },
      bad: { type: 'utility', data: { utility: { expression: 'input.q' } } },
    })
    expect(start(plan, {}, false).state).toMatchObject({
      status: 'failed',
      error: 'node "bad" failed: field not found: q',
    })
  })

  test.each<[string, NodeSpec, string]>([
    ['an agent node without an agent', { type: 'agentNode' }, 'the node has no agent'],
    ['an app node without an app', { data: { app_id: '' } }, 'the node has no app'],
    ['a broken expression', { type: 'utility', data: { utility: { expression: '1 +' } } }, 'expecting end of input'],
  ])('%s fails the run with a clear error', (_claim, node, words) => {
    expect(start(planOf({ x: node })).state).toMatchObject({ status: 'failed', error: expect.stringContaining(words) })
  })

  test('a cycle in a graph fails instead of waiting forever', () => {
    const plan = planOf({ a: { after: ['b'] }, b: { after: ['a'] }, c: { after: ['b'] } })
    expect(start(plan).state).toMatchObject({ status: 'failed', error: 'node "a" failed: the node is part of a cycle' })
  })

  test('a task that was cancelled by itself fails the run', () => {
    const plan = planOf({ a: {}, b: { after: ['a'] } })
    const { state } = advance(
      plan,
      start(plan).state,
      [{ nodeId: 'a', taskId: 'task-1000-1', outcome: 'cancelled' }],
      chanceAt(),
    )
    expect(state).toMatchObject({ status: 'failed', error: 'node "a" was cancelled' })
    expect(nodeStatuses(plan, state)).toEqual({ a: 'cancelled', b: 'blocked' })
  })

  test('of many failures, some are listed and the others counted', () => {
    const plan = planOf(Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`n${i}`, { type: 'agentNode' }])))
    expect(start(plan, {}, false).state.error).toMatch(/^node "n0" failed: .*; and 3 more$/)
  })
})

describe('retries and timeouts', () => {
  const plan = planOf({
    a: { data: { retry: { attempts: 3, backoff_ms: 100, factor: 3 }, timeout_ms: 500 } },
    b: { after: ['a'] },
  })
  const first = start(plan)

  test('each attempt has its own deadline', () => {
    expect(first.events.at(-1)).toMatchObject({ type: 'node_started', attempt: 1, deadline_ms: 1_500 })
  })

  test('a failed attempt waits, starts again when due, and gives up after the last', () => {
    const failed = finish(plan, first.state, 'a', { error: 'x' }, 1_200)
    expect(failed.commands).toEqual([{ type: 'wake', nodeId: 'a', atMs: 1_300 }])
    expect(nodeStatuses(plan, failed.state)).toEqual({ a: 'ready', b: 'pending' })
    const again = retryNode(plan, failed.state, 'a', chanceAt(1_300))
    expect(started(again)).toMatchObject([{ nodeId: 'a', attempt: 2, taskId: 'task-1300-1', deadlineMs: 1_800 }])
    const failedAgain = finish(plan, again.state, 'a', { error: 'y' }, 2_000)
    expect(failedAgain.commands).toEqual([{ type: 'wake', nodeId: 'a', atMs: 2_300 }])
    const third = retryNode(plan, failedAgain.state, 'a', chanceAt(2_300))
    expect(finish(plan, third.state, 'a', { error: 'z' }).state).toMatchObject({
      status: 'failed',
      error: 'node "a" failed: z',
    })
    expect(started(finish(plan, third.state, 'a', { output: 1 }))).toMatchObject([{ nodeId: 'b' }])
  })

  test('the result of an earlier attempt is ignored', () => {
    const again = retryNode(plan, finish(plan, first.state, 'a', { error: 'x' }).state, 'a', chanceAt(3_000))
    const late = advance(
      plan,
      again.state,
      [{ nodeId: 'a', taskId: 'task-1000-1', outcome: 'completed', output: 1 }],
      chanceAt(),
    )
    expect(late.events).toEqual([])
  })

  test('a timeout cancels the task and counts as a failed attempt', () => {
    const late = advance(
      plan,
      first.state,
      [{ nodeId: 'a', taskId: 'task-1000-1', outcome: 'timed out' }],
      chanceAt(1_500),
    )
    expect(late.commands).toEqual([
      { type: 'cancel', nodeId: 'a', taskId: 'task-1000-1' },
      { type: 'wake', nodeId: 'a', atMs: 1_600 },
    ])
    expect(late.events).toMatchObject([{ type: 'node_retried', error: 'timed out after 500 ms' }])
  })

  test('a retry that is not due, or of a finished run, does nothing', () => {
    expect(retryNode(plan, first.state, 'a', chanceAt()).events).toEqual([])
    const waiting = finish(plan, first.state, 'a', { error: 'x' }).state
    const cancelled = cancelRun(plan, waiting, chanceAt())
    expect(retryNode(plan, cancelled.state, 'a', chanceAt()).events).toEqual([])
  })
})

describe('cancelling', () => {
  test('active tasks and all open nodes are cancelled', () => {
    const plan = planOf({ c: { type: 'constant' }, a: {}, b: { after: ['a'] } })
    const { state, commands } = cancelRun(plan, start(plan).state, chanceAt())
    expect(commands).toEqual([{ type: 'cancel', nodeId: 'a', taskId: 'task-1000-1' }])
    expect(nodeStatuses(plan, state)).toEqual({ c: 'completed', a: 'cancelled', b: 'cancelled' })
    expect(state.status).toBe('cancelled')
    expect(cancelRun(plan, state, chanceAt())).toEqual({ state, events: [], commands: [] })
  })
})

describe('large graphs', () => {
  const chain = (length: number, node: NodeSpec) =>
    Object.fromEntries(Array.from({ length }, (_, i) => [`n${i}`, { ...node, after: i > 0 ? [`n${i - 1}`] : [] }]))

  test('1,000 utility nodes in a row complete in one pass', () => {
    const { state, events } = start(planOf(chain(1_000, { type: 'merge' })))
    expect(state.status).toBe('completed')
    expect(events).toHaveLength(1_002)
  })

  test('1,000 nodes behind a failure are blocked, each once', () => {
    const { state, events } = start(planOf({ ...chain(1_000, { type: 'merge' }), n0: { type: 'agentNode' } }))
    expect(state.status).toBe('failed')
    expect(events.filter((event) => event.type === 'node_blocked')).toHaveLength(999)
  })

  test('a fan of 100: the join starts once, when the last branch is done', () => {
    const wide = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`w${i}`, { inputs: { x: from('split') } }]))
    const plan = planOf({
      split: { type: 'constant', data: { utility: { constant: 1 } } },
      ...wide,
      join: { inputs: Object.fromEntries(Object.keys(wide).map((id) => [id, from(id)])) },
    })
    let progress = start(plan)
    expect(started(progress)).toHaveLength(100)
    for (let i = 0; i < 100; i++) {
      expect(started(progress).some((command) => command.nodeId === 'join')).toBe(false)
      progress = finish(plan, progress.state, `w${i}`, { output: i })
    }
    expect(started(progress)).toMatchObject([{ nodeId: 'join', input: { w0: 0, w99: 99 } }])
  })

  test('10 layers of 100 apps, each waiting for the whole previous layer, complete', () => {
    const layer = (n: number) => Array.from({ length: 100 }, (_, i) => `l${n}-${i}`)
    const nodes = Array.from({ length: 10 }, (_, n) =>
      layer(n).map((id) => [id, { after: n > 0 ? layer(n - 1) : [] }]),
    ).flat()
    const plan = planOf(Object.fromEntries(nodes))
    let { state, commands } = start(plan)
    const waiting = [...commands]
    let tasks = 0
    for (const command of waiting) {
      tasks += 1
      ;({ state, commands } = finish(plan, state, command.nodeId, { output: 1 }))
      waiting.push(...commands)
    }
    expect(tasks).toBe(1_000)
    expect(state.status).toBe('completed')
  })
})

test('values of a run that connect input nodes in a cycle have no value', () => {
  const plan = planOf({
    a: { type: 'inputNode' },
    b: { type: 'inputNode' },
    m: { type: 'merge', inputs: { a: from('a'), b: from('b', 'y') } },
  })
  const { state } = start(plan, { a: { x: from('a', 'x'), z: 1 }, b: { y: from('a', 'z'), w: from('b', 'w') } })
  expect(state).toMatchObject({ status: 'completed' })
  expect(nodeOutputs(plan, state)).toEqual({ m: { value: { a: { z: 1 }, b: 1 } } })
})
