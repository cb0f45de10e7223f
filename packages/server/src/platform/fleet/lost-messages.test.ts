// Guarantees: messages to an engine that another server holds arrive although the bus loses them: cancel, end of a
// session, drain, restart, stop, and replacement by a newer connection. The holder reads them from the rows and sends
// each once.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { engineFrames } from '#execution/tasks/service.ts'
import { givenApp, run } from '#execution/tasks/testing/given.ts'
import { about, dial, type EngineDouble, startEngine } from '#machines/engines/testing/engine-double.ts'
import { until } from '../../testing/until.ts'
import type { World } from '../../testing/world.ts'
import { createFleetWorld } from './testing/fleet-world.ts'

let world: World
let engine: EngineDouble

beforeAll(async () => {
  world = await createFleetWorld()
})
afterAll(() => world?.close())

beforeEach(async () => {
  engine = await startEngine(world, { cloud: true })
})

/** Runs the work while the bus loses all messages for the engine. */
const losing = async <T>(work: () => Promise<T>): Promise<T> => {
  const { bus } = world.open.platform
  const whole = bus.publish
  const lost: string[] = []
  bus.publish = (subject, data) => {
    if (subject === engineFrames(engine.id)) lost.push(subject)
    else whole(subject, data)
  }
  try {
    return await work()
  } finally {
    bus.publish = whole
    expect(lost.length).toBeGreaterThan(0)
  }
}

const accepted = async (body: object = {}) => {
  const app = await givenApp(world)
  const task = await run(world, app, body)
  const frame = await engine.next('task_run')
  engine.send({ type: 'task_accepted', data: about(frame) })
  const { db } = world.open.platform
  const row = db.selectFrom('tasks').select('accepted_at').where('id', '=', task.id)
  await until(async () => (await row.executeTakeFirst())?.accepted_at !== null)
  return { task, frame }
}

it('a cancel', async () => {
  const { task, frame } = await accepted()
  await losing(() => world.call('owner', `POST /tasks/${task.id}/cancel`))
  expect((await engine.next('task_cancel')).data.task).toEqual({ id: task.id, attempt: frame.data.task.attempt })
  await world.call('owner', `POST /tasks/${task.id}/cancel`)
  // A repeated request is a new message; the rows alone cause no duplicate.
  await engine.next('task_cancel')
  expect(engine.received.filter(({ type }) => type === 'task_cancel')).toHaveLength(2)
  engine.send({ type: 'task_cancelled', data: about(frame) })
  await engine.drop()
})

it('a cancel that the server completed itself also cancels the work on the engine', async () => {
  const { task, frame } = await accepted()
  await world.call('owner', `POST /tasks/${task.id}/cancel`)
  await engine.next('task_cancel')
  await losing(async () => {
    world.clock.advance(60_000)
    await until(async () => (await world.call('owner', `GET /tasks/${task.id}`)).data.status >= 10)
  })
  expect((await engine.next('task_force_cancel')).data.task).toEqual({ id: task.id, attempt: frame.data.task.attempt })
  await engine.drop()
})

it.each([
  ['drain', 'engine_drain', {}],
  ['restart', 'engine_update', { restart_only: true }],
  ['stop', 'engine_stop', {}],
] as const)('%s', async (route, type, data) => {
  // An engine without work is drained at once.
  if (route === 'drain') await accepted()
  await losing(() => world.call('platform', `POST /engines/${engine.id}/${route}`, { team: engine.team }))
  expect((await engine.next(type)).data).toEqual(data)
  await engine.drop()
})

it('replacement by a newer connection', async () => {
  const { db } = world.open.platform
  await db
    .updateTable('engines')
    .set(({ eb }) => ({ connection_number: eb('connection_number', '+', 1) }))
    .where('id', '=', engine.id)
    .execute()
  expect((await engine.closed).code).toBe(4000)
  const again = await dial(world, engine)
  await again.drop()
})
