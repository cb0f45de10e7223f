// Guarantees: a trigger starts flows like apps: with the payload or its mapping as input, as its owner, within its
// recorded scopes, and the run names the trigger.
import type { Flow } from '@millrace/contract/flows'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { givenAgent, modelApp } from '#agents/agents/testing/given.ts'
import { type As, createWorld, type World } from '../../testing/world.ts'
import { get, utilityGraph } from '../flow-runs/testing/given.ts'
import { flowOf, givenFlow } from '../flows/testing/given.ts'
import { createTrigger, firesOf, givenApp, sendHook, settle, tasksOf } from './testing/given.ts'

let world: World
let flow: Flow
beforeAll(async () => {
  world = await createWorld()
  flow = await flowOf(world, 'owner', utilityGraph())
})
afterAll(() => world.close())

const runsFlow = (body: object = {}, as: As = 'owner') =>
  createTrigger(world, as, { name: 'Sum', type: 'webhook', action: 'run_flow', flow_id: flow.id, ...body })

it('a run started by a webhook is part of the sender’s trace', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const { db } = world.open.platform
  const [model, app] = [await modelApp(world), await givenApp(world)]
  const agent = await givenAgent(world, 'owner', { core_app: { id: model.id } })
  const trigger = (action: string, target: object) =>
    createTrigger(world, 'owner', { name: action, type: 'webhook', action, ...target })
  const flows = await runsFlow()
  const apps = await trigger('run_app', { app_id: app.id })
  const agents = await trigger('run_agent', { agent_id: agent.id })
  for (const one of [flows, apps, agents]) {
    await sendHook(world, one, { n: 1, text: 'hi' }, { traceparent })
    await sendHook(world, one, { n: 1, text: 'hi' })
    await settle(world)
  }
  const traces = async (rows: Promise<{ traceparent: string }[]>) => (await rows).map((row) => row.traceparent).sort()
  const of = (table: 'flow_runs' | 'agent_runs', { id }: { id: string }) =>
    db.selectFrom(table).select('traceparent').where('trigger_id', '=', id).execute()
  expect(await traces(of('flow_runs', flows))).toEqual(['', traceparent])
  expect(await traces(of('agent_runs', agents))).toEqual(['', traceparent])
  expect(await traces(tasksOf(world, apps))).toEqual(['', traceparent])
})

it('a webhook runs the flow with its payload; concurrent deliveries run once each', async () => {
  const trigger = await runsFlow()
  const numbers = Array.from({ length: 20 }, (_, n) => n)
  await Promise.all(numbers.map((n) => sendHook(world, trigger, { n })))
  const fires = await firesOf(world, trigger)
  const runs = await Promise.all(fires.map(({ flow_run_id: id }) => get(world, id ?? '')))
  expect(fires.every(({ status, task_id }) => status === 'success' && task_id === undefined)).toBe(true)
  expect(runs.every((run) => run.status === 3)).toBe(true)
  expect(runs.map((run) => (run.output as { total: number }).total).sort((a, b) => a - b)).toEqual(
    numbers.map((n) => n + 1),
  )
  const rows = await world.open.platform.db
    .selectFrom('flow_runs')
    .select(['trigger_id', 'user_id'])
    .where('trigger_id', '=', trigger.id)
    .execute()
  expect(rows).toHaveLength(20)
  expect(new Set(rows.map((row) => row.user_id))).toEqual(new Set([world.people.owner.userId]))
})

it('a manual fire answers with the run', async () => {
  const trigger = await runsFlow({ type: 'manual', input: { n: 1 } })
  const { data } = await world.call('member', `POST /triggers/${trigger.id}/fire`)
  expect(data).toEqual({ fired: true, flow_run_id: expect.any(String) })
  expect(await get(world, data.flow_run_id)).toMatchObject({ output: { total: 2 } })
})

it.each([
  ['a field of the flow', { input: { n: { connection: { nodeId: 'trigger', key: 'a.b', type: '' } } } }, 8],
  ['a node', { sum: { a: { connection: { nodeId: 'trigger', key: 'a.b', type: '' } }, b: 100 } }, 107],
  ['both', { input: { n: 40 }, one: { unused: 'x' } }, 41],
])('a mapping sets %s', async (_what, input_mapping, total) => {
  const trigger = await runsFlow({ input_mapping })
  await sendHook(world, trigger, { a: { b: 7 } })
  const [fire] = await firesOf(world, trigger)
  expect(await get(world, fire?.flow_run_id ?? '')).toMatchObject({ output: { total } })
})

it('shows the input schema of the flow', async () => {
  const typed = await flowOf(world, 'owner', {
    ...utilityGraph(),
    input_schema: { type: 'object', properties: { n: { type: 'number' } } },
  })
  const trigger = await runsFlow({ flow_id: typed.short_id })
  expect(trigger).toMatchObject({ flow_id: typed.id, input_schema: { properties: { n: { type: 'number' } } } })
})

it('a trigger of a key without the scope to run flows logs that', async () => {
  const trigger = await runsFlow({}, 'key:agents:write,apps:execute')
  await sendHook(world, trigger, { n: 1 })
  expect(await firesOf(world, trigger)).toMatchObject([
    { status: 'error', error: expect.stringContaining('missing scope: flows:execute') },
  ])
})

it('a trigger of a deleted flow logs that; a flow of another workspace is refused', async () => {
  const lost = await givenFlow(world, 'owner')
  const trigger = await runsFlow({ flow_id: lost.id })
  await world.call('owner', `DELETE /flows/${lost.id}`)
  await sendHook(world, trigger, {})
  expect(await firesOf(world, trigger)).toMatchObject([{ status: 'error', error: 'Flow not found' }])
  const foreign = await givenFlow(world, 'stranger')
  const refused = await world.call('owner', 'POST /triggers', {
    body: { name: 'x', type: 'manual', action: 'run_flow', flow_id: foreign.id },
  })
  expect(refused).toMatchObject({ status: 400, code: 'validation_error' })
})
