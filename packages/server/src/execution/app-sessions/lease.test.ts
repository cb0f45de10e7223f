// Guarantees: a session has its worker for itself, runs one task at a time and releases the worker when it ends.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { oneStep, start as startFlow } from '#automation/flow-runs/testing/given.ts'
import { flowOf } from '#automation/flows/testing/given.ts'
import { about, type EngineDouble, serveOne, startEngine } from '#machines/engines/testing/engine-double.ts'
import { wireTime } from '#platform/core/times.ts'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { givenApp, limitConcurrency, run, taskOf } from '../tasks/testing/given.ts'
import { expireSessions } from './service.ts'

let world: World
let engine: EngineDouble
beforeEach(async () => {
  world = await createWorld()
  engine = await startEngine(world, { cloud: true, cpuWorkers: 2 })
})
afterEach(() => world.close())

const session = async (id: string | undefined) => (await world.call('owner', `GET /sessions/${id}`)).data

it('every task of a session runs on the same worker, one after another', async () => {
  const app = await givenApp(world)
  const first = await run(world, app, { session: 'new' })
  const second = await run(world, app, { session: first.session_id })
  const one = await engine.next('task_run')
  expect(one.data.task).toMatchObject({ id: first.id, session_id: first.session_id })
  expect((await taskOf(world, second.id)).status).toBe(2)
  expect(await session(first.session_id)).toMatchObject({
    worker_id: one.data.task.worker_id,
    // Paused: as far in the future as at the start.
    expires_at: wireTime(new Date(world.clock.now().getTime() + 60_000)),
    call_count: 2,
  })
  engine.send({ type: 'task_completed', data: { ...about(one), output: 'bnVsbA==' } })
  const two = await engine.next('task_run')
  expect(two.data.task).toMatchObject({ id: second.id, worker_id: one.data.task.worker_id })
})

it('its worker serves no other caller', async () => {
  const app = await givenApp(world)
  await run(world, app, { session: 'new' })
  const leased = (await serveOne(engine)).data.task.worker_id
  await run(world, app)
  await run(world, app)
  const other = (await engine.next('task_run')).data.task.worker_id
  expect(other).not.toBe(leased)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(engine.received.filter(({ type }) => type === 'task_run')).toHaveLength(2)
})

it('idle time starts with the end of the last task, is paused during a task and ends the session', async () => {
  const app = await givenApp(world)
  const first = await run(world, app, { session: 'new', session_timeout: 10 })
  world.clock.advance(60_000)
  expect(await expireSessions(world.ctx())).toBe(0)
  const { data } = await serveOne(engine)
  expect(Date.parse((await session(first.session_id)).expires_at)).toBe(world.clock.now().getTime() + 10_000)
  world.clock.advance(10_000)
  expect((await engine.next('session_end')).data).toEqual({
    session_id: first.session_id,
    worker_id: data.task.worker_id,
  })
  expect((await session(first.session_id)).status).toBe('expired')
  // Both workers are idle again.
  await run(world, app)
  await run(world, app)
  await engine.next('task_run')
  await engine.next('task_run')
})

it('the queued tasks of an ended session fail with the reason', async () => {
  const app = await givenApp(world)
  const first = await run(world, app, { session: 'new' })
  await engine.next('task_run')
  const waiting = await run(world, app, { session: first.session_id })
  await world.call('owner', `DELETE /sessions/${first.session_id}`)
  expect(await taskOf(world, waiting.id)).toMatchObject({ status: 11, error: expect.stringMatching(/^session_ended/) })
  await engine.next('session_end')
})

it('a session ends with its lost worker', async () => {
  const app = await givenApp(world)
  const first = await run(world, app, { session: 'new' })
  await engine.next('task_run')
  const waiting = await run(world, app, { session: first.session_id })
  await world.call('platform', `POST /engines/${engine.id}/stop`, { team: engine.team })
  expect((await session(first.session_id)).status).toBe('ended')
  for (const { id } of [first, waiting]) expect((await taskOf(world, id)).error).toMatch(/^worker_lost/)
})

it('a workspace at its concurrency limit does not block others', async () => {
  const app = await givenApp(world)
  await limitConcurrency(world, 1)
  const [first, second] = [await run(world, app), await run(world, app)]
  await world.call('owner', `POST /apps/${app.id}/visibility`, { body: { visibility: 'public' } })
  const theirs = await run(world, app, {}, 'stranger')
  const frames = [await engine.next('task_run'), await engine.next('task_run')]
  expect(frames.map((frame) => frame.data.task.id).sort()).toEqual([first.id, theirs.id].sort())
  const mine = frames.find((frame) => frame.data.task.id === first.id)
  if (!mine) throw new Error('The first task was not sent')
  engine.send({ type: 'task_completed', data: { ...about(mine), output: 'bnVsbA==' } })
  await until(async () => (await taskOf(world, second.id)).status === 3)
})

it('a flow does not count towards the concurrency limit; its steps do', async () => {
  const app = await givenApp(world)
  await limitConcurrency(world, 1)
  const flow = await flowOf(world, 'owner', oneStep(app.id))
  const { id } = await startFlow(world, flow, { input: { text: 'x' } })
  const frame = await engine.next('task_run')
  expect((await taskOf(world, frame.data.task.id)).flow_run_id).toBe(id)
  const { data: usage } = await world.call('owner', 'GET /entitlements/usage')
  expect(usage).toContainEqual(expect.objectContaining({ resource: 'concurrency', limit: 1, current: 1 }))
})

it('tasks that cannot start do not hide tasks that can', async () => {
  const { deploy, echoVersion } = await import('../apps/testing/given.ts')
  const big = await deploy(world, 'owner', { version: { ...echoVersion, resources: { gpu: { count: 8 } } } })
  for (let n = 0; n < 70; n += 1) await run(world, big)
  const { id } = await run(world, await givenApp(world))
  expect((await engine.next('task_run')).data.task.id).toBe(id)
})

it('when idle sessions hold all workers, the one that has been idle longest ends for a queued task', async () => {
  const app = await givenApp(world)
  const sessions: (string | undefined)[] = []
  for (let n = 0; n < 2; n += 1) {
    sessions.push((await run(world, app, { session: 'new', session_timeout: 3600 })).session_id)
    await serveOne(engine)
    world.clock.advance(1_000)
  }
  const { id } = await run(world, app)
  const frame = await engine.next('task_run')
  expect(frame.data.task.id).toBe(id)
  expect((await session(sessions[0])).status).toBe('expired')
  expect((await session(sessions[1])).status).toBe('active')
  expect((await engine.next('session_end')).data.session_id).toBe(sessions[0])
  // A worker without a session becomes idle by itself, so the other session keeps its worker.
  await run(world, app)
  engine.send({ type: 'task_completed', data: { ...about(frame), output: 'bnVsbA==' } })
  await serveOne(engine)
  expect((await session(sessions[1])).status).toBe('active')
})

it('a scheduled task holds no worker before its time: the idle time of its session continues', async () => {
  const app = await givenApp(world)
  const first = await run(world, app, { session: 'new', session_timeout: 10 })
  await serveOne(engine)
  const { expires_at: idleUntil } = await session(first.session_id)
  world.clock.advance(1_000)
  const inAnHour = new Date(world.clock.now().getTime() + 3_600_000).toISOString()
  const later = await run(world, app, { session: first.session_id, run_at: inAnHour })
  expect((await session(first.session_id)).expires_at).toBe(idleUntil)
  const now = await run(world, app, { session: first.session_id })
  expect((await serveOne(engine)).data.task.id).toBe(now.id)
  world.clock.advance(10_000)
  await engine.next('session_end')
  expect((await session(first.session_id)).status).toBe('expired')
  expect(await taskOf(world, later.id)).toMatchObject({ status: 11, error: expect.stringMatching(/^session_ended/) })
})

it('a task that becomes due in the idle time of its session runs in it and pauses the idle time', async () => {
  const app = await givenApp(world)
  const first = await run(world, app, { session: 'new', session_timeout: 10 })
  await serveOne(engine)
  const inFiveSeconds = new Date(world.clock.now().getTime() + 5_000).toISOString()
  const later = await run(world, app, { session: first.session_id, run_at: inFiveSeconds })
  world.clock.advance(5_000)
  expect((await engine.next('task_run')).data.task).toMatchObject({ id: later.id, session_id: first.session_id })
  world.clock.advance(60_000)
  expect(await expireSessions(world.ctx())).toBe(0)
  expect((await session(first.session_id)).status).toBe('active')
})
