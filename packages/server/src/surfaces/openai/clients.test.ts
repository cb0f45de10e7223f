// Guarantees: the published clients work unchanged: `openai`, the AI SDK and LangChain. Text arrives once and in order,
// tools of the client come back as calls, and a conversation that a client sends again continues its chat.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import { generateText, streamText } from 'ai'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failModel, says } from '../../agents/chats/testing/given.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { type GivenModel, givenModel, modelAnswers, modelCalled } from './testing/given.ts'

let world: World
let given: GivenModel
let baseURL = ''
let apiKey = ''
let openai: OpenAI

beforeAll(async () => {
  world = await createWorld()
  given = await givenModel(world)
  baseURL = `${await world.listen()}/v1`
  apiKey =
    (await world.token(
      'key:agents:execute,agents:read,apps:read,apps:execute,conversations:read,conversations:write,files:read,files:write',
    )) ?? ''
  openai = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
})
afterAll(() => world?.close())

const usage = { prompt_tokens: 11, completion_tokens: 5, cached_tokens: 7, reasoning_tokens: 2 }
const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'The weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

const textOf = async (
  stream: AsyncIterable<{ choices: { delta: { content?: string | null } }[] }>,
): Promise<string> => {
  let text = ''
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
  return text
}

describe('openai', () => {
  it('lists models and reads one', async () => {
    const ids: string[] = []
    for await (const { id } of openai.models.list()) ids.push(id)
    expect(ids).toEqual(expect.arrayContaining([given.agent, given.app, 'millrace/embeddings']))
    expect(await openai.models.retrieve(given.agent)).toMatchObject({ id: given.agent, object: 'model' })
    await expect(openai.models.retrieve('no/model')).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
    })
  })

  it('answers with the settings, instructions and history of the request', async () => {
    const answered = openai.chat.completions.create({
      model: given.agent,
      temperature: 0.2,
      max_tokens: 50,
      response_format: { type: 'json_schema', json_schema: { name: 'city', schema: { type: 'object' } } },
      messages: [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello' },
        { role: 'user', content: [{ type: 'text', text: 'Capital of France?' }] },
      ],
    })
    const { input } = await modelAnswers(world, { ...says('Paris'), usage })
    expect(input).toMatchObject({
      temperature: 0.2,
      max_tokens: 50,
      response_format: { type: 'json_schema', name: 'city', json_schema: { type: 'object' }, strict: false },
      system_prompt: expect.stringContaining('Be brief'),
      text: 'Capital of France?',
      context: [
        { role: 'user', text: 'Hi' },
        { role: 'assistant', text: 'Hello' },
      ],
    })
    expect(await answered).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      model: given.agent,
      choices: [{ index: 0, message: { role: 'assistant', content: 'Paris' }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: 11,
        completion_tokens: 5,
        total_tokens: 16,
        prompt_tokens_details: { cached_tokens: 7 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    })
  })

  it('streams each piece once, with the usage at the end', async () => {
    const stream = await openai.chat.completions.create({
      model: given.app,
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'Count' }],
    })
    const read = (async () => {
      const chunks = []
      for await (const chunk of stream) chunks.push(chunk)
      return chunks
    })()
    // The last words come only with the complete message.
    await modelAnswers(world, { ...says('one two three'), usage }, ['one ', 'two '])
    const chunks = await read
    const pieces = chunks.map(({ choices }) => choices[0]?.delta.content).filter(Boolean)
    expect(pieces).toEqual(['one ', 'two ', 'three'])
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 5 } })
  })

  it('returns calls of the client’s tools, and continues with their results', async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Weather in Rome?' }]
    const asked = openai.chat.completions.create({ model: given.agent, messages, tools: [weather] })
    const first = await modelAnswers(world, says('', { name: 'weather', arguments: { city: 'Rome' } }))
    expect(first.input.tools?.map(({ function: { name } }) => name)).toContain('weather')
    const [choice] = (await asked).choices
    expect(choice?.finish_reason).toBe('tool_calls')
    const call = choice?.message.tool_calls?.[0]
    expect(call).toMatchObject({ type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } })
    if (!choice || !call) return
    messages.push(choice.message, { role: 'tool', tool_call_id: call.id, content: 'sunny' })
    const answered = openai.chat.completions.create({ model: given.agent, messages, tools: [weather] })
    const second = await modelAnswers(world, says('It is sunny'))
    expect(second.chatId).toBe(first.chatId)
    expect(second.input).toMatchObject({ role: 'tool', text: 'sunny' })
    const done = await answered
    expect(done.choices[0]).toMatchObject({ message: { content: 'It is sunny' }, finish_reason: 'stop' })

    messages.push({ role: 'assistant', content: 'It is sunny' }, { role: 'user', content: 'And tomorrow?' })
    const again = openai.chat.completions.create({ model: given.agent, messages, tools: [weather] })
    const third = await modelAnswers(world, says('Rain'))
    expect(third.chatId).toBe(first.chatId)
    await again
    // The same messages once more are another conversation: the chat has moved on.
    const other = openai.chat.completions.create({ model: given.agent, messages, tools: [weather] })
    const fourth = await modelAnswers(world, says('Snow'))
    expect(fourth.chatId).not.toBe(first.chatId)
    expect(fourth.input.context.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    await other
  })

  it('says that a call waits for an approval, and continues when it is answered', async () => {
    const careful = await givenModel(world, {
      tools: [{ name: 'send', type: 'http', require_approval: true, http: { url: 'http://127.0.0.1:9/x' } }],
    })
    const stream = await openai.chat.completions.create({
      model: careful.agent,
      stream: true,
      messages: [{ role: 'user', content: 'Send' }],
    })
    const chunks = stream[Symbol.asyncIterator]()
    const { chatId } = await modelAnswers(world, says('Sending.', { name: 'send' }))
    let text = ''
    while (!text.includes('/console/chats/')) text += (await chunks.next()).value?.choices[0]?.delta.content ?? ''
    expect(text).toContain('The agent waits for an approval of `send`')
    expect(text).toContain(`/console/chats/${chatId}`)
    const chat = await world.call('owner', `GET /chats/${chatId}`)
    await world.call('owner', `POST /interrupts/${chat.data.pending_interrupts[0].id}/resolve`, {
      body: { decision: 'deny' },
    })
    await modelAnswers(world, says('Not sent'))
    expect(await textOf({ [Symbol.asyncIterator]: () => chunks })).toContain('Not sent')
  })

  it('without a stream, an approval ends the answer in words', async () => {
    const careful = await givenModel(world, {
      tools: [{ name: 'send', type: 'http', require_approval: true, http: { url: 'http://127.0.0.1:9/x' } }],
    })
    const asked = openai.chat.completions.create({
      model: careful.agent,
      messages: [{ role: 'user', content: 'Send' }],
    })
    await modelAnswers(world, says('', { name: 'send' }))
    expect((await asked).choices[0]).toMatchObject({
      message: { content: expect.stringContaining('waits for an approval') },
      finish_reason: 'stop',
    })
  })

  it('stored responses continue, are read and deleted', async () => {
    const asked = openai.responses.create({
      model: given.agent,
      instructions: 'Rhyme',
      input: 'One',
      metadata: { topic: 'numbers' },
    })
    const first = await modelAnswers(world, { ...says('Sun'), usage })
    const response = await asked
    expect(response).toMatchObject({
      id: expect.stringMatching(/^resp_/),
      status: 'completed',
      output_text: 'Sun',
      metadata: { topic: 'numbers' },
      usage: { input_tokens: 11, output_tokens: 5, total_tokens: 16, input_tokens_details: { cached_tokens: 7 } },
    })
    const continued = openai.responses.create({ model: given.agent, input: 'Two', previous_response_id: response.id })
    const second = await modelAnswers(world, says('Shoe'))
    expect(second.chatId).toBe(first.chatId)
    expect(second.input.context.map(({ text }) => text)).toEqual(['One', 'Sun'])
    expect((await continued).output_text).toBe('Shoe')
    expect(await openai.responses.retrieve(response.id)).toMatchObject({
      status: 'completed',
      output_text: 'Sun',
      model: given.agent,
    })
    await openai.responses.delete(response.id)
    await expect(openai.responses.retrieve(response.id)).rejects.toMatchObject({ status: 404 })
  })

  it('streams a response, with calls of the client’s tools', async () => {
    const tools = [{ type: 'function' as const, strict: false, ...weather.function }]
    const asked = openai.responses.stream({ model: given.agent, input: 'Weather in Oslo?', tools }).finalResponse()
    await modelAnswers(world, says('Let me look.', { name: 'weather', arguments: { city: 'Oslo' } }))
    const response = await asked
    expect(response.output_text).toBe('Let me look.')
    const call = response.output.find((item) => item.type === 'function_call')
    expect(call).toMatchObject({ name: 'weather', arguments: '{"city":"Oslo"}' })
    const input = [{ type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'snow' }]
    const answered = openai.responses
      .stream({ model: given.agent, input, previous_response_id: response.id, tools })
      .finalResponse()
    await modelAnswers(world, says('It snows'))
    expect((await answered).output_text).toBe('It snows')
  })

  it('without `store`, nothing remains', async () => {
    const asked = openai.chat.completions.create({
      model: given.agent,
      store: false,
      messages: [{ role: 'user', content: 'Hi' }],
    })
    const { chatId } = await modelAnswers(world, says('Hello'))
    await asked
    expect((await world.call('owner', `GET /chats/${chatId}`)).status).toBe(404)
  })

  it('a failure of the model is an error, also inside a stream', async () => {
    const fail = async (stream: boolean) => {
      const asked = openai.chat.completions.create({
        model: given.agent,
        stream,
        messages: [{ role: 'user', content: 'Hi' }],
      })
      const read = asked.then(async (answer) => (Symbol.asyncIterator in answer ? textOf(answer) : answer))
      await failModel(world, await modelCalled(world), 'out of memory')
      return read
    }
    await expect(fail(false)).rejects.toMatchObject({
      status: 502,
      code: 'model_failed',
      message: expect.stringContaining('out of memory'),
    })
    await expect(fail(true)).rejects.toThrow('out of memory')
  })

  it('uploads files and refers to them', async () => {
    const file = await openai.files.create({
      file: await toFile(Buffer.from('a,b'), 'data.csv', { type: 'text/csv' }),
      purpose: 'user_data',
    })
    expect(file).toMatchObject({ id: expect.stringMatching(/^file-/), bytes: 3, filename: 'data.csv' })
    expect(await (await openai.files.content(file.id)).text()).toBe('a,b')
    const asked = openai.chat.completions.create({
      model: given.agent,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Sum it' },
            { type: 'file', file: { file_id: file.id } },
          ],
        },
      ],
    })
    const { input } = await modelAnswers(world, says('ab'))
    expect(input).toMatchObject({ text: 'Sum it', files: [expect.stringContaining('/media/')] })
    await asked
    const ids: string[] = []
    for await (const { id } of openai.files.list()) ids.push(id)
    expect(ids).toContain(file.id)
    expect(await openai.files.delete(file.id)).toMatchObject({ deleted: true })
  })

  it('embeds texts', async () => {
    const { data } = await openai.embeddings.create({
      model: 'millrace/embeddings',
      input: ['a cat', 'a kitten', 'tax law'],
    })
    const [cat = [], kitten = [], tax = []] = data.map(({ embedding }) => embedding)
    const dot = (a: number[], b: number[]) => a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
    expect(dot(cat, kitten)).toBeGreaterThan(dot(cat, tax))
  })
})

describe('other published clients', () => {
  it('the AI SDK generates and streams', async () => {
    const model = createOpenAICompatible({ name: 'millrace', baseURL, apiKey })(given.agent)
    const generated = generateText({ model, prompt: 'Hi', maxRetries: 0 })
    await modelAnswers(world, { ...says('Hello'), usage })
    expect((await generated).text).toBe('Hello')
    const streamed = streamText({ model, prompt: 'Hi', maxRetries: 0 })
    const text = Promise.resolve(streamed.text)
    await modelAnswers(world, says('Hello again'))
    expect(await text).toBe('Hello again')
  })

  it('LangChain invokes, streams and embeds', async () => {
    const configuration = { baseURL }
    const chat = new ChatOpenAI({ model: given.agent, apiKey, configuration, maxRetries: 0 })
    const invoked = chat.invoke([new HumanMessage('Hi')])
    await modelAnswers(world, says('Hello'))
    expect((await invoked).text).toBe('Hello')
    const streamed = (async () => {
      let text = ''
      for await (const chunk of await chat.stream('Hi')) text += chunk.text
      return text
    })()
    await modelAnswers(world, says('Hello again'))
    expect(await streamed).toBe('Hello again')
    const embeddings = new OpenAIEmbeddings({ model: 'millrace/embeddings', apiKey, configuration })
    expect((await embeddings.embedQuery('a cat')).length).toBeGreaterThan(10)
  })

  it.each([
    [
      'Open WebUI',
      {
        stream: true,
        model: '',
        messages: [{ role: 'user', content: 'Hi' }],
        session_id: 's',
        chat_id: 'c',
        id: 'm',
        background_tasks: {},
        features: { web_search: false },
        variables: {},
        stream_options: { include_usage: true },
      },
    ],
    [
      'LibreChat',
      {
        model: '',
        user: '65f0',
        stream: true,
        temperature: 1,
        top_p: 1,
        presence_penalty: 0,
        frequency_penalty: 0,
        max_tokens: null,
        messages: [
          { role: 'system', content: 'Be kind' },
          { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        ],
      },
    ],
  ])('accepts requests of %s', async (_name, body) => {
    const answered = fetch(`${baseURL}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, model: given.agent }),
    })
    await modelAnswers(world, says('Hello'))
    const response = await answered
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const text = await response.text()
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(text).toContain('"content":"Hello"')
  })
})
