// Guarantees: a run's stream sends the run on connect, after every step and at its end. The stream of its tasks sends
// each task, every change, and ends with the run. Runs are started in batches in which a refusal does not affect
// others.

import { taskStatus } from '@millrace/contract/task-status'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { move } from '#execution/tasks/service.ts'
import { guest } from '#platform/core/actor.ts'
import { createCtx } from '#platform/core/ctx.ts'
import { isFailure } from '#platform/core/errors.ts'
import { runActor } from '#platform/core/run-actor.ts'
import { readStream } from '../../testing/read-stream.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { flowOf } from '../flows/testing/given.ts'
import { from, graphOf } from './engine/testing/flow-builder.ts'
import { startFlowRuns } from './service.ts'
import { app, endNode, get, openApp, runGraph, taskIdOf, utilityGraph } from './testing/given.ts'

let world: World
let appId: string
let origin: string
beforeAll(async () => {
  world = await createWorld()
  appId = (await openApp(world)).id
  origin = await world.listen()
})
afterAll(() => world?.close())

const open = async (path: string) =>
  readStream(`${origin}${path}`, { authorization: `Bearer ${await world.token('owner')}`, 'x-team-id': world.team.id })

const twoSteps = () =>
  graphOf({
    a: app(appId),
    b: app(appId, { inputs: { x: from('a', 'x') } }),
    out: { type: 'outputNode', inputs: { x: from('b', 'x') } },
  })

it('a run step by step to its end', async () => {
  const run = await runGraph(world, twoSteps())
  const stream = await open(`/flowruns/${run.id}/stream`)
  expect(await stream.next()).toMatchObject({ event: 'update', id: '1', data: { id: run.id, status: 2 } })
  await endNode(world, run.id, 'a', { output: { x: 1 } })
  const next = await stream.next()
  expect(next).toMatchObject({
    event: 'update',
    id: '2',
    data: { status: 2, node_tasks: { a: {}, b: { task: null } } },
  })
  expect(next?.data).not.toHaveProperty('node_statuses')
  await endNode(world, run.id, 'b', { output: { x: 2 } })
  expect(await stream.rest()).toMatchObject([
    { event: 'update', id: '3', data: { status: 3, output: { x: 2 } } },
    { event: 'done', data: {} },
  ])
})

it('the tasks of a run with every change, to the end of the run', async () => {
  const run = await runGraph(world, twoSteps())
  const stream = await open(`/flowruns/${run.id}/tasks/stream`)
  const first = await taskIdOf(world, run.id, 'a')
  expect(await stream.next()).toMatchObject({ event: 'update', data: { id: first, status: 2, flow_run_id: run.id } })
  await move(createCtx(world.open.platform, guest), first, { fence: null, to: taskStatus.running })
  expect(await stream.next()).toMatchObject({
    event: 'update',
    data: { data: { id: first, status: 7 }, fields: expect.arrayContaining(['status']) },
  })
  await endNode(world, run.id, 'a', { output: { x: 1 } })
  const second = await taskIdOf(world, run.id, 'b')
  await endNode(world, run.id, 'b', { output: { x: 2 } })
  const rest = await stream.rest()
  expect(rest.at(-1)).toMatchObject({ event: 'done' })
  const last = new Map(rest.slice(0, -1).map(({ data }) => [data.id ?? data.data.id, data.status ?? data.data.status]))
  expect(last).toEqual(
    new Map([
      [first, 10],
      [second, 10],
    ]),
  )
})

it('tasks look as in their own streams, with their logs; the ids of events only grow', async () => {
  const run = await runGraph(world, graphOf({ a: app(appId), b: app(appId) }))
  const [first, second] = [await taskIdOf(world, run.id, 'a'), await taskIdOf(world, run.id, 'b')]
  await world.open.platform.db
    .insertInto('task_log_chunks')
    .values({ task_id: first, log_type: 3, content: 'hello' })
    .execute()
  const stream = await open(`/flowruns/${run.id}/tasks/stream`)
  const shown = [await stream.next(), await stream.next()]
  expect(new Map(shown.map((event) => [event?.data.id, event?.data.logs]))).toEqual(
    new Map([
      [first, [expect.objectContaining({ log_type: 3, content: Buffer.from('hello').toString('base64') })]],
      [second, []],
    ]),
  )
  await endNode(world, run.id, 'a', { output: { x: 1 } })
  await endNode(world, run.id, 'b', { error: 'broken' })
  const rest = await stream.rest()
  const ids = [...shown, ...rest].map((event) => Number(event?.id))
  expect(ids).toEqual([...ids].sort((a, b) => a - b))
  // A reader of only a part of the first events starts again from the beginning.
  expect(shown.map((event) => event?.id)).toEqual(['0', '4'])
  const { data } = await world.call('owner', `GET /tasks/${first}`)
  const again = await world.call('owner', `GET /flowruns/${run.id}/tasks/stream`)
  expect(again.text).toContain(`"logs":${JSON.stringify(data.logs)}`)
  // A resumed reader gets no lower id.
  const resumed = await world.call('owner', `GET /flowruns/${run.id}/tasks/stream`, { query: { last_event_id: '4' } })
  expect(resumed.text.match(/^id: \d+$/gm)).toEqual(['id: 4', `id: ${ids.at(-1)}`, `id: ${ids.at(-1)}`])
})

it('many runs at once: each ends by itself, and a refusal does not affect others', async () => {
  const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
  const flow = await flowOf(world, 'owner', { ...utilityGraph(), input_schema: schema })
  const actor = runActor({
    id: 'trigger',
    team_id: world.team.id,
    user_id: world.people.owner.userId,
    run_as: { kind: 'everything' },
  })
  const inputs = [{ n: 1 }, {}, { n: 2 }, { n: 'x' }, { n: 3 }].map((input) => ({ input }))
  const request = { flowId: flow.id, triggerId: 'trigger-1' }
  const runs = await createCtx(world.open.platform, actor).tx((ctx) => startFlowRuns(ctx, request, inputs))
  expect(runs.map((run) => (isFailure(run) ? run.code : run.output))).toEqual([
    { total: 2 },
    'validation_error',
    { total: 3 },
    'validation_error',
    { total: 4 },
  ])
  const [first] = runs
  if (!first || isFailure(first)) throw new Error('no run')
  expect(await get(world, first.id)).toMatchObject({ status: 3, trigger_id: 'trigger-1', output: { total: 2 } })

  const waiting = await flowOf(world, 'owner', twoSteps())
  const started = await createCtx(world.open.platform, actor).tx((ctx) =>
    startFlowRuns(ctx, { flowId: waiting.id }, [{ input: {} }, { input: {} }]),
  )
  for (const run of started) expect(run).toMatchObject({ status: 2 })
  const refused = await createCtx(world.open.platform, actor).tx((ctx) =>
    startFlowRuns(ctx, { flowId: 'no' }, [{ input: {} }]),
  )
  expect(refused.map((run) => isFailure(run, 'not_found'))).toEqual([true])
})
