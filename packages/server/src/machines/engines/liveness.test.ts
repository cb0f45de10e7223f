// Guarantees: everything overdue ends at its time [engines 3]; the server's own downtime does not count.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { givenApp, run, taskOf } from '#execution/tasks/testing/given.ts'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { sweep } from './liveness.ts'
import { about, dial, type EngineDouble, startEngine } from './testing/engine-double.ts'

let world: World
let engine: EngineDouble
let upSince: Date
beforeEach(async () => {
  world = await createWorld()
  upSince = world.clock.now()
  engine = await startEngine(world, { cloud: true, cpuWorkers: 2 })
})
afterEach(() => world.close())

const minute = 60_000
const after = async (ms: number) => {
  world.clock.advance(ms)
  await sweep(world.ctx(), upSince)
}
const shown = async () => (await world.call('platform', `GET /engines/${engine.id}`, { team: engine.team })).data
const disconnected = async () => {
  await engine.drop()
  await until(async () => (await shown()).status === 'disconnected')
}

const running = async () => {
  const { id } = await run(world, await givenApp(world))
  const frame = await engine.next('task_run')
  engine.send({ type: 'task_running', data: about(frame) })
  await until(async () => (await taskOf(world, id)).status === 7)
  return id
}

it('[S20] an unanswered dispatch fails after 30 s', async () => {
  const { id } = await run(world, await givenApp(world))
  await engine.next('task_run')
  await disconnected()
  await after(29_000)
  expect((await taskOf(world, id)).status).toBe(3)
  await after(1_000)
  expect(await taskOf(world, id)).toMatchObject({ status: 11, error: 'The engine did not answer the dispatch' })
})

it('[S21] an accepted task survives a disconnection of its engine for five minutes, then both end', async () => {
  const id = await running()
  await disconnected()
  await after(5 * minute - 1)
  expect((await taskOf(world, id)).status).toBe(7)
  await after(1)
  expect((await taskOf(world, id)).error).toMatch(/^worker_lost/)
  expect(await shown()).toMatchObject({
    status: 'stopped',
    stop_reason: 'disconnected',
    workers: [{ status: 'inactive' }, {}],
  })
  // The engine was only disconnected: reconnecting revives it.
  await dial(world, engine)
  await until(async () => (await shown()).status === 'running')
})

it('an engine that reconnects in time keeps its task', async () => {
  const id = await running()
  await disconnected()
  await after(4 * minute)
  await dial(world, engine)
  await until(async () => (await shown()).status === 'running')
  await after(4 * minute)
  expect((await taskOf(world, id)).status).toBe(7)
})

it('a restart may take fifteen minutes', async () => {
  await world.call('platform', `POST /engines/${engine.id}/restart`, { team: engine.team })
  await engine.drop()
  await until(
    async () =>
      !(
        await world.open.platform.db
          .selectFrom('engines')
          .select('connected')
          .where('id', '=', engine.id)
          .executeTakeFirst()
      )?.connected,
  )
  await after(15 * minute - 1)
  expect((await shown()).status).toBe('restarting')
  await after(1)
  expect(await shown()).toMatchObject({ status: 'stopped', stop_reason: 'restart_timeout' })
})

it('a stopping engine that stays connected is given up after fifteen seconds', async () => {
  await world.call('platform', `POST /engines/${engine.id}/stop`, { team: engine.team })
  expect((await shown()).status).toBe('stopping')
  await after(14_999)
  expect((await shown()).status).toBe('stopping')
  await after(1)
  expect(await shown()).toMatchObject({ status: 'stopped', stop_reason: 'stopped' })
})

it('[S22] a worker missing from heartbeats is retired after 90 s; the others stay', async () => {
  const [first = '', second = ''] = engine.workers
  for (let beats = 0; beats < 9; beats += 1) {
    await after(10_000)
    engine.heartbeat({ [first]: 'idle' })
    const at = world.clock.now().toISOString().slice(0, 19)
    await until(async () => {
      const row = await world.open.platform.db
        .selectFrom('workers')
        .select('last_seen_at')
        .where('id', '=', first)
        .executeTakeFirst()
      return row?.last_seen_at?.startsWith(at)
    })
  }
  await sweep(world.ctx(), upSince)
  const statuses = Object.fromEntries(
    (await shown()).workers.map(({ id, status }: { id: string; status: string }) => [id, status]),
  )
  expect(statuses).toEqual({ [first]: 'idle', [second]: 'inactive' })
})

it('the server’s own downtime does not count', async () => {
  const id = await running()
  await disconnected()
  world.clock.advance(60 * minute)
  upSince = world.clock.now()
  await after(5 * minute - 1)
  expect((await taskOf(world, id)).status).toBe(7)
  await after(1)
  expect((await taskOf(world, id)).status).toBe(11)
})

it('a task stays queued for at most a day', async () => {
  await engine.drop()
  const { id } = await run(world, await givenApp(world))
  await after(24 * 60 * minute - 1)
  expect((await taskOf(world, id)).status).toBe(2)
  await after(1)
  expect((await taskOf(world, id)).error).toMatch(/^expired/)
})

it('a heartbeat does not release a worker whose assignment is in transit', async () => {
  const app = await givenApp(world)
  const ids = [(await run(world, app)).id, (await run(world, app)).id]
  await engine.next('task_run')
  await engine.next('task_run')
  engine.heartbeat()
  const third = await run(world, app)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect((await taskOf(world, third.id)).status).toBe(2)
  for (const id of ids) expect((await taskOf(world, id)).status).toBe(3)
})
