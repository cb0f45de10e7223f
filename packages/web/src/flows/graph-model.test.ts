// Guarantees: the editor draws the ports of the schemas and the connections of the inputs, and never reuses a name.
import type { FlowGraph } from '@millrace/contract/flows'
import { describe, expect, it } from 'vitest'
import {
  type Agent,
  branchesOf,
  type GraphResources,
  inputsOf,
  linesOf,
  outputsOf,
  typesFit,
  uniqueId,
  uniqueKey,
} from './graph-model.ts'

const graph: FlowGraph = {
  nodes: [
    { id: 'input', type: 'inputNode', position: { x: 0, y: 0 } },
    { id: 'sum', type: 'utility', position: { x: 0, y: 0 } },
    { id: 'output', type: 'outputNode', position: { x: 0, y: 0 } },
  ],
  edges: [
    { id: 'e1', type: 'default', source: 'input', target: 'sum' },
    { id: 'e2', type: 'default', source: 'input', target: 'output' },
  ],
  node_data: {},
  input: { sum: { a: { connection: { nodeId: 'input', key: 'n' } }, b: 1 } },
  input_schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' }, s: {} } },
  output_schema: null,
  output_mappings: {},
}
const known: GraphResources = { apps: new Map(), agents: new Map() }
const node = (id: string) =>
  graph.nodes.find((each) => each.id === id) ?? { id, type: 'note' as const, position: { x: 0, y: 0 } }

describe('the graph of the editor', () => {
  it('takes the fields of the flow input from its schema', () =>
    expect(outputsOf(graph, node('input'), known)).toEqual([
      { key: 'n', type: 'integer', required: true },
      { key: 's', type: 'any', required: false },
    ]))
  it('offers an open port where any field is accepted', () =>
    expect(inputsOf(graph, node('sum'), known).map(({ key }) => key)).toEqual(['a', 'b', '+']))
  it('gives an agent its text input, and the outputs of its schema', () => {
    const asked: FlowGraph = { ...graph, node_data: { ask: { agent_id: 'a1' } } }
    const ask = { id: 'ask', type: 'agentNode' as const, position: { x: 0, y: 0 } }
    const output_schema = { type: 'object', properties: { verdict: { type: 'string' } } }
    const agents = new Map([['a1', { version: { output_schema } } as unknown as Agent]])
    expect(inputsOf(asked, ask, known).map(({ key, required }) => [key, required])).toEqual([
      ['text', true],
      ['context', false],
    ])
    expect(outputsOf(asked, ask, { ...known, agents }).map(({ key }) => key)).toEqual(['', 'verdict'])
    expect(outputsOf(asked, ask, known).map(({ key }) => key)).toEqual([''])
  })
  it('draws a connection per input, and an edge only where no value is passed', () =>
    expect(
      linesOf(graph).map(({ source, sourceKey, target, targetKey }) => [source, sourceKey, target, targetKey]),
    ).toEqual([
      ['input', 'n', 'sum', 'a'],
      ['input', '', 'output', '>'],
    ]))
  it('draws the named outputs, and a port for edges from them', () => {
    const routed: FlowGraph = {
      ...graph,
      nodes: [...graph.nodes, { id: 'route', type: 'switch', position: { x: 0, y: 0 } }],
      edges: [{ id: 'e1', type: 'default', source: 'route', target: 'output', source_handle: 'big' }],
      node_data: { route: { switch: { cases: [{ name: 'big', when: 'true' }] } }, sum: { on_error: 'branch' } },
      input: { sum: { a: { connection: { nodeId: 'route', key: '', handle: 'default' } } } },
    }
    const route = { id: 'route', type: 'switch' as const }
    expect(branchesOf(routed, route)).toEqual(['big', 'default'])
    expect(outputsOf(routed, node('sum'), known).map(({ key }) => key)).toEqual(['', '@error'])
    expect(inputsOf(routed, node('output'), known).map(({ key }) => key)).toEqual(['>', '+'])
    expect(linesOf(routed).map(({ sourceKey, target, targetKey }) => [sourceKey, target, targetKey])).toEqual([
      ['@default', 'sum', 'a'],
      ['@big', 'output', '>'],
    ])
  })
  it('gives new nodes and fields unique names', () => {
    expect([uniqueId(graph, 'sum'), uniqueId(graph, 'gate')]).toEqual(['sum_2', 'gate'])
    expect([uniqueKey(graph, 'sum', 'a'), uniqueKey(graph, 'sum', '')]).toEqual(['a_2', 'value'])
  })
  it.each([
    ['integer', 'number', true],
    ['number', 'integer', false],
    ['any', 'string', true],
    ['string', 'array', false],
  ])('%s into %s: %s', (from, to, fits) => expect(typesFit(from, to)).toBe(fits))
})
