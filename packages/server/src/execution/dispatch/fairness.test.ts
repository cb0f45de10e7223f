// Guarantees: workspaces take turns, however long the queue of one of them is; tasks that no worker can run delay no
// other task; a slow service delays only the run that needs it.

import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type EngineDouble, serveOne, startEngine } from '#machines/engines/testing/engine-double.ts'
import { copyRow } from '../../testing/copy-rows.ts'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { deploy } from '../apps/testing/given.ts'
import { givenApp, run, taskOf } from '../tasks/testing/given.ts'
import * as store from './store.ts'
import type { PlacedTask } from './subjects.ts'

const unrunnable = Number(process.env.UNRUNNABLE_TASKS ?? 3_000)

let world: World
let engine: EngineDouble
beforeEach(async () => {
  world = await createWorld()
  engine = await startEngine(world, { cloud: true })
})
afterEach(() => world.close())

it('one run behind forty runs of another workspace is served second', async () => {
  const [mine, theirs] = [await givenApp(world), await deploy(world, 'stranger')]
  const flood = []
  for (let n = 0; n < 40; n += 1) {
    world.clock.advance(1)
    flood.push((await run(world, mine)).id)
  }
  const late = await run(world, theirs, {}, 'stranger')
  const served: string[] = []
  for (let n = 0; n < 4; n += 1) served.push((await serveOne(engine)).data.task.id)
  expect(served.indexOf(late.id)).toBeGreaterThanOrEqual(0)
  expect(served.indexOf(late.id)).toBeLessThanOrEqual(2)
  // Order within a workspace is preserved.
  expect(served.filter((id) => id !== late.id)).toEqual(flood.slice(0, 3))
})

it('a worker that another workspace used recently stays reserved and warm for it', async () => {
  const [mine, theirs] = [await givenApp(world), await deploy(world, 'stranger')]
  await engine.drop()
  const pair = await startEngine(world, { cloud: true, name: 'pair', cpuWorkers: 2 })
  await run(world, theirs, {}, 'stranger')
  const { data: quiet } = await serveOne(pair)
  for (let n = 0; n < 4; n += 1) await run(world, mine)
  const used = new Set<string | null | undefined>()
  for (let n = 0; n < 4; n += 1) used.add((await serveOne(pair)).data.task.worker_id)
  expect(used.size).toBe(1)
  expect(used.has(quiet.task.worker_id)).toBe(false)
})

it('thousands of tasks that no worker can run are read once as a group and delay no other task', async () => {
  const app = await givenApp(world)
  const runnable = await run(world, app)
  await serveOne(engine)
  const { db } = world.open.platform
  const first = await run(world, app)
  await serveOne(engine)
  await copyRow(
    db,
    { table: 'tasks', id: first.id, count: unrunnable },
    {
      status: 2,
      gpu_count: 8,
      queue_kind: null,
      finished_at: null,
      worker_id: null,
      engine_id: null,
    },
  )
  await sql`analyze tasks`.execute(db)
  const now = world.clock.now().toISOString()
  const { rows, found } = await db.transaction().execute(async (tx) => {
    // A generic plan, as prepared statements of a busy server have.
    await sql`set local plan_cache_mode = force_generic_plan`.execute(tx)
    await copyRow(
      tx,
      { table: 'tasks', id: runnable.id, count: 1 },
      { status: 2, finished_at: null, worker_id: null, engine_id: null },
    )
    const before = await rowsRead(tx)
    const { tasks: found } = await store.findQueue(tx, {
      now,
      reservedSince: now,
      fullTeams: [],
      size: store.batchSize,
    })
    const rows = (await rowsRead(tx)) - before
    await sql`delete from tasks where id = ${`${runnable.id}-1`}`.execute(tx)
    return { rows, found }
  })
  expect(found.map(({ id }) => id)).toEqual([`${runnable.id}-1`])
  expect(rows).toBeLessThan(100)
  const before = world.events.length
  const next = await run(world, app)
  const told = world.events.slice(before)
  expect(told.some(({ data }) => data === 'waiting')).toBe(false)
  expect(
    told.some(({ subject, data }) => subject.startsWith('placed:') && (data as PlacedTask).task.id === next.id),
  ).toBe(true)
  await serveOne(engine)
})

/** Rows of `tasks` that this transaction has read, by any access path. */
const rowsRead = async (db: Parameters<typeof store.findUnaccepted>[0]): Promise<number> => {
  const { rows } = await sql<{ read: number }>`
    select (coalesce(pg_stat_get_xact_tuples_returned('tasks'::regclass), 0)
      + coalesce(pg_stat_get_xact_tuples_fetched('tasks'::regclass), 0))::int as read`.execute(db)
  return rows[0]?.read ?? 0
}

it('a run whose secrets arrive slowly does not delay other runs', async () => {
  const slow = await givenApp(world, { required_secrets: [{ key: 'TOKEN', description: '', optional: true }] })
  const quick = await givenApp(world)
  await engine.drop()
  const waiting = await run(world, slow)
  const holder = await world.open.database.pool.connect()
  await holder.query('begin; lock table secrets in access exclusive mode')
  try {
    const second = await startEngine(world, { cloud: true, name: 'second', cpuWorkers: 2 })
    await until(async () => (await taskOf(world, waiting.id)).status === 3)
    const { id } = await run(world, quick)
    expect((await second.next('task_run')).data.task.id).toBe(id)
    await holder.query('rollback')
    expect((await second.next('task_run')).data.task.id).toBe(waiting.id)
  } finally {
    holder.release(true)
  }
})
