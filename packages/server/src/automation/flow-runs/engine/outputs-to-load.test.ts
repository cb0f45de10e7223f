// Guarantees: a step with only the requested outputs does exactly what it would do with all of them, and a join does
// not request its branches before it can start.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Progress } from './advance.ts'
import { outputsToLoad } from './outputs-to-load.ts'
import type { Plan } from './plan.ts'
import type { NodeState, RunState } from './state.ts'
import { advance, begin, chanceAt, from, type NodeSpec, planOf } from './testing/flow-builder.ts'

test('a chain reads the sources of its next step', () => {
  const plan = planOf({
    a: {},
    b: { inputs: { x: from('a') } },
    far: {},
    c: { inputs: { x: from('b'), y: from('far') } },
  })
  const { state } = begin(plan, { input: {}, failOnError: true }, chanceAt())
  expect([...outputsToLoad(plan, state, ['a'])]).toEqual(['a'])
})

test('a join reads its branches only when the last of them ends', () => {
  const names = ['a', 'b', 'c']
  const plan = planOf({
    ...Object.fromEntries(names.map((id) => [id, {}])),
    join: { inputs: Object.fromEntries(names.map((id) => [id, from(id)])) },
  })
  let { state } = begin(plan, { input: {}, failOnError: true }, chanceAt())
  for (const id of ['a', 'b']) {
    expect([...outputsToLoad(plan, state, [id])]).toEqual([])
    state = ended(plan, state, [id]).state
  }
  expect([...outputsToLoad(plan, state, ['c'])].sort()).toEqual(names)
})

test('the output of the run is read only when the run can end', () => {
  const plan = planOf({ a: {}, b: { after: ['a'] }, c: { after: ['b'] } }, { mappings: { x: { sourceNodeId: 'a' } } })
  let { state } = begin(plan, { input: {}, failOnError: true }, chanceAt())
  state = ended(plan, state, ['a']).state
  expect([...outputsToLoad(plan, state, ['b'])]).not.toContain('a')
  state = ended(plan, state, ['b']).state
  expect([...outputsToLoad(plan, state, ['c'])]).toContain('a')
})

test('sources that a run connects itself are read too', () => {
  const plan = planOf({ a: {}, b: { after: ['a'] }, c: { after: ['b'] } })
  let { state } = begin(plan, { input: { c: { x: from('a') } }, failOnError: true }, chanceAt())
  state = ended(plan, state, ['a']).state
  expect([...outputsToLoad(plan, state, ['b'])]).toContain('a')
})

const taskOf = (state: RunState, nodeId: string): string => {
  const node = state.nodes.get(nodeId)
  return node?.status === 'running' ? node.taskId : ''
}

const ended = (plan: Plan, state: RunState, ids: readonly string[], bad: readonly string[] = []): Progress =>
  advance(
    plan,
    state,
    ids.map((nodeId) => {
      const taskId = taskOf(state, nodeId)
      return bad.includes(nodeId)
        ? { nodeId, taskId, outcome: 'failed', error: 'no', code: 'task_failed' }
        : { nodeId, taskId, outcome: 'completed', output: { v: nodeId, n: nodeId.length } }
    }),
    chanceAt(),
  )

/** The state as it is loaded: reading an output that was not requested throws. */
const partly = (state: RunState, loaded: ReadonlySet<string>): RunState => ({
  ...state,
  nodes: new Map(
    Array.from(state.nodes, ([id, node]): [string, NodeState] => {
      if (node.status !== 'completed' || loaded.has(id)) return [id, node]
      const unread = {
        status: 'completed' as const,
        ...(node.branch !== undefined && { branch: node.branch }),
        get output(): unknown {
          throw new Error(`the output of "${id}" was not loaded`)
        },
      }
      return [id, unread]
    }),
  ),
})

const kinds: NodeSpec[] = [
  {},
  {},
  { type: 'merge' },
  { type: 'gate', data: { gate_condition: { field: 'k0', operator: 'is_not_empty' } } },
  { type: 'utility', data: { utility: { expression: 'input.k0.v' } } },
  { type: 'outputNode' },
  { type: 'inputNode' },
  { data: { on_error: 'branch' } },
  { data: { when: 'has(input.k0)' } },
  { type: 'switch', data: { switch: { cases: [{ name: 'a', when: 'has(input.k0)' }] } } },
  { type: 'wait', data: { wait: { mode: 'duration', duration_ms: 0 } } },
]
const handles = [undefined, undefined, 'error', 'a']

const size = 12

const aCase = fc.record({
  nodes: fc.array(
    fc.record({
      kind: fc.nat({ max: kinds.length - 1 }),
      sources: fc.array(fc.nat({ max: size }), { maxLength: 3 }),
      connected: fc.boolean(),
      handle: fc.nat({ max: handles.length - 1 }),
    }),
    { minLength: 1, maxLength: size },
  ),
  mapped: fc.array(fc.nat({ max: size }), { maxLength: 3 }),
  overrides: fc.array(fc.tuple(fc.nat({ max: size }), fc.nat({ max: size })), { maxLength: 2 }),
  failOnError: fc.boolean(),
  order: fc.array(fc.record({ pick: fc.nat({ max: 20 }), bad: fc.boolean() }), { maxLength: 30 }),
})

const id = (index: number): string => `n${index}`

test('for any graph, the requested outputs are sufficient', () => {
  fc.assert(
    fc.property(aCase, ({ nodes, mapped, overrides, failOnError, order }) => {
      const specs = nodes.map(({ kind, sources, connected, handle }, index): [string, NodeSpec] => {
        const earlier = [...new Set(sources)].filter((source) => source < index).map(id)
        const spec = kinds[kind] ?? {}
        return connected
          ? [
              id(index),
              {
                ...spec,
                inputs: Object.fromEntries(earlier.map((source, at) => [`k${at}`, from(source, '', handles[handle])])),
              },
            ]
          : [id(index), { ...spec, after: earlier }]
      })
      const known = (index: number) => index < nodes.length
      const plan = planOf(Object.fromEntries(specs), {
        mappings: Object.fromEntries(mapped.filter(known).map((index) => [`m${index}`, { sourceNodeId: id(index) }])),
      })
      const input = Object.fromEntries(
        overrides.filter(([node]) => known(node)).map(([node, source]) => [id(node), { k0: from(id(source)) }]),
      )
      let { state } = begin(plan, { input, failOnError }, chanceAt())
      for (const { pick, bad } of order) {
        const running = Array.from(state.nodes).flatMap(([id, node]) => (node.status === 'running' ? [id] : []))
        const chosen = running[pick % Math.max(1, running.length)]
        if (chosen === undefined) break
        const failing = bad ? [chosen] : []
        const whole = ended(plan, state, [chosen], failing)
        const part = ended(plan, partly(state, outputsToLoad(plan, state, [chosen])), [chosen], failing)
        expect(part.events).toEqual(whole.events)
        expect(part.commands).toEqual(whole.commands)
        state = whole.state
      }
    }),
    { numRuns: 2_000 },
  )
})
