// Guarantees: every app that ships with Millrace is complete (manifest, readme, schemas) and does what its readme says,
// on an engine without a network.

import { readdir, readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { InfYml, parseKernel } from '@millrace/contract/inf-yml'
import { seal } from '@millrace/contract/sealed-box'
import { Compile } from 'typebox/compile'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { discoverSchema } from './discover.ts'
import { findPython } from './environments/python-environment.ts'
import { shippedFolder, startWorld, type World } from './testing/world.ts'

const names = [
  'anthropic-chat',
  'echo',
  'gemini-chat',
  'http-request',
  'json-transform',
  'markdown-to-html',
  'openai-chat',
  'text-template',
  'word-count',
]
const env = { PATH: process.env.PATH ?? '' }
const runnable = (kernel: string | undefined) =>
  parseKernel(kernel)?.language === 'node' || findPython('3', env) !== undefined

test('the list of shipped apps is complete', async () => {
  expect((await readdir(shippedFolder('.'))).sort()).toEqual(names)
})

describe.each(names)('%s', (name) => {
  test('has a readme and a valid manifest that lists exactly its functions', async () => {
    const folder = shippedFolder(name)
    const manifest: unknown = parseYaml(await readFile(join(folder, 'inf.yml'), 'utf8'))
    const check = Compile(InfYml)
    if (!check.Check(manifest)) throw new Error(JSON.stringify(check.Errors(manifest)))
    expect(manifest.name).toBe(name)
    expect(await readFile(join(folder, 'README.md'), 'utf8')).toContain(`millrace run millrace/${name}`)
    if (!runnable(manifest.kernel)) return
    const schema = await discoverSchema({ folder, kernel: manifest.kernel, env })
    expect(manifest.functions?.map((fn) => fn.name).sort()).toEqual(Object.keys(schema.functions).sort())
    for (const fn of Object.values(schema.functions)) {
      expect(fn.input_schema).toMatchObject({ type: 'object' })
      expect(fn.output_schema).toMatchObject({ type: 'object' })
    }
  })
})

// A third-party server that answers by path, and a model server with the real streaming protocol.
type ReceivedRequest = { path: string; authorization?: string; body: unknown }

const startOther = async (): Promise<{ server: Server; url: string; requests: ReceivedRequest[] }> => {
  const requests: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const authorization = request.headers.authorization
    requests.push({
      path: request.url ?? '',
      body: text === '' ? undefined : JSON.parse(text),
      ...(authorization && { authorization }),
    })
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const answer = (request: IncomingMessage, response: ServerResponse) => {
  const json = (status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  if (request.url === '/v1/models') return json(200, { data: [{ id: 'tiny-model' }] })
  if (request.url === '/v1/chat/completions') return stream(response)
  if (request.url === '/broken/chat/completions') return json(401, { error: { message: 'bad key' } })
  if (request.url?.startsWith('/redirect')) return response.writeHead(302, { location: '/json?after=1' }).end()
  if (request.url?.startsWith('/away'))
    return response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end()
  if (request.url?.startsWith('/binary'))
    return response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([1, 2, 3]))
  if (request.url?.startsWith('/big')) return response.end('x'.repeat(5000))
  if (request.url?.startsWith('/slow')) return undefined
  if (request.url?.startsWith('/json')) return json(200, { path: request.url, method: request.method })
  return json(404, { error: 'no such page' })
}

const stream = (response: ServerResponse) => {
  const chunk = (delta: object, extra: object = {}) =>
    response.write(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'tiny-model', choices: [{ index: 0, delta, finish_reason: null }], ...extra })}\n\n`,
    )
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  chunk({ role: 'assistant', reasoning_content: 'thinking' })
  chunk({ content: 'Hel' })
  chunk({ content: 'lo' })
  chunk({
    tool_calls: [{ index: 0, id: 'call-1', type: 'function', function: { name: 'weather', arguments: '{"city"' } }],
  })
  chunk({ tool_calls: [{ index: 0, function: { arguments: ':"Rome"}' } }] })
  chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] })
  chunk({}, { choices: [], usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } })
  response.end('data: [DONE]\n\n')
}

describe('on an engine', () => {
  let world: World
  let other: Awaited<ReturnType<typeof startOther>>
  beforeAll(async () => {
    other = await startOther()
    // The registry is unreachable, so every app here runs without installing anything.
    world = await startWorld({
      settings: { allow_private_hosts: '127.0.0.1' },
      env: { npm_config_registry: 'http://127.0.0.1:9/' },
    })
  })
  afterAll(async () => {
    await world.close()
    other.server.closeAllConnections()
    other.server.close()
  })

  const outputs: { name: string; claim: string; input: object; output: object }[] = [
    {
      name: 'text-template',
      claim: 'renders values, sections and inverted sections',
      input: {
        template:
          'Hi {{user.name}}!{{#items}} {{n}}:{{user.name}}{{/items}}{{^none}} nothing{{/none}}{{#tags}}[{{.}}]{{/tags}}{{gone}}',
        values: { user: { name: 'Ada' }, items: [{ n: 1 }, { n: 2 }], none: [], tags: ['a', 'b'] },
      },
      output: { text: 'Hi Ada! 1:Ada 2:Ada nothing[a][b]' },
    },
    {
      name: 'text-template',
      claim: 'escapes',
      input: { template: '<{{a}}>', values: { a: '<&"' }, escape: 'html' },
      output: { text: '<&#60;&#38;&#34;>' },
    },
    {
      name: 'text-template',
      claim: 'ignores inherited members',
      input: { template: '{{constructor}}{{a.length}}', values: { a: {} }, missing: 'keep' },
      output: { text: '{{constructor}}{{a.length}}' },
    },
    {
      name: 'markdown-to-html',
      claim: 'renders, and removes scripts',
      input: {
        markdown:
          '# Title\n\n*hi* <script>x</script> [a](javascript:alert(1)) [b](https://x.y) [c](java&#115;cript:x) ![d](data:text/html,x)',
      },
      output: {
        html: expect.stringMatching(
          /^<h1>Title<\/h1>\n<p><em>hi<\/em> &#60;script&#62;x&#60;\/script&#62; <a href="">a<\/a> <a href="https:\/\/x.y">b<\/a> <a href="">c<\/a> <img src="" alt="d">/,
        ),
        headings: [{ level: 1, text: 'Title' }],
      },
    },
    {
      name: 'json-transform',
      claim: 'evaluates',
      input: { data: { items: [{ p: 2 }, { p: 3 }] }, expression: '$sum(items.p) * $factor', bindings: { factor: 10 } },
      output: { result: 50 },
    },
    {
      name: 'json-transform',
      claim: 'returns lists as lists',
      input: { data: [{ a: 1 }, { a: 2 }], expression: 'a' },
      output: { result: [1, 2] },
    },
    {
      name: 'json-transform',
      claim: 'returns null for no match',
      input: { data: {}, expression: 'missing' },
      output: { result: null },
    },
  ]
  test.each(outputs)('$name $claim', async ({ name, input, output }) => {
    expect(await world.run(await world.shippedApp(name), { input }).end).toEqual({ type: 'task_completed', output })
  })

  const refusals: { name: string; claim: string; input: () => object; error: RegExp }[] = [
    {
      name: 'text-template',
      claim: 'an unclosed section',
      input: () => ({ template: '{{#a}}' }),
      error: /^The section a is not closed$/,
    },
    {
      name: 'text-template',
      claim: 'a missing value',
      input: () => ({ template: '{{a.b}}', missing: 'error' }),
      error: /^No value for a\.b$/,
    },
    {
      name: 'json-transform',
      claim: 'an invalid expression',
      input: () => ({ data: 1, expression: '$sum(' }),
      error: /^The expression is not valid at position \d+/,
    },
    {
      name: 'http-request',
      claim: 'a private address',
      input: () => ({ url: 'http://10.0.0.1/' }),
      error: /^10\.0\.0\.1 has a private address/,
    },
    {
      name: 'http-request',
      claim: 'a host name of a private address',
      input: () => ({ url: 'http://localhost:1/' }),
      error: /could not be reached|private address/,
    },
    {
      name: 'http-request',
      claim: 'a redirect to a private address',
      input: () => ({ url: `${other.url}/away` }),
      error: /^169\.254\.169\.254 has a private address/,
    },
    {
      name: 'http-request',
      claim: 'the API’s own port',
      input: () => ({ url: world.server.url }),
      error: /^127\.0\.0\.1 has a private address/,
    },
    {
      name: 'http-request',
      claim: 'another scheme',
      input: () => ({ url: 'file:///etc/passwd' }),
      error: /^only http and https/,
    },
    {
      name: 'http-request',
      claim: 'a response that is too large',
      input: () => ({ url: `${other.url}/big`, max_bytes: 100 }),
      error: /^The response is larger than 100 bytes$/,
    },
    {
      name: 'http-request',
      claim: 'no response',
      input: () => ({ url: `${other.url}/slow`, timeout_ms: 50 }),
      error: /^No response within 50 ms$/,
    },
    {
      name: 'http-request',
      claim: 'a status that the input rejects',
      input: () => ({ url: `${other.url}/none`, fail_on_error: true }),
      error: /answered 404$/,
    },
  ]
  test.each(refusals)('$name rejects $claim', async ({ name, input, error }) => {
    const end = await world.run(await world.shippedApp(name), { input: input() }).end
    expect(end.type).toBe('task_failed')
    expect(end.error?.split('\n')[0]).toMatch(error)
  })

  test('http-request sends a request and describes the response', async () => {
    const app = await world.shippedApp('http-request')
    const ask = async (input: object) => (await world.run(app, { input }).end).output
    expect(
      await ask({
        url: `${other.url}/json`,
        method: 'POST',
        query: { q: 1 },
        json: { a: 1 },
        headers: { authorization: 'Bearer x' },
      }),
    ).toMatchObject({
      status: 200,
      ok: true,
      json: { path: '/json?q=1', method: 'POST' },
      headers: { 'content-type': 'application/json' },
    })
    expect(other.requests.at(-1)).toEqual({ path: '/json?q=1', authorization: 'Bearer x', body: { a: 1 } })
    expect(await ask({ url: `${other.url}/redirect` })).toMatchObject({
      json: { path: '/json?after=1' },
      url: `${other.url}/json?after=1`,
    })
    expect(await ask({ url: `${other.url}/binary` })).toMatchObject({ base64: 'AQID' })
    expect(await ask({ url: `${other.url}/none` })).toMatchObject({ status: 404, ok: false })
  })

  const secrets = async (id: string, values: Record<string, string>) => {
    const { public_key: key = '' } = world.server.registrations[0]?.local_engine_state ?? {}
    return { secrets: seal(JSON.stringify(values), key, `task:${id}`) }
  }

  test('openai-chat streams text, reasoning and tool calls in the format of agents', async () => {
    const image = world.server.bundle(Buffer.from('png-bytes')).repository
    const weather = {
      type: 'function',
      function: {
        name: 'weather',
        description: 'Weather',
        parameters: { type: 'object', properties: { city: { type: 'string' } } },
      },
    }
    const input = {
      system_prompt: 'Be brief.',
      temperature: 0.5,
      min_p: 0.1,
      tools: [weather],
      tool_choice: { mode: 'auto' },
      context: [
        { role: 'user', text: 'Weather in Oslo?' },
        {
          role: 'assistant',
          text: '',
          tool_calls: [{ id: 'c0', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
        },
        { role: 'tool', tool_call_id: 'c0', text: 'rain' },
      ],
      text: 'And in Rome?',
      images: [image],
    }
    const task = world.run(
      await world.shippedApp('openai-chat'),
      { id: 'chat-1', input },
      await secrets('chat-1', { OPENAI_BASE_URL: `${other.url}/v1`, OPENAI_API_KEY: 'sk-test-key' }),
    )
    const toolCall = { id: 'call-1', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } }
    expect(await task.end).toEqual({
      type: 'task_completed',
      output: {
        response: 'Hello',
        reasoning: 'thinking',
        tool_calls: [toolCall],
        usage: {
          stop_reason: 'tool-calls',
          time_to_first_token: expect.any(Number),
          tokens_per_second: expect.any(Number),
          prompt_tokens: 11,
          cached_tokens: 0,
          cache_write_tokens: 0,
          completion_tokens: 7,
          total_tokens: 18,
          reasoning_tokens: 0,
          reasoning_time: expect.any(Number),
        },
      },
    })
    expect(task.outputs().slice(0, 3)).toEqual([
      { response: '', reasoning: 'thinking' },
      { response: 'Hel' },
      { response: 'lo' },
    ])
    expect(other.requests.at(-1)).toMatchObject({
      path: '/v1/chat/completions',
      authorization: 'Bearer sk-test-key',
      body: {
        model: 'tiny-model',
        stream: true,
        temperature: 0.5,
        min_p: 0.1,
        tools: [{ type: 'function', function: { name: 'weather' } }],
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Weather in Oslo?' },
          {
            role: 'assistant',
            tool_calls: [{ id: 'c0', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
          },
          { role: 'tool', tool_call_id: 'c0', content: 'rain' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'And in Rome?' },
              {
                type: 'image_url',
                image_url: { url: `data:image/png;base64,${Buffer.from('png-bytes').toString('base64')}` },
              },
            ],
          },
        ],
      },
    })
  })

  test('openai-chat reports the error of the server', async () => {
    const app = await world.shippedApp('openai-chat')
    const setup = { base_url: `${other.url}/broken`, model: 'm' }
    expect(await world.run(app, { input: { text: 'hi' }, setup }).end).toEqual({
      type: 'task_failed',
      error: expect.stringMatching(/answered 401: bad key\. Check the secret OPENAI_API_KEY\.\n/),
    })
  })
})
