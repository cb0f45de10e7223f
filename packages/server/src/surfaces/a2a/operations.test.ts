// Guarantees: the route for Agent2Agent clients has the access rules of every operation; refusals of the protocol are
// answers with the protocol's codes.
import { expect } from 'vitest'
import { says } from '../../agents/chats/testing/given.ts'
import { scenarios } from '../../testing/scenarios.ts'
import { type GivenModel, givenModel, modelAnswers } from '../openai/testing/given.ts'

const path = ({ agentId }: GivenModel) => ({ agentId })
const message = (more: object = {}) => ({ role: 'ROLE_USER', messageId: 'm-1', parts: [{ text: 'Hello' }], ...more })
const send = (more: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'SendMessage',
  params: { message: message(more) },
})
const read = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'none' } }
const invalid = { code: -32602 }

scenarios('a2a.call', givenModel, [
  {
    claim: 'a message is answered with its task',
    as: 'key:agents:execute,agents:read',
    act: async (world, { agentId }) => {
      const as = 'key:agents:execute,agents:read'
      const sent = world.call(as, `POST /a2a/${agentId}`, { body: send() })
      await modelAnswers(world, says('Hi, how can I help?'))
      return sent
    },
    status: 200,
    check: ({ json }) => expect(json.result).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } }),
  },
  {
    claim: 'an unknown task',
    as: 'key:agents:execute,agents:read',
    path,
    body: read,
    status: 200,
    check: ({ json }) => expect(json).toMatchObject({ id: 1, error: { code: -32001 } }),
  },
  {
    claim: 'an unknown task of a stream is no stream',
    as: 'owner',
    path,
    body: { ...read, method: 'SubscribeToTask' },
    status: 200,
    check: ({ json }) => expect(json.error).toMatchObject({ code: -32001 }),
  },
  {
    claim: 'a message without content',
    as: 'owner',
    path,
    body: send({ parts: [] }),
    status: 200,
    check: ({ json }) => expect(json.error).toMatchObject(invalid),
  },
  {
    claim: 'an unknown context',
    as: 'owner',
    path,
    body: send({ contextId: 'none' }),
    status: 200,
    check: ({ json }) => expect(json.error).toMatchObject(invalid),
  },
  {
    claim: 'a file that is too long',
    as: 'owner',
    path,
    body: send({ parts: [{ url: `https://files.example/${'a'.repeat(2_000_000)}` }] }),
    status: 200,
    check: ({ json }) =>
      expect(json.error).toMatchObject({ ...invalid, message: expect.stringContaining('POST /files') }),
  },
  {
    claim: 'parameters of the wrong form',
    as: 'owner',
    path,
    body: { ...read, method: 'SendMessage', params: { message: { parts: 'text' } } },
    status: 200,
    check: ({ json }) => expect(json.error).toMatchObject(invalid),
  },
  {
    claim: 'an unknown method',
    as: 'owner',
    path,
    body: { ...read, method: 'Guess' },
    status: 200,
    check: ({ json }) => expect(json.error).toMatchObject({ code: -32601 }),
  },
  {
    claim: 'an unknown version of the protocol',
    as: 'owner',
    path,
    body: read,
    headers: { 'a2a-version': '9.0' },
    status: 200,
    check: ({ json }) => expect(json.error).toMatchObject({ code: -32009 }),
  },
  { claim: 'no call', as: 'owner', path, body: { method: 'x' }, status: 400, code: 'validation_error' },
  { claim: 'an unknown agent', as: 'owner', path: { agentId: 'none' }, body: read, status: 404, code: 'not_found' },
  { claim: 'another workspace sees nothing', as: 'stranger', path, body: read, status: 404, code: 'not_found' },
  { claim: 'no credential', as: null, path, body: read, status: 401, code: 'unauthorized' },
  {
    claim: 'a key without the scope',
    as: 'key:agents:read',
    path,
    body: read,
    status: 403,
    code: 'insufficient_scope',
  },
  {
    claim: 'a key that may not read agents sees only public ones',
    as: 'key:agents:execute',
    path,
    body: read,
    status: 404,
    code: 'not_found',
  },
])
