// Guarantees: an engine that sends samples of a task without end does not fill the database.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serveOne, startEngine } from '#machines/engines/testing/engine-double.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { listSamples, maxSamples } from './history-store.ts'
import { recordSample } from './service.ts'
import { givenApp, run } from './testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

it('stores a limited number of samples per task', async () => {
  const { db } = world.open.platform
  const engine = await startEngine(world)
  const { id: taskId } = await run(world, await givenApp(world))
  await serveOne(engine)
  const at = world.clock.now().toISOString()
  const measure = () =>
    recordSample(world.ctx(), {
      taskId,
      engineId: engine.id,
      workerId: engine.workers[0] ?? '',
      resources: '{}',
      info: '{}',
      at,
    })
  await measure()
  await sql`
    insert into task_telemetry (id, task_id, task_seq, app_id, app_version_id, engine_id, worker_id, engine_resources, system_info, created_at)
    select seq::text, task_id, seq, app_id, app_version_id, engine_id, worker_id, engine_resources, system_info, created_at
    from task_telemetry, generate_series(2, ${maxSamples - 1}::int) seq where task_id = ${taskId}`.execute(db)
  for (let n = 0; n < 3; n += 1) await measure()
  const samples = await listSamples(db, taskId)
  expect(samples).toHaveLength(maxSamples)
  expect(samples.at(-1)?.task_seq).toBe(maxSamples)
})
