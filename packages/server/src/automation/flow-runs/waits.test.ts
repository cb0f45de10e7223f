// Guarantees: a wait is a row, not a process: it ends at its time also after a restart. A resume URL continues its run
// once, for any sender, and reveals nothing about other runs.
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { from, graphOf, type NodeSpec } from './engine/testing/flow-builder.ts'
import { app, endNode, get, openApp, runGraph } from './testing/given.ts'
import { sweep, wakeNode } from './timers.ts'

let world: World
let appId: string
beforeAll(async () => {
  world = await createWorld()
  appId = (await openApp(world)).id
})
afterAll(() => world?.close())

const out: NodeSpec = { type: 'outputNode', inputs: { answer: from('pause') } }
const paused = (wait: object, more: Record<string, NodeSpec> = {}) =>
  graphOf({ pause: { type: 'wait', data: { wait: wait as never } }, ...more, out })

const urlOf = async (runId: string, nodeId = 'pause'): Promise<string> => {
  const url = (await get(world, runId)).node_waits?.[nodeId]?.url
  if (!url) throw new Error('the node has no URL')
  return url.replace(/^https?:\/\/[^/]+/, '')
}

it('a duration ends when its job runs', async () => {
  const run = await runGraph(world, paused({ mode: 'duration', duration_ms: 60_000 }))
  expect(run.status).toBe(2)
  expect(await get(world, run.id)).toMatchObject({
    node_statuses: { pause: 'running', out: 'pending' },
    node_waits: { pause: { kind: 'time', until: new Date(world.clock.now().getTime() + 60_000).toISOString() } },
  })
  const wake = () => wakeNode(world.open.platform)({ run_id: run.id, node_id: 'pause' })
  await wake()
  expect((await get(world, run.id)).status).toBe(2)
  world.clock.advance(60_000)
  await wake()
  await wake()
  const after = await get(world, run.id)
  expect(after).toMatchObject({ status: 3, node_statuses: { pause: 'completed' } })
  expect(after.node_waits).toBeUndefined()
})

it('a wait whose job was lost is ended by the sweep', async () => {
  const run = await runGraph(world, paused({ mode: 'duration', duration_ms: 60_000 }))
  await sql`delete from graphile_worker._private_jobs where payload->>'run_id' = ${run.id}`.execute(
    world.open.platform.db,
  )
  world.clock.advance(59_000)
  await sweep(world.open.platform)
  expect((await get(world, run.id)).status).toBe(2)
  world.clock.advance(60_000)
  await sweep(world.open.platform)
  expect((await get(world, run.id)).status).toBe(3)
})

it('a resume URL continues its run once with the sent value', async () => {
  const run = await runGraph(world, paused({ mode: 'resume' }))
  const url = await urlOf(run.id)
  const sent = await Promise.all([1, 2].map((n) => world.call(null, `POST ${url}`, { body: { n } })))
  expect(sent.map(({ status }) => status).sort()).toEqual([200, 409])
  const winner = sent.findIndex(({ status }) => status === 200) + 1
  expect(await get(world, run.id)).toMatchObject({ status: 3, output: { answer: { n: winner } } })
})

it('only callers who may run the flow see the URL', async () => {
  const run = await runGraph(world, paused({ mode: 'resume' }))
  expect((await get(world, run.id, 'key:flows:read')).node_waits).toEqual({ pause: { kind: 'resume' } })
  expect((await get(world, run.id, 'member')).node_waits?.pause?.url).toContain(run.id)
})

it('a URL that was not answered continues at the output `timeout`', async () => {
  const late: NodeSpec = app(appId, { after: ['pause:timeout'] })
  const run = await runGraph(world, paused({ mode: 'resume', timeout_ms: 1_000 }, { late }))
  world.clock.advance(1_000)
  await wakeNode(world.open.platform)({ run_id: run.id, node_id: 'pause' })
  expect(await get(world, run.id)).toMatchObject({ node_statuses: { pause: 'completed', late: 'running' } })
  await endNode(world, run.id, 'late', { output: 1 })
  expect((await get(world, run.id)).status).toBe(3)
})

it('a cancelled run does not continue', async () => {
  const run = await runGraph(world, paused({ mode: 'resume' }))
  const url = await urlOf(run.id)
  await world.call('owner', `POST /flowruns/${run.id}/cancel`)
  expect(await world.call(null, `POST ${url}`, { body: {} })).toMatchObject({ status: 409, code: 'already_processed' })
  expect(await get(world, run.id)).toMatchObject({ status: 5, node_statuses: { pause: 'cancelled' } })
})

it('a handled failure of an app completes the run', async () => {
  const run = await runGraph(
    world,
    graphOf({
      step: app(appId, { data: { on_error: 'branch' } }),
      good: app(appId, { after: ['step'] }),
      repair: app(appId, { inputs: { failure: from('step', '', 'error') } }),
      out: { type: 'outputNode', inputs: { repaired: from('repair', 'v') } },
    }),
  )
  await endNode(world, run.id, 'step', { error: 'broken' })
  const between = await get(world, run.id)
  expect(between.node_statuses).toEqual({ step: 'failed', good: 'skipped', repair: 'running', out: 'pending' })
  expect(between.node_tasks.repair?.task).toMatchObject({
    input: { failure: { error: 'broken', code: 'task_failed', node: 'step' } },
  })
  await endNode(world, run.id, 'repair', { output: { v: 'ok' } })
  expect(await get(world, run.id)).toMatchObject({ status: 3, output: { repaired: 'ok' } })
})

type Resumable = { id: string; query: { node: string; token: string } }

const givenWait = async (world: World): Promise<Resumable> => {
  const run = await runGraph(world, paused({ mode: 'resume' }))
  const query = new URL((await get(world, run.id)).node_waits?.pause?.url ?? '').searchParams
  return { id: run.id, query: { node: query.get('node') ?? '', token: query.get('token') ?? '' } }
}

const address = ({ id }: Resumable) => ({ id })
const presented = ({ query }: Resumable) => query

scenarios('flow_runs.resume', givenWait, [
  {
    claim: 'the token continues the run without a credential',
    as: null,
    path: address,
    query: presented,
    body: { approved: true },
    status: 200,
    emits: ['flow_run', 'task', 'tasks', 'team/tasks'],
    check: async ({ data }, { id }, world) => {
      expect(data).toEqual({ success: true })
      expect(await get(world, id)).toMatchObject({ status: 3, output: { answer: { approved: true } } })
    },
  },
  {
    claim: 'a node that no longer waits',
    as: null,
    act: async (world, { id, query }) => {
      const path = `POST /flowruns/${id}/resume?${new URLSearchParams(query)}`
      await world.call(null, path, { body: {} })
      return world.call(null, path, { body: {} })
    },
    status: 409,
    code: 'already_processed',
  },
  {
    claim: 'a wrong token, also of a member',
    as: 'owner',
    path: address,
    query: { node: 'pause', token: 'x'.repeat(43) },
    body: {},
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'the token of another node',
    as: null,
    path: address,
    query: ({ query }) => ({ ...query, node: 'out' }),
    body: {},
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'an unknown run',
    as: null,
    path: { id: '00000000000000000000000000' },
    query: presented,
    body: {},
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'no token',
    as: null,
    path: address,
    query: { node: 'pause' },
    body: {},
    status: 400,
    code: 'validation_error',
  },
])
