// Guarantees: concurrent ends of nodes, concurrent failures and cancellation leave one consistent run: later nodes
// start once, no run waits forever, and there are no deadlocks. Also for wide and long graphs.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { from, graphOf } from './engine/testing/flow-builder.ts'
import { app, endTask, get, openApp, runGraph } from './testing/given.ts'
import { cancelLeftovers } from './timers.ts'

let world: World
let appId: string
beforeAll(async () => {
  world = await createWorld()
  appId = (await openApp(world)).id
})
afterAll(() => world?.close())

const names = (width: number) => Array.from({ length: width }, (_, index) => `n${index}`)

const fan = (width: number) => {
  const branches = names(width)
  return graphOf({
    in: { type: 'inputNode' },
    ...Object.fromEntries(branches.map((id) => [id, app(appId, { after: ['in'] })])),
    join: app(appId, { inputs: Object.fromEntries(branches.map((id) => [id, from(id, 'v')])) }),
    out: { type: 'outputNode', inputs: { joined: from('join') } },
  })
}

const tasksOf = async (runId: string): Promise<string[]> =>
  Object.entries((await get(world, runId)).node_tasks).flatMap(([id, node]) => (id === 'join' ? [] : [node.task_id]))

const countTasks = async (runId: string): Promise<number> => {
  const rows = await world.open.platform.db.selectFrom('tasks').select('id').where('flow_run_id', '=', runId).execute()
  return rows.length
}

it('a fan of 100 that ends at once starts its join once, with all results', async () => {
  const run = await runGraph(world, fan(100))
  const tasks = await tasksOf(run.id)
  await Promise.all(tasks.map((taskId) => endTask(world, taskId, { output: { v: 1 } })))
  const joined = await get(world, run.id)
  expect(joined.node_tasks.join?.task).toMatchObject({ input: Object.fromEntries(names(100).map((id) => [id, 1])) })
  expect(await countTasks(run.id)).toBe(101)
  await endTask(world, joined.node_tasks.join?.task_id ?? '', { output: 'all' })
  expect(await get(world, run.id)).toMatchObject({ status: 3, output: { joined: 'all' } })
})

it('a repeated result counts once', async () => {
  const run = await runGraph(world, fan(2))
  const [first = '', second = ''] = await tasksOf(run.id)
  await Promise.all([first, first, first].map((taskId) => endTask(world, taskId, { output: { v: 1 } })))
  await endTask(world, second, { output: { v: 2 } })
  expect(await countTasks(run.id)).toBe(3)
})

it.each([1, 2, 3, 4, 5])('concurrent failures fail the run once (%i)', async () => {
  const run = await runGraph(world, fan(10))
  const tasks = await tasksOf(run.id)
  await Promise.all([
    ...tasks.map((taskId, index) => endTask(world, taskId, index % 2 ? { error: 'no' } : { output: { v: 1 } })),
    cancelLeftovers(world.ctx(), run.id),
  ])
  await cancelLeftovers(world.ctx(), run.id)
  const after = await get(world, run.id)
  expect(after.status).toBe(4)
  expect(Object.values(after.node_statuses ?? {})).not.toContain('running')
  for (const { task } of Object.values(after.node_tasks)) expect((task as { status: number }).status).toBeGreaterThan(9)
})

it.each([1, 2, 3, 4, 5])('a cancel among the ends is final (%i)', async () => {
  const run = await runGraph(world, fan(10))
  const tasks = await tasksOf(run.id)
  await Promise.all([
    ...tasks.slice(0, 5).map((taskId) => endTask(world, taskId, { output: { v: 1 } })),
    world.call('owner', `POST /flowruns/${run.id}/cancel`),
    world.call('owner', `POST /tasks/${run.task_id}/cancel`),
    ...tasks.slice(5).map((taskId) => endTask(world, taskId, { output: { v: 1 } })),
  ])
  await cancelLeftovers(world.ctx(), run.id)
  const after = await get(world, run.id)
  expect(after.status).toBe(5)
  expect(Object.values(after.node_statuses ?? {})).not.toContain('running')
  const parent = await world.call('owner', `GET /tasks/${run.task_id}`)
  expect(parent.data.status).toBe(12)
})

it('a thousand utility nodes in a row are one step', async () => {
  const length = 1_000
  const nodes = Object.fromEntries(
    Array.from({ length }, (_, index) => [
      `u${index}`,
      {
        type: 'utility' as const,
        data: { utility: { expression: 'input.n + 1' } },
        inputs: { n: index === 0 ? 0 : from(`u${index - 1}`) },
      },
    ]),
  )
  const run = await runGraph(
    world,
    graphOf({ ...nodes, out: { type: 'outputNode', inputs: { n: from(`u${length - 1}`) } } }),
  )
  expect(run).toMatchObject({ status: 3, output: { n: length } })
  const { data: events } = await world.call('owner', `GET /flowruns/${run.id}/events`, {
    query: { after: '999', limit: '5000' },
  })
  expect(events.at(-1)).toMatchObject({ seq: length + 3, event: { type: 'run_completed' } })
})

it('each step of a long run writes only changes', async () => {
  const length = 20
  const nodes = Object.fromEntries(
    Array.from({ length }, (_, index) => [`s${index}`, app(appId, { after: index === 0 ? [] : [`s${index - 1}`] })]),
  )
  const run = await runGraph(world, graphOf(nodes))
  for (let index = 0; index < length; index += 1) {
    const { node_tasks } = await get(world, run.id)
    await endTask(world, node_tasks[`s${index}`]?.task_id ?? '', { output: { index } })
  }
  expect((await get(world, run.id)).status).toBe(3)
  const { rows } = await world.open.database.pool.query<{ steps: number; written: number }>(
    `select (select count(*)::int from flow_run_events where run_id = $1) as steps,
      (select sum(json_array_length(events))::int from flow_run_events where run_id = $1) as written`,
    [run.id],
  )
  // The start of the run, start and end of each node, and the end of the run.
  expect(rows[0]).toEqual({ steps: length + 1, written: 2 * length + 2 })
})
