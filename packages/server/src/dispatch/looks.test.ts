// Guards: while every worker works, a task that waits costs one question, for an idle worker; what ends later is given on.
import { toBase64 } from '@millrace/contract/engine-frames'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { about, type EngineDouble, serveOne, startEngine } from '../engines/testing/engine-double.ts'
import { givenApp, run } from '../tasks/testing/given.ts'
import { until } from '../testing/until.ts'
import { createWorld, type World } from '../testing/world.ts'

let world: World
let engine: EngineDouble

beforeAll(async () => {
  // Nothing sweeps: whatever is asked is asked because of news.
  vi.useFakeTimers({ toFake: ['setInterval'] })
  world = await createWorld()
  engine = await startEngine(world, { cloud: true })
})
afterAll(async () => {
  await world?.close()
  vi.useRealTimers()
})

it('a task that waits for busy workers', async () => {
  const app = await givenApp(world)
  await run(world, app)
  const frame = await engine.next('task_run')
  const asked = vi.spyOn(pg.Client.prototype, 'query')
  const count = (what: RegExp): number =>
    asked.mock.calls.filter(([query]) => what.test((query as { text?: string }).text ?? '')).length
  const waiting: string[] = []
  // The second look begins when the first is over.
  for (let looks = 1; looks <= 2; looks += 1) {
    waiting.push((await run(world, app)).id)
    await until(async () => count(/^\s*select w\.id, w\.engine_id/) >= looks)
  }
  expect(count(/^\s*with recursive kinds/)).toBe(0)
  expect(count(/^\s*select exists \(select 1 from tasks/)).toBe(0)
  asked.mockRestore()
  engine.send({ type: 'task_completed', data: { ...about(frame), output: toBase64('{}') } })
  await engine.next('task_ack')
  const served = [await serveOne(engine), await serveOne(engine)].map(({ data }) => data.task.id)
  expect(served.toSorted()).toEqual(waiting.toSorted())
})
