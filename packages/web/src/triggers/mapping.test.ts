// Guards: what a trigger's mapping says is what its rows say, both ways; and only what can be read is sent.
import { describe, expect, it } from 'vitest'
import { mappingOf, placesOf, rowsOf } from './mapping.ts'

const from = (key: string) => ({ connection: { nodeId: 'trigger', key, type: '' } })

describe('a mapping', () => {
  it('comes back from its rows as it was', () => {
    const mapping = {
      input: { text: 'Issue {{issue.number}}', number: from('issue.number'), all: from(''), fixed: 7 },
      context: { list: [1, from('user')] },
    }
    expect(rowsOf(mapping).map(({ how }) => how)).toEqual(['text', 'path', 'path', 'json', 'json'])
    expect(mappingOf(rowsOf(mapping))).toEqual(mapping)
  })

  it('leaves out a row without a field, and is nothing while a value is no JSON', () => {
    const row = { place: 'input', field: 'count', how: 'json' as const, value: '4' }
    expect(mappingOf([row, { ...row, field: ' ' }])).toEqual({ input: { count: 4 } })
    expect(mappingOf([{ ...row, value: '{' }])).toBeUndefined()
  })
})

describe('the places of a target', () => {
  const schema = { type: 'object', properties: { text: {}, limit: {} } }

  it('are the fields of the function that an app runs', () => {
    const functions = { count: { input_schema: schema } }
    const app = { version: { default_function: 'count', functions, input_schema: {} } }
    expect(placesOf('run_app', { app })).toEqual({ input: { label: 'the input', fields: ['text', 'limit'] } })
  })

  it('are the input of a flow and the nodes in it', () => {
    const nodes = ['inputNode', 'utility', 'outputNode'].map((type) => ({ id: `${type}_1`, type }))
    expect(Object.keys(placesOf('run_flow', { flow: { input_schema: schema, nodes } }))).toEqual(['input', 'utility_1'])
  })

  it('are the message and the variables of an agent', () => {
    const agent = { version: { context: [{ name: 'customer' }] } }
    expect(placesOf('run_agent', { agent }).context?.fields).toEqual(['customer'])
  })
})
