// Guarantees: a mapping converts to form rows and back without loss, and an invalid row is never sent.
import { describe, expect, it } from 'vitest'
import { mappingOf, rowsOf, targetsOf } from './mapping.ts'

const from = (key: string) => ({ connection: { nodeId: 'trigger', key, type: '' } })

describe('a mapping', () => {
  it('converts to rows and back', () => {
    const mapping = {
      input: { text: 'Issue {{issue.number}}', number: from('issue.number'), all: from(''), fixed: 7 },
      context: { list: [1, from('user')] },
    }
    expect(rowsOf(mapping).map(({ how }) => how)).toEqual(['text', 'path', 'path', 'json', 'json'])
    expect(mappingOf(rowsOf(mapping))).toEqual(mapping)
  })

  it('ignores a row without a field, and is undefined while a value is not JSON', () => {
    const row = { place: 'input', field: 'count', how: 'json' as const, value: '4' }
    expect(mappingOf([row, { ...row, field: ' ' }])).toEqual({ input: { count: 4 } })
    expect(mappingOf([{ ...row, value: '{' }])).toBeUndefined()
  })
})

describe('the targets of a mapping', () => {
  const schema = { type: 'object', properties: { text: {}, limit: {} } }

  it('are the fields of the function that an app runs', () => {
    const functions = { count: { input_schema: schema } }
    const app = { version: { default_function: 'count', functions, input_schema: {} } }
    expect(targetsOf('run_app', { app })).toEqual({ input: { label: 'input', fields: ['text', 'limit'] } })
  })

  it('are the input of a flow and the nodes in it', () => {
    const nodes = ['inputNode', 'utility', 'outputNode'].map((type) => ({ id: `${type}_1`, type }))
    expect(Object.keys(targetsOf('run_flow', { flow: { input_schema: schema, nodes } }))).toEqual([
      'input',
      'utility_1',
    ])
  })

  it('are the message and the variables of an agent', () => {
    const agent = { version: { context: [{ name: 'customer' }] } }
    expect(targetsOf('run_agent', { agent }).context?.fields).toEqual(['customer'])
  })
})
