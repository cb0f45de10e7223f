// Guarantees: SQL (assignment by the insert of a task) and TypeScript (the dispatcher) choose the same worker. Random
// cases are put to both; PLACEMENT_CASES sets their number.
import { newId } from '@millrace/contract/ids'
import { taskStatus } from '@millrace/contract/task-status'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { register } from '#machines/engines/testing/engine-double.ts'
import type { Db } from '#platform/db/database.ts'
import { createRandom, type Random } from '../../testing/random-values.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { type NewTask, statusEvent } from '../tasks/service.ts'
import { givenApp, run } from '../tasks/testing/given.ts'
import { type IdleWorker, matchTasks, workerLabel } from './matching.ts'
import * as store from './store.ts'

const alone = { cpu: [], gpu: [] }
const cases = Number(process.env.PLACEMENT_CASES ?? 150)

let world: World
let db: Db
let template: NewTask
let engines: string[]
beforeAll(async () => {
  world = await createWorld()
  db = world.open.platform.db
  const { id } = await run(world, await givenApp(world))
  await db.updateTable('tasks').set({ status: taskStatus.completed }).where('id', '=', id).execute()
  const row = await db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  template = { ...row, setup: null, input: '{}', events: '[]', metadata: '{}', run_as: '{}', status: taskStatus.queued }
  engines = []
  for (const options of [{ cloud: true }, { as: 'owner' as const }, { as: 'stranger' as const }])
    engines.push((await register(world, { ...options, cpuWorkers: 3 })).id)
  await db.updateTable('engines').set({ status: 'running', connected: true }).execute()
})
afterAll(() => world?.close())

const randomKey = ({ pick }: Random): string => `${pick(['a', 'b'])}:${pick(['v1', 'v2'])}@${pick(['x', 'y'])}`

const randomNeeds = ({ pick }: Random) =>
  pick([
    { gpu_count: 0, gpu_type: '', gpu_vram: 0, ram: 0 },
    { gpu_count: 0, gpu_type: '', gpu_vram: 0, ram: 16 },
    { gpu_count: 1, gpu_type: '', gpu_vram: 8, ram: 0 },
    { gpu_count: 1, gpu_type: 'amd', gpu_vram: 0, ram: 8 },
  ])

const randomOffer = ({ pick }: Random) =>
  pick([
    { gpu_count: 0, gpu_type: 'none', gpu_vram: 0, ram: 0 },
    { gpu_count: 0, gpu_type: 'none', gpu_vram: 0, ram: 8 },
    { gpu_count: 2, gpu_type: 'nvidia', gpu_vram: 8, ram: 32 },
    { gpu_count: 1, gpu_type: 'amd', gpu_vram: 4, ram: 8 },
  ])

const shuffleWorkers = async (random: Random): Promise<void> => {
  const { below, pick } = random
  for (const id of engines)
    await db
      .updateTable('engines')
      .set({
        visibility: pick(['team', 'private']),
        user_id: pick([world.people.owner.userId, world.people.member.userId]),
      })
      .where('id', '=', id)
      .execute()
  for (const { id } of await db.selectFrom('workers').select('id').execute())
    await db
      .updateTable('workers')
      .set({
        ...randomOffer(random),
        status: pick(['idle', 'idle', 'idle', 'busy', 'inactive'] as const),
        warm_apps: Array.from({ length: below(5) }, () => randomKey(random)),
        active_session_id: pick([null, null, null, 'somebody’s']),
        idle_since: pick([null, new Date(below(5) * 1000).toISOString()]),
      })
      .where('id', '=', id)
      .execute()
}

const randomTask = (random: Random): NewTask => {
  const warm = randomKey(random)
  const [app = '', version = ''] = warm.split(/[:@]/)
  return {
    ...template,
    id: newId(),
    infra: random.pick(['cloud', 'private', 'private_first', 'private_first']),
    app_id: app,
    app_version_id: version,
    warm_key: warm,
    ...randomNeeds(random),
  }
}

class Undone extends Error {}

/** Runs `work` in a transaction that is rolled back. */
const undone = async <T>(work: (db: Db) => Promise<T>): Promise<T> => {
  let result: { value: T } | undefined
  await db
    .transaction()
    .execute(async (tx) => {
      result = { value: await work(tx) }
      throw new Undone()
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error
    })
  if (!result) throw new Error('The transaction returned nothing')
  return result.value
}

const look = (db: Db) =>
  store.findQueue(db, {
    now: '9999-01-01',
    reservedSince: world.clock.now().toISOString(),
    fullTeams: [],
    size: store.batchSize,
  })

/** For a task without requirements: if no idle worker could run it, none could run any task. */
const everyIdleWorker = () =>
  undone(async (db) => {
    const task = { ...template, id: newId(), infra: 'private_first' as const, session_id: null }
    await store.insertPlacedTasks(db, [{ task, dispatched: null, stamp: null }], alone)
    return (await look(db)).workers
  })

it('SQL and TypeScript choose the same worker and find the same tasks runnable', async () => {
  const random = createRandom(20_261_115)
  const seen = { placed: 0, cold: 0, nobody: 0 }
  for (let round = 0; round < cases; round += 1) {
    if (round % 5 === 0) await shuffleWorkers(random)
    const task = randomTask(random)
    const idle: (IdleWorker & { id: string })[] = (await everyIdleWorker()).map((worker) => ({
      ...worker,
      label: workerLabel(worker.engine_name, worker),
    }))
    const [match] = matchTasks([{ ...task, session_id: null, session_worker_id: null } as never], idle, new Map())
    const now = world.clock.now().toISOString()
    const dispatched = statusEvent(taskStatus.dispatched, now)
    const [placed] = await undone((db) => store.insertPlacedTasks(db, [{ task, dispatched, stamp: null }], alone))
    const found = await undone(async (db) => {
      await store.insertPlacedTasks(db, [{ task, dispatched: null, stamp: null }], alone)
      return (await look(db)).tasks
    })
    const about = JSON.stringify({ round, task: { ...task, events: undefined }, idle })
    expect(found.length, about).toBe(match ? 1 : 0)
    const warm = match?.worker.warm_apps.includes(task.warm_key) ?? false
    expect(placed?.worker_id ?? null, about).toBe(warm ? match?.worker.id : null)
    seen[match ? (warm ? 'placed' : 'cold') : 'nobody'] += 1
  }
  // The test is only meaningful if all three kinds of answer occur.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0)
})
