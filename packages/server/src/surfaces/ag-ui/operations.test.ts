// Guarantees: the route for AG-UI clients has the access rules of every operation.
import { expect } from 'vitest'
import { says } from '../../agents/chats/testing/given.ts'
import { scenarios } from '../../testing/scenarios.ts'
import { type GivenModel, givenModel, modelAnswers } from '../openai/testing/given.ts'

const path = ({ agentId }: GivenModel) => ({ agentId })
const input = (messages: object[]) => ({ threadId: 'thread-1', runId: 'run-1', messages })
const body = input([{ id: 'm-1', role: 'user', content: 'Hello' }])
const invalid = (claim: string, messages: object[]) =>
  ({ claim, as: 'owner', path, body: input(messages), status: 400, code: 'validation_error' }) as const

scenarios('ag_ui.run', givenModel, [
  {
    claim: 'the events of a run',
    as: 'key:agents:execute,agents:read',
    path,
    body,
    act: async (world, { agentId }) => {
      const asked = world.call('key:agents:execute,agents:read', `POST /ag-ui/${agentId}`, { body })
      await modelAnswers(world, says('Hi, how can I help?'))
      return asked
    },
    status: 200,
    check: ({ text }) => {
      expect(text).toContain('"type":"RUN_STARTED","threadId":"thread-1","runId":"run-1"')
      expect(text).toContain('"type":"RUN_FINISHED"')
    },
  },
  invalid('no message', []),
  invalid('an answer as the last message', [{ id: 'm-1', role: 'assistant', content: 'Hello' }]),
  invalid('content of an activity as a message', [{ id: 'm-1', role: 'user', content: { x: 1 } }]),
  invalid('a file without a source', [{ id: 'm-1', role: 'user', content: [{ type: 'image' }] }]),
  { claim: 'an unknown agent', as: 'owner', path: { agentId: 'none' }, body, status: 404, code: 'not_found' },
  { claim: 'another workspace sees nothing', as: 'stranger', path, body, status: 404, code: 'not_found' },
  { claim: 'no credential', as: null, path, body, status: 401, code: 'unauthorized' },
  { claim: 'a key without the scope', as: 'key:agents:read', path, body, status: 403, code: 'insufficient_scope' },
])
