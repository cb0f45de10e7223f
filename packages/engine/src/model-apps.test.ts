// Guarantees: the model apps use the real protocols of their providers, and errors there (a rejected key, no credit, an
// overload, a broken stream, malformed calls) produce helpful messages.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { seal } from '@millrace/contract/sealed-box'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startWorld, type World } from './testing/world.ts'

type ReceivedRequest = { path: string; headers: IncomingMessage['headers']; body: Record<string, unknown> }
type Answer = (response: ServerResponse) => void

/** A provider that sends these responses in order and repeats the last one. */
let answers: Answer[] = []
const requests: ReceivedRequest[] = []
let provider: Server
let url = ''
let world: World

const sse =
  (events: (object | string)[], { end = true } = {}): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of events) {
      const { type } = event as { type?: string }
      const name = type === undefined ? '' : `event: ${type}\n`
      response.write(`${name}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
    }
    if (end) response.end()
    else response.destroy()
  }
const refuse =
  (status: number, body: object): Answer =>
  (response) => {
    // Requests a short retry delay, so that the test does not wait.
    const headers = { 'content-type': 'application/json', 'retry-after-ms': '1' }
    response.writeHead(status, headers).end(JSON.stringify(body))
  }

/** The same, byte by byte. */
const slowly =
  (answer: Answer): Answer =>
  (response) => {
    const parts: Buffer[] = []
    const kept = Object.assign(Object.create(response), {
      writeHead: (...head: Parameters<ServerResponse['writeHead']>) => response.writeHead(...head),
      write: (text: string) => parts.push(Buffer.from(text)),
      end: () => {
        const bytes = Buffer.concat(parts)
        let at = 0
        const step = () => {
          if (at >= bytes.length) return response.end()
          response.write(bytes.subarray(at, at + 1))
          at += 1
          setImmediate(step)
        }
        step()
      },
    }) as ServerResponse
    answer(kept)
  }

beforeAll(async () => {
  provider = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    requests.push({ path: request.url ?? '', headers: request.headers, body: text === '' ? {} : JSON.parse(text) })
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    answer?.(response)
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  world = await startWorld({
    settings: { allow_private_hosts: '127.0.0.1' },
    env: { npm_config_registry: 'http://127.0.0.1:9/' },
  })
})
afterAll(async () => {
  await world?.close()
  provider?.closeAllConnections()
  provider?.close()
})
beforeEach(() => {
  requests.length = 0
})

let counter = 0
const run = async (name: string, input: object, prefix: string, model = 'm') => {
  counter += 1
  const id = `model-${counter}`
  const { public_key: key = '' } = world.server.registrations[0]?.local_engine_state ?? {}
  const values = {
    [`${prefix}_API_KEY`]: 'key-0123456789',
    [`${prefix}_BASE_URL`]: `${url}/v1`,
    [`${prefix}_MODEL`]: model,
  }
  const secrets = seal(JSON.stringify(values), key, `task:${id}`)
  const task = world.run(await world.shippedApp(name), { id, input }, { secrets })
  return { end: await task.end, outputs: task.outputs() }
}

const weather = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'W',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
}

const anthropicStart = {
  type: 'message_start',
  message: {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 1 },
  },
}
const block = (index: number, content_block: object, ...deltas: object[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]
const anthropicEnd = (reason: string) => [
  { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
]

describe('anthropic-chat', () => {
  const full = [
    anthropicStart,
    ...block(
      0,
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'hm' },
      { type: 'signature_delta', signature: 's' },
    ),
    ...block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'Hel' }, { type: 'text_delta', text: 'lo' }),
    ...block(
      2,
      { type: 'tool_use', id: 'c1', name: 'weather', input: {} },
      { type: 'input_json_delta', partial_json: '{"city":' },
      { type: 'input_json_delta', partial_json: '"Rome"}' },
    ),
    ...anthropicEnd('tool_use'),
  ]

  test('streams text, thinking and tool calls', async () => {
    answers = [sse(full)]
    const image = world.server.bundle(Buffer.from('png-bytes')).repository
    const input = {
      system_prompt: 'Be brief.',
      text: 'Rome?',
      images: [image],
      tools: [weather],
      reasoning_effort: 'low',
    }
    const { end, outputs } = await run('anthropic-chat', { ...input, max_tokens: 500 }, 'ANTHROPIC')
    expect(end).toMatchObject({
      type: 'task_completed',
      output: {
        response: 'Hello',
        reasoning: 'hm',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
        usage: { stop_reason: 'tool-calls', prompt_tokens: 11, completion_tokens: 7 },
      },
    })
    expect(outputs).toContainEqual({ response: 'Hel' })
    expect(requests[0]).toMatchObject({
      path: '/v1/messages',
      headers: { 'x-api-key': 'key-0123456789' },
      body: {
        model: 'm',
        stream: true,
        thinking: { type: 'enabled', budget_tokens: 2048 },
        system: [{ type: 'text', text: 'Be brief.' }],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'Rome?' }, { type: 'image' }] }],
        tools: [{ name: 'weather' }],
      },
    })
  })

  test('marks the parts that repeat for the cache, and reports its tokens', async () => {
    const cached = { cache_read_input_tokens: 90, cache_creation_input_tokens: 5 }
    const usage = { ...anthropicStart.message.usage, ...cached }
    answers = [sse([{ ...anthropicStart, message: { ...anthropicStart.message, usage } }, ...full.slice(1)])]
    const context = [
      { role: 'user', text: 'Hi' },
      { role: 'assistant', text: 'Hello' },
    ]
    const input = { system_prompt: 'Be brief.', context, text: 'Rome?', tools: [weather] }
    const { end } = await run('anthropic-chat', input, 'ANTHROPIC')
    expect(end).toMatchObject({
      output: { usage: { prompt_tokens: 106, cached_tokens: 90, cache_write_tokens: 5 } },
    })
    const mark = { cache_control: { type: 'ephemeral' } }
    const { system, tools, messages } = (requests[0]?.body ?? {}) as Record<string, { content?: object[] }[]>
    expect([system?.[0], tools?.[0]]).toMatchObject([mark, mark])
    expect(messages?.map(({ content }) => JSON.stringify(content).includes('cache_control'))).toEqual([
      false,
      false,
      true,
    ])
  })

  test('a stream that arrives byte by byte gives the same result', async () => {
    answers = [slowly(sse(full))]
    const { end } = await run('anthropic-chat', { text: 'Rome?', tools: [weather] }, 'ANTHROPIC')
    expect(end).toMatchObject({ type: 'task_completed', output: { response: 'Hello' } })
  })

  test('an interrupted stream is a failure and is not retried', async () => {
    answers = [sse(full.slice(0, 6), { end: false })]
    const { end } = await run('anthropic-chat', { text: 'Rome?', tools: [weather] }, 'ANTHROPIC')
    expect(end.type).toBe('task_failed')
    expect(requests).toHaveLength(1)
  })

  test('malformed arguments are passed on unchanged', async () => {
    const calls = block(
      0,
      { type: 'tool_use', id: 'c1', name: 'weather', input: {} },
      { type: 'input_json_delta', partial_json: '{"city": Rome' },
    )
    answers = [sse([anthropicStart, ...calls, ...anthropicEnd('tool_use')])]
    const { end } = await run('anthropic-chat', { text: 'Rome?', tools: [weather] }, 'ANTHROPIC')
    expect(end).toMatchObject({
      type: 'task_completed',
      output: { tool_calls: [{ function: { name: 'weather', arguments: '{"city": Rome' } }] },
    })
  })

  test('the result of a tool call is sent without thinking', async () => {
    answers = [
      sse([
        anthropicStart,
        ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'ok' }),
        ...anthropicEnd('end_turn'),
      ]),
    ]
    const context = [
      { role: 'user', text: 'Rome?' },
      {
        role: 'assistant',
        text: '',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
      },
    ]
    const turn = { context, role: 'tool', tool_call_id: 'c1', text: 'rain', reasoning_effort: 'high', tools: [weather] }
    expect((await run('anthropic-chat', turn, 'ANTHROPIC')).end).toMatchObject({ output: { response: 'ok' } })
    expect(requests[0]?.body).not.toHaveProperty('thinking')
    expect(JSON.stringify(requests[0]?.body.messages)).toContain('"tool_use_id":"c1"')
  })

  const errorBody = (message: string) => ({ type: 'error', error: { type: 'x', message } })
  test.each([
    [401, 'invalid x-api-key', /answered 401.*Check the secret ANTHROPIC_API_KEY/, 1],
    [400, 'Your credit balance is too low', /no credit left/, 1],
    [400, 'prompt is too long: 210000 tokens > 200000 maximum', /too long for this model/, 1],
    [404, 'model: m', /Check the model \(m\)/, 1],
    [529, 'Overloaded', /overloaded after several retries/, 3],
  ])('%s %s', async (status, message, words, tries) => {
    answers = [refuse(status, errorBody(message))]
    const { end } = await run('anthropic-chat', { text: 'hi' }, 'ANTHROPIC')
    expect(end).toMatchObject({ type: 'task_failed', error: expect.stringMatching(words) })
    expect(end.error).not.toContain('key-0123456789')
    expect(requests).toHaveLength(tries)
  })
})

describe('gemini-chat', () => {
  const chunk = (parts: object[], more: object = {}) => ({
    candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
  })
  const usageMetadata = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 }

  test('streams text, thinking and tool calls, and requests JSON with a schema', async () => {
    answers = [
      sse([
        chunk([{ text: 'hm', thought: true }]),
        chunk([{ text: 'Hel' }]),
        chunk([{ text: 'lo' }, { functionCall: { name: 'weather', args: { city: 'Rome' } } }]),
        { ...chunk([], { finishReason: 'STOP' }), usageMetadata },
      ]),
    ]
    const image = world.server.bundle(Buffer.from('png-bytes')).repository
    const input = {
      system_prompt: 'Be brief.',
      text: 'Rome?',
      images: [image],
      tools: [weather],
      reasoning_effort: 'low',
    }
    const { end, outputs } = await run('gemini-chat', { ...input, temperature: 0.5 }, 'GEMINI')
    expect(end).toMatchObject({
      type: 'task_completed',
      output: {
        response: 'Hello',
        reasoning: 'hm',
        tool_calls: [{ type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }],
        usage: { prompt_tokens: 11, total_tokens: 18 },
      },
    })
    expect(outputs).toContainEqual({ response: 'Hel' })
    expect(requests[0]?.path).toBe('/v1/models/m:streamGenerateContent?alt=sse')
    expect(requests[0]?.headers['x-goog-api-key']).toBe('key-0123456789')
    expect(requests[0]?.body).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      generationConfig: { temperature: 0.5, thinkingConfig: { thinkingBudget: 2048, includeThoughts: true } },
    })
    answers = [sse([{ ...chunk([{ text: '{"a":1}' }], { finishReason: 'STOP' }), usageMetadata }])]
    const schema = { type: 'object', properties: { a: { type: 'integer' } } }
    const asJson = { text: 'x', response_format: { type: 'json_schema', name: 'a', json_schema: schema } }
    expect((await run('gemini-chat', asJson, 'GEMINI')).end).toMatchObject({ output: { response: '{"a":1}' } })
    expect(requests.at(-1)?.body).toMatchObject({ generationConfig: { responseMimeType: 'application/json' } })
  })

  test.each([
    [400, 'API key not valid. Please pass a valid API key.', /not valid.*Check the secret GEMINI_API_KEY/, 1],
    [429, 'You exceeded your current quota', /no credit left/, 3],
    [503, 'The model is overloaded. Please try again later.', /overloaded after several retries/, 3],
    [400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).', /too long/, 1],
  ])('%s %s', async (code, message, words, tries) => {
    answers = [refuse(code, { error: { code, message, status: 'X' } })]
    const { end } = await run('gemini-chat', { text: 'hi' }, 'GEMINI')
    expect(end).toMatchObject({ type: 'task_failed', error: expect.stringMatching(words) })
    expect(end.error).not.toContain('key-0123456789')
    expect(requests).toHaveLength(tries)
  })

  test('a filtered response without content is a refusal', async () => {
    answers = [sse([{ candidates: [{ index: 0, finishReason: 'SAFETY' }], usageMetadata }])]
    const { end } = await run('gemini-chat', { text: 'hi' }, 'GEMINI')
    expect(end).toMatchObject({ type: 'task_failed', error: expect.stringMatching(/content filter/) })
  })
})

test.each([
  [401, 'invalid_api_key', 'Incorrect API key provided: sk-…', /answered 401.*Check the secret OPENAI_API_KEY/, 1],
  [429, 'insufficient_quota', 'You exceeded your current quota, please check your plan', /no credit left/, 3],
  [
    503,
    'server_error',
    'The engine is currently overloaded, please try again later',
    /overloaded after several retries/,
    3,
  ],
  [400, 'context_length_exceeded', 'This model’s maximum context length is 8192 tokens', /too long for this model/, 1],
])('openai-chat: %s %s', async (status, code, message, words, tries) => {
  answers = [refuse(status, { error: { message, type: code, code } })]
  const { end } = await run('openai-chat', { text: 'hi' }, 'OPENAI')
  expect(end).toMatchObject({ type: 'task_failed', error: expect.stringMatching(words) })
  expect(end.error).not.toContain('key-0123456789')
  expect(requests).toHaveLength(tries)
})

test('openai-chat: a stream that ends without a reason was interrupted', async () => {
  const piece = {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { content: 'Hal' }, finish_reason: null }],
  }
  answers = [sse([piece])]
  const { end } = await run('openai-chat', { text: 'hi' }, 'OPENAI')
  expect(end).toMatchObject({
    type: 'task_failed',
    error: expect.stringMatching(/interrupted the response|closed the connection/),
  })
  expect(requests).toHaveLength(1)
})
