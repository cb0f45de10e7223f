// Guarantees: the insert of a task assigns it to an idle worker that is warm for its app, and breaks no other rule: the
// task overtakes none, no worker gets two tasks, and leases and limits are respected.
import { toBase64 } from '@millrace/contract/engine-frames'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { about, type EngineDouble, serveOne, startEngine } from '#machines/engines/testing/engine-double.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { queueSubject } from '../tasks/service.ts'
import { run as ask, givenApp, limitConcurrency, taskOf } from '../tasks/testing/given.ts'
import type { PlacedTask } from './subjects.ts'

let world: World
let engine: EngineDouble
let app: Awaited<ReturnType<typeof givenApp>>
beforeEach(async () => {
  world = await createWorld()
  engine = await startEngine(world, { cloud: true, cpuWorkers: 2 })
  app = await givenApp(world)
})
afterEach(() => world.close())

const workers = () => world.open.platform.db.selectFrom('workers').selectAll().orderBy('index').execute()

/** Runs that were announced to the dispatcher. */
const waited = new Set<string>()

const run: typeof ask = async (...asked) => {
  const before = world.events.length
  const task = await ask(...asked)
  if (world.events.slice(before).some(({ subject, data }) => subject === queueSubject && data === 'waiting'))
    waited.add(task.id)
  return task
}

/** Whether the insert assigned the task, without the dispatcher. */
const isPlaced = ({ id }: { id: string }): boolean =>
  !waited.has(id) &&
  world.events.some(({ subject, data }) => subject.startsWith('placed:') && (data as PlacedTask).task.id === id)

/** Runs one task in the usual way, so that one worker is warm for the app. */
const warmUp = async (): Promise<string> => {
  await run(world, app)
  return (await serveOne(engine)).data.task.worker_id ?? ''
}

/** The first run ends after the second one was sent, so that each has a worker of its own. */
const warmBoth = async (): Promise<void> => {
  await run(world, app)
  await run(world, app)
  const frames = [await engine.next('task_run'), await engine.next('task_run')]
  for (const frame of frames) {
    engine.send({ type: 'task_accepted', data: about(frame) })
    engine.send({ type: 'task_completed', data: { ...about(frame), output: toBase64('{}') } })
    await engine.next('task_ack')
  }
}

it('is dispatched by the insert, records every status and runs', async () => {
  const warm = await warmUp()
  const task = await run(world, app)
  expect(isPlaced(task)).toBe(true)
  // The answer shows it like every accepted run.
  expect(task).toMatchObject({ status: 2 })
  const stored = await taskOf(world, task.id)
  expect(stored).toMatchObject({ status: 3, worker_id: warm, engine_id: engine.id })
  expect(stored.events.map(({ status }: { status: number }) => status)).toEqual([1, 2, 3])
  expect((await workers()).find(({ id }) => id === warm)).toMatchObject({ status: 'reserved', task_id: task.id })
  const frame = await serveOne(engine, { placed: true })
  expect(frame.data.task).toMatchObject({
    id: task.id,
    attempt: 1,
    worker_id: warm,
    app_name: `${app.namespace}/${app.name}`,
  })
  expect(await taskOf(world, task.id)).toMatchObject({ status: 10, output: { placed: true } })
})

it('of many tasks at once, each worker gets one', async () => {
  await warmBoth()
  const tasks = await Promise.all(Array.from({ length: 12 }, () => run(world, app)))
  const given = await Promise.all(tasks.map(({ id }) => taskOf(world, id)))
  const held = given.flatMap(({ worker_id: worker }) => worker ?? [])
  expect(new Set(held).size).toBe(held.length)
  for (let served = 0; served < tasks.length; served += 1) await serveOne(engine)
  for (const { id } of tasks) expect((await taskOf(world, id)).status).toBe(10)
})

it('of runs that arrive together, the statement that inserts them assigns one to each warm worker', async () => {
  await warmBoth()
  const tasks = await Promise.all(Array.from({ length: 2 }, () => ask(world, app)))
  const placed = world.events.filter(({ subject, data }) => {
    const isOwn = subject.startsWith('placed:') && tasks.some(({ id }) => id === (data as PlacedTask).task.id)
    return isOwn
  })
  expect(placed.length).toBe(2)
  // No run of the pair was left to the dispatcher.
  const seen = world.events.slice(world.events.indexOf(placed[0] as never))
  expect(seen.some(({ subject, data }) => subject === queueSubject && data === 'waiting')).toBe(false)
  const workersUsed = (await Promise.all(tasks.map(({ id }) => taskOf(world, id)))).map(({ worker_id: id }) => id)
  expect(new Set(workersUsed).size).toBe(2)
  for (const _ of tasks) await serveOne(engine)
  for (const { id } of tasks) expect((await taskOf(world, id)).status).toBe(10)
})

describe('waits for the dispatcher', () => {
  it('when no worker is warm for the app', async () => {
    expect(isPlaced(await run(world, app))).toBe(false)
  })

  it('when the warm worker is leased to a session', async () => {
    await run(world, app, { session: 'new' })
    const leased = (await serveOne(engine)).data.task.worker_id
    const task = await run(world, app)
    expect(isPlaced(task)).toBe(false)
    const frame = await engine.next('task_run')
    expect(frame.data.task.id).toBe(task.id)
    expect(frame.data.task.worker_id).not.toBe(leased)
  })

  it('when another task is queued already, whatever its reason', async () => {
    await warmUp()
    await world.open.platform.db.updateTable('engines').set({ connected: false }).where('id', '=', engine.id).execute()
    const early = await run(world, app)
    await world.open.platform.db.updateTable('engines').set({ connected: true }).where('id', '=', engine.id).execute()
    const late = await run(world, app)
    expect([early, late].map(isPlaced)).toEqual([false, false])
    const served = [await serveOne(engine), await serveOne(engine)].map((frame) => frame.data.task.id)
    expect(served.sort()).toEqual([early.id, late.id].sort())
  })

  it('when it is scheduled for later', async () => {
    await warmUp()
    const later = new Date(world.clock.now().getTime() + 60_000).toISOString()
    expect(isPlaced(await run(world, app, { run_at: later }))).toBe(false)
    // A scheduled task delays no other task.
    expect(isPlaced(await run(world, app))).toBe(true)
  })

  it('when the workspace has a concurrency limit, which requires a count', async () => {
    await limitConcurrency(world, 1)
    await warmUp()
    expect(isPlaced(await run(world, app))).toBe(false)
  })
})

it('a run without a usable engine gets a notice with the next step', async () => {
  const notices = async (body: object) => {
    const answer = await world.call('owner', 'POST /run', { body: { app_id: app.id, input: { text: 'hi' }, ...body } })
    return JSON.parse(answer.text).messages as { code: string; message: string }[]
  }
  expect(await notices({})).toEqual([])
  await world.open.platform.db.updateTable('engines').set({ connected: false }).execute()
  expect(await notices({})).toMatchObject([
    {
      code: 'no_engine',
      message: expect.stringMatching(/neither this workspace nor this server.*millrace engine start/),
    },
  ])
  expect(await notices({ infra: 'cloud' })).toMatchObject([{ code: 'no_engine' }])
})

it('a run whose requirements no worker meets gets a notice that names them', async () => {
  const gpu = { count: 2, type: 'nvidia', vram: 16 * 2 ** 30 }
  const large = await givenApp(world, { resources: { gpu, ram: 2 ** 29 } })
  const answer = await world.call('owner', 'POST /run', { body: { app_id: large.id, input: { text: 'hi' } } })
  expect(answer.json.messages).toMatchObject([
    {
      code: 'no_engine',
      message: expect.stringContaining('no connected engine has a GPU of type nvidia.'),
    },
  ])
})
