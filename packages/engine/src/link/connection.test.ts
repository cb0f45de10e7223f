// Guarantees: the connection may break at any moment and in any way; tasks continue, and no important frame is lost.

import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { idleMemoryShare } from '../config.ts'
import { startEngine } from '../engine.ts'
import { silentLog } from '../log.ts'
import { pidsWithEnv } from '../machine/process-table.ts'
import { startFakeServer } from '../testing/fake-server.ts'
import { startWorld, testConfig, until, type World, waitAtGate } from '../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const isQueued = (type: string) =>
  world.logEntries.some((entry) => entry.message.startsWith('queued') && entry.type === type)

describe('registration', () => {
  test('[E1] the id is saved, readable by its owner only, and sent at the next start', async () => {
    const first = world.server.registrations[0]
    expect(first?.local_engine_state).toMatchObject({ name: 'test', public_key: expect.any(String) })
    expect(first?.local_engine_state.id).toBeUndefined()
    const path = join(world.config.cachePath, 'engine.json')
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ engine_id: world.server.engineId })
    expect((await stat(path)).mode & 0o777).toBe(0o600)

    const again = await startEngine(world.config, { log: silentLog })
    expect(world.server.registrations[1]?.local_engine_state).toMatchObject({
      id: world.server.engineId,
      public_key: first?.local_engine_state.public_key,
    })
    await again.stop()
    await until(() => world.engine.connected())
  })

  test('[E1] the registration shows the settings but not the key', () => {
    expect(JSON.stringify(world.server.registrations)).not.toContain(world.server.apiKey)
  })

  test('[E1] the server decides the workers, and they share the memory for idle processes', async () => {
    const planned = await startWorld({ workers: 3, settings: { workers: { cpu: { count: 1 } } } })
    const beat = () => planned.server.frames.find((frame) => frame.type === 'engine_heartbeat')
    await until(() => beat() !== undefined)
    await planned.close()
    expect(planned.server.registrations[0]?.worker_config).toEqual({ cpu: { count: 1 } })
    expect(Object.keys(beat()?.data.worker_statuses ?? {})).toHaveLength(3)
    expect(planned.config.idleMemoryLimitBytes).toBeUndefined()
    expect(idleMemoryShare(8)).toBeLessThanOrEqual(Math.max(512e6, idleMemoryShare(1) / 8))
  })

  test('[E2] the registration is retried while the API is not ready, and not after a refusal', async () => {
    const answers = [503, 429, 200]
    const slow = await startFakeServer({ registerStatus: () => answers.shift() ?? 200 })
    const engine = await startEngine(testConfig(slow, join(world.root, 'slow')), { log: silentLog })
    expect(slow.requests.filter(({ path }) => path === '/engines/register')).toHaveLength(3)
    await engine.stop()
    await slow.close()

    const strict = await startFakeServer({ registerStatus: () => 403 })
    await expect(startEngine(testConfig(strict, join(world.root, 'strict')), { log: silentLog })).rejects.toThrow(
      /403: unavailable/,
    )
    expect(strict.requests).toHaveLength(1)
    await strict.close()
  })
})

describe('an engine that belongs to one server', () => {
  test('[E48] with a limit, an engine whose server does not return ends with its tasks; without one, it keeps trying', async () => {
    // Long enough for a busy machine to connect and to start the task before the server stops.
    const left = await startWorld({ settings: { server_gone_limit_seconds: 5 } })
    const patient = await startWorld()
    const running = left.run(await left.shippedApp('echo'), { function: 'sleep', input: { ms: 60_000 } })
    await running.seen('task_running')
    for (const one of [left, patient]) {
      one.server.refuse(true)
      one.server.cut()
    }
    expect(await left.engine.finished).toEqual({ reason: 'abandoned' })
    expect(pidsWithEnv(`MILLRACE_ENGINE=${left.server.engineId}`)).toEqual([])
    patient.server.refuse(false)
    await until(() => patient.engine.connected())
    await Promise.all([left.close(), patient.close()])
  })

  test('[E48] an interruption shorter than the limit ends nothing', async () => {
    const brief = await startWorld({ settings: { server_gone_limit_seconds: 30 } })
    const running = brief.run(await brief.shippedApp('echo'), { function: 'sleep', input: { ms: 300 } })
    await running.seen('task_running')
    brief.server.cut()
    expect(await running.end).toMatchObject({ type: 'task_completed' })
    await brief.close()
  })

  test('[E48] an engine that never reaches its server ends too', async () => {
    const closed = await startFakeServer({ registerStatus: () => 503 })
    const config = testConfig(closed, join(world.root, 'never'), { settings: { server_gone_limit_seconds: 0.3 } })
    await expect(startEngine(config, { log: silentLog })).rejects.toThrow(/timeout|abort/i)
    await closed.close()
  })
})

test('[E37] a server with another public URL is reached at the configured address', async () => {
  const otherWorld = await startWorld({ publicUrl: 'https://mill.invalid/base' })
  const given = otherWorld.server.bundle(Buffer.from('sent')).repository
  expect(given).toMatch(/^https:\/\/mill\.invalid\/base\/media\//)
  const app = otherWorld.app({
    'inference.js': `import { readFileSync, writeFileSync } from 'node:fs'
      export const RunInput = { type: 'object', properties: { given: { type: 'string', format: 'file' } } }
      export class App { run({ given }) {
        const path = process.env.MILLRACE_TMP_DIR + '/made.txt'
        writeFileSync(path, readFileSync(given.path, 'utf8') + ' and back')
        return { path }
      } }`,
  })
  const { output } = await otherWorld.run(app, { input: { given } }).end
  expect(output).toMatch(/^https:\/\/mill\.invalid\/base\/media\//)
  expect(otherWorld.server.files.get(String(output))?.content.toString()).toBe('sent and back')
  const socket = otherWorld.server.relay((caller) => caller.once('message', () => caller.close(1000)))
  expect(socket.url).toMatch(/^wss:\/\/mill\.invalid/)
  const live = otherWorld.app({
    'inference.js': `export class App { async live(_input, socket) {
      await socket.send('hello')
      for await (const _ of socket);
      return 'heard'
    } }`,
  })
  expect((await otherWorld.run(live, { function: 'live' }, { socket }).end).output).toBe('heard')
  await otherWorld.close()
})

describe('heartbeats', () => {
  test('[E5] every worker is listed with its task', async () => {
    const task = world.run(await world.shippedApp('echo'), { function: 'sleep', input: { ms: 60_000 } })
    await task.seen('task_running')
    const from = world.server.frames.length
    const beats = () => world.server.frames.slice(from).filter((frame) => frame.type === 'engine_heartbeat')
    await until(() => beats().length >= 2)
    expect(beats().at(-1)?.data).toEqual({
      engine_id: world.server.engineId,
      engine_status: 'running',
      worker_statuses: { 'worker-0': 'busy', 'worker-1': 'idle' },
      worker_tasks: { 'worker-0': task.id, 'worker-1': null },
    })
    world.server.send({ type: 'task_force_cancel', data: { task: { id: task.id } } })
    await task.end
  })

  test('[E6] telemetry describes the machine and the warm processes', async () => {
    const echo = await world.shippedApp('echo')
    await world.run(echo, { worker_id: 'worker-1', setup: { size: 1 } }).end
    // Telemetry sampled during the task shows the app as warm and the worker as busy.
    const warm = () =>
      world.server.frames.findLast(
        (frame) =>
          frame.type === 'engine_telemetry' &&
          frame.data.workers[1]?.status === 'idle' &&
          (frame.data.workers[1].warm_apps?.length ?? 0) > 0,
      )
    await until(() => warm() !== undefined)
    expect(warm()?.data).toMatchObject({
      engine_id: world.server.engineId,
      engine_version: 'v0.0.0-test',
      system_info: {
        hostname: expect.any(String),
        cpus: [expect.objectContaining({ cores: expect.any(Number) })],
        caches: ['bundles', 'files'].map((name) =>
          expect.objectContaining({ name, bytes: expect.any(Number), limit_bytes: expect.any(Number) }),
        ),
      },
      workers: [
        { id: 'worker-0' },
        {
          id: 'worker-1',
          status: 'idle',
          task_id: null,
          app_id: echo.app_id,
          app_version_id: echo.app_version_id,
          warm_apps: [expect.stringMatching(new RegExp(`^${echo.app_id}:${echo.app_version_id}@[0-9a-f]{16}$`))],
        },
      ],
    })
  })
})

describe('a broken connection', () => {
  test('[E7] [E16] tasks continue, and their frames arrive in order', async () => {
    const app = world.app({
      'inference.js': `export class App {
        async *run() {
          ${waitAtGate}
          for (const n of [1, 2, 3]) { console.log('line ' + n); yield { n } }
          yield new (class TextDelta { response = 'x' })()
          return { n: 4 }
        }
      }`,
    })
    const task = world.run(app)
    await task.seen('task_running')
    world.server.refuse(true)
    world.server.cut()
    await until(() => !world.engine.connected())
    world.logEntries.length = 0
    await world.letGo()
    await until(() => isQueued('task_completed'))
    expect(task.types()).not.toContain('task_completed')
    world.server.refuse(false)
    expect(await task.end).toEqual({ type: 'task_completed', output: { n: 4 } })
    expect(task.logs()).toBe('line 1\nline 2\nline 3\n')
    expect(task.outputs()).toEqual([{ n: 3 }])
  })

  test('[E4] on connect: heartbeat, queued frames, unacknowledged endings, telemetry', async () => {
    world.server.acknowledge(false)
    const app = world.app({
      'inference.js': `export class App {
        async run() {
          ${waitAtGate}
          console.log('held')
          return { done: true }
        }
      }`,
    })
    const task = world.run(app)
    await task.seen('task_running')
    world.server.refuse(true)
    world.server.cut()
    await until(() => !world.engine.connected())
    world.logEntries.length = 0
    await world.letGo()
    await until(() => isQueued('task_completed'))
    const from = world.server.frames.length
    const before = world.server.connections()
    world.server.refuse(false)
    await until(() => world.server.connections() > before)
    await until(() => world.server.frames.slice(from).some((frame) => frame.type === 'engine_telemetry'))
    // Gathering telemetry may be slow; heartbeats and endings are repeated meanwhile.
    const order = new Set(world.server.frames.slice(from).map((frame) => frame.type))
    expect([...order].slice(0, 4)).toEqual(['engine_heartbeat', 'task_log', 'task_completed', 'engine_telemetry'])
    world.server.acknowledge(true)
    await task.end
  })

  test('[E12] an ending is repeated until it is acknowledged', async () => {
    world.server.acknowledge(false)
    const task = world.run(await world.shippedApp('echo'), { input: { once: true }, attempt: 3 })
    await task.end
    const endings = () => task.frames().filter((frame) => frame.type === 'task_completed')
    await until(() => endings().length >= 3)
    const before = world.server.connections()
    world.server.cut()
    await until(() => world.server.connections() > before)
    const count = endings().length
    await until(() => endings().length > count)
    expect(new Set(endings().map((frame) => JSON.stringify(frame))).size).toBe(1)

    world.server.send({ type: 'task_ack', data: { task_id: task.id, attempt: 2 } })
    const afterWrongAck = endings().length
    await until(() => endings().length > afterWrongAck)
    world.server.send({ type: 'task_ack', data: { task_id: task.id, attempt: 3 } })
    world.server.acknowledge(true)
    const later = world.run(await world.shippedApp('echo'))
    await later.end
    const afterAck = endings().length
    await new Promise((resolve) => setTimeout(resolve, 700))
    expect(endings().length).toBe(afterAck)
  })

  test('[E8] a silent connection is closed and dialed again', async () => {
    const quiet = await startWorld({ times: { pingMs: 50, silenceMs: 200 } })
    const before = quiet.server.connections()
    quiet.server.mute()
    await until(() => quiet.server.connections() > before)
    await quiet.close()
  })

  test('[E17] an unknown frame is ignored', async () => {
    const before = world.server.connections()
    world.server.sendRaw('{"type":"task_run","data":{"task":{}}}')
    world.server.sendRaw('not json at all')
    world.server.sendRaw(`{"type":"task_run","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)
    world.server.sendRaw(
      `{"type":"task_run","data":{"task":{"id":"deep","app_id":"a","app_version_id":"v","worker_id":"worker-0","repository":"","setup":${'[1,'.repeat(20_000)}1${']'.repeat(20_000)}}}}`,
    )
    world.server.sendRaw('{"type":"from_the_future","data":{}}')
    expect(await world.run(await world.shippedApp('echo'), { input: { ok: 1 } }).end).toMatchObject({
      output: { ok: 1 },
    })
    expect(world.server.connections()).toBe(before)
  })
})

describe('a repeated task_run', () => {
  const counting = () =>
    world.app({
      'inference.js': `let calls = 0
      export class App {
        async run({ ms = 0 }) { calls++; await new Promise((resolve) => setTimeout(resolve, ms)); return { calls } }
      }`,
    })

  test('[E13] the same attempt runs once, before and after its end', async () => {
    world.server.acknowledge(false)
    const app = counting()
    const task = world.run(app, { input: { ms: 200 } })
    await task.seen('task_running')
    world.run(app, { id: task.id, input: { ms: 200 } })
    expect(await task.end).toMatchObject({ output: { calls: 1 } })
    const count = task.frames().length
    world.run(app, { id: task.id, input: { ms: 200 } })
    await until(() => task.frames().length > count)
    const endings = task.frames().filter((frame) => frame.type === 'task_completed')
    expect(new Set(endings.map((frame) => JSON.stringify(frame))).size).toBe(1)
    expect(task.types().filter((type) => type === 'task_running')).toHaveLength(1)
    world.server.acknowledge(true)
    world.server.send({ type: 'task_ack', data: { task_id: task.id } })
    // Sent before the server knew its end, received afterwards.
    world.run(app, { id: task.id })
    expect(await world.run(app).end).toMatchObject({ output: { calls: 2 } })
  })

  test('[E13] a newer attempt replaces the running one, an older one is ignored', async () => {
    const app = counting()
    const first = world.run(app, { attempt: 2, input: { ms: 60_000 } })
    await first.seen('task_running')
    world.run(app, { id: first.id, attempt: 1 })
    world.run(app, { id: first.id, attempt: 3 })
    expect(await first.end).toMatchObject({ type: 'task_completed' })
    const endings = first.frames().filter((frame) => /completed|failed|cancelled/.test(frame.type))
    expect(endings.map((frame) => frame.data.attempt)).toEqual([3])
  })
})

describe('a server that rejects the engine', () => {
  test('[E9] replaced by another process, the engine ends', async () => {
    const other = await startWorld()
    other.server.closeSocket(4000)
    expect(await other.engine.finished).toEqual({ reason: 'replaced' })
    expect(other.server.connections()).toBe(1)
    await other.close()
  })

  test('[E10] a repeatedly rejected key ends the engine', async () => {
    const other = await startWorld()
    other.server.answerDials(401)
    other.server.cut()
    expect(await other.engine.finished).toEqual({ reason: 'refused' })
    await other.close()
  })

  test('[E10] an engine that the server does not know ends immediately', async () => {
    const other = await startWorld()
    other.server.answerDials(404)
    other.server.cut()
    expect(await other.engine.finished).toEqual({ reason: 'refused' })
    await other.close()
  })
})
