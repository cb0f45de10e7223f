// Guarantees: status changes that arrive together change exactly the rows that the single changes would; a task that
// another transaction has locked delays no other task and is changed afterwards.
import { taskStatus } from '@millrace/contract/task-status'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type EngineDouble, startEngine } from '#machines/engines/testing/engine-double.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { move } from './moves.ts'
import { givenApp, run, taskOf } from './testing/given.ts'

const workers = 3

let world: World
let engine: EngineDouble
let tasks: { id: string; attempt: number }[]
beforeEach(async () => {
  world = await createWorld()
  engine = await startEngine(world, { cloud: true, cpuWorkers: workers })
  const app = await givenApp(world)
  for (let n = 0; n < workers; n += 1) await run(world, app)
  tasks = []
  for (let n = 0; n < workers; n += 1) {
    const { task } = (await engine.next('task_run')).data
    tasks.push({ id: task.id, attempt: task.attempt ?? 0 })
  }
})
afterEach(() => world.close())

const complete = ({ id, attempt }: { id: string; attempt: number }, output: unknown) =>
  move(world.ctx(), id, {
    fence: { attempt, engineId: engine.id },
    via: [{ status: taskStatus.running, at: world.clock.now().toISOString() }],
    to: taskStatus.completed,
    output,
  })

const statusesOf = async () => Promise.all(tasks.map(async ({ id }) => (await taskOf(world, id)).status))

it('ends tasks together: each has its own output, every status and an idle worker', async () => {
  const moved = await Promise.all(tasks.map((task, n) => complete(task, { n })))
  expect(moved.map((row) => row?.output)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }])
  for (const { id } of tasks) {
    const { events, finished_at } = (await taskOf(world, id)) as never as {
      events: { status: number }[]
      finished_at: string
    }
    expect(events.map(({ status }) => status)).toEqual([1, 2, 3, 7, 10])
    expect(finished_at).not.toBeNull()
  }
  const rows = await world.open.platform.db.selectFrom('workers').select(['status', 'task_id']).execute()
  expect(rows).toEqual(Array(workers).fill({ status: 'idle', task_id: null }))
})

it('changes nothing for another attempt, another engine or an illegal step', async () => {
  const [first, second, third] = tasks as [(typeof tasks)[0], (typeof tasks)[0], (typeof tasks)[0]]
  await complete(third, {})
  const moved = await Promise.all([
    complete({ ...first, attempt: first.attempt + 1 }, {}),
    move(world.ctx(), second.id, { fence: { attempt: second.attempt, engineId: 'another' }, to: taskStatus.completed }),
    complete(third, { again: true }),
  ])
  expect(moved).toEqual([undefined, undefined, undefined])
  expect(await statusesOf()).toEqual([3, 3, 10])
})

it('the same task twice is changed once', async () => {
  const [first] = tasks as [(typeof tasks)[0]]
  const moved = await Promise.all([complete(first, { n: 1 }), complete(first, { n: 2 })])
  expect(moved.filter(Boolean).length).toBe(1)
})

it('an output that cannot be stored affects no other task', async () => {
  const outputs = [{ text: 'a' }, { text: 'nul \0 and half \ud800' }, { text: 'c' }]
  await Promise.all(tasks.map((task, n) => complete(task, outputs[n])))
  expect(await statusesOf()).toEqual([10, 10, 10])
})

it('a locked task delays no other task', async () => {
  const [locked, ...others] = tasks as [(typeof tasks)[0], ...(typeof tasks)[0][]]
  let waiting: Promise<unknown> | undefined
  await world.open.platform.db.transaction().execute(async (db) => {
    await db.selectFrom('tasks').select('id').where('id', '=', locked.id).forUpdate().execute()
    const moved = tasks.map((task) => complete(task, {}))
    waiting = moved[0]
    const rows = await Promise.all(moved.slice(1))
    expect(rows.map((row) => row?.status)).toEqual(others.map(() => 10))
  })
  await waiting
  expect(await statusesOf()).toEqual([10, 10, 10])
})
