// Guards: a task whose app stands warm and idle is given to that worker by the statement that makes it, and never at
// the cost of anyone: nobody is overtaken, no worker gets two tasks, no lease and no limit is passed over.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EngineDouble, serveOne, startEngine } from '#machines/engines/testing/engine-double.ts'
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

/** Runs that the dispatcher was told of. */
const waited = new Set<string>()

const run: typeof ask = async (...asked) => {
  const before = world.events.length
  const task = await ask(...asked)
  if (world.events.slice(before).some(({ subject, data }) => subject === queueSubject && data === 'waiting'))
    waited.add(task.id)
  return task
}

/** Given to a worker by the statement that made it; the dispatcher had no part in it. */
const isPlaced = ({ id }: { id: string }): boolean =>
  !waited.has(id) &&
  world.events.some(({ subject, data }) => subject.startsWith('placed:') && (data as PlacedTask).task.id === id)

/** One run served the ordinary way, so that one worker has the app warm. */
const warmUp = async (): Promise<string> => {
  await run(world, app)
  return (await serveOne(engine)).data.task.worker_id ?? ''
}

it('is dispatched when it is answered, with every status in its history, and runs', async () => {
  const warm = await warmUp()
  const task = await run(world, app)
  expect(isPlaced(task)).toBe(true)
  // Whoever asked sees it as every accepted run.
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

it('of many at once, each worker gets one', async () => {
  // Two at once warm both workers.
  await run(world, app)
  await run(world, app)
  await serveOne(engine)
  await serveOne(engine)
  const tasks = await Promise.all(Array.from({ length: 12 }, () => run(world, app)))
  const given = await Promise.all(tasks.map(({ id }) => taskOf(world, id)))
  const held = given.flatMap(({ worker_id: worker }) => worker ?? [])
  expect(new Set(held).size).toBe(held.length)
  for (let served = 0; served < tasks.length; served += 1) await serveOne(engine)
  for (const { id } of tasks) expect((await taskOf(world, id)).status).toBe(10)
})

describe('waits for the dispatcher', () => {
  it('when nobody has the app warm', async () => {
    expect(isPlaced(await run(world, app))).toBe(false)
  })

  it('when the worker that has it warm is leased to a session', async () => {
    await run(world, app, { session: 'new' })
    const leased = (await serveOne(engine)).data.task.worker_id
    const task = await run(world, app)
    expect(isPlaced(task)).toBe(false)
    const frame = await engine.next('task_run')
    expect(frame.data.task.id).toBe(task.id)
    expect(frame.data.task.worker_id).not.toBe(leased)
  })

  it('when something waits already, whatever it waits for', async () => {
    await warmUp()
    await world.open.platform.db.updateTable('engines').set({ connected: false }).where('id', '=', engine.id).execute()
    const early = await run(world, app)
    await world.open.platform.db.updateTable('engines').set({ connected: true }).where('id', '=', engine.id).execute()
    const late = await run(world, app)
    expect([early, late].map(isPlaced)).toEqual([false, false])
    const served = [await serveOne(engine), await serveOne(engine)].map((frame) => frame.data.task.id)
    expect(served.sort()).toEqual([early.id, late.id].sort())
  })

  it('when its time has not come', async () => {
    await warmUp()
    const later = new Date(world.clock.now().getTime() + 60_000).toISOString()
    expect(isPlaced(await run(world, app, { run_at: later }))).toBe(false)
    // What waits for its time stands in nobody's way.
    expect(isPlaced(await run(world, app))).toBe(true)
  })

  it('when the workspace has a limit: what runs has to be counted', async () => {
    await limitConcurrency(world, 1)
    await warmUp()
    expect(isPlaced(await run(world, app))).toBe(false)
  })
})

it('a run that waits because no engine it may use is there says so, and what to do', async () => {
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

it('a run that needs what no worker has says what that is', async () => {
  const gpu = { count: 2, type: 'nvidia', vram: 16 * 2 ** 30 }
  const large = await givenApp(world, { resources: { gpu, ram: 2 ** 29 } })
  const answer = await world.call('owner', 'POST /run', { body: { app_id: large.id, input: { text: 'hi' } } })
  expect(answer.json.messages).toMatchObject([
    {
      code: 'no_engine',
      message: expect.stringContaining(
        'no connected engine has a worker with 2 nvidia GPUs of 16 GiB and 0.5 GiB of memory.',
      ),
    },
  ])
})
