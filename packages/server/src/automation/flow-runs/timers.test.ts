// Guarantees: a failed attempt is retried when due, and not before. An attempt that exceeds its timeout is ended and
// its task cancelled. The sweep repairs lost steps.

import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { wakeJob } from './commands.ts'
import { from, graphOf } from './engine/testing/flow-builder.ts'
import { timeoutJob } from './start-tasks.ts'
import { app, endNode, get, openApp, runGraph, taskIdOf } from './testing/given.ts'
import { cancelTasks, endAttempt, sweep, wakeNode } from './timers.ts'

let world: World
let appId: string
beforeAll(async () => {
  world = await createWorld()
  appId = (await openApp(world)).id
})
afterAll(() => world?.close())

type Job = { task: string; payload: Record<string, unknown>; runAtMs: number }

/** The waiting jobs of this run, by time. */
const jobsOf = async (runId: string): Promise<Job[]> => {
  const { rows } = await sql<{ task: string; payload: Record<string, unknown>; run_at: string }>`
    select t.identifier as task, j.payload, j.run_at from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where j.payload->>'run_id' = ${runId} order by j.run_at`.execute(world.open.platform.db)
  return rows.map((row) => ({ ...row, runAtMs: Date.parse(row.run_at) }))
}

const runJobs = async (runId: string, name: string): Promise<void> => {
  const handlers: Record<string, (payload: Record<string, unknown>) => Promise<void>> = {
    [wakeJob]: wakeNode(world.open.platform),
    [timeoutJob]: endAttempt(world.open.platform),
  }
  for (const job of await jobsOf(runId)) if (job.task === name) await handlers[name]?.(job.payload)
}

const retried = (data: object) =>
  graphOf({ step: app(appId, { data }), out: { type: 'outputNode', inputs: { x: from('step') } } })

it('a failed attempt is retried after its backoff, with the same input, until it succeeds', async () => {
  const run = await runGraph(world, retried({ retry: { attempts: 3, backoff_ms: 1_000, factor: 10 } }))
  const first = await taskIdOf(world, run.id, 'step')
  await endNode(world, run.id, 'step', { error: 'once' })
  expect(await get(world, run.id)).toMatchObject({ status: 2, node_statuses: { step: 'ready' } })
  const [wake] = await jobsOf(run.id)
  expect(wake?.runAtMs).toBe(world.clock.now().getTime() + 1_000)

  await runJobs(run.id, wakeJob)
  expect((await get(world, run.id)).node_statuses?.step).toBe('ready')
  world.clock.advance(1_000)
  await runJobs(run.id, wakeJob)
  await runJobs(run.id, wakeJob)
  const second = await taskIdOf(world, run.id, 'step')
  expect(second).not.toBe(first)
  expect((await get(world, run.id)).node_statuses?.step).toBe('running')

  await endNode(world, run.id, 'step', { error: 'twice' })
  const jobs = await jobsOf(run.id)
  expect(jobs.at(-1)?.runAtMs).toBe(world.clock.now().getTime() + 10_000)
  world.clock.advance(10_000)
  await runJobs(run.id, wakeJob)
  await endNode(world, run.id, 'step', { output: 'third' })
  expect(await get(world, run.id)).toMatchObject({ status: 3, output: { x: 'third' } })
})

it('the last attempt decides', async () => {
  const run = await runGraph(world, retried({ retry: { attempts: 2, backoff_ms: 0 } }))
  await endNode(world, run.id, 'step', { error: 'once' })
  await runJobs(run.id, wakeJob)
  await endNode(world, run.id, 'step', { error: 'twice' })
  expect(await get(world, run.id)).toMatchObject({ status: 4, error: expect.stringContaining('twice') })
})

it('a task that cannot start counts as an attempt', async () => {
  const run = await runGraph(world, retried({ app_id: 'gone', retry: { attempts: 2, backoff_ms: 5 } }))
  expect((await get(world, run.id)).node_statuses?.step).toBe('ready')
  world.clock.advance(5)
  await runJobs(run.id, wakeJob)
  expect(await get(world, run.id)).toMatchObject({ status: 4, error: expect.stringContaining('App not found') })
})

it('an attempt that exceeds its timeout is ended, and its task cancelled', async () => {
  const run = await runGraph(world, retried({ timeout_ms: 60_000 }))
  const taskId = await taskIdOf(world, run.id, 'step')
  await runJobs(run.id, timeoutJob)
  expect((await get(world, run.id)).status).toBe(2)
  world.clock.advance(60_000)
  await runJobs(run.id, timeoutJob)
  expect(await get(world, run.id)).toMatchObject({
    status: 4,
    error: expect.stringContaining('timed out after 60000 ms'),
  })
  await cancelTasks(world.open.platform)({ run_id: run.id })
  expect((await world.call('owner', `GET /tasks/${taskId}`)).data.status).toBe(12)
})

it('a timeout cancels only its own attempt', async () => {
  const run = await runGraph(world, retried({ timeout_ms: 1_000, retry: { attempts: 2, backoff_ms: 0 } }))
  const first = await taskIdOf(world, run.id, 'step')
  world.clock.advance(1_000)
  await runJobs(run.id, timeoutJob)
  await runJobs(run.id, wakeJob)
  const second = await taskIdOf(world, run.id, 'step')
  await cancelTasks(world.open.platform)({ run_id: run.id })
  expect((await world.call('owner', `GET /tasks/${first}`)).data.status).toBe(12)
  expect((await world.call('owner', `GET /tasks/${second}`)).data.status).toBe(2)
  expect((await get(world, run.id)).node_statuses?.step).toBe('running')
  await endNode(world, run.id, 'step', { output: 1 })
  expect((await get(world, run.id)).status).toBe(3)
})

it('an attempt that ended in time has no timer', async () => {
  const run = await runGraph(world, retried({ timeout_ms: 1_000 }))
  await endNode(world, run.id, 'step', { output: 1 })
  world.clock.advance(5_000)
  await runJobs(run.id, timeoutJob)
  expect((await get(world, run.id)).status).toBe(3)
})

it('a retry waits in the database, not in the process', async () => {
  const run = await runGraph(world, retried({ retry: { attempts: 2, backoff_ms: 1_000 } }))
  await endNode(world, run.id, 'step', { error: 'once' })
  await sql`delete from graphile_worker._private_jobs where payload->>'run_id' = ${run.id}`.execute(
    world.open.platform.db,
  )
  await sweep(world.open.platform)
  expect((await get(world, run.id)).node_statuses?.step).toBe('ready')
  world.clock.advance(60_000)
  await sweep(world.open.platform)
  expect((await get(world, run.id)).node_statuses?.step).toBe('running')
})

it('the sweep delivers lost results and cancels tasks that outlived their run', async () => {
  const { db } = world.open.platform
  const lost = await runGraph(world, retried({}))
  const taskId = await taskIdOf(world, lost.id, 'step')
  await db.updateTable('tasks').set({ status: 10, output: '{"found":true}' }).where('id', '=', taskId).execute()
  const gone = await runGraph(world, retried({}))
  await db
    .deleteFrom('tasks')
    .where('id', '=', await taskIdOf(world, gone.id, 'step'))
    .execute()
  const late = await runGraph(world, retried({ timeout_ms: 1 }))
  const outlived = await runGraph(world, retried({}))
  await world.call('owner', `POST /flowruns/${outlived.id}/cancel`)
  const waiting = await runGraph(world, retried({}))

  await sweep(world.open.platform)
  expect((await get(world, lost.id)).status).toBe(2)
  world.clock.advance(60_000)
  await sweep(world.open.platform)
  expect(await get(world, lost.id)).toMatchObject({ status: 3, output: { x: { found: true } } })
  expect(await get(world, gone.id)).toMatchObject({ status: 4, error: expect.stringContaining('the task is gone') })
  expect(await get(world, late.id)).toMatchObject({ status: 4, error: expect.stringContaining('timed out') })
  expect((await get(world, outlived.id)).node_tasks.step?.task).toMatchObject({ status: 12 })
  expect(await get(world, waiting.id)).toMatchObject({ status: 2, node_statuses: { step: 'running' } })
})
