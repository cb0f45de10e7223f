// Guarantees: a graph that is replaced as a whole follows the rules of the actions: no duplicate ids, no cycles, no
// connections to missing nodes. Omitted parts are empty, and dangling references are dropped.
import { describe, expect, it } from 'vitest'
import { readGraph } from './whole-graph.ts'

const node = (id: string, type = 'merge' as const) => ({ id, type, position: { x: 0, y: 0 } })
const edge = (id: string, source: string, target: string) => ({ id, type: 'default', source, target })
const from = (nodeId: string) => ({ connection: { nodeId, key: '' } })

describe('refused', () => {
  it.each([
    ['a node twice', { nodes: [node('a'), node('a')] }, /node "a" appears twice/],
    [
      'a duplicate edge',
      { nodes: [node('a'), node('b')], edges: [edge('e', 'a', 'b'), edge('e', 'a', 'b')] },
      /edge "e"/,
    ],
    ['a cycle of edges', { nodes: [node('a'), node('b')], edges: [edge('e', 'a', 'b'), edge('f', 'b', 'a')] }, /cycle/],
    ['a loop', { nodes: [node('a')], edges: [edge('e', 'a', 'a')] }, /cycle/],
    [
      'a cycle of an edge and a connection',
      { nodes: [node('a'), node('b')], edges: [edge('e', 'a', 'b')], input: { a: { k: [from('b')] } } },
      /cycle/,
    ],
    [
      'a connection to a missing node',
      { nodes: [node('a')], input: { a: { k: from('b') } } },
      /"b", which does not exist/,
    ],
    ['a broken connection', { nodes: [node('a')], input: { a: { k: { connection: 1 } } } }, /connection must be/],
    ['a schema that is not an object', { input_schema: { type: 'string' } }, /input_schema: schema.type/],
    ['a missing required field', { output_schema: { type: 'object', required: ['x'] } }, /output_schema/],
    ['too many nodes', { nodes: Array.from({ length: 5_001 }, (_, n) => node(`n${n}`)) }, /at most 5000 nodes/],
  ])('%s', (_name, graph, fault) => {
    expect(readGraph(graph)).toEqual({ error: expect.stringMatching(fault) })
  })
})

it('keeps valid parts, empties omitted ones and drops dangling references', () => {
  const read = readGraph({
    nodes: [node('a'), node('b')],
    edges: [edge('e', 'a', 'b'), edge('f', 'a', 'gone')],
    node_data: { a: { app_id: 'x', app: { id: 'x' }, task: {} }, gone: {} },
    input: { b: { k: from('a') }, gone: { k: 1 } },
    output_mappings: { y: { sourceNodeId: 'a' }, z: { sourceNodeId: 'gone' } },
  })
  expect(read).toEqual({
    graph: {
      nodes: [node('a'), node('b')],
      edges: [edge('e', 'a', 'b')],
      node_data: { a: { app_id: 'x' }, b: {} },
      input: { b: { k: from('a') } },
      input_schema: null,
      output_schema: null,
      output_mappings: { y: { sourceNodeId: 'a', outputFieldName: 'y' } },
    },
  })
})
