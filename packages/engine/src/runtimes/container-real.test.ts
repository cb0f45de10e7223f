// Guarantees: apps in real containers, where docker or podman works: they run and stay warm, receive their secrets and
// files, a hostile one stays contained, and no container outlives its engine. Skipped elsewhere.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { seal } from '@millrace/contract/sealed-box'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importImage } from '../testing/container-image.ts'
import { startWorld, type World } from '../testing/world.ts'

const image = await importImage({ PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' })
afterAll(() => image?.remove())

const containers = (): string[] =>
  execFileSync(image?.program ?? '', ['ps', '--all', '--format', '{{.Names}}', '--filter', `ancestor=${image?.name}`], {
    env: image?.env,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean)

describe.skipIf(!image)(`real containers${image ? '' : ' (neither docker nor podman runs any here)'}`, () => {
  let world: World
  const open = () =>
    startWorld({
      settings: { runtime: 'container', memory_limit_mb: 300, process_limit: 40, node_image: image?.name },
      ...(image && { env: image.env }),
    })
  beforeAll(async () => {
    world = await open()
  })
  afterAll(() => world?.close())

  test('an app runs, stays warm, and gets its secrets', async () => {
    const app = world.app({
      'inference.js': 'let n = 0\nexport class App { run() { return { n: ++n, token: process.env.TOKEN } } }',
    })
    const key = world.server.registrations[0]?.local_engine_state.public_key ?? ''
    const secrets = seal(JSON.stringify({ TOKEN: 'a-value-to-hide' }), key, 'task:secretive')
    expect(await world.run(app).end).toMatchObject({ type: 'task_completed', output: { n: 1 } })
    expect(await world.run(app).end).toMatchObject({ type: 'task_completed', output: { n: 2 } })
    expect((await world.run(app, { id: 'secretive' }, { secrets }).end).output).toMatchObject({
      token: 'a-value-to-hide',
    })
  })

  test('files written by an app are visible to the host', async () => {
    const app = world.app({
      'inference.js': `import { writeFileSync } from 'node:fs'
        export class App { run() {
          writeFileSync(process.env.MILLRACE_TMP_DIR + '/made.txt', 'made inside')
          return { path: '/app/tmp/made.txt' }
        } }`,
    })
    const end = await world.run(app).end
    expect(world.server.files.get(String(end.output))?.content.toString()).toBe('made inside')
  })

  test('a hostile app reaches no files, processes or loopback of the host and cannot change its image and bundle', async () => {
    const host = createServer((socket) => socket.end('the host')).listen(0, '127.0.0.1')
    await once(host, 'listening')
    const { port } = host.address() as { port: number }
    const app = world.app({
      'inference.js': `import { existsSync, readdirSync, writeFileSync } from 'node:fs'
        import { connect } from 'node:net'
        const refused = (path) => { try { writeFileSync(path, 'x'); return 'written' } catch (error) { return error.code } }
        const reach = () => new Promise((resolve) => connect(${port}, '127.0.0.1')
          .on('data', () => resolve('reached')).on('error', (error) => resolve(error.code)))
        export class App { async run({ secret }) { return {
          host: existsSync(secret),
          processes: readdirSync('/proc').filter((name) => Number(name) > 0).length < 10,
          image: refused('/usr/bin/mine'), bundle: refused('/app/bundle/mine'), loopback: await reach(),
        } } }`,
    })
    expect(await world.run(app, { input: { secret: world.root } }).end).toEqual({
      type: 'task_completed',
      output: { host: false, processes: true, image: 'EROFS', bundle: 'EROFS', loopback: 'ECONNREFUSED' },
    })
    host.close()
  })

  test('an app that uses too much memory is ended with the reason; the next one runs', async () => {
    const greedy = world.app({
      'inference.js': `export class App {
        run() { const kept = []; for (;;) kept.push(Buffer.alloc(10_000_000, 1)) }
        ok() { return 1 } }`,
    })
    expect((await world.run(greedy).end).error).toBe(
      'the container was killed, probably because it exceeded its memory limit',
    )
    expect(await world.run(greedy, { function: 'ok' }).end).toEqual({ type: 'task_completed', output: 1 })
    // Podman's helper writes this file to its working folder.
    expect(existsSync('oom')).toBe(false)
  })

  test('an app that never ends is ended', async () => {
    const endless = world.app({ 'inference.js': 'export class App { run() { for (;;); } }' })
    const task = world.run(endless)
    await task.seen('task_running')
    world.server.send({ type: 'task_force_cancel', data: { task: { id: task.id } } })
    expect(await task.end).toMatchObject({ type: 'task_cancelled' })
  })

  test('no container is left when the engine has ended', async () => {
    // Containers of earlier tests may still be ending.
    const before = containers()
    const added = () => containers().filter((name) => !before.includes(name))
    const other = await open()
    await other.run(other.app({ 'inference.js': 'export class App { run() { return 1 } }' })).end
    expect(added()).not.toEqual([])
    await other.close()
    expect(added()).toEqual([])
  })
})
