// Guarantees: the routes for OpenAI clients have the access rules of every operation, with errors in OpenAI's shape;
// chats and files of others stay hidden behind ids of this protocol too.
import { describe, expect, it } from 'vitest'
import { givenAgent, modelApp, showAgent } from '../../agents/agents/testing/given.ts'
import { client, failModel, unknownId as nobody, says } from '../../agents/chats/testing/given.ts'
import { type Scenario, scenarios, sharedWorld } from '../../testing/scenarios.ts'
import type { Answer, As, World } from '../../testing/world.ts'
import { type GivenModel, givenModel, modelAnswers, modelCalled } from './testing/given.ts'

const shared = sharedWorld()

type Given = GivenModel & { response: string; chatId: string; busy: string; foreign: { model: string; chatId: string } }

/** Makes a call and answers as the model. */
const ask = async (world: World, path: string, body: object, as: As = 'owner'): Promise<Answer> => {
  const asked = world.call(as, `POST /v1/${path}`, { body })
  await modelAnswers(world, says('Hello'))
  return asked
}

let prepared: Promise<Given> | undefined

const foreignChat = async (world: World) => {
  const app = await modelApp(world, 'stranger')
  const agent = await showAgent(
    world,
    'stranger',
    await givenAgent(world, 'stranger', { core_app: { id: app.id } }),
    'public',
  )
  const model = `${agent.namespace}/${agent.name}`
  const { json } = await ask(
    world,
    'chat/completions',
    { model, messages: [{ role: 'user', content: 'Hi' }] },
    'stranger',
  )
  const { chat_id: chatId } = json.metadata as { chat_id: string }
  await world.call('stranger', `POST /chats/${chatId}`, { body: { visibility: 'public' } })
  return { model, chatId }
}

const prepare = async (world: World): Promise<Given> => {
  const foreign = await foreignChat(world)
  const model = await givenModel(world, { tools: [client('look')] })
  const { json } = await ask(world, 'responses', { model: model.agent, input: 'Hi' })
  const listed = await world.call('owner', 'GET /chats')
  const sent = await world.call('owner', 'POST /agents/run', {
    body: { agent_id: model.agentId, input: { text: 'Hi' } },
  })
  const busy = sent.data.assistant_message.chat_id
  // It waits for its client, so that no model call is open.
  await modelAnswers(world, says('', { name: 'look', arguments: { x: 1 } }))
  return { ...model, response: json.id as string, chatId: listed.data.items[0].id, busy, foreign }
}

const given = (world: World): Promise<Given> => {
  prepared ??= prepare(world)
  return prepared
}

type Row = Scenario<Given>

const refusals = (body: object | undefined, path?: Row['path']): Row[] => [
  { claim: 'no credential', as: null, ...(path && { path }), body, status: 401, code: 'unauthorized' },
  {
    claim: 'a key without the scope',
    as: 'key:secrets:read',
    ...(path && { path }),
    body,
    status: 403,
    code: 'insufficient_scope',
  },
]

const message = (content: string) => ({ messages: [{ role: 'user', content }] })

const modelPath = ({ agent }: Given) => ({ id: agent })
const modelRows = (missing: Row['path']): Row[] => [
  { claim: 'an unknown model', as: 'owner', path: missing, status: 404, code: 'not_found' },
  { claim: 'another workspace sees nothing', as: 'stranger', status: 404, code: 'not_found' },
]

scenarios(
  'openai.models',
  given,
  [
    {
      claim: 'lists agents and model apps',
      as: 'key:agents:read,apps:read',
      status: 200,
      check: ({ json }, { agent, app }) => {
        const ids = (json.data as { id: string }[]).map(({ id }) => id)
        expect(ids).toEqual(expect.arrayContaining([agent, app]))
      },
    },
    {
      claim: 'without the scope for agents, public ones only',
      as: 'key:apps:read',
      status: 200,
      check: ({ json }, { agent, app }) => {
        const ids = (json.data as { id: string }[]).map(({ id }) => id)
        expect(ids).toContain(app)
        expect(ids).not.toContain(agent)
      },
    },
    ...refusals(undefined),
  ],
  shared,
)

scenarios(
  'openai.model',
  given,
  [
    { claim: 'an agent', as: 'owner', path: modelPath, status: 200 },
    {
      claim: 'an app with its own function only',
      as: 'owner',
      path: ({ app }) => ({ id: `${app}:unknown` }),
      status: 404,
      code: 'not_found',
    },
    ...modelRows({ id: 'acme/none' }).map((row) => ({ path: modelPath, ...row })),
    ...refusals(undefined, modelPath),
  ],
  shared,
)

const refPath = ({ agent }: Given) => {
  const [namespace = '', name = ''] = agent.split('/')
  return { namespace, name }
}

scenarios(
  'openai.model_by_ref',
  given,
  [
    {
      claim: 'an agent',
      as: 'owner',
      path: refPath,
      status: 200,
      check: ({ json }, { agent }) => expect(json.id).toBe(agent),
    },
    ...modelRows({ namespace: 'acme', name: 'none' }).map((row) => ({ path: refPath, ...row })),
    ...refusals(undefined, refPath),
  ],
  shared,
)

const failing = async (world: World, path: string, body: object): Promise<Answer> => {
  const asked = world.call('owner', `POST /v1/${path}`, { body })
  await failModel(world, await modelCalled(world), 'out of memory')
  return asked
}

type Sent = { path: string; body: (given: Given) => object; named: (given: Given, of: string) => object }

/** The same rules for both APIs. */
const sendRows = ({ path, body, named }: Sent): Row[] => [
  { claim: 'an agent answers', as: 'owner', act: (world, given) => ask(world, path, body(given)), status: 200 },
  {
    claim: 'only the scope to run agents is needed',
    as: 'owner',
    act: (world, given) => ask(world, path, { ...body(given), model: given.app }, 'key:agents:execute'),
    status: 200,
  },
  {
    claim: 'an unknown model',
    as: 'owner',
    body: (given: Given) => ({ ...body(given), model: 'acme/none' }),
    status: 404,
    code: 'not_found',
  },
  { claim: 'a private model of another workspace', as: 'stranger', body, status: 404, code: 'not_found' },
  { claim: 'without a model', as: 'owner', body: {}, status: 400, code: 'validation_error' },
  {
    claim: 'the model fails',
    as: 'owner',
    act: (world, given) => failing(world, path, body(given)),
    status: 502,
    code: 'model_failed',
  },
  {
    claim: 'a busy chat',
    as: 'owner',
    body: (given: Given) => ({ ...body(given), metadata: { chat_id: given.busy } }),
    status: 409,
    code: 'invalid_state',
  },
  {
    claim: 'a chat of another model',
    as: 'owner',
    body: (given: Given) => ({ ...body(given), model: given.app, metadata: { chat_id: given.chatId } }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a private chat of another workspace',
    as: 'stranger',
    body: (given: Given) => ({ ...body(given), model: given.foreign.model, metadata: { chat_id: given.chatId } }),
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'a public chat of another workspace',
    as: 'owner',
    body: (given: Given) => ({
      ...body(given),
      model: given.foreign.model,
      metadata: { chat_id: given.foreign.chatId },
    }),
    status: 403,
    code: 'forbidden',
  },
  {
    claim: 'a result that no call waits for',
    as: 'owner',
    body: (given: Given) => named(given, given.chatId),
    status: 409,
    code: 'tool_not_pending',
  },
  ...refusals(undefined).map((row): Row => ({ ...row, body })),
]

scenarios(
  'openai.chat_completion',
  given,
  sendRows({
    path: 'chat/completions',
    body: ({ agent }) => ({ model: agent, ...message('Hi') }),
    named: ({ agent }, chat_id) => ({
      model: agent,
      metadata: { chat_id },
      messages: [{ role: 'tool', tool_call_id: 'call_none', content: 'x' }],
    }),
  }),
  shared,
)

scenarios(
  'openai.create_response',
  given,
  sendRows({
    path: 'responses',
    body: ({ agent }) => ({ model: agent, input: 'Hi' }),
    named: ({ agent }, chat_id) => ({
      model: agent,
      metadata: { chat_id },
      input: [{ type: 'function_call_output', call_id: 'call_none', output: 'x' }],
    }),
  }),
  shared,
)

const responsePath = ({ response }: Given) => ({ id: response })
const unknownId = { id: `resp_${nobody}` }
const responseRows: Row[] = [
  { claim: 'an unknown response', as: 'owner', path: unknownId, status: 404, code: 'not_found' },
  { claim: 'another workspace sees nothing', as: 'stranger', path: responsePath, status: 404, code: 'not_found' },
  ...refusals(undefined, responsePath),
]
/** A response in a public chat of another workspace. */
const foreignResponse = async (world: World, { foreign }: Given): Promise<string> => {
  const { data } = await world.call('stranger', `GET /chats/${foreign.chatId}/messages`)
  return `resp_${(data.items as { id: string; role: string }[]).find(({ role }) => role === 'assistant')?.id}`
}

scenarios(
  'openai.response',
  given,
  [
    {
      claim: 'a stored response',
      as: 'key:conversations:read',
      path: responsePath,
      status: 200,
      check: ({ json }) => expect(json.output_text).toBe('Hello'),
    },
    ...responseRows,
  ],
  shared,
)

scenarios(
  'openai.cancel_response',
  given,
  [
    {
      claim: 'a finished response stays as it is',
      as: 'owner',
      path: responsePath,
      status: 200,
      check: ({ json }) => expect(json.status).toBe('completed'),
    },
    {
      claim: 'an active response is stopped',
      as: 'owner',
      act: async (world, { agent }) => {
        const asked = world.call('owner', 'POST /v1/responses', { body: { model: agent, input: 'Hi' } })
        const chatId = await modelCalled(world)
        const { data } = await world.call('owner', `GET /chats/${chatId}/messages`)
        const answer = await world.call('owner', `POST /v1/responses/resp_${data.items[0].id}/cancel`)
        await asked
        return answer
      },
      status: 200,
      check: ({ json }) => expect(json.status).toBe('cancelled'),
    },
    {
      claim: 'an active response of another workspace',
      as: 'owner',
      act: async (world, { foreign }) => {
        const asked = world.call('stranger', 'POST /v1/responses', {
          body: { model: foreign.model, input: 'Hi', metadata: { chat_id: foreign.chatId } },
        })
        await modelCalled(world)
        const { data } = await world.call('stranger', `GET /chats/${foreign.chatId}/messages`)
        const answer = await world.call('owner', `POST /v1/responses/resp_${data.items[0].id}/cancel`)
        await modelAnswers(world, says('Hello'))
        await asked
        return answer
      },
      status: 403,
      code: 'forbidden',
    },
    ...responseRows,
  ],
  shared,
)

scenarios(
  'openai.delete_response',
  given,
  [
    {
      claim: 'deletes the chat',
      as: 'owner',
      act: async (world, { agent }) => {
        const { json } = await ask(world, 'responses', { model: agent, input: 'Hi' })
        return world.call('owner', `DELETE /v1/responses/${json.id}`)
      },
      status: 200,
      audits: ['chat.deleted'],
    },
    {
      claim: 'a response in a public chat of another workspace',
      as: 'owner',
      act: async (world, given) => world.call('owner', `DELETE /v1/responses/${await foreignResponse(world, given)}`),
      status: 403,
      code: 'forbidden',
    },
    ...responseRows,
  ],
  shared,
)

scenarios(
  'openai.embeddings',
  given,
  [
    {
      claim: 'embeds a text',
      as: 'key:apps:execute',
      body: { model: 'millrace/embeddings', input: 'a cat' },
      status: 200,
    },
    {
      claim: 'an unknown model',
      as: 'owner',
      body: { model: 'other', input: 'a cat' },
      status: 404,
      code: 'not_found',
    },
    {
      claim: 'an empty text',
      as: 'owner',
      body: { model: 'millrace/embeddings', input: ' ' },
      status: 400,
      code: 'validation_error',
    },
    ...refusals({ model: 'millrace/embeddings', input: 'a cat' }),
  ],
  shared,
)

const upload = async (world: World, as: As): Promise<Answer> => {
  const form = new FormData()
  form.set('purpose', 'user_data')
  form.set('file', new File(['a,b'], 'data.csv', { type: 'text/csv' }))
  const request = new Response(form)
  const contentType = request.headers.get('content-type') ?? ''
  const body = await request.text()
  return world.call(as, 'POST /v1/files', { body, headers: { 'content-type': contentType } })
}

scenarios(
  'openai.create_file',
  given,
  [
    {
      claim: 'stores the file',
      as: 'owner',
      act: (world) => upload(world, 'owner'),
      status: 200,
      check: ({ json }) => expect(json.filename).toBe('data.csv'),
    },
    { claim: 'a body that is not a form', as: 'owner', body: { file: 'x' }, status: 400, code: 'invalid_request' },
    ...refusals({}),
  ],
  shared,
)

type GivenFile = { id: string }
const givenFile = async (world: World): Promise<GivenFile> => ({ id: (await upload(world, 'owner')).json.id as string })
const fileRows: Scenario<GivenFile>[] = [
  { claim: 'an unknown file', as: 'owner', path: { id: `file-${nobody}` }, status: 404, code: 'not_found' },
  {
    claim: 'another workspace sees nothing',
    as: 'stranger',
    path: ({ id }) => ({ id }),
    status: 404,
    code: 'not_found',
  },
  { claim: 'no credential', as: null, path: ({ id }) => ({ id }), status: 401, code: 'unauthorized' },
  {
    claim: 'a key without the scope',
    as: 'key:secrets:read',
    path: ({ id }) => ({ id }),
    status: 403,
    code: 'insufficient_scope',
  },
]

scenarios(
  'openai.files',
  givenFile,
  [
    {
      claim: 'newest first, after a file',
      as: 'key:files:read',
      query: ({ id }) => ({ after: id, limit: '1' }),
      status: 200,
    },
    { claim: 'an invalid limit', as: 'owner', query: { limit: '0' }, status: 400, code: 'validation_error' },
    { claim: 'after an unknown file', as: 'owner', query: { after: `file-${nobody}` }, status: 404, code: 'not_found' },
    ...fileRows.slice(2).map(({ path: _path, ...row }) => row),
  ],
  shared,
)
scenarios(
  'openai.file',
  givenFile,
  [{ claim: 'a file', as: 'owner', path: ({ id }) => ({ id }), status: 200 }, ...fileRows],
  shared,
)
scenarios(
  'openai.file_content',
  givenFile,
  [{ claim: 'redirects to the content', as: 'owner', path: ({ id }) => ({ id }), status: 302 }, ...fileRows],
  shared,
)
scenarios(
  'openai.delete_file',
  givenFile,
  [
    { claim: 'deletes the file', as: 'owner', path: ({ id }) => ({ id }), status: 200, audits: ['file.deleted'] },
    ...fileRows,
  ],
  shared,
)

describe('errors', () => {
  it('have the shape of OpenAI’s API, on these routes only', async () => {
    const world = shared.world()
    const refused = await world.call(null, 'POST /v1/chat/completions', { body: {} })
    expect(refused.json).toEqual({
      error: {
        message: 'A valid API key or session token is required',
        type: 'authentication_error',
        param: null,
        code: 'invalid_api_key',
      },
    })
    const invalid = await world.call('owner', 'POST /v1/chat/completions', { body: { model: 'x', messages: [] } })
    expect(invalid.json).toMatchObject({ error: { type: 'invalid_request_error', code: 'validation_error' } })
    const other = await world.call(null, 'GET /secrets')
    expect(other.headers['content-type']).toContain('application/problem+json')
  })
})
