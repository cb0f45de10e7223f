// Guarantees: the state of a run can be rebuilt at any time from its log or its rows. A running run always waits for
// something. Nodes start only after all dependencies and never after they are done. The result equals that of a simple
// reference implementation.
import { type FlowRunEvent, flowRunEvents, type NodeStatus } from '@millrace/contract/flow-runs'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { expect, test } from 'vitest'
import { cancelRun, type Progress, type TaskResult } from './advance.ts'
import { applyEvent, rebuild } from './events.ts'
import { type Plan, planNode } from './plan.ts'
import { freshState, nodeStatuses, type RunState, restoreState, statusOf } from './state.ts'
import { isNodeOver, isRunOver, runStatusCode, runStatusName } from './statuses.ts'
import { advance, begin, chanceAt, from, type NodeSpec, planOf, retryNode } from './testing/flow-builder.ts'

const kinds: Record<string, NodeSpec> = {
  app: {},
  patient: { data: { retry: { attempts: 2, backoff_ms: 5 } } },
  input: { type: 'inputNode' },
  output: { type: 'outputNode' },
  merge: { type: 'merge' },
  constant: { type: 'constant', data: { utility: { constant: 1 } } },
  open: { type: 'gate' },
  closed: { type: 'gate', data: { utility: { expression: 'false' } } },
  broken: { type: 'utility', data: { utility: { expression: 'input.missing.key' } } },
  agent: { type: 'agentNode' },
}
const hopeless = new Set(['broken', 'agent'])

const graph = fc
  .array(
    fc.record({
      kind: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom('app', 'patient') },
        fc.constantFrom(...Object.keys(kinds)),
      ),
      edges: fc.array(fc.nat(), { maxLength: 3 }),
      connections: fc.array(fc.nat(), { maxLength: 2 }),
    }),
    { maxLength: 14 },
  )
  .map((nodes) =>
    nodes.map(({ kind, edges, connections }, i) => {
      const earlier = (picks: number[]) => (i === 0 ? [] : [...new Set(picks.map((pick) => `n${pick % i}`))])
      return { id: `n${i}`, kind, after: earlier(edges), sources: earlier(connections) }
    }),
  )

type Nodes = { id: string; kind: string; after: string[]; sources: string[] }[]

const planFor = (nodes: Nodes): Plan =>
  planOf(
    Object.fromEntries(
      nodes.map(({ id, kind, after, sources }) => [
        id,
        { ...kinds[kind], after, inputs: Object.fromEntries(sources.map((source) => [source, from(source)])) },
      ]),
    ),
    { mappings: Object.fromEntries(nodes.slice(-2).map(({ id }) => [`out-${id}`, { sourceNodeId: id }])) },
  )

/** Simulates a run with random ends of nodes. Calls `look` after every pass. */
const play = (
  plan: Plan,
  failOnError: boolean,
  luck: readonly number[],
  look: (progress: Progress, log: FlowRunEvent[]) => RunState,
): RunState => {
  const log: FlowRunEvent[] = []
  let turn = 0
  const see = (progress: Progress) => {
    log.push(...progress.events)
    return look(progress, log)
  }
  let state = see(begin(plan, { input: {}, failOnError }, chanceAt(0)))
  while (!isRunOver(state.status)) {
    turn += 1
    const alive = [...state.nodes].filter(([, node]) => node.status === 'running' || node.status === 'ready')
    expect(alive.length, 'a running run waits for something').toBeGreaterThan(0)
    const [nodeId, node] = alive[(luck[turn % luck.length] ?? 0) % alive.length] ?? ['', undefined]
    const chance = chanceAt(turn)
    if (node?.status === 'ready') state = see(retryNode(plan, state, nodeId, chance))
    else if (node?.status === 'running') {
      const base = { nodeId, taskId: node.taskId }
      const roll = (luck[(turn * 7) % luck.length] ?? 0) % 10
      const result: TaskResult =
        roll < 7
          ? { ...base, outcome: 'completed', output: { n: turn } }
          : { ...base, outcome: 'failed', error: 'bad luck', code: 'task_failed' }
      state = see(advance(plan, state, [result], chance))
    }
  }
  return state
}

/** The reference implementation: nodes in dependency order, each derived from the end of its task. */
const expectedStatuses = (nodes: Nodes, plan: Plan, ended: RunState): Record<string, NodeStatus> => {
  const found: Record<string, NodeStatus> = {}
  for (const { id, kind } of nodes) {
    if (planNode(plan, id).needs.some((need) => found[need] !== 'completed')) found[id] = 'blocked'
    else if (hopeless.has(kind) || kind === 'closed') found[id] = 'failed'
    else found[id] = statusOf(ended, id) === 'failed' ? 'failed' : 'completed'
  }
  return found
}

const eventChecks = new Map(Object.entries(flowRunEvents).map(([type, schema]) => [type, Compile(schema)]))

/** The log after a round trip through a JSON column, with every event validated against the wire schema. */
const storedAndRead = (log: FlowRunEvent[]): FlowRunEvent[] => {
  for (const event of log) expect(eventChecks.get(event.type)?.Check(event)).toBe(true)
  return JSON.parse(JSON.stringify(log))
}

const luck = fc.array(fc.nat({ max: 1_000 }), { minLength: 5, maxLength: 30 })

test('after every pass, the state equals its log and its rows', () => {
  fc.assert(
    fc.property(graph, fc.boolean(), luck, (nodes, failOnError, rolls) => {
      const plan = planFor(nodes)
      const ended = play(plan, failOnError, rolls, ({ state }, log) => {
        expect(rebuild(plan, storedAndRead(log))).toEqual(state)
        const { status, input, failOnError: strict, output, error } = state
        const restored = restoreState(plan, {
          status,
          input,
          failOnError: strict,
          ...(output && { output }),
          ...(error && { error }),
          nodes: state.nodes,
          tasks: state.tasks,
        })
        expect(restored).toEqual(state)
        // Continues from the state that a restarted server would load.
        return restored
      })
      for (const id of plan.nodes.keys()) expect(isNodeOver(statusOf(ended, id))).toBe(true)
      if (!failOnError) {
        const expected = expectedStatuses(nodes, plan, ended)
        expect(nodeStatuses(plan, ended)).toEqual(expected)
        const failed = nodes.some(({ id, kind }) => expected[id] === 'failed' && kind !== 'closed')
        expect(ended.status).toBe(failed ? 'failed' : 'completed')
      }
    }),
    { numRuns: 400 },
  )
})

test('in any log, a node starts after its dependencies and not again once done', () => {
  fc.assert(
    fc.property(graph, fc.boolean(), luck, (nodes, failOnError, rolls) => {
      const plan = planFor(nodes)
      const completed = new Set<string>()
      const over = new Set<string>()
      play(plan, failOnError, rolls, ({ state, events }) => {
        for (const event of events) {
          if (!('node_id' in event)) continue
          expect(over.has(event.node_id)).toBe(false)
          if (event.type === 'node_started' || event.type === 'node_completed') {
            expect(planNode(plan, event.node_id).needs.every((need) => completed.has(need))).toBe(true)
          }
          if (event.type === 'node_completed') completed.add(event.node_id)
          if (event.type !== 'node_started' && event.type !== 'node_retried') over.add(event.node_id)
        }
        return state
      })
    }),
    { numRuns: 200 },
  )
})

test('a run cancelled at any time is over, with its tasks cancelled, and can be rebuilt', () => {
  fc.assert(
    fc.property(graph, luck, fc.nat({ max: 8 }), (nodes, rolls, after) => {
      const plan = planFor(nodes)
      let passes = 0
      const ended = play(plan, false, rolls, (progress, log) => {
        passes += 1
        if (passes <= after || isRunOver(progress.state.status)) return progress.state
        const running = [...progress.state.nodes].filter(([, node]) => node.status === 'running').map(([id]) => id)
        const cancelled = cancelRun(plan, progress.state, chanceAt())
        expect(cancelled.commands.map((command) => command.nodeId).sort()).toEqual(running.sort())
        log.push(...cancelled.events)
        expect(rebuild(plan, log)).toEqual(cancelled.state)
        return cancelled.state
      })
      expect(ended.unfinished).toBe(0)
    }),
    { numRuns: 200 },
  )
})

test.each<[string, FlowRunEvent[]]>([
  ['a run cannot complete before it started', [{ type: 'run_completed', output: {} }]],
  [
    'a run cannot start twice',
    [
      { type: 'run_started', input: {}, fail_on_error: true },
      { type: 'run_started', input: {}, fail_on_error: true },
    ],
  ],
  [
    'a finished node cannot start',
    [
      { type: 'node_completed', node_id: 'a' },
      { type: 'node_started', node_id: 'a', attempt: 1, task_id: 't' },
    ],
  ],
  [
    'a blocked node cannot complete',
    [
      { type: 'node_blocked', node_id: 'a', by: 'b' },
      { type: 'node_completed', node_id: 'a' },
    ],
  ],
])('an illegal transition is refused: %s', (_claim, events) => {
  const plan = planOf({ a: {} })
  const state = freshState(plan)
  expect(() => events.forEach((event) => void applyEvent(plan, state, event))).toThrow('cannot move')
})

test('codes and names of run statuses match the wire', () => {
  const names = ['unknown', 'pending', 'running', 'completed', 'failed', 'cancelled'] as const
  expect(names.map(runStatusCode)).toEqual([0, 1, 2, 3, 4, 5])
  expect([0, 1, 2, 3, 4, 5].map(runStatusName)).toEqual(names)
})
