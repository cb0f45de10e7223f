// Guarantees: every way in which an engine ends, as a library and as a program, loses no accepted work, leaves nothing
// behind, and sets the exit code for the supervisor.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, open, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { exitCodes } from './exit-codes.ts'
import { pidsWithEnv } from './machine/process-table.ts'
import { engineMain, supervise } from './supervise.ts'
import { type FakeServer, type FakeServerOptions, startFakeServer } from './testing/fake-server.ts'
import { runOn, shippedAppOn, startWorld, until } from './testing/world.ts'

describe('frames that end an engine', () => {
  test('[E42] draining: the running task finishes, new ones are rejected, then the engine ends', async () => {
    const world = await startWorld()
    const echo = await world.shippedApp('echo')
    const running = world.run(echo, { function: 'sleep', input: { ms: 300 } })
    await running.seen('task_running')
    world.server.send({ type: 'engine_drain', data: {} })
    expect(await world.run(echo, { worker_id: 'worker-1' }).end).toEqual({
      type: 'task_rejected',
      error: 'engine_draining',
    })
    expect(await running.end).toMatchObject({ type: 'task_completed' })
    expect(await world.engine.finished).toEqual({ reason: 'drained' })
    const statuses = world.server.frames.flatMap((frame) =>
      frame.type === 'engine_heartbeat' ? [frame.data.engine_status] : [],
    )
    expect(statuses).toContain('draining')
    expect(pidsWithEnv(`MILLRACE_ENGINE=${world.server.engineId}`)).toEqual([])
    await world.close()
  })

  test('[E42] a drain waits until its endings are acknowledged', async () => {
    const world = await startWorld()
    world.server.acknowledge(false)
    const task = world.run(await world.shippedApp('echo'))
    await task.end
    world.server.send({ type: 'engine_drain', data: {} })
    const early = await Promise.race([
      world.engine.finished,
      new Promise((resolve) => setTimeout(resolve, 500, 'still here')),
    ])
    expect(early).toBe('still here')
    world.server.acknowledge(true)
    expect(await world.engine.finished).toEqual({ reason: 'drained' })
    await world.close()
  })

  test('[E43] an update drains and exits with the restart code', async () => {
    const world = await startWorld()
    world.server.send({ type: 'engine_update', data: { version: 'v9.9.9' } })
    expect(await world.engine.finished).toEqual({ reason: 'restart', version: 'v9.9.9' })
    const statuses = world.server.frames.flatMap((frame) =>
      frame.type === 'engine_heartbeat' ? [frame.data.engine_status] : [],
    )
    expect(statuses.at(-1)).toBe('restarting')
    await world.close()
  })

  test('[E44] a stop ends running tasks and reports them as failed', async () => {
    const world = await startWorld()
    const task = world.run(await world.shippedApp('echo'), { function: 'sleep', input: { ms: 60_000 } })
    await task.seen('task_running')
    world.server.send({ type: 'engine_stop', data: {} })
    expect(await task.end).toEqual({ type: 'task_failed', error: 'the engine was stopped' })
    expect(await world.engine.finished).toEqual({ reason: 'stopped' })
    await world.close()
  })

  test('[E45] a model repository is deleted, and nothing outside the cache', async () => {
    const world = await startWorld()
    const hub = join(world.config.cachePath, 'huggingface', 'hub')
    await mkdir(join(hub, 'models--org--name'), { recursive: true })
    await mkdir(join(hub, 'models--org--other'), { recursive: true })
    for (const id of ['../../bundles', 'org/..', 'org/name']) {
      world.server.send({ type: 'engine_delete_hfcache_repo', data: { repo_id: id } })
    }
    await until(() => !existsSync(join(hub, 'models--org--name')))
    expect(await readdir(hub)).toEqual(['models--org--other'])
    expect(existsSync(join(world.config.cachePath, 'bundles'))).toBe(true)
    await world.close()
  })
})

describe('the program', () => {
  const cleanups: (() => Promise<unknown> | unknown)[] = []
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })

  const begin = async (options: FakeServerOptions = {}) => {
    const server = await startFakeServer(options)
    const root = await mkdtemp(join(tmpdir(), 'millrace-program-'))
    cleanups.push(() => rm(root, { recursive: true, force: true }), server.close)
    return { server, root }
  }

  const start = (server: FakeServer, root: string, inherited: readonly ('ignore' | number)[] = []): ChildProcess => {
    const child = spawn(process.execPath, [engineMain, '--api-url', server.url, '--cache-path', join(root, 'cache')], {
      env: { PATH: process.env.PATH, MILLRACE_API_KEY: server.apiKey, MILLRACE_ENGINE_DRAIN_LIMIT_SECONDS: '30' },
      stdio: ['ignore', 'ignore', 'ignore', ...inherited],
    })
    cleanups.push(() => child.kill('SIGKILL'))
    return child
  }
  const exitOf = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once('exit', resolve))

  test('[E42] a first SIGTERM drains, and the exit code is 0', async () => {
    const { server, root } = await begin()
    const child = start(server, root)
    await server.connected()
    const task = runOn(server, await shippedAppOn(server, 'echo'), { function: 'sleep', input: { ms: 500 } })
    await task.seen('task_running')
    child.kill('SIGTERM')
    expect(await task.end).toMatchObject({ type: 'task_completed' })
    expect(await exitOf(child)).toBe(exitCodes.done)
  })

  test('[E42] a SIGTERM during the registration ends the engine', async () => {
    let child: ChildProcess | undefined
    const { server, root } = await begin({
      registerStatus: () => {
        child?.kill('SIGTERM')
        return 200
      },
    })
    child = start(server, root)
    expect(await exitOf(child)).toBe(exitCodes.done)
  })

  test('[E42] a second SIGTERM does not wait', async () => {
    const { server, root } = await begin()
    const child = start(server, root)
    await server.connected()
    const task = runOn(server, await shippedAppOn(server, 'echo'), { function: 'sleep', input: { ms: 60_000 } })
    await task.seen('task_running')
    child.kill('SIGTERM')
    await until(() =>
      server.frames.some((frame) => frame.type === 'engine_heartbeat' && frame.data.engine_status === 'draining'),
    )
    child.kill('SIGTERM')
    expect(await task.end).toMatchObject({ type: 'task_failed', error: 'the engine was stopped' })
    expect(await exitOf(child)).toBe(exitCodes.done)
  })

  test.skipIf(!existsSync('/proc/self/fdinfo'))(
    '[E40] descriptors that the engine inherited reach no app',
    async () => {
      const { server, root } = await begin()
      const secret = join(root, 'secret')
      await writeFile(secret, 'for root only')
      const file = await open(secret, 'r')
      // Node sets close-on-exec on descriptors up to the first gap, so one comes after a gap.
      const engine = start(server, root, [file.fd, ...Array.from({ length: 40 }, () => 'ignore' as const), file.fd])
      await server.connected()
      const folder = `/proc/${engine.pid}/fd`
      const targets = await Promise.all(
        (await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => 'closed meanwhile')),
      )
      expect(targets).not.toContain(secret)
      const app = server.bundleOf({
        'inference.js': `import { readdirSync, readlinkSync } from 'node:fs'
        const target = (fd) => { try { return readlinkSync('/proc/self/fd/' + fd) } catch { return '' } }
        export class App { run() { return readdirSync('/proc/self/fd').map(target) } }`,
      })
      const task = runOn(server, { app_id: 'a', app_version_id: 'v', kernel: 'node-22', ...app })
      expect((await task.end).output).not.toContain(secret)
      await file.close()
    },
  )

  const busy: { kernel: string; files: Record<string, string> }[] = [
    { kernel: 'node-22', files: { 'inference.js': 'export class App { run() { for (;;); } }' } },
    {
      kernel: 'python-3.11',
      files: { 'inference.py': 'class App:\n  async def run(self, input):\n    while True: pass' },
    },
  ]
  test.each(busy)('[E34] the busy $kernel app of a killed engine ends too', async ({ kernel, files }) => {
    const { server, root } = await begin()
    const child = start(server, root)
    await server.connected()
    const task = runOn(server, { app_id: 'a', app_version_id: 'v', kernel, ...server.bundleOf(files) })
    await Promise.race([task.seen('task_running'), task.end])
    // Without Python on the host the task fails, and no process can outlive the engine.
    const mark = `MILLRACE_ENGINE=${server.engineId}`
    if (!task.types().includes('task_failed')) expect(pidsWithEnv(mark).length).toBeGreaterThan(0)
    child.kill('SIGKILL')
    await exitOf(child)
    await until(() => pidsWithEnv(mark).length === 0)
  })

  test('[E34] orphaned processes are ended at the next start', async () => {
    const { server, root } = await begin()
    const orphan = spawn('sleep', ['600'], {
      env: { PATH: process.env.PATH, MILLRACE_ENGINE: server.engineId },
      stdio: 'ignore',
    })
    const gone = exitOf(orphan)
    start(server, root)
    await server.connected()
    await gone
    expect(pidsWithEnv(`MILLRACE_ENGINE=${server.engineId}`)).toEqual([])
  })

  test('[E43] the supervisor restarts an engine on request, and it keeps its id', async () => {
    const { server, root } = await begin()
    const stop = new AbortController()
    const ended = supervise({
      command: [process.execPath, engineMain, '--api-url', server.url, '--cache-path', join(root, 'cache')],
      env: { PATH: process.env.PATH, MILLRACE_API_KEY: server.apiKey },
      signal: stop.signal,
      output: 'ignore',
    })
    await server.connected()
    server.send({ type: 'engine_update', data: { restart_only: true } })
    await until(() => server.connections() === 2)
    expect(server.registrations[1]?.local_engine_state.id).toBe(server.engineId)
    stop.abort()
    expect(await ended).toBe(exitCodes.done)
  })

  test('all invalid settings are reported, with their exit code', async () => {
    const { root } = await begin()
    const config = join(root, 'engine.yml')
    await writeFile(
      config,
      'api_url: ftp://x\nruntime: cage\nworkers: {cpu: many}\nsystem_packages: yes\nmemory_limt_mb: 5\n',
    )
    const child = spawn(process.execPath, [engineMain, '--config', config], {
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr?.on('data', (chunk) => {
      said += chunk
    })
    expect(await exitOf(child)).toBe(exitCodes.refused)
    for (const text of [
      'api_key: is missing',
      'api_url: expected an http or https address, found ftp://x',
      'runtime: expected one of process, bubblewrap, container, auto, found cage',
      'workers: expected a layout such as {cpu: {count: 2}, gpu: [{gpus: [0]}]}, found {"cpu":"many"}'.replaceAll(
        '"',
        '\\"',
      ),
      'system_packages: expected one of install, report, found yes',
      'engine settings: unknown field memory_limt_mb. Did you mean memory_limit_mb?',
    ])
      expect(said).toContain(text)
  })
})
