// Guarantees: an input only offers earlier outputs of a fitting type, and a new expression starts with the current value.
import type { FlowGraph, FlowNode } from '@millrace/contract/flows'
import { describe, expect, it } from 'vitest'
import { strings } from './strings.ts'
import { computeActions, expressionBehind, inputText, refusalOf, sourcesFor } from './wiring.ts'

const at = { x: 400, y: 0 }
const node = (id: string, type: FlowNode['type']): FlowNode => ({ id, type, position: at })
const graph = (input: FlowGraph['input'] = {}): FlowGraph => ({
  nodes: [node('in', 'inputNode'), node('first', 'utility'), node('second', 'merge'), node('out', 'outputNode')],
  edges: [],
  node_data: { first: { utility: { expression: 'input.text' } } },
  input,
  input_schema: { type: 'object', properties: { text: { type: 'string' }, count: { type: 'integer' } } },
  output_schema: null,
  output_mappings: {},
})
const known = { apps: new Map(), agents: new Map() }
const fromFirst = { connection: { nodeId: 'first', key: '' } }

describe('the sources of an input', () => {
  it('are all outputs of a fitting type, except those of the node itself', () => {
    expect(sourcesFor(graph(), 'first', 'number', known)).toEqual([
      { nodeId: 'in', key: 'count' },
      { nodeId: 'second', key: '' },
    ])
  })

  it('exclude all later nodes', () => {
    const chained = graph({ second: { a: fromFirst }, out: { b: { connection: { nodeId: 'second' } } } })
    expect(sourcesFor(chained, 'first', 'string', known)).toEqual([{ nodeId: 'in', key: 'text' }])
    expect(sourcesFor(chained, 'out', 'string', known).map(({ nodeId }) => nodeId)).toEqual(['in', 'first', 'second'])
  })
})

describe('an expression in front of an input', () => {
  const second = node('second', 'merge')
  const made = (input: FlowGraph['input']) => computeActions(graph(input), second, 'a')

  it('starts with the constant', () => {
    const [add, lead, ...more] = made({ second: { a: ['x', 1] } })
    expect(add).toMatchObject({
      type: 'node.add',
      payload: { id: 'second_a', type: 'utility', data: { utility: { expression: '["x",1]' } } },
    })
    expect(lead).toEqual({
      type: 'node.set_input',
      payload: { node_id: 'second', input_key: 'a', input: { connection: { nodeId: 'second_a', key: '' } } },
    })
    expect(more).toEqual([])
  })

  it('takes over the connection of the input', () => {
    const connection = { nodeId: 'in', key: 'text' }
    const [add, moved] = made({ second: { a: { connection } } })
    expect(add).toMatchObject({ payload: { data: { utility: { expression: 'input.a' } } } })
    expect(moved).toEqual({
      type: 'node.set_input',
      payload: { node_id: 'second_a', input_key: 'a', input: { connection } },
    })
  })

  it('is found by its node', () => {
    expect(expressionBehind(graph(), fromFirst)?.id).toBe('first')
    expect(expressionBehind(graph(), { connection: { nodeId: 'first', key: 'part' } })).toBeUndefined()
    expect(expressionBehind(graph(), { connection: { nodeId: 'second' } })).toBeUndefined()
    expect(expressionBehind(graph(), 'a constant')).toBeUndefined()
  })

  it('refers to fields by name', () => {
    expect(inputText('text')).toBe('input.text')
    expect(inputText('a-b')).toBe('input["a-b"]')
  })
})

describe('a refused connection', () => {
  const chained = graph({ second: { text: { connection: { nodeId: 'first' } } } })
  const ends = (source: string, target: string, outputType = 'any', inputType = 'any') => ({
    source,
    target,
    outputType,
    inputType,
  })

  it('has a reason in plain words', () => {
    expect(refusalOf(chained, ends('first', 'first'))).toBe(strings.refusals.itself)
    expect(refusalOf(chained, ends('second', 'first'))).toBe(strings.refusals.cycle('second', 'first'))
    expect(refusalOf(chained, ends('in', 'out', 'string', 'number'))).toBe(strings.refusals.types('string', 'number'))
  })

  it('is not one that works', () =>
    expect(refusalOf(chained, ends('first', 'out', 'integer', 'number'))).toBeUndefined())
})
