// Guarantees: over a real engine socket, a task follows the reports of its engine; reports of other engines and earlier
// attempts are ignored; broken connections lose and repeat nothing.
import { toBase64 } from '@millrace/contract/engine-frames'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { finish, givenApp, run, taskOf } from '#execution/tasks/testing/given.ts'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { engineHeartbeat } from './presence.ts'
import { about, dial, register, serveOne, startEngine } from './testing/engine-double.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world.close())

const statusIs = (id: string, status: number) =>
  until(async () => {
    const task = await taskOf(world, id)
    return task.status === status && task
  })
const output = (value: unknown) => toBase64(JSON.stringify(value))
const text = (content: string) => Buffer.from(content, 'base64').toString()

it('accept, prepare, run, log, progress, end', async () => {
  const app = await givenApp(world)
  const engine = await startEngine(world, { cloud: true })
  const { id } = await run(world, app, { setup: undefined })
  const frame = await engine.next('task_run')
  expect(frame.data.task).toMatchObject({ id, attempt: 1, app_id: app.id, function: 'run', input: { text: 'hi' } })
  expect(frame.data.task.worker_id).toBe(engine.workers[0])
  const me = about(frame)
  engine.send({ type: 'task_accepted', data: me })
  await until(
    async () =>
      (await world.call('platform', `GET /engines/${engine.id}`, { team: engine.team })).data.workers[0].status ===
      'busy',
  )
  expect((await taskOf(world, id)).status).toBe(3)
  for (const type of ['task_preparing', 'task_serving', 'task_setting_up', 'task_running'] as const)
    engine.send({ type, data: me })
  await statusIs(id, 7)
  engine.send({ type: 'task_log', data: { ...me, log_type: 1, logs: toBase64('one\0\n') } })
  engine.send({ type: 'task_log', data: { ...me, log_type: 1, logs: toBase64('two\n') } })
  engine.send({ type: 'task_progress', data: { ...me, output: output({ half: true }) } })
  await until(async () => (await taskOf(world, id)).output !== null)
  engine.send({ type: 'task_completed', data: { ...me, output: output({ text: 'all\0' }) } })
  expect((await engine.next('task_ack')).data).toEqual(me)
  const task = await taskOf(world, id)
  expect(task).toMatchObject({
    status: 10,
    output: { text: 'all\uFFFD' },
    engine: { id: engine.id, team_id: engine.team, visibility: 'team', workers: [{ id: engine.workers[0] }] },
    worker: { id: me && engine.workers[0] },
  })
  expect(task.events.map(({ status }) => status)).toEqual([1, 2, 3, 4, 5, 6, 7, 10])
  expect(task.logs?.map((log) => text(log.content))).toEqual(['one\uFFFD\ntwo\n'])
  // The worker is idle again.
  await run(world, app)
  await serveOne(engine)
})

it('a short lifecycle is recorded completely, though in one statement', async () => {
  const engine = await startEngine(world, { cloud: true })
  const { id } = await run(world, await givenApp(world))
  await serveOne(engine, { ok: 1 })
  const task = await taskOf(world, id)
  expect(task.events.map(({ status }) => status)).toEqual([1, 2, 3, 7, 10])
  expect(task.usage_events.length === 0 || task.usage_events.length === 1).toBe(true)
})

const badEnds: [string, string, RegExp][] = [
  ['an output that is not JSON', toBase64('{'), /not valid JSON/],
  ['an output that is not base64 of text', '%%%', /not valid JSON/],
]
it.each(badEnds)('%s fails the task', async (_claim, encoded, error) => {
  const engine = await startEngine(world, { cloud: true })
  const { id } = await run(world, await givenApp(world))
  const frame = await engine.next('task_run')
  engine.send({ type: 'task_completed', data: { ...about(frame), output: encoded } })
  await engine.next('task_ack')
  expect((await taskOf(world, id)).error).toMatch(error)
})

describe('ignores', () => {
  it('[S11] frames of an older attempt, 100 of 100', async () => {
    const engine = await startEngine(world, { cloud: true })
    const { id } = await run(world, await givenApp(world))
    const first = await engine.next('task_run')
    engine.send({ type: 'task_rejected', data: { ...about(first), reason: 'worker_busy' } })
    await statusIs(id, 2)
    world.clock.advance(1_000)
    engine.heartbeat()
    const second = await engine.next('task_run')
    expect(second.data.task.attempt).toBe(2)
    for (let n = 0; n < 100; n += 1) {
      engine.send({ type: 'task_completed', data: { ...about(first), output: output({ late: n }) } })
      expect((await engine.next('task_force_cancel')).data.task).toEqual({ id, attempt: 1 })
      await engine.next('task_ack')
    }
    engine.send({ type: 'task_log', data: { ...about(first), log_type: 1, logs: toBase64('late') } })
    engine.send({ type: 'task_progress', data: { ...about(first), output: output({ late: true }) } })
    engine.send({ type: 'task_completed', data: { ...about(second), output: output({ good: true }) } })
    await statusIs(id, 10)
    expect(await taskOf(world, id)).toMatchObject({ output: { good: true }, logs: [] })
  })

  it('frames about the task of another engine', async () => {
    const engine = await startEngine(world, { cloud: true })
    const other = await startEngine(world, { as: 'stranger' })
    const { id } = await run(world, await givenApp(world))
    const frame = await engine.next('task_run')
    other.send({ type: 'task_running', data: about(frame) })
    other.send({ type: 'task_log', data: { ...about(frame), log_type: 1, logs: toBase64('forged') } })
    other.send({ type: 'task_progress', data: { ...about(frame), output: output(1), is_delta: true, seq: 1 } })
    other.send({ type: 'task_completed', data: { ...about(frame), output: output({ forged: true }) } })
    expect((await other.next('task_force_cancel')).data.task.id).toBe(id)
    const task = await taskOf(world, id)
    expect(task).toMatchObject({ status: 3, output: null, logs: [] })
    expect(world.events.some(({ subject, data }) => subject === `task:${id}` && 'delta' in (data as object))).toBe(
      false,
    )
  })

  it('[S13] a repeated end, which is acknowledged again', async () => {
    const engine = await startEngine(world, { cloud: true })
    await run(world, await givenApp(world))
    const frame = await serveOne(engine)
    engine.send({ type: 'task_completed', data: { ...about(frame), output: output({ other: true }) } })
    await engine.next('task_ack')
    expect(engine.received.some(({ type }) => type === 'task_force_cancel')).toBe(false)
  })

  it('frames about a finished task: it is dropped and acknowledged', async () => {
    const engine = await startEngine(world, { cloud: true })
    const { id } = await run(world, await givenApp(world))
    const frame = await engine.next('task_run')
    await finish(world, id, { by: 'someone else' })
    engine.send({ type: 'task_failed', data: { ...about(frame), error: 'late' } })
    await engine.next('task_force_cancel')
    await engine.next('task_ack')
    expect((await taskOf(world, id)).output).toEqual({ by: 'someone else' })
  })
})

describe('rejections by an engine', () => {
  it('an unknown worker gets no more tasks; the task goes to another worker', async () => {
    const engine = await startEngine(world, { cloud: true, cpuWorkers: 2 })
    const { id } = await run(world, await givenApp(world))
    const first = await engine.next('task_run')
    engine.send({ type: 'task_rejected', data: { ...about(first), reason: 'worker_not_found' } })
    await statusIs(id, 2)
    world.clock.advance(1_000)
    const second = await engine.next('task_run')
    expect(second.data.task.worker_id).not.toBe(first.data.task.worker_id)
  })

  it('a rejection is too late once the task runs', async () => {
    const engine = await startEngine(world, { cloud: true })
    const { id } = await run(world, await givenApp(world))
    const frame = await engine.next('task_run')
    engine.send({ type: 'task_running', data: about(frame) })
    await statusIs(id, 7)
    engine.send({ type: 'task_rejected', data: { ...about(frame), reason: 'worker_busy' } })
    engine.send({ type: 'task_completed', data: { ...about(frame), output: output(null) } })
    await statusIs(id, 10)
  })
})

describe('cancel', () => {
  const cancel = (id: string, body = {}) => world.call('owner', `POST /tasks/${id}/cancel`, { body })

  it('is requested from the engine and done when it confirms', async () => {
    const engine = await startEngine(world, { cloud: true })
    const { id } = await run(world, await givenApp(world))
    const frame = await engine.next('task_run')
    engine.send({ type: 'task_running', data: about(frame) })
    await statusIs(id, 7)
    expect((await cancel(id)).data.status).toBe(8)
    expect((await engine.next('task_cancel')).data).toEqual({ task: { id, attempt: 1 }, force: false, timeout: 10_000 })
    engine.send({ type: 'task_cancel_result', data: { ...about(frame), ok: true } })
    engine.send({ type: 'task_cancelled', data: about(frame) })
    expect((await statusIs(id, 12)).events.map(({ status }) => status)).toEqual([1, 2, 3, 7, 8, 12])
  })

  it('[S19] is forced five seconds after its timeout, even if the engine is silent', async () => {
    const engine = await startEngine(world, { cloud: true })
    const { id } = await run(world, await givenApp(world))
    await engine.next('task_run')
    await cancel(id, { timeout: 2_000 })
    world.clock.advance(7_001)
    await statusIs(id, 12)
    expect((await engine.next('task_force_cancel')).data.task).toEqual({ id, attempt: 1 })
  })

  it('[S18] never overtakes the run that it cancels', async () => {
    const engine = await startEngine(world, { cloud: true, cpuWorkers: 4 })
    const app = await givenApp(world)
    const ids = await Promise.all(Array.from({ length: 4 }, async () => (await run(world, app)).id))
    await until(async () => (await Promise.all(ids.map((id) => taskOf(world, id)))).every(({ status }) => status === 3))
    await Promise.all(ids.map((id) => cancel(id, { force: true })))
    for (const id of ids) {
      await until(async () =>
        engine.received.some((frame) => frame.type === 'task_cancel' && frame.data.task.id === id),
      )
      const places = engine.received.flatMap((frame, index) =>
        JSON.stringify(frame).includes(id) ? [[frame.type, index] as const] : [],
      )
      expect(places.map(([type]) => type)).toEqual(['task_run', 'task_cancel'])
    }
  })

  it('is too late once the outputs are being stored', async () => {
    const engine = await startEngine(world, { cloud: true })
    const { id } = await run(world, await givenApp(world))
    const frame = await engine.next('task_run')
    engine.send({ type: 'task_uploading', data: about(frame) })
    await statusIs(id, 9)
    expect((await cancel(id)).data.status).toBe(9)
  })

  it('precedes the deletion of a running task', async () => {
    const engine = await startEngine(world, { cloud: true })
    const { id } = await run(world, await givenApp(world))
    const frame = await engine.next('task_run')
    engine.send({ type: 'task_running', data: about(frame) })
    await statusIs(id, 7)
    expect((await world.call('owner', `DELETE /tasks/${id}`)).data).toEqual({ success: true })
    expect((await engine.next('task_cancel')).data).toMatchObject({ force: true })
    engine.send({ type: 'task_cancelled', data: about(frame) })
    await engine.next('task_ack')
    const row = await world.open.platform.db
      .selectFrom('tasks')
      .select(['status', 'deleted_at'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row.status).toBe(12)
    expect(row.deleted_at).not.toBeNull()
  })
})

describe('broken connections', () => {
  it('[S9] unacknowledged tasks are sent again with the same attempt; acknowledged tasks are not', async () => {
    const engine = await startEngine(world, { cloud: true, cpuWorkers: 2 })
    const app = await givenApp(world)
    const accepted = await run(world, app)
    const frame = await engine.next('task_run')
    engine.send({ type: 'task_running', data: about(frame) })
    await statusIs(accepted.id, 7)
    const open = await run(world, app)
    await engine.next('task_run')
    await engine.drop()
    const again = await dial(world, engine)
    const repeated = await again.next('task_run')
    expect(repeated.data.task).toMatchObject({ id: open.id, attempt: 1 })
    // Reports from the time of the disconnection count, because the attempt still belongs to the engine.
    again.send({ type: 'task_completed', data: { ...about(frame), output: output({ away: true }) } })
    await statusIs(accepted.id, 10)
    expect(again.received.filter(({ type }) => type === 'task_run')).toHaveLength(1)
  })

  it('[S8] frames sent immediately after connecting are received', async () => {
    const engine = await startEngine(world, { cloud: true })
    const { id } = await run(world, await givenApp(world))
    const frame = await engine.next('task_run')
    engine.send({ type: 'task_running', data: about(frame) })
    await statusIs(id, 7)
    await engine.drop()
    const again = await dial(world, engine)
    again.send({ type: 'task_completed', data: { ...about(frame), output: output(1) } })
    await again.next('task_ack')
    expect((await taskOf(world, id)).status).toBe(10)
  })

  it('[S6] a second connection replaces the first', async () => {
    const engine = await startEngine(world, { cloud: true })
    const second = await dial(world, engine)
    expect((await engine.closed).code).toBe(4000)
    await run(world, await givenApp(world))
    await serveOne(second)
    expect((await world.call('platform', `GET /engines/${engine.id}`, { team: engine.team })).data.status).toBe(
      'running',
    )
  })

  it('[S7] a stopped engine must register before it may connect', async () => {
    const engine = await startEngine(world)
    await world.call('owner', `POST /engines/${engine.id}/stop`)
    await engine.drop()
    expect((await (await dial(world, engine)).closed).code).toBe(1008)
    await until(async () => (await world.call('owner', `GET /engines/${engine.id}`)).data.status === 'stopped')
    const back = await startEngine(world, { id: engine.id })
    expect(back.id).toBe(engine.id)
    const { data } = await world.call('owner', `GET /engines/${engine.id}`)
    expect(data.status).toBe('running')
    expect(data).not.toHaveProperty('stop_reason')
  })

  it('[S3] an engine that registers again loses its tasks, once', async () => {
    const engine = await startEngine(world, { cloud: true })
    const app = await givenApp(world)
    const { id } = await run(world, app)
    const frame = await engine.next('task_run')
    engine.send({ type: 'task_running', data: about(frame) })
    await statusIs(id, 7)
    const back = await register(world, { cloud: true, id: engine.id })
    expect(back).toMatchObject({ id: engine.id, workers: engine.workers })
    const task = await taskOf(world, id)
    expect(task.error).toMatch(/^worker_lost/)
    expect(task.events.filter(({ status }) => status === 11)).toHaveLength(1)
    const again = await dial(world, back)
    await run(world, app)
    await serveOne(again)
  })

  it('a killed server loses its connections', async () => {
    const engine = await startEngine(world, { cloud: true })
    const { forgetConnections } = await import('./presence.ts')
    await forgetConnections(world.ctx())
    const { id } = await run(world, await givenApp(world))
    expect((await taskOf(world, id)).status).toBe(2)
    expect((await world.call('platform', `GET /engines/${engine.id}`, { team: engine.team })).data.status).toBe(
      'disconnected',
    )
    await serveOne(await dial(world, engine))
    await statusIs(id, 10)
  })
})

it('[S14] telemetry ends tasks that the platform no longer assigns to the engine, and never a completed task', async () => {
  const engine = await startEngine(world, { cloud: true, cpuWorkers: 2 })
  const app = await givenApp(world)
  const [failed, done] = [await run(world, app), await run(world, app)]
  const frames = [await engine.next('task_run'), await engine.next('task_run')]
  const workerOf = (id: string) => frames.find((frame) => frame.data.task.id === id)?.data.task.worker_id ?? ''
  await finish(world, done.id)
  await world.call('owner', `POST /tasks/${failed.id}/cancel`, { body: { timeout: 0 } })
  world.clock.advance(6_000)
  await statusIs(failed.id, 12)
  await engine.next('task_force_cancel')
  const { systemInfo } = await import('./testing/engine-double.ts')
  const worker = (task: string) => ({
    id: workerOf(task),
    status: 'busy' as const,
    task_id: task,
    app_id: '',
    app_version_id: '',
    system_info: {},
    warm_apps: ['a:b@'],
  })
  engine.send({
    type: 'engine_telemetry',
    data: {
      engine_id: engine.id,
      status: 'running',
      system_info: systemInfo,
      workers: [worker(failed.id), worker(done.id)],
    },
  })
  expect((await engine.next('task_force_cancel')).data.task.id).toBe(failed.id)
  const samples = await until(async () => {
    const { data } = await world.call('owner', `GET /tasks/${done.id}/telemetry`)
    return data.length > 0 && data
  })
  expect(samples).toMatchObject([{ task_seq: 1, engine_id: engine.id }])
  expect(engine.received.filter(({ type }) => type === 'task_force_cancel')).toHaveLength(2)
})

it.each(['POST /engines/ID/stop', 'DELETE /engines/ID'])(
  'tasks of an engine that is ordered to leave are canceled by force and fail: %s',
  async (route) => {
    const engine = await startEngine(world)
    const { id } = await run(world, await givenApp(world))
    const frame = await engine.next('task_run')
    engine.send({ type: 'task_running', data: about(frame) })
    await statusIs(id, 7)
    await world.call('owner', route.replace('ID', engine.id))
    await engine.next('engine_stop')
    expect((await engine.next('task_force_cancel')).data.task).toEqual({ id, attempt: 1 })
    expect(await taskOf(world, id)).toMatchObject({ status: 11, error: expect.stringMatching(/^worker_lost/) })
  },
)

it('the workers of a stopping engine are retired, and later reports do not change them', async () => {
  const engine = await startEngine(world)
  await world.call('owner', `POST /engines/${engine.id}/stop`)
  world.clock.advance(1_000)
  engine.heartbeat()
  const { db } = world.open.platform
  const seen = db.selectFrom('engines').select('id').where('id', '=', engine.id)
  await until(() => seen.where('last_seen_at', '=', world.clock.now().toISOString()).executeTakeFirst())
  // A second frame, processed after the first.
  engine.send({ type: 'engine_telemetry', data: { engine_version: 'v9', system_info: {}, workers: [] } })
  const { data } = await until(async () => {
    const answer = await world.call('owner', `GET /engines/${engine.id}`)
    return answer.data.engine_version === 'v9' && answer
  })
  expect(data).toMatchObject({ status: 'stopping', workers: [{ status: 'inactive' }] })
})

it('a draining engine gets no new tasks while it finishes', async () => {
  const engine = await startEngine(world, { cloud: true, cpuWorkers: 2 })
  const app = await givenApp(world)
  const { id } = await run(world, app)
  const frame = await engine.next('task_run')
  engine.send({ type: 'task_running', data: about(frame) })
  await statusIs(id, 7)
  await world.call('platform', `POST /engines/${engine.id}/drain`, { team: engine.team })
  const waiting = await run(world, app)
  engine.send({ type: 'task_completed', data: { ...about(frame), output: output(1) } })
  await until(
    async () =>
      (await world.call('platform', `GET /engines/${engine.id}`, { team: engine.team })).data.status === 'stopping',
  )
  expect((await taskOf(world, waiting.id)).status).toBe(2)
})

it('an uploading task has left its worker, which runs the next one meanwhile', async () => {
  const engine = await startEngine(world, { cloud: true, cpuWorkers: 1 })
  const app = await givenApp(world)
  const { id } = await run(world, app)
  const frame = await engine.next('task_run')
  engine.send({ type: 'task_running', data: about(frame) })
  engine.send({ type: 'task_uploading', data: about(frame) })
  await statusIs(id, 9)
  const second = await run(world, app)
  const next = await engine.next('task_run')
  expect(next.data.task.id).toBe(second.id)
  engine.send({ type: 'task_running', data: about(next) })
  await statusIs(second.id, 7)
  // The end of the first task does not affect the worker, which now belongs to the second.
  engine.send({ type: 'task_completed', data: { ...about(frame), output: output({ first: true }) } })
  await statusIs(id, 10)
  const { data } = await world.call('platform', `GET /engines/${engine.id}`, { team: engine.team })
  expect(data.workers).toMatchObject([{ status: 'busy', task_id: second.id }])
  engine.send({ type: 'task_completed', data: { ...about(next), output: output({ second: true }) } })
  await statusIs(second.id, 10)
  const events = (await taskOf(world, id)).events as { event_time: string }[]
  for (const { event_time } of events) expect(event_time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
})

it('an engine that reports too fast and out of order blocks neither itself nor others', async () => {
  const engine = await startEngine(world, { cloud: true, cpuWorkers: 8 })
  const deadlocks = async () => {
    const { rows } = await sql<{ deadlocks: number }>`
      select deadlocks from pg_stat_database where datname = current_database()`.execute(world.open.platform.db)
    return rows[0]?.deadlocks
  }
  for (let n = 0; n < 400; n += 1) {
    const named = n % 2 === 0 ? engine.workers : engine.workers.toReversed()
    engine.heartbeat(Object.fromEntries(named.map((id) => [id, 'idle'])))
  }
  await run(world, await givenApp(world))
  await serveOne(engine)
  expect(await deadlocks()).toBe(0)
})

it('a delayed heartbeat from before a task’s end does not keep the idle worker from work', async () => {
  const engine = await startEngine(world, { cloud: true, cpuWorkers: 1 })
  const heartbeat = (status: 'idle' | 'busy') =>
    engineHeartbeat(world.ctx(), engine.id, {
      engine_id: engine.id,
      engine_status: 'running',
      worker_statuses: Object.fromEntries(engine.workers.map((id) => [id, status])),
    })
  const status = async () =>
    (await world.open.platform.db.selectFrom('workers').select('status').executeTakeFirstOrThrow()).status
  await run(world, await givenApp(world))
  await serveOne(engine)
  await heartbeat('busy')
  expect(await status()).toBe('idle')
  // A later report counts: the engine is busy with something that the server does not know.
  world.clock.advance(1)
  await heartbeat('busy')
  expect(await status()).toBe('busy')
})

it.each([
  ['after its own drain', ['draining', 'stopping'], 'drained'],
  ['at once', ['stopping'], 'stopped'],
] as const)('an engine that ends by itself %s is stopping, then stopped', async (_how, statuses, reason) => {
  const engine = await startEngine(world, { cloud: true })
  const { id } = await run(world, await givenApp(world))
  const frame = await engine.next('task_run')
  engine.send({ type: 'task_uploading', data: about(frame) })
  await statusIs(id, 9)
  const shown = async () => (await world.call('platform', `GET /engines/${engine.id}`, { team: engine.team })).data
  for (const status of statuses) {
    engine.heartbeat(undefined, status)
    await until(async () => (await shown()).status === status)
  }
  await engine.drop()
  await until(async () => (await shown()).status === 'stopped')
  expect(await shown()).toMatchObject({ stop_reason: reason })
  // The outputs that it still had to store are lost.
  expect((await taskOf(world, id)).error).toMatch(/^worker_lost/)
})
