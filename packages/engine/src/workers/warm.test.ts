// Guarantees: a process is reused exactly when it matches, a session keeps its own, and folders persist as documented.

import { seal } from '@millrace/contract/sealed-box'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, until, type World } from '../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const counter = () =>
  world.app({
    'inference.js': `
      import { existsSync, readdirSync, writeFileSync } from 'node:fs'
      const pid = Math.random()
      export class App {
        calls = 0
        setup(config) { this.config = config }
        run() { return { pid, calls: ++this.calls, config: this.config, token: process.env.TOKEN ?? '' } }
        leave() { process.exit(0) }
        write() {
          for (const name of ['DATA', 'CACHE', 'TMP']) writeFileSync(process.env['MILLRACE_' + name + '_DIR'] + '/f', 'x')
        }
        look() {
          const has = (name) => existsSync(process.env['MILLRACE_' + name + '_DIR'] + '/f')
          return { data: has('DATA'), cache: has('CACHE'), tmp: has('TMP') }
        }
      }`,
  })

type Answer = { pid: number; calls: number; config: unknown; token: string }
const ask = async (...args: Parameters<World['run']>): Promise<Answer> =>
  (await world.run(...args).end).output as Answer

const secrets = async (id: string, values: Record<string, string>) => {
  const { public_key: key = '' } = world.server.registrations[0]?.local_engine_state ?? {}
  return { secrets: seal(JSON.stringify(values), key, `task:${id}`) }
}

describe('reuse', () => {
  test('[E30] the same setup in another order of keys reuses the process', async () => {
    const app = counter()
    const first = await ask(app, { setup: { a: 1, b: 2 } })
    const second = await ask(app, { setup: { b: 2, a: 1 } })
    expect(second).toMatchObject({ pid: first.pid, calls: 2, config: { a: 1, b: 2 } })
  })

  const changes: { claim: string; change: object }[] = [
    { claim: 'another setup', change: { setup: { a: 2 } } },
    { claim: 'another environment', change: { app_env: { MODE: 'x' } } },
    { claim: 'another variant', change: { app_variant: 'large' } },
    { claim: 'another version', change: { app_version_id: 'other-version' } },
    { claim: 'another workspace', change: { team_id: 'another-workspace' } },
  ]
  test.each(changes)('[E30] $claim gets a fresh process', async ({ change }) => {
    const app = counter()
    const first = await ask(app)
    const second = await ask(app, change)
    expect(second.pid).not.toBe(first.pid)
    expect(second.calls).toBe(1)
  })

  test('[E30] a changed secret gets a fresh process that sees the new value', async () => {
    const app = counter()
    const first = await ask(app, { id: 's1' }, await secrets('s1', { TOKEN: 'old-value' }))
    const same = await ask(app, { id: 's2' }, await secrets('s2', { TOKEN: 'old-value' }))
    const changed = await ask(app, { id: 's3' }, await secrets('s3', { TOKEN: 'new-value' }))
    expect(same).toMatchObject({ pid: first.pid, token: 'old-value' })
    expect(changed).toMatchObject({ calls: 1, token: 'new-value' })
    expect(changed.pid).not.toBe(first.pid)
  })
})

describe('sessions', () => {
  test('[E31] a session keeps its process, even after a secret has changed', async () => {
    const app = counter()
    const first = await ask(app, { session_id: 'keep', id: 'k1' }, await secrets('k1', { TOKEN: 'first-value' }))
    const second = await ask(app, { session_id: 'keep', id: 'k2' }, await secrets('k2', { TOKEN: 'other-value' }))
    expect(second).toMatchObject({ pid: first.pid, calls: 2 })
  })

  test('[E31] session_end frees the worker and the process', async () => {
    const app = counter()
    const first = await ask(app, { session_id: 'ends' })
    world.server.send({ type: 'session_end', data: { session_id: 'ends', worker_id: 'worker-0' } })
    const next = await ask(app)
    expect(next.pid).not.toBe(first.pid)
  })

  test("[E31] a session's process serves no other task", async () => {
    const app = counter()
    const first = await ask(app, { session_id: 'mine' })
    const other = await ask(app, { session_id: 'yours' })
    expect(other).toMatchObject({ calls: 1 })
    expect(other.pid).not.toBe(first.pid)
  })

  test('[E31] a session whose process has ended fails instead of restarting', async () => {
    const app = counter()
    await ask(app, { session_id: 'lost' })
    await world.run(app, { session_id: 'lost', function: 'leave' }).end
    expect(await world.run(app, { session_id: 'lost' }).end).toEqual({
      type: 'task_failed',
      error: 'worker_lost: the process of this session has ended, and its state is lost',
    })
    expect(await ask(app)).toMatchObject({ calls: 1 })
  })

  test('[E31] telemetry contains the session of a worker', async () => {
    await ask(counter(), { session_id: 'shown', worker_id: 'worker-1' })
    const shown = () =>
      world.server.frames.some(
        (frame) => frame.type === 'engine_telemetry' && frame.data.workers[1]?.active_session_id === 'shown',
      )
    await until(shown)
    world.server.send({ type: 'session_end', data: { session_id: 'shown' } })
  })
})

test('[E32] no file of one workspace is visible to another', async () => {
  const app = counter()
  await world.run(app, { function: 'write', team_id: 'one' }).end
  const look = async (team_id: string) => (await world.run(app, { function: 'look', team_id }).end).output
  expect(await look('other')).toEqual({ data: false, cache: false, tmp: false })
  expect(await look('one')).toEqual({ data: true, cache: true, tmp: false })
})

test('[E31] a session of one workspace is not visible to another', async () => {
  const app = counter()
  const first = await ask(app, { session_id: 'shared', team_id: 'one' })
  const other = await ask(app, { session_id: 'shared', team_id: 'other' })
  expect(other).toMatchObject({ calls: 1 })
  expect(other.pid).not.toBe(first.pid)
})

test('[E32] data and cache are kept, tmp is emptied between runs', async () => {
  const app = counter()
  await world.run(app, { function: 'write' }).end
  expect((await world.run(app, { function: 'look' }).end).output).toEqual({ data: true, cache: true, tmp: false })
})
