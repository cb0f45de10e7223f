// Guarantees: a flow-backed app respects `run_at`: until then its task is queued, no worker takes it and canceling it
// prevents the flow; then the flow starts exactly once.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { oneStep, openApp, utilityGraph } from '#automation/flow-runs/testing/given.ts'
import { flowOf } from '#automation/flows/testing/given.ts'
import { startEngine } from '#machines/engines/testing/engine-double.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { run, taskOf } from '../tasks/testing/given.ts'
import { beginDueFlow, flowTaskJob } from './flow-task.ts'

let world: World
let plainApp: string
beforeAll(async () => {
  world = await createWorld()
  plainApp = (await openApp(world)).id
})
afterAll(() => world?.close())

const deployed = async (graph: ReturnType<typeof utilityGraph>) => {
  const flow = await flowOf(world, 'owner', graph)
  return { flow, app: (await world.call('owner', `POST /flows/${flow.id}/app`)).data }
}

const inAnHour = () => new Date(world.clock.now().getTime() + 3_600_000).toISOString()

type Job = { payload: Record<string, unknown>; run_at: string }

const jobsOf = async (taskId: string): Promise<Job[]> => {
  const { rows } = await sql<Job>`
    select j.payload, j.run_at from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = ${flowTaskJob} and j.payload->>'task_id' = ${taskId}`.execute(world.open.platform.db)
  return rows
}

const begin = async (job: Job | undefined) => beginDueFlow(world.open.platform)(job?.payload ?? {})

it('waits for `run_at` and then starts once', async () => {
  const engine = await startEngine(world, { cloud: true })
  const { app } = await deployed(utilityGraph())
  const { id } = await run(world, app, { input: { n: 1 }, run_at: inAnHour() })
  expect(await taskOf(world, id)).toMatchObject({ status: 2, sub_flow_run_id: null })
  const [job] = await jobsOf(id)
  expect(Date.parse(job?.run_at ?? '')).toBe(world.clock.now().getTime() + 3_600_000)

  world.clock.advance(3_600_000)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(engine.received.filter(({ type }) => type === 'task_run')).toEqual([])
  await begin(job)
  const done = await taskOf(world, id)
  expect(done).toMatchObject({ status: 10, output: { total: 2 }, sub_flow_run_id: expect.any(String) })
  expect(done.events?.map(({ status }: { status: number }) => status)).toEqual([1, 2, 7, 10])
  await begin(job)
  expect((await taskOf(world, id)).sub_flow_run_id).toBe(done.sub_flow_run_id)
})

it('a past `run_at` means now', async () => {
  const { app } = await deployed(utilityGraph())
  const { id } = await run(world, app, { input: { n: 1 }, run_at: '2020-01-01T00:00:00Z' })
  expect((await taskOf(world, id)).status).toBe(10)
})

it('a second start while it runs has no effect', async () => {
  const { app } = await deployed(oneStep(plainApp))
  const { id } = await run(world, app, { input: { text: 'x' }, run_at: inAnHour() })
  const [job] = await jobsOf(id)
  await begin(job)
  const running = await taskOf(world, id)
  expect(running).toMatchObject({ status: 7, sub_flow_run_id: expect.any(String) })
  await begin(job)
  expect(await taskOf(world, id)).toMatchObject({ status: 7, sub_flow_run_id: running.sub_flow_run_id })
})

it('canceled before `run_at`, it never starts', async () => {
  const { app } = await deployed(utilityGraph())
  const { id } = await run(world, app, { input: { n: 1 }, run_at: inAnHour() })
  expect((await world.call('owner', `POST /tasks/${id}/cancel`)).data.status).toBe(12)
  await begin((await jobsOf(id))[0])
  expect(await taskOf(world, id)).toMatchObject({ status: 12, sub_flow_run_id: null })
})

it('canceled during its start, either the flow never starts or it is canceled too', async () => {
  const { app } = await deployed(oneStep(plainApp))
  for (let round = 0; round < 10; round += 1) {
    const { id } = await run(world, app, { input: { text: 'x' }, run_at: inAnHour() })
    const [job] = await jobsOf(id)
    await Promise.all([begin(job), world.call('owner', `POST /tasks/${id}/cancel`)])
    const { status, sub_flow_run_id: flowRun } = await taskOf(world, id)
    expect(status).toBe(12)
    if (flowRun) expect((await world.call('owner', `GET /flowruns/${flowRun}`)).data.status).toBe(5)
  }
})

it('a flow that can no longer start fails its task with the reason', async () => {
  const { flow, app } = await deployed(utilityGraph())
  const { id } = await run(world, app, { input: { n: 1 }, run_at: inAnHour() })
  const [job] = await jobsOf(id)
  await world.open.platform.db.deleteFrom('flow_versions').where('flow_id', '=', flow.id).execute()
  await begin(job)
  expect(await taskOf(world, id)).toMatchObject({ status: 11, error: expect.stringContaining('Version not found') })
})

it('has no notice about engines, which it does not need', async () => {
  const { app } = await deployed(utilityGraph())
  const body = { app_id: app.id, input: { n: 1 }, run_at: inAnHour(), infra: 'private_first' }
  const accepted = await world.call('owner', 'POST /run', { body })
  expect(accepted.json.messages).toEqual([])
  expect((await world.call('owner', `GET /tasks/${accepted.data.id}`)).json.messages).toEqual([])
})
