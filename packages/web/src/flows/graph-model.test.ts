// Guards: the editor draws the fields that schemas name and the lines that inputs hold, and names what it adds so that
// nothing is overwritten.
import type { FlowGraph } from '@millrace/contract/flows'
import { describe, expect, it } from 'vitest'
import { freshId, freshKey, inputsOf, linesOf, outputsOf, typesFit } from './graph-model.ts'

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
const node = (id: string) =>
  graph.nodes.find((each) => each.id === id) ?? { id, type: 'note' as const, position: { x: 0, y: 0 } }

describe('the graph of the editor', () => {
  it('takes the fields of the run’s input from its schema', () =>
    expect(outputsOf(graph, node('input'), undefined)).toEqual([
      { key: 'n', type: 'integer', required: true },
      { key: 's', type: 'any', required: false },
    ]))
  it('offers a place for one more field where any field will do', () =>
    expect(inputsOf(graph, node('sum'), undefined).map(({ key }) => key)).toEqual(['a', 'b', '+']))
  it('draws a line per connection, and an edge only where nothing is handed over', () =>
    expect(
      linesOf(graph).map(({ source, sourceKey, target, targetKey }) => [source, sourceKey, target, targetKey]),
    ).toEqual([
      ['input', 'n', 'sum', 'a'],
      ['input', '', 'output', '+'],
    ]))
  it('names new nodes and fields without taking another’s name', () => {
    expect([freshId(graph, 'sum'), freshId(graph, 'gate')]).toEqual(['sum_2', 'gate'])
    expect([freshKey(graph, 'sum', 'a'), freshKey(graph, 'sum', '')]).toEqual(['a_2', 'value'])
  })
  it.each([
    ['integer', 'number', true],
    ['number', 'integer', false],
    ['any', 'string', true],
    ['string', 'array', false],
  ])('%s into %s: %s', (from, to, fits) => expect(typesFit(from, to)).toBe(fits))
})
