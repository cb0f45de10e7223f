// Guarantees: while all workers are busy, a new task needs no queue query, and the end of a task needs exactly one to
// start the next.
import { toBase64 } from '@millrace/contract/engine-frames'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { about, type EngineDouble, serveOne, startEngine } from '#machines/engines/testing/engine-double.ts'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { givenApp, run } from '../tasks/testing/given.ts'

let world: World
let engine: EngineDouble

beforeAll(async () => {
  // Stops the periodic tasks, so that only bus events cause queries.
  vi.useFakeTimers({ toFake: ['setInterval'] })
  world = await createWorld()
  engine = await startEngine(world, { cloud: true })
})
afterAll(async () => {
  await world?.close()
  vi.useRealTimers()
})

it('a new task causes no query while all workers are busy', async () => {
  const app = await givenApp(world)
  // Frozen, so that the last query stays valid.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  await run(world, app)
  const frame = await engine.next('task_run')
  const asked = vi.spyOn(pg.Client.prototype, 'query')
  const looks = (): number =>
    asked.mock.calls.filter(([query]) => /^\s*with recursive kinds/.test((query as { text?: string }).text ?? ''))
      .length
  const waiting: string[] = []
  for (let more = 0; more < 3; more += 1) waiting.push((await run(world, app)).id)
  expect(looks()).toBe(0)
  engine.send({ type: 'task_completed', data: { ...about(frame), output: toBase64('{}') } })
  await engine.next('task_ack')
  const served: string[] = []
  while (served.length < waiting.length) served.push((await serveOne(engine)).data.task.id)
  expect(served).toEqual(waiting)
  // One per worker that became idle, plus at most one caused by another notification.
  await until(async () => looks() > waiting.length)
  expect(looks()).toBeLessThanOrEqual(waiting.length + 2)
  asked.mockRestore()
  clock.mockRestore()
})
