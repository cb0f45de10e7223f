// Guarantees: a task runs its function and reports in order: statuses, logs, progress, one ending.

import { seal } from '@millrace/contract/sealed-box'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type World } from '../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ settings: { log_limit_bytes: 20_000, output_limit_bytes: 100_000 } })
})
afterAll(() => world.close())

const app = (body: string, head = '') => world.app({ 'inference.js': `${head}\nexport class App {\n${body}\n}` })
const statuses = (types: string[]) => types.filter((type) => type !== 'task_log')

describe('statuses', () => {
  test('[E15] a cold worker goes through every phase, a warm one starts running', async () => {
    const echo = await world.shippedApp('echo')
    const cold = world.run(echo, { input: { hello: 'world' } })
    expect(await cold.end).toEqual({ type: 'task_completed', output: { hello: 'world' } })
    expect(statuses(cold.types())).toEqual([
      'task_accepted',
      'task_preparing',
      'task_serving',
      'task_setting_up',
      'task_running',
      'task_completed',
    ])
    const warm = world.run(echo, { input: { n: 2 } })
    expect(await warm.end).toEqual({ type: 'task_completed', output: { n: 2 } })
    expect(statuses(warm.types())).toEqual(['task_accepted', 'task_running', 'task_completed'])
  })

  test('[E11] every frame of a task carries its attempt', async () => {
    const task = world.run(app('async *run() { console.log("x"); yield {a: 1}; return {a: 2} }'), { attempt: 7 })
    await task.end
    expect(task.types()).toContain('task_log')
    expect(task.frames().map((frame) => frame.data.attempt)).toEqual(task.frames().map(() => 7))
    expect(world.server.invalid).toEqual([])
  })

  test('[E14] tasks that cannot be accepted are rejected with a reason', async () => {
    const echo = await world.shippedApp('echo')
    const busy = world.run(echo, { function: 'sleep', input: { ms: 60_000 } })
    await busy.seen('task_running')
    const refused = world.run(echo, {})
    expect(await refused.end).toEqual({ type: 'task_rejected', error: 'worker_busy' })
    expect(refused.frames()[0]?.data).toMatchObject({ busy_with_task: busy.id })
    expect(await world.run(echo, { worker_id: 'nobody' }).end).toEqual({
      type: 'task_rejected',
      error: 'worker_not_found',
    })
    expect(await world.run(echo, { worker_id: null }).end).toEqual({ type: 'task_rejected', error: 'worker_id_nil' })
    world.server.send({ type: 'task_cancel', data: { task: { id: busy.id } } })
    await busy.end
  })

  test('an unknown function fails the task with its name', async () => {
    const task = world.run(await world.shippedApp('echo'), { function: 'nothing' })
    expect(await task.end).toEqual({ type: 'task_failed', error: 'the app has no function named nothing' })
  })
})

describe('yields', () => {
  const cases: { claim: string; body: string; outputs: unknown[]; output: unknown }[] = [
    {
      claim: 'the returned value wins',
      body: 'async *run() { yield {n: 1}; return {n: 2} }',
      outputs: [{ n: 1 }],
      output: { n: 2 },
    },
    {
      claim: 'otherwise the last yield',
      body: 'async *run() { yield {n: 1}; yield {n: 2} }',
      outputs: [{ n: 1 }, { n: 2 }],
      output: { n: 2 },
    },
    {
      claim: 'a sync generator works the same',
      body: '*run() { yield {n: 1}; yield {n: 3} }',
      outputs: [{ n: 1 }, { n: 3 }],
      output: { n: 3 },
    },
    {
      claim: 'otherwise the merged deltas',
      body: `async *run() {
        yield new LlmDelta({ response: 'Hel', tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a"' } }] })
        yield new LlmDelta({ response: 'lo', tool_calls: [{ index: 0, function: { arguments: ':1}' } }], usage: { total_tokens: 3 } })
      }`,
      outputs: [expect.objectContaining({ response: 'Hel' }), expect.objectContaining({ response: 'lo' })],
      output: {
        response: 'Hello',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
        usage: { total_tokens: 3 },
      },
    },
  ]
  test.each(cases)('[E22] $claim', async ({ body, outputs, output }) => {
    const task = world.run(app(body, 'class LlmDelta { constructor(v) { Object.assign(this, v) } }'))
    expect(await task.end).toEqual({ type: 'task_completed', output })
    expect(task.outputs()).toEqual(outputs)
  })

  test('[E21] deltas are distinguished from outputs and numbered from 1', async () => {
    const task = world.run(
      app(`async *run() {
        yield { [Symbol.for('inferencesh.delta')]: true, response: 'a' }
        yield { whole: true }
        yield new (class TextDelta { response = 'b' })()
        return { response: 'ab' }
      }`),
    )
    await task.end
    const progress = task.frames().flatMap((frame) => (frame.type === 'task_progress' ? [frame.data] : []))
    expect(progress.map(({ is_delta, seq }) => ({ is_delta, seq }))).toEqual([
      { is_delta: true, seq: 1 },
      { is_delta: undefined, seq: undefined },
      { is_delta: true, seq: 2 },
    ])
  })
})

describe('logs', () => {
  test('[E18] lines keep their order and type, and come before the ending', async () => {
    const task = world.run(
      app(`
        async setup() { console.log('setting up') }
        async run() { for (let i = 0; i < 200; i++) console.log('line ' + i); process.stdout.write('no line end'); return {} }`),
    )
    await task.end
    expect(task.logs(3)).toBe('setting up\n')
    expect(task.logs(1)).toBe(`${Array.from({ length: 200 }, (_, i) => `line ${i}`).join('\n')}\nno line end\n`)
    expect(task.types().at(-1)).toBe('task_completed')
  })

  test('[E19] a flood is cut with a note, and the worker continues', async () => {
    const flood = app(`
      async run({ lines }) {
        const line = 'x'.repeat(1023) + '\\n'
        for (let i = 0; i < lines; i++) process.stdout.write(line)
        return { lines }
      }`)
    const task = world.run(flood, { input: { lines: 100_000 } })
    expect(await task.end).toEqual({ type: 'task_completed', output: { lines: 100_000 } })
    expect(task.logs().length).toBeLessThan(25_000)
    expect(task.logs()).toMatch(/\[log cut: the limit of 20000 bytes is reached\]\n$/)
    const next = world.run(flood, { input: { lines: 1 } })
    expect(await next.end).toMatchObject({ type: 'task_completed' })
    expect(next.types()).not.toContain('task_serving')
  })

  test('[E20] secrets are masked in logs and errors', async () => {
    const { public_key: key = '' } = world.server.registrations[0]?.local_engine_state ?? {}
    const id = 'task-with-secret'
    const task = world.run(
      app(
        `async run() { console.log('token is ' + process.env.TOKEN); throw new Error('bad token ' + process.env.TOKEN) }`,
      ),
      { id },
      { secrets: seal(JSON.stringify({ TOKEN: 'open-sesame' }), key, `task:${id}`) },
    )
    expect(await task.end).toEqual({ type: 'task_failed', error: 'bad token ***\n    at App.run (inference.js:3:67)' })
    expect(task.logs()).toBe('token is ***\nError: bad token ***\n    at App.run (inference.js:3:67)\n')
  })

  test('[E20] secrets are masked in the forms in which programs write them', async () => {
    const { public_key: key = '' } = world.server.registrations[0]?.local_engine_state ?? {}
    const id = 'task-with-written-secret'
    const task = world.run(
      app(`run() {
        const token = Buffer.from(process.env.TOKEN)
        for (const form of ['base64', 'base64url', 'hex']) console.log(token.toString(form))
        console.log(Buffer.from('user:' + token).toString('base64'))
        console.log(encodeURIComponent(token))
        return 'done'
      }`),
      { id },
      { secrets: seal(JSON.stringify({ TOKEN: 'open/sesame?and=more' }), key, `task:${id}`) },
    )
    await task.end
    const lines = task.logs().split('\n')
    for (const line of lines) expect(Buffer.from(line, 'base64').toString()).not.toMatch(/sesame|more/)
    for (const line of lines) expect(Buffer.from(line, 'hex').toString()).not.toMatch(/sesame|more/)
    expect(task.logs()).not.toMatch(/sesame|more/)
    expect(lines.filter((line) => line.includes('***'))).toHaveLength(5)
  })

  test('[E20] no line of a multi-line secret and no part of a longer secret is sent', async () => {
    const { public_key: key = '' } = world.server.registrations[0]?.local_engine_state ?? {}
    const id = 'task-with-long-secrets'
    const secrets = { SHORT: 'sesame', LONG: 'sesame-and-more', PEM: 'first-line\nsecond-line\r\nthird-line\n' }
    const task = world.run(
      app(`async run() {
        const { LONG, PEM } = process.env
        console.log(LONG)
        const named = { [LONG]() { throw new Error(PEM, { cause: new Error('because of ' + PEM) }) } }
        named[LONG]()
      }`),
      { id },
      { secrets: seal(JSON.stringify(secrets), key, `task:${id}`) },
    )
    const { type, error = '' } = await task.end
    expect(type).toBe('task_failed')
    expect(error).toMatch(/\n {4}at .*\*\*\*.*inference\.js:\d+:\d+/)
    expect(task.logs()).toMatch(/^\*\*\*\nError: \*\*\*\n/)
    expect(task.logs()).toContain('caused by Error: because of ***')
    for (const text of [error, task.logs()])
      for (const part of ['sesame', 'and-more', 'first-line', 'second-line', 'third-line'])
        expect(text).not.toContain(part)
  })
})

test('[E51] an app sees the trace of its run, and no later run does', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const tells = app(
    'run(input, metadata) { return { trace: metadata.traceparent ?? null, env: process.env.TRACEPARENT ?? null } }',
  )
  const traced = world.run(tells, { traceparent })
  expect(await traced.end).toEqual({ type: 'task_completed', output: { trace: traceparent, env: traceparent } })
  const plain = world.run(tells, {})
  expect(await plain.end).toEqual({ type: 'task_completed', output: { trace: null, env: null } })
})

describe('secrets', () => {
  test('[E3] a box for this engine and task opens, any other fails the task', async () => {
    const { public_key: key = '' } = world.server.registrations[0]?.local_engine_state ?? {}
    const reads = app('run() { return { token: process.env.TOKEN ?? null } }')
    const sealed = seal(JSON.stringify({ TOKEN: 's3cret' }), key, 'task:mine')
    expect(await world.run(reads, { id: 'mine' }, { secrets: sealed }).end).toMatchObject({
      output: { token: 's3cret' },
    })
    expect(await world.run(reads, { id: 'other' }, { secrets: sealed }).end).toEqual({
      type: 'task_failed',
      error: 'the secrets of this task cannot be decrypted: they are not sealed to this engine',
    })
  })

  test('[E33] the process sees its own settings and none of the engine’s', async () => {
    const task = world.run(app('run() { return process.env }'), { app_env: { COLOR: 'green' } })
    const { output } = await task.end
    expect(output).toMatchObject({ COLOR: 'green' })
    expect(JSON.stringify(output)).not.toContain(world.server.apiKey)
    expect(Object.keys(output as object)).not.toContain('MILLRACE_RUNNER_TOKEN')
  })

  test('[E33] a call without the token is rejected', async () => {
    const task = world.run(
      app(`async run() {
        const http = await import('node:http')
        const server = process._getActiveHandles().find((handle) => handle.constructor.name === 'Server')
        const call = (headers) => new Promise((resolve) =>
          http.get({ port: server.address().port, path: '/health', headers }, (response) => { response.resume(); resolve(response.statusCode) }))
        return { without: await call({}), wrong: await call({ 'x-millrace-token': 'guess' }) }
      }`),
    )
    expect(await task.end).toMatchObject({ output: { without: 403, wrong: 403 } })
  })
})

describe('outputs', () => {
  const bad: { claim: string; body: string; error: RegExp }[] = [
    {
      claim: 'a cycle',
      body: 'run() { const a = {}; a.a = a; return a }',
      error: /^the output is not valid JSON: .*circular/i,
    },
    { claim: 'a BigInt', body: 'run() { return { n: 1n } }', error: /^the output is not valid JSON: n is a BigInt$/ },
    { claim: 'NaN', body: 'run() { return { a: [0 / 0] } }', error: /^the output is not valid JSON: a\.0 is NaN$/ },
    {
      claim: 'a Map',
      body: 'run() { return new Map() }',
      error: /^the output is not valid JSON: the output is a Map$/,
    },
    {
      claim: 'an output above the limit',
      body: "run() { return 'x'.repeat(200_000) }",
      error: /^the output is larger than 100000 bytes$/,
    },
  ]
  test.each(bad)('[E26] $claim fails the task and leaves the worker usable', async ({ body, error }) => {
    const broken = app(`${body}\nok() { return { ok: true } }`)
    const end = await world.run(broken).end
    expect(end.type).toBe('task_failed')
    expect(end.error).toMatch(error)
    expect(await world.run(broken, { function: 'ok' }).end).toEqual({ type: 'task_completed', output: { ok: true } })
  })

  test('[E26] an app that forges its response fails the task, not the engine', async () => {
    const forging = app(`
      async run() {
        const { ServerResponse } = await import('node:http')
        const end = ServerResponse.prototype.end
        ServerResponse.prototype.end = function () { return end.call(this, 'this is {not json\\n') }
        return {}
      }`)
    expect(await world.run(forging).end).toEqual({
      type: 'task_failed',
      error: 'the app answered with a line that is not valid JSON',
    })
    expect(await world.run(await world.shippedApp('echo')).end).toMatchObject({ type: 'task_completed' })
  })

  test('a function that returns nothing completes with null', async () => {
    expect(await world.run(app('run() {}')).end).toEqual({ type: 'task_completed', output: null })
  })
})
