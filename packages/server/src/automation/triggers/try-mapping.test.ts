// Guarantees: authors of mappings can preview the result for a payload before saving, and errors name the field.
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'

const number = { connection: { nodeId: 'trigger', key: 'issue.number', type: '' } }
const payload = { action: 'opened', issue: { number: 7 } }
const body = { action: 'run_app', input: { kept: true }, input_mapping: { input: { number } }, payload }

scenarios('triggers.try_mapping', () => ({}), [
  {
    claim: 'the mapped fields merged into the input of the trigger',
    as: 'member',
    body,
    status: 200,
    check: ({ data }) => expect(data).toEqual({ input: { kept: true, number: 7 }, nodes: {}, context: {} }),
  },
  {
    claim: 'nodes of a flow',
    as: 'key:agents:read',
    body: { action: 'run_flow', input_mapping: { sum: { a: number } }, payload },
    status: 200,
    check: ({ data }) => expect(data).toEqual({ input: {}, nodes: { sum: { a: 7 } }, context: {} }),
  },
  {
    claim: 'the message to an agent’s chat',
    as: 'owner',
    body: { action: 'run_agent', input_mapping: { context: { about: 'Issue {{issue.number}}' } }, payload },
    status: 200,
    check: ({ data }) => expect(data.context).toEqual({ about: 'Issue 7' }),
  },
  {
    claim: 'a destination that the action does not have',
    as: 'owner',
    body: { ...body, input_mapping: { context: { number } } },
    status: 400,
    code: 'validation_error',
    check: ({ json }) => expect(json.meta).toMatchObject({ field: 'input_mapping.context' }),
  },
  {
    claim: 'a payload that cannot be an input',
    as: 'owner',
    body: { ...body, input_mapping: {}, payload: [1] },
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'an unknown action',
    as: 'owner',
    body: { ...body, action: 'x' },
    status: 400,
    code: 'validation_error',
  },
])
