// Guarantees: however an app misbehaves or is stopped, its task ends exactly once with the right error, and the worker
// continues.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pidsWithEnv } from '../machine/process-table.ts'
import { startWorld, until, type World } from '../testing/world.ts'

// Two engines, because a short time limit includes the start of a process on a busy machine.
let world: World
let hurried: World
beforeAll(async () => {
  world = await startWorld({ settings: { memory_limit_mb: 300, process_limit: 20, allow_private_hosts: '127.0.0.1' } })
  hurried = await startWorld({ settings: { task_limit_seconds: 4 } })
})
afterAll(async () => {
  await world.close()
  await hurried.close()
})

const appOn = (on: World, body: string) =>
  on.app({ 'inference.js': `export class App {\n${body}\n ok() { return { ok: true } }\n}` })
const app = (body: string) => appOn(world, body)
const fine = { type: 'task_completed', output: { ok: true } }
const stillUsable = async (published: ReturnType<typeof app>) =>
  expect(await world.run(published, { function: 'ok' }).end).toEqual(fine)

describe('an app that replaces its runner', () => {
  const answering = (path: string, answer: string) =>
    world.app({
      'inference.js': `import { Server } from 'node:http'
        const { emit } = Server.prototype
        Server.prototype.emit = function (name, request, response) {
          if (name !== 'request' || request.url !== '${path}') return emit.apply(this, arguments)
          ${answer}
          return true
        }
        export class App { run() {} }`,
    })

  test('[E23] is read up to the output limit', async () => {
    const { error } = await world.run(answering('/schema', 'response.end(Buffer.alloc(17 * 1024 ** 2))')).end
    expect(error).toBe('the app answered with more than 16777216 bytes')
  })

  test('[E23] returns an error of limited length', async () => {
    const answer = `response.writeHead(500).end(JSON.stringify({ error: 'x'.repeat(1e6) }))`
    expect((await world.run(answering('/run', answer)).end).error).toHaveLength(500)
  })

  test('[E23] ends its task with the result, and is disconnected when it sends more', async () => {
    const talkative = answering(
      '/run',
      `response.writeHead(200).write(JSON.stringify({ type: 'result', data: globalThis.cut ?? 0 }) + '\\n')
       response.on('close', () => { globalThis.cut = (globalThis.cut ?? 0) + 1 })`,
    )
    expect(await world.run(talkative).end).toEqual({ type: 'task_completed', output: 0 })
    await until(async () => Number((await world.run(talkative).end).output) > 0)
  })
})

const bounds: { claim: string; body: string; end: object }[] = [
  {
    claim: 'deltas that merge to nearly the limit are the output',
    body: `async *run() {
      class TextDelta { constructor(response) { this.response = response } }
      for (let n = 0; n < 14; n += 1) yield new TextDelta('x'.repeat(1024 ** 2))
    }`,
    end: { type: 'task_completed', output: { response: 'x'.repeat(14 * 1024 ** 2) } },
  },
  {
    claim: 'an output nested as deeply as is allowed is the output',
    body: `run() { return JSON.parse('['.repeat(64) + ']'.repeat(64)) }`,
    end: { type: 'task_completed', output: JSON.parse('['.repeat(64) + ']'.repeat(64)) },
  },
  {
    claim: 'an output nested more deeply fails its task',
    body: `run() { return JSON.parse('['.repeat(2000) + ']'.repeat(2000)) }`,
    end: { type: 'task_failed', error: 'the app answered with a line that is nested too deeply' },
  },
]
test.each(bounds)('[E23] $claim', async ({ body, end }) => {
  const published = app(body)
  expect(await world.run(published).end).toEqual(end)
  await stillUsable(published)
})

test('[E23] an app that yields too many files is stopped before they are stored', async () => {
  const flood = app(`async *run() {
    const { writeFileSync } = await import('node:fs')
    const file = (name) => { writeFileSync(process.env.TMPDIR + '/' + name, name); return { path: process.env.TMPDIR + '/' + name } }
    yield { first: file('first') }
    yield { more: Array.from({ length: 1000 }, () => file('again')) }
  }`)
  const before = world.server.files.size
  expect((await world.run(flood).end).error).toBe('the app returned more than 1000 files')
  expect(world.server.files.size - before).toBe(1)
})

test('[E23] an interrupted run is notified, and the next run of the app is accepted', async () => {
  const slow = app(`async *run() {
    const { writeFileSync } = await import('node:fs')
    const file = (name) => { writeFileSync(process.env.TMPDIR + '/' + name, name); return { path: process.env.TMPDIR + '/' + name } }
    yield { more: Array.from({ length: 1001 }, () => file('again')) }
    for (let n = 0; n < 400; n += 1) {
      await new Promise((resolve) => setTimeout(resolve, 25))
      yield { n }
    }
  }
  number() { return process.pid }`)
  const number = async () => (await world.run(slow, { function: 'number' }).end).output
  const process = await number()
  expect((await world.run(slow).end).error).toBe('the app returned more than 1000 files')
  expect(await number()).toBe(process)
})

describe('an app that misbehaves', () => {
  const cases: { rule: string; claim: string; body: string; error: RegExp }[] = [
    {
      rule: 'E23',
      claim: 'exits',
      body: 'run() { process.exit(3) }',
      error: /^the app process ended unexpectedly \(exit code 3\)/,
    },
    {
      rule: 'E23',
      claim: 'throws outside its function',
      body: "run() { setTimeout(() => { throw new Error('late') }); return new Promise(() => {}) }",
      error: /^the app process ended unexpectedly \(exit code 1\): Error: late\n {4}at /,
    },
    {
      rule: 'E23',
      claim: 'leaves a rejected promise',
      body: "run() { Promise.reject(Object.assign(new Error('no disk'), { code: 'ENOSPC' })); return new Promise(() => {}) }",
      error: /^the app process ended unexpectedly \(exit code 1\): Error: no disk\n {4}at /,
    },
    {
      rule: 'E23',
      claim: 'is killed',
      body: "run() { process.kill(process.pid, 'SIGKILL') }",
      error: /\(signal SIGKILL\)/,
    },
    {
      rule: 'E24',
      claim: 'never ends',
      body: 'run() { return new Promise(() => {}) }',
      error: /^time limit of 4 s exceeded$/,
    },
    { rule: 'E24', claim: 'blocks its thread', body: 'run() { for (;;); }', error: /^time limit of 4 s exceeded$/ },
    {
      rule: 'E24',
      claim: 'hangs in setup',
      body: 'setup() { return new Promise(() => {}) }\n run() {}',
      error: /^time limit of 4 s exceeded$/,
    },
    {
      rule: 'E25',
      claim: 'uses too much memory',
      body: 'async run() { const held = []; for (;;) { held.push(Buffer.alloc(16e6, 1)); await new Promise((r) => setTimeout(r, 20)) } }',
      error: /^memory limit of 300 MB exceeded$/,
    },
    {
      rule: 'E25',
      claim: 'starts too many processes',
      body: `async run() {
        const { spawn } = await import('node:child_process')
        for (let i = 0; i < 40; i++) spawn('sleep', ['60'], { stdio: 'ignore' })
        return new Promise(() => {})
      }`,
      error: /^limit of 20 processes exceeded$/,
    },
    {
      rule: 'E23',
      claim: 'fails in setup',
      body: "setup() { throw new Error('no model') }\n run() {}",
      error: /^setup failed: no model\n {4}at App\.setup \(inference\.js:\d+:\d+\)$/,
    },
    {
      rule: 'E23',
      claim: 'cannot be loaded',
      body: 'run() { return }\n %%% ',
      error: /^the app could not be loaded: SyntaxError.*\n {4}at inference\.js:\d+$/,
    },
  ]
  test.each(cases)(
    '[$rule] an app that $claim fails its task, and the worker continues',
    async ({ rule, body, error }) => {
      const on = rule === 'E24' ? hurried : world
      const end = await on.run(appOn(on, body)).end
      expect(end.type).toBe('task_failed')
      expect(end.error).toMatch(error)
      // On a slow machine, a short time limit may end the start of a process.
      await expect.poll(() => on.run(appOn(on, ''), { function: 'ok' }).end).toEqual(fine)
    },
  )
  // The rules that the table covers, for the comparison with the specification: [E23] [E24] [E25]

  test('[E23] the last line that an app printed is its error', async () => {
    const task = world.run(app("run() { console.error('disk is on fire'); process.exit(9) }"))
    expect((await task.end).error).toBe('the app process ended unexpectedly (exit code 9): disk is on fire')
  })

  test('[E25] processes that an app started end with it, even in another session', async () => {
    const task = world.run(
      app(`async run() {
        const { spawn } = await import('node:child_process')
        spawn('sleep', ['600'], { stdio: 'ignore', detached: true }).unref()
        spawn('sleep', ['600'], { stdio: 'ignore' })
        console.log('mark ' + process.env.MILLRACE_APP_PROCESS)
        return new Promise(() => {})
      }`),
    )
    await task.seen('task_log')
    const mark = /mark (\w+)/.exec(task.logs())?.[1]
    await until(() => pidsWithEnv(`MILLRACE_APP_PROCESS=${mark}`).length >= 3)
    world.server.send({ type: 'task_force_cancel', data: { task: { id: task.id } } })
    await task.end
    await stillUsable(app(''))
    expect(pidsWithEnv(`MILLRACE_APP_PROCESS=${mark}`)).toEqual([])
  })
})

describe('cancelling', () => {
  const cancel = (id: string, extra: { force?: boolean; timeout?: number } = {}) =>
    world.server.send({ type: 'task_cancel', data: { task: { id }, ...extra } })

  test('[E27] the handler lets the function end, and the process stays', async () => {
    const echo = await world.shippedApp('echo')
    const task = world.run(echo, { function: 'sleep', input: { ms: 60_000 } })
    await task.seen('task_running')
    cancel(task.id, { timeout: 600_000 })
    expect(await task.end).toEqual({ type: 'task_cancelled' })
    expect((await task.seen('task_cancel_result')).data).toMatchObject({ ok: true })
    const next = world.run(echo, { input: {} })
    await next.end
    expect(next.types()).toEqual(['task_accepted', 'task_running', 'task_completed'])
  })

  test.each([
    ['waits for frames', 'live', {}],
    ['counts', 'count', { to: 3, delay_ms: 60_000 }],
    ['speaks', 'words', { text: 'a b', delay_ms: 60_000 }],
  ])(
    '[E27] a function of echo that %s ends when it is cancelled, and the process stays',
    async (_what, name, input) => {
      const echo = await world.shippedApp('echo')
      const socket = world.server.relay(() => {})
      const task = world.run(echo, { function: name, input }, { socket })
      await task.seen('task_running')
      cancel(task.id, { timeout: 600_000 })
      expect(await task.end).toEqual({ type: 'task_cancelled' })
      const next = world.run(echo, { input: { a: 1 } })
      expect(await next.end).toEqual({ type: 'task_completed', output: { a: 1 } })
      expect(next.types()).not.toContain('task_preparing')
    },
  )

  test('[E27] a handler that does not end the function is followed by a kill', async () => {
    const task = world.run(app('run() { return new Promise(() => {}) }\n onCancel() {}'))
    await task.seen('task_running')
    cancel(task.id, { timeout: 100 })
    expect(await task.end).toEqual({ type: 'task_cancelled' })
  })

  test('[E27] a handler that throws is reported, and the process killed', async () => {
    const task = world.run(app("run() { return new Promise(() => {}) }\n onCancel() { throw new Error('cannot') }"))
    await task.seen('task_running')
    cancel(task.id)
    expect(await task.end).toEqual({ type: 'task_cancelled' })
    expect((await task.seen('task_cancel_result')).data).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^cannot\n {4}at App\.onCancel/),
    })
  })

  test('[E27] without a handler, and with a blocked thread, the process is killed', async () => {
    for (const body of ['run() { return new Promise(() => {}) }', 'run() { for (;;); }\n onCancel() {}']) {
      const task = world.run(app(body))
      await task.seen('task_running')
      cancel(task.id, { timeout: 100 })
      expect(await task.end).toEqual({ type: 'task_cancelled' })
    }
  })

  test('[E28] force skips the handler', async () => {
    const task = world.run(app("run() { return new Promise(() => {}) }\n onCancel() { console.log('asked') }"))
    await task.seen('task_running')
    cancel(task.id, { force: true })
    expect(await task.end).toEqual({ type: 'task_cancelled' })
    expect(task.logs()).toBe('')
  })

  test('[E28] a task in setup is cancelled immediately', async () => {
    const task = world.run(app('setup() { return new Promise(() => {}) }\n run() {}'))
    await task.seen('task_setting_up')
    cancel(task.id, { timeout: 60_000 })
    expect(await task.end).toEqual({ type: 'task_cancelled' })
    await stillUsable(app(''))
  })

  test('[E28] a task whose bundle never comes is cancelled immediately', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const task = world.run({ ...app(''), repository: `http://127.0.0.1:${port}/bundle.zip`, checksum: 'b'.repeat(64) })
    await task.seen('task_preparing')
    cancel(task.id, { timeout: 60_000 })
    expect(await task.end).toEqual({ type: 'task_cancelled' })
    silent.closeAllConnections()
    silent.close()
  })

  test('[E29] a cancel while the output is uploaded changes nothing', async () => {
    const letGo = world.server.delayUploads()
    const task = world.run(
      app(`async run() {
        const { writeFileSync } = await import('node:fs')
        const path = process.env.MILLRACE_TMP_DIR + '/a.txt'
        writeFileSync(path, 'content')
        return { file: { path } }
      }`),
    )
    await task.seen('task_uploading')
    cancel(task.id, { force: true })
    expect((await task.seen('task_cancel_result')).data).toMatchObject({ ok: false })
    letGo()
    expect(await task.end).toMatchObject({ type: 'task_completed' })
  })
})
