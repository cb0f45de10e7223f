// Guarantees: tasks written by servers of the previous version, which set no kind, get the kind that this version would
// give them.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { register } from '#machines/engines/testing/engine-double.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { givenApp, run } from '../tasks/testing/given.ts'

let world: World
let workers: string[]
beforeAll(async () => {
  world = await createWorld()
  workers = (await register(world, { cpuWorkers: 2 })).workers
})
afterAll(() => world?.close())

it.each([
  ['a plain one', {}],
  ['a task of a session', { session: 'new' }],
  ['a task for named workers', { infra: 'private', workers: true }],
  ['a task that prefers private workers', { infra: 'private_first' }],
] as [string, object][])('%s', async (_name, options) => {
  const resources = { gpu: { count: 1, vram: 8, type: 'nvidia' }, ram: 4 }
  const { id } = await run(world, await givenApp(world, { resources }), {
    ...options,
    ...('workers' in options && { workers }),
  })
  const { rows } = await sql<{ queue_kind: string }>`
    with task as (select * from tasks where id = ${id})
    insert into tasks (id, team_id, user_id, status, infra, gpu_count, gpu_type, gpu_vram, ram, session_id, workers)
    select id || '-before', team_id, user_id, status, infra, gpu_count, gpu_type, gpu_vram, ram, session_id, workers from task
    returning queue_kind`.execute(world.open.platform.db)
  const task = await world.open.platform.db
    .selectFrom('tasks')
    .select('queue_kind')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(rows).toEqual([task])
  expect(task.queue_kind).toMatch(/\|1\|/)
})
