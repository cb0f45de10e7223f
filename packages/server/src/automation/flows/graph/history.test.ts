// Guarantees: users undo only their own actions, newest first. The history has 50 entries per flow. A new action clears
// only its author's redo stack. An undo never removes what other users have built on an action. A batch stops at the
// first failure. Replicas that apply the echoed actions in order have the server's graph.
import type { FlowAction } from '@millrace/contract/flows'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyAction } from './actions.ts'
import { applyBatch } from './batch.ts'
import { emptyGraph, findNode, type Graph } from './graph.ts'
import { type History, historyLimit, perform } from './history.ts'
import { sameJson } from './records.ts'
import { graphAction } from './testing/action-arbitrary.ts'

const add = (id: string): FlowAction => ({ type: 'node.add', payload: { id, type: 'merge', position: { x: 0, y: 0 } } })
const move = (id: string, x: number): FlowAction => ({ type: 'node.move', payload: { id, position: { x, y: 0 } } })
const remove = (id: string): FlowAction => ({ type: 'node.remove', payload: { id } })
const connect = (node_id: string, nodeId: string): FlowAction => ({
  type: 'node.set_input',
  payload: { node_id, input_key: 'x', input: { connection: { nodeId } } },
})
const undo: FlowAction = { type: 'undo' }
const redo: FlowAction = { type: 'redo' }

const play = (moves: [user: string, action: FlowAction][]) => {
  let graph = emptyGraph()
  let log: History = []
  const steps = moves.map(([user, action]) => {
    const step = perform(log, graph, user, action)
    ;({ graph, log } = step)
    return step
  })
  const last = steps.at(-1)
  if (!last) throw new Error('no moves')
  return {
    graph,
    log,
    last,
    ids: graph.nodes.map((node) => node.id),
    x: (id: string) => findNode(graph, id)?.position.x,
  }
}

describe('undo and redo', () => {
  test('undo applies the inverse, redo the original action', () => {
    expect(
      play([
        ['ann', add('a')],
        ['ann', undo],
      ]).last,
    ).toMatchObject({
      applied: [{ type: 'node.remove', payload: { id: 'a' } }],
      errors: [],
    })
    const again = play([
      ['ann', add('a')],
      ['ann', undo],
      ['ann', redo],
    ])
    expect(again.last).toMatchObject({ applied: [add('a')], errors: [] })
    expect(again.ids).toEqual(['a'])
  })

  test('a user cannot undo another user', () => {
    const { ids } = play([
      ['ann', add('a')],
      ['bob', add('b')],
      ['ann', undo],
    ])
    expect(ids).toEqual(['b'])
  })

  test('several undos go backwards, redos forwards', () => {
    const made: [string, FlowAction][] = [
      ['ann', add('a')],
      ['ann', move('a', 1)],
      ['ann', move('a', 2)],
    ]
    expect(play([...made, ['ann', undo]]).x('a')).toBe(1)
    expect(play([...made, ['ann', undo], ['ann', undo]]).x('a')).toBe(0)
    expect(play([...made, ['ann', undo], ['ann', undo], ['ann', redo]]).x('a')).toBe(1)
    expect(play([...made, ['ann', undo], ['ann', undo], ['ann', redo], ['ann', redo]]).x('a')).toBe(2)
  })

  test('a new action clears the redo stack of its author only', () => {
    const both: [string, FlowAction][] = [
      ['ann', add('a')],
      ['bob', add('b')],
      ['ann', undo],
      ['bob', undo],
    ]
    expect(play([...both, ['ann', add('c')], ['ann', redo]]).last.errors).toEqual([
      { type: 'redo', message: 'nothing to redo' },
    ])
    expect(play([...both, ['ann', add('c')], ['bob', redo]]).ids).toEqual(['c', 'b'])
  })

  test('an empty stack adds an entry to errors and changes nothing', () => {
    const { last, log } = play([
      ['ann', add('a')],
      ['bob', undo],
    ])
    expect(last).toMatchObject({ applied: [], errors: [{ type: 'undo', message: 'nothing to undo' }] })
    expect(log).toHaveLength(1)
  })

  test('a failed action is not in the history and does not clear the redo stack', () => {
    expect(
      play([
        ['ann', add('a')],
        ['ann', undo],
        ['ann', remove('q')],
        ['ann', redo],
      ]).ids,
    ).toEqual(['a'])
  })

  test('the last 50 entries of all users are stored', () => {
    const moves = Array.from({ length: 60 }, (_, i): [string, FlowAction] => [i % 2 ? 'bob' : 'ann', move('a', i + 1)])
    const { log } = play([['ann', add('a')], ...moves])
    expect(log).toHaveLength(historyLimit)
    const undos = Array.from({ length: 26 }, (): [string, FlowAction] => ['ann', undo])
    expect(play([['ann', add('a')], ...moves, ...undos]).last.errors).toEqual([
      { type: 'undo', message: 'nothing to undo' },
    ])
  })

  test('undoing a removal restores edges, inputs, connections and mappings', () => {
    const before: [string, FlowAction][] = [
      ['ann', add('a')],
      ['ann', add('b')],
      ['ann', { type: 'edge.add', payload: { id: 'e', source: 'a', target: 'b' } }],
      ['ann', connect('b', 'a')],
      ['ann', { type: 'flow.set_output_mapping', payload: { field: 'o', mapping: { sourceNodeId: 'a' } } }],
    ]
    expect(play([...before, ['bob', remove('a')], ['bob', undo]]).graph).toEqual(play(before).graph)
  })
})

describe('after changes by another user', () => {
  const skipped = { type: 'undo', message: expect.stringContaining('somebody else has changed this since') }

  test('a later move of another user stays', () => {
    const { last, x, log } = play([
      ['ann', add('a')],
      ['ann', move('a', 1)],
      ['bob', move('a', 2)],
      ['ann', undo],
    ])
    expect(last).toMatchObject({ applied: [], errors: [skipped] })
    expect(x('a')).toBe(2)
    expect(log.map((entry) => entry.state)).toEqual(['done', 'spent', 'done'])
  })

  test('a value set again by another user belongs to that user, even if equal', () => {
    const moves: [string, FlowAction][] = [
      ['ann', add('a')],
      ['ann', move('a', 1)],
      ['bob', move('a', 2)],
    ]
    const { last, x } = play([...moves, ['bob', move('a', 1)], ['ann', undo]])
    expect(last.errors).toEqual([skipped])
    expect(x('a')).toBe(1)
    expect(play([...moves, ['bob', undo], ['ann', undo]]).x('a')).toBe(0)
  })

  test('a node that others have connected to is not removed', () => {
    const { last, ids } = play([
      ['ann', add('a')],
      ['bob', add('b')],
      ['bob', connect('b', 'a')],
      ['ann', undo],
    ])
    expect(last.errors).toEqual([skipped])
    expect(ids).toEqual(['a', 'b'])
  })

  test('an inverse that no longer applies is skipped, the others are applied', () => {
    const { last, graph } = play([
      ['ann', add('a')],
      ['ann', add('b')],
      ['ann', add('c')],
      ['ann', { type: 'edge.add', payload: { id: 'e', source: 'a', target: 'b' } }],
      ['ann', connect('c', 'a')],
      ['ann', remove('a')],
      ['bob', remove('b')],
      ['ann', undo],
    ])
    expect(last.applied.map((action) => action.type)).toEqual(['node.add', 'node.set_input'])
    expect(last.errors).toEqual([{ type: 'undo', message: 'edge.add skipped: node "b" does not exist' }])
    expect(graph.edges).toEqual([])
    expect(graph.input).toEqual({ c: { x: { connection: { nodeId: 'a' } } } })
  })

  test("data of a removed node is not restored to another user's node of the same name", () => {
    const { last, graph } = play([
      ['ann', add('a')],
      ['ann', { type: 'node.set_input', payload: { node_id: 'a', input_key: 'x', input: 1 } }],
      ['ann', remove('a')],
      ['bob', add('a')],
      ['ann', undo],
    ])
    expect(last).toMatchObject({ applied: [], errors: [{ type: 'undo' }] })
    expect(graph.input).toEqual({})
  })

  test('a redo that no longer applies adds an entry to errors and is consumed', () => {
    const moves: [string, FlowAction][] = [
      ['bob', add('a')],
      ['ann', move('a', 1)],
      ['ann', undo],
      ['bob', remove('a')],
    ]
    expect(play([...moves, ['ann', redo]]).last.errors).toEqual([{ type: 'redo', message: 'node "a" does not exist' }])
    expect(play([...moves, ['ann', redo], ['ann', redo]]).last.errors).toEqual([
      { type: 'redo', message: 'nothing to redo' },
    ])
  })
})

describe('a batch', () => {
  const run = (actions: FlowAction[]) => {
    const { graph, log } = play([['ann', add('z')]])
    return applyBatch(log, graph, 'ann', actions)
  }

  test('applies in order, one history entry per action', () => {
    const result = run([add('a'), add('b'), move('a', 3)])
    expect(result).toMatchObject({ applied: [add('a'), add('b'), move('a', 3)], errors: [], failed: false })
    expect(result.log).toHaveLength(4)
  })

  test('stops at the first failure and keeps earlier actions', () => {
    const result = run([add('a'), remove('q'), add('b')])
    expect(result).toMatchObject({
      applied: [add('a')],
      errors: [{ type: 'node.remove', message: 'node "q" does not exist' }],
      failed: true,
    })
    expect(result.graph.nodes.map((node) => node.id)).toEqual(['z', 'a'])
  })

  test('an unknown type fails at its position', () => {
    expect(run([add('a'), { type: 'node.fly' }])).toMatchObject({
      applied: [add('a')],
      errors: [{ type: 'node.fly', message: 'unknown action type "node.fly"' }],
      failed: true,
    })
  })

  test.each([[[add('a'), undo]], [[redo, add('a')]], [[undo, undo]]])('%j: nothing is applied', (actions) => {
    const result = run(actions)
    expect(result).toMatchObject({
      applied: [],
      failed: true,
      errors: [{ message: expect.stringContaining('only action') }],
    })
    expect(result.graph.nodes.map((node) => node.id)).toEqual(['z'])
  })

  test('undo alone works, and an empty stack is not a failure', () => {
    expect(run([undo])).toMatchObject({ failed: false, errors: [], applied: [remove('z')] })
    expect(run([redo])).toMatchObject({ failed: false, errors: [{ type: 'redo' }] })
  })
})

describe('five concurrent editors', () => {
  const users = ['ann', 'bob', 'cleo', 'dan', 'eve']
  const moves = fc.array(
    fc.tuple(
      fc.constantFrom(...users),
      fc.oneof(
        { weight: 6, arbitrary: graphAction },
        { weight: 3, arbitrary: fc.constant(undo) },
        { weight: 1, arbitrary: fc.constant(redo) },
      ),
    ),
    { minLength: 10, maxLength: 45 },
  )

  /** The parts of a graph whose last writer is a single action. */
  const parts = (graph: Graph): Map<string, unknown> => {
    const found = new Map<string, unknown>()
    for (const { id, type, position } of graph.nodes) {
      found.set(`node ${id}`, type)
      found.set(`position ${id}`, position)
      for (const [key, value] of Object.entries(graph.node_data[id] ?? {})) found.set(`data ${id} ${key}`, value)
      for (const [key, value] of Object.entries(graph.input[id] ?? {})) found.set(`input ${id} ${key}`, value)
    }
    for (const edge of graph.edges) found.set(`edge ${edge.id}`, edge)
    for (const [field, mapping] of Object.entries(graph.output_mappings)) found.set(`mapping ${field}`, mapping)
    found.set('input schema', graph.input_schema)
    found.set('output schema', graph.output_schema)
    return found
  }

  const changed = (before: Graph, after: Graph): string[] => {
    const old = parts(before)
    const now = parts(after)
    return [...new Set([...old.keys(), ...now.keys()])].filter((key) => !sameJson(old.get(key), now.get(key)))
  }

  test('2,000 histories: replicas end with equal graphs, and undo reverts only its author', () => {
    let undone = 0
    fc.assert(
      fc.property(moves, (history) => {
        let graph = emptyGraph()
        let log: History = []
        let replica = emptyGraph()
        // Per part of the graph, the users with effective writes, the latest last.
        const writers = new Map<string, string[]>()
        let renamed = false
        for (const [user, action] of history) {
          const step = perform(log, graph, user, action)
          for (const echoed of step.applied) {
            const outcome = applyAction(replica, echoed)
            if ('error' in outcome) throw new Error(`a replica refuses ${echoed.type}: ${outcome.error}`)
            replica = outcome.graph
          }
          const mine = (entries: History, who: string) => entries.filter((entry) => entry.user_id === who)
          if (action.type === 'undo' || action.type === 'redo') {
            for (const other of users.filter((name) => name !== user)) {
              expect(mine(step.log, other)).toEqual(mine(log, other))
            }
          }
          // A rename moves parts to other names, after which the bookkeeping below would report the wrong author.
          renamed ||= step.applied.some(({ type }) => type.includes('rename'))
          const touched = changed(graph, step.graph)
          for (const part of touched) {
            const stack = writers.get(part) ?? []
            if (action.type !== 'undo') writers.set(part, [...stack, user])
            else if (!renamed) {
              expect(stack.at(-1)).toBe(user)
              writers.set(part, stack.slice(0, -1))
              undone += 1
            }
          }
          graph = step.graph
          log = step.log
        }
        expect(replica).toEqual(graph)
        expect(log.length).toBeLessThanOrEqual(historyLimit)
      }),
      { numRuns: 2_000 },
    )
    expect(undone).toBeGreaterThan(1_000)
  })
})
