// Guarantees: every action has its documented effect or is refused with the name of the offending object. A removal
// leaves no dangling references, a rename is followed everywhere, cycles are refused, and an inverse restores the graph
// exactly.
import type { FlowAction } from '@millrace/contract/flows'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyAction } from './actions.ts'
import { dependencies, emptyGraph, type Graph, normalizeGraph } from './graph.ts'
import { graphAction } from './testing/action-arbitrary.ts'

const act = (type: string, payload?: unknown): FlowAction => ({ type, payload })

const build = (actions: FlowAction[], from: Graph = emptyGraph()): Graph =>
  actions.reduce((graph, action) => {
    const outcome = applyAction(graph, action)
    if ('error' in outcome) throw new Error(`${action.type}: ${outcome.error}`)
    return outcome.graph
  }, from)

const node = (id: string, type = 'appNode', data: unknown = {}) =>
  act('node.add', { id, type, position: { x: 1, y: 2 }, data })
const connect = (node_id: string, input_key: string, nodeId: string, key = 'value') =>
  act('node.set_input', { node_id, input_key, input: { connection: { nodeId, key, type: 'string' } } })

const small = build([
  node('in', 'inputNode'),
  node('a', 'appNode', { app_id: 'app', function: 'run', retry: { attempts: 2 } }),
  node('b', 'merge'),
  node('n', 'note'),
  act('edge.add', { id: 'e1', source: 'in', target: 'a', source_handle: 'h' }),
  act('edge.add', { id: 'e2', source: 'a', target: 'b' }),
  connect('a', 'prompt', 'in', 'prompt'),
  act('node.set_input', {
    node_id: 'b',
    input_key: 'x',
    input: { list: [1, { connection: { nodeId: 'a', key: '' } }], deep: { connection: { nodeId: 'a' }, value: 7 } },
  }),
  connect('b', 'y', 'a'),
  act('flow.set_output_schema', { schema: { type: 'object', properties: { out: {}, more: {} }, required: ['out'] } }),
  act('flow.set_output_mapping', { field: 'out', mapping: { sourceNodeId: 'a', sourceFieldPath: 'text' } }),
  act('flow.set_output_mapping', { field: 'sum', mapping: { sourceNodeId: 'b' } }),
])

describe('the effect of each action', () => {
  const table: [claim: string, action: FlowAction, change: (graph: Graph) => Partial<Graph>][] = [
    [
      'node.add appends a node with its data, without embedded objects',
      act('node.add', {
        id: 'c',
        type: 'constant',
        position: { x: 5, y: 6 },
        data: { app: {}, utility: { random: true } },
      }),
      (g) => ({
        nodes: [...g.nodes, { id: 'c', type: 'constant', position: { x: 5, y: 6 } }],
        node_data: { ...g.node_data, c: { utility: { random: true } } },
      }),
    ],
    [
      'node.remove also removes its edges, inputs, connections to it and mappings from it',
      act('node.remove', { id: 'a' }),
      (g) => ({
        nodes: g.nodes.filter(({ id }) => id !== 'a'),
        edges: [],
        node_data: { in: {}, b: {}, n: {} },
        input: { b: { x: { list: [1, null], deep: 7 } } },
        output_mappings: { sum: { sourceNodeId: 'b', outputFieldName: 'sum' } },
      }),
    ],
    [
      'node.move changes one position',
      act('node.move', { id: 'b', position: { x: 9, y: 9 } }),
      (g) => ({ nodes: g.nodes.map((n) => (n.id === 'b' ? { ...n, position: { x: 9, y: 9 } } : n)) }),
    ],
    [
      'node.move_many changes several positions',
      act('node.move_many', { positions: { a: { x: 0, y: 0 }, b: { x: 0, y: 0 } } }),
      (g) => ({ nodes: g.nodes.map((n) => ('ab'.includes(n.id) ? { ...n, position: { x: 0, y: 0 } } : n)) }),
    ],
    [
      'node.duplicate copies type, data and inputs, with an offset',
      act('node.duplicate', { source_id: 'a', new_id: 'a2', offset: { x: 10, y: -2 } }),
      (g) => ({
        nodes: [...g.nodes, { id: 'a2', type: 'appNode', position: { x: 11, y: 0 } }],
        node_data: { ...g.node_data, a2: { app_id: 'app', function: 'run', retry: { attempts: 2 } } },
        input: { ...g.input, a2: g.input.a ?? {} },
      }),
    ],
    [
      'node.rename also renames edges, data, inputs, connections at any depth and mappings',
      act('node.rename', { old_id: 'a', new_id: 'z' }),
      (g) => JSON.parse(JSON.stringify(g).replaceAll('"a"', '"z"')),
    ],
    [
      'node.set_app replaces the app and its function',
      act('node.set_app', { node_id: 'a', app_id: 'other', app_version_id: 'v', function: 'go' }),
      (g) => ({
        node_data: {
          ...g.node_data,
          a: { app_id: 'other', app_version_id: 'v', function: 'go', retry: { attempts: 2 } },
        },
      }),
    ],
    [
      'node.update merges shallowly',
      act('node.update', { node_id: 'a', patch: { function: 'go', retry: { attempts: 5, backoff_ms: 1 } } }),
      (g) => ({
        node_data: { ...g.node_data, a: { app_id: 'app', function: 'go', retry: { attempts: 5, backoff_ms: 1 } } },
      }),
    ],
    [
      'node.set_input sets a plain value, including null',
      act('node.set_input', { node_id: 'a', input_key: 'prompt', input: null }),
      (g) => ({ input: { ...g.input, a: { prompt: null } } }),
    ],
    [
      'node.clear_input clears one key',
      act('node.clear_input', { node_id: 'b', input_key: 'x' }),
      (g) => ({ input: { ...g.input, b: { y: g.input.b?.y } } }),
    ],
    [
      'node.clear_input without a value changes nothing',
      act('node.clear_input', { node_id: 'b', input_key: 'q' }),
      () => ({}),
    ],
    [
      'edge.add sets the default type',
      act('edge.add', { id: 'e3', source: 'in', target: 'b', target_handle: 't' }),
      (g) => ({ edges: [...g.edges, { id: 'e3', type: 'default', source: 'in', target: 'b', target_handle: 't' }] }),
    ],
    ['edge.remove removes it', act('edge.remove', { id: 'e1' }), (g) => ({ edges: g.edges.slice(1) })],
    [
      'flow.set_input_schema sets',
      act('flow.set_input_schema', { schema: { type: 'object' } }),
      () => ({ input_schema: { type: 'object' } }),
    ],
    [
      'flow.set_output_schema with null clears',
      act('flow.set_output_schema', { schema: null }),
      () => ({ output_schema: null }),
    ],
    [
      'flow.set_output_schema without a schema clears',
      act('flow.set_output_schema', {}),
      () => ({ output_schema: null }),
    ],
    ['flow.set_output_schema without a payload clears', act('flow.set_output_schema'), () => ({ output_schema: null })],
    [
      'flow.set_output_mapping names the output field like its key',
      act('flow.set_output_mapping', { field: 'q', mapping: { sourceNodeId: 'in', outputFieldName: 'else' } }),
      (g) => ({ output_mappings: { ...g.output_mappings, q: { sourceNodeId: 'in', outputFieldName: 'q' } } }),
    ],
    [
      'flow.remove_output_mapping removes',
      act('flow.remove_output_mapping', { field: 'sum' }),
      (g) => ({ output_mappings: { out: g.output_mappings.out ?? { sourceNodeId: '' } } }),
    ],
    [
      'flow.rename_output_field renames mapping, property and required entry',
      act('flow.rename_output_field', { old_field: 'out', new_field: 'answer' }),
      (g) => ({
        output_schema: { type: 'object', properties: { answer: {}, more: {} }, required: ['answer'] },
        output_mappings: {
          answer: { sourceNodeId: 'a', sourceFieldPath: 'text', outputFieldName: 'answer' },
          sum: g.output_mappings.sum ?? { sourceNodeId: '' },
        },
      }),
    ],
  ]
  test.each(table)('%s', (_claim, action, change) => {
    const outcome = applyAction(small, action)
    if ('error' in outcome) throw new Error(outcome.error)
    expect(outcome.graph).toEqual({ ...small, ...change(small) })
    expect(build(outcome.inverse, outcome.graph)).toEqual(small)
  })
})

describe('null for an optional field counts as absent', () => {
  const table: [type: string, given: Record<string, unknown>, nulls: Record<string, unknown>][] = [
    ['node.set_app', { node_id: 'a', app_id: 'other' }, { app_version_id: null, function: null }],
    ['node.add', { id: 'c', type: 'merge' }, { position: null, data: null }],
    ['node.duplicate', { source_id: 'b', new_id: 'c' }, { offset: null }],
    ['edge.add', { id: 'e3', source: 'in', target: 'b' }, { type: null, source_handle: null }],
  ]
  test.each(table)('%s', (type, given, nulls) => {
    expect(build([act(type, { ...given, ...nulls })], small)).toEqual(build([act(type, given)], small))
  })
  test('also inside a mapping and the settings of a node', () => {
    const mapping = { sourceNodeId: 'b', sourceFieldPath: null }
    expect(build([act('flow.set_output_mapping', { field: 'sum', mapping })], small)).toEqual(small)
    const patch = { utility: { expression: null } }
    expect(build([act('node.update', { node_id: 'a', patch })], small).node_data.a).toEqual(
      build([act('node.update', { node_id: 'a', patch: { utility: {} } })], small).node_data.a,
    )
  })
  test('but a null value is kept', () => {
    const input = act('node.set_input', { node_id: 'b', input_key: 'z', input: null })
    expect(applyAction(small, input)).not.toEqual(
      applyAction(small, act('node.set_input', { node_id: 'b', input_key: 'z' })),
    )
  })
})

describe('refusals and their messages', () => {
  const deep = JSON.parse('['.repeat(80) + ']'.repeat(80))
  const table: [action: FlowAction, message: string][] = [
    [act('node.fly', {}), 'unknown action type "node.fly"'],
    [act('constructor', {}), 'unknown action type "constructor"'],
    [act('node.add'), 'payload must have required properties id, type'],
    [act('node.add', 7), 'payload must be object'],
    [act('node.add', { type: 'gate' }), 'payload must have required properties id'],
    [act('node.add', { id: '', type: 'gate' }), 'payload.id must not have fewer than 1 characters'],
    [act('node.add', { id: 'c', type: 'gate', position: { x: '1', y: 2 } }), 'payload.position.x must be number'],
    [
      act('node.add', { id: 'c', type: 'gate', data: { retry: { attempts: 0 } } }),
      'payload.data.retry.attempts must be >= 1',
    ],
    [act('node.add', { id: 'c', type: 'loop' }), 'unknown node type "loop"; one of inputNode, outputNode'],
    [act('node.add', { id: 'a', type: 'gate' }), 'node "a" already exists'],
    [act('node.add', { id: '__proto__', type: 'gate' }), 'reserved name "__proto__"'],
    [act('node.remove', { id: 'q' }), 'node "q" does not exist'],
    [act('node.move', { id: 'q', position: { x: 1, y: 1 } }), 'node "q" does not exist'],
    [act('node.move', { id: 'a' }), 'payload must have required properties position'],
    [act('node.move_many', { positions: { a: { x: 1, y: 1 }, q: { x: 1, y: 1 } } }), 'node "q" does not exist'],
    [act('node.duplicate', { source_id: 'q', new_id: 'r' }), 'node "q" does not exist'],
    [act('node.duplicate', { source_id: 'a', new_id: 'b' }), 'node "b" already exists'],
    [act('node.rename', { old_id: 'a', new_id: 'b' }), 'node "b" already exists'],
    [act('node.rename', { old_id: 'q', new_id: 'r' }), 'node "q" does not exist'],
    [act('node.set_app', { node_id: 'b', app_id: 'x' }), 'node "b" is a merge, which runs no app'],
    [act('node.update', { node_id: 'q', patch: {} }), 'node "q" does not exist'],
    [act('node.update', { node_id: 'a', patch: JSON.parse('{"__proto__": 1}') }), 'reserved name "__proto__"'],
    [act('node.set_input', { node_id: 'a', input_key: 'x' }), 'payload must have required properties input'],
    [act('node.set_input', { node_id: 'n', input_key: 'x', input: 1 }), 'node "n" is a note'],
    [act('node.set_input', { node_id: 'a', input_key: 'x', input: deep }), 'nested more than 64 levels'],
    [
      act('node.set_input', { node_id: 'a', input_key: 'x', input: { connection: 'b' } }),
      'connection must be an object',
    ],
    [
      act('node.set_input', { node_id: 'a', input_key: 'x', input: [{ connection: {} }] }),
      'connection.nodeId must name a node',
    ],
    [connect('a', 'x', 'q'), 'node "q" does not exist'],
    [connect('a', 'x', 'n'), 'node "n" is a note'],
    [connect('a', 'x', 'a'), 'connecting input "x" of node "a" would make a cycle'],
    [connect('in', 'x', 'b'), 'would make a cycle'],
    [
      act('node.set_input', { node_id: 'in', input_key: 'x', input: { deep: [{ connection: { nodeId: 'b' } }] } }),
      'would make a cycle',
    ],
    [act('node.clear_input', { node_id: 'q', input_key: 'x' }), 'node "q" does not exist'],
    [act('edge.add', { id: 'e1', source: 'in', target: 'b' }), 'edge "e1" already exists'],
    [act('edge.add', { id: 'e9', source: 'in', target: 'q' }), 'node "q" does not exist'],
    [act('edge.add', { id: 'e9', source: 'a', target: 'a' }), 'an edge from "a" to "a" would make a cycle'],
    [act('edge.add', { id: 'e9', source: 'b', target: 'in' }), 'an edge from "b" to "in" would make a cycle'],
    [act('edge.add', { id: 'e9', source: 'in', target: 'n' }), 'node "n" is a note'],
    [act('edge.remove', { id: 'e9' }), 'edge "e9" does not exist'],
    [act('flow.set_input_schema', { schema: { type: 'array' } }), 'schema.type must be "object"'],
    [act('flow.set_output_mapping', { field: 'x', mapping: { sourceNodeId: 'q' } }), 'node "q" does not exist'],
    [
      act('flow.set_output_mapping', { field: 'x', mapping: {} }),
      'payload.mapping must have required properties sourceNodeId',
    ],
    [act('flow.remove_output_mapping', { field: 'x' }), 'output field "x" has no mapping'],
    [act('flow.rename_output_field', { old_field: 'x', new_field: 'y' }), 'output field "x" does not exist'],
    [act('flow.rename_output_field', { old_field: 'out', new_field: 'more' }), 'output field "more" already exists'],
  ]
  test.each(table)('%j', (action, message) => {
    const outcome = applyAction(small, action)
    expect(outcome).toHaveProperty('error', expect.stringContaining(message))
  })
})

test('connections alone count for cycles, and replacing one may remove a cycle', () => {
  const graph = build([node('a'), node('b'), connect('b', 'x', 'a')])
  expect(applyAction(graph, act('edge.add', { id: 'e', source: 'b', target: 'a' }))).toHaveProperty('error')
  const turned = build([act('node.clear_input', { node_id: 'b', input_key: 'x' }), connect('a', 'x', 'b')], graph)
  expect(turned.input).toEqual({ a: { x: { connection: { nodeId: 'b', key: 'value', type: 'string' } } } })
})

test('random actions and their inverses in reverse order restore the graph', () => {
  fc.assert(
    fc.property(fc.array(graphAction, { maxLength: 40 }), (actions) => {
      let graph = emptyGraph()
      const before: Graph[] = []
      const inverses: FlowAction[][] = []
      for (const action of actions) {
        const outcome = applyAction(graph, action)
        if ('error' in outcome) continue
        before.push(graph)
        inverses.push(outcome.inverse)
        graph = outcome.graph
      }
      for (const inverse of inverses.reverse()) {
        graph = build(inverse, graph)
        expect(graph).toEqual(before.pop())
      }
    }),
    { numRuns: 500 },
  )
})

test('random actions leave no dangling references and no cycles', () => {
  fc.assert(
    fc.property(fc.array(graphAction, { maxLength: 60 }), (actions) => {
      let graph = emptyGraph()
      for (const action of actions) {
        const outcome = applyAction(graph, action)
        if (!('error' in outcome)) graph = outcome.graph
      }
      expect(normalizeGraph(graph)).toEqual(graph)
      const waiting = new Map(graph.nodes.map(({ id }) => [id, 0]))
      for (const { source, target } of dependencies(graph)) {
        expect(waiting.has(source) && waiting.has(target)).toBe(true)
        waiting.set(target, (waiting.get(target) ?? 0) + 1)
      }
      const free = [...waiting].filter(([, count]) => count === 0).map(([id]) => id)
      for (const done of free) {
        for (const { source, target } of dependencies(graph)) {
          if (source !== done) continue
          const left = (waiting.get(target) ?? 0) - 1
          waiting.set(target, left)
          if (left === 0) free.push(target)
        }
      }
      expect(free).toHaveLength(graph.nodes.length)
    }),
    { numRuns: 300 },
  )
})
