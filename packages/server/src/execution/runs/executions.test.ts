// Guarantees: a workspace executes exactly as many tasks per month as its plan allows, from any origin. Refused
// and rolled-back runs do not count, nor do tasks that only represent other work. Members see the count.
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { plansFeature } from '#accounts/plans/feature.ts'
import { setEntitlement } from '#accounts/plans/service.ts'
import { from, graphOf } from '#automation/flow-runs/engine/testing/flow-builder.ts'
import { app, endNode, get, runGraph } from '#automation/flow-runs/testing/given.ts'
import { isFailure } from '#platform/core/errors.ts'
import { retentionRules } from '#platform/db/retention-rules.ts'
import { scenarios } from '../../testing/scenarios.ts'
import { transactionsOf } from '../../testing/statements.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { ctxAs } from '../apps/testing/given.ts'
import { givenApp } from '../tasks/testing/given.ts'
import { startRuns } from './run-batch.ts'

const limit = async (world: World, to: number | null, enforcement: 'block' | 'warn' = 'block') => {
  await setEntitlement(world.ctx(), world.team.id, 'task_executions', to, { enforcement })
}

const forget = (world: World) => sql`delete from task_execution_counts`.execute(world.open.platform.db)

const given = async (world: World) => {
  await forget(world)
  await limit(world, 2)
  const app = await givenApp(world)
  const body = { app_id: app.id, input: { text: 'hi' } }
  for (let many = 0; many < 2; many++) expect((await world.call('owner', 'POST /run', { body })).status).toBe(200)
  return body
}

type Body = Awaited<ReturnType<typeof given>>

scenarios('tasks.run', given, [
  {
    claim: 'a run above the monthly limit',
    as: 'owner',
    body: (body: Body) => body,
    status: 402,
    code: 'limit_exceeded',
    check: async ({ json }, { app_id: id }, world) => {
      expect(json.meta).toEqual({
        resource: 'task_executions',
        resource_label: 'Task runs per month',
        limit: 2,
        current: 2,
        upgrade_available: false,
      })
      const { data } = await world.call('owner', 'GET /entitlements/usage')
      expect(data.find(({ resource }: { resource: string }) => resource === 'task_executions')).toEqual({
        resource: 'task_executions',
        label: 'Task runs per month',
        type: 'limit',
        enabled: true,
        unlimited: false,
        limit: 2,
        current: 2,
        enforcement: 'block',
      })
      const { db } = world.open.platform
      expect(await db.selectFrom('tasks').select('id').where('app_id', '=', id).execute()).toHaveLength(2)
    },
  },
  {
    claim: 'a plan without task runs',
    as: 'owner',
    act: async (world, body) => {
      await limit(world, 0)
      return world.call('owner', 'POST /run', { body })
    },
    status: 403,
    code: 'feature_not_available',
    audits: ['entitlement.set'],
    check: ({ json }) => expect(json.meta).toMatchObject({ resource: 'task_executions', limit: 0, current: 2 }),
  },
])

let world: World
let appId: string

beforeAll(async () => {
  world = await createWorld({ settings: { RATE_LIMIT_RUN: '0' } })
  appId = (await givenApp(world)).id
})
afterAll(() => world?.close())

const month = () => `${world.clock.now().toISOString().slice(0, 7)}-01`

const limitTo = (to: number | null, enforcement?: 'block' | 'warn') => limit(world, to, enforcement)

beforeEach(() => forget(world))

const run = (body: object = {}) =>
  world.call('key:apps:execute', 'POST /run', { body: { app_id: appId, input: { text: 'hi' }, ...body } })

const usage = async () => {
  const { data } = await world.call('key:apps:execute', 'GET /entitlements/usage')
  return data.find(({ resource }: { resource: string }) => resource === 'task_executions')
}

it('of many concurrent runs, exactly the allowed number is accepted', async () => {
  await limitTo(5)
  const answers = await Promise.all(Array.from({ length: 12 }, () => run()))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
  expect(answers.filter(({ code }) => code === 'limit_exceeded')).toHaveLength(7)
  expect((await usage()).current).toBe(5)
})

it('a batch, as triggers, flows and agents start them, stops at the limit', async () => {
  await limitTo(2)
  const inputs = [{ text: 'a' }, { text: 1 }, { text: 'b' }, { text: 'c' }]
  const start = () =>
    ctxAs(world, 'owner').tx((ctx) =>
      startRuns(
        ctx,
        { app_id: appId },
        inputs.map((input) => ({ input })),
      ),
    )
  const first = await start()
  expect(first.map((one) => (isFailure(one) ? one.code : 'started'))).toEqual([
    'started',
    'validation_error',
    'started',
    'limit_exceeded',
  ])
  const [alone] = await ctxAs(world, 'owner').tx((ctx) => startRuns(ctx, { app_id: appId }, [{ input: { text: 'd' } }]))
  expect(isFailure(alone) && alone.code).toBe('limit_exceeded')
})

it('for a flow, the tasks of its nodes count and the task of the flow does not; a node above the limit fails with the reason', async () => {
  await limitTo(1)
  const chained = graphOf({
    in: { type: 'inputNode' },
    first: app(appId, { inputs: { text: from('in', 'text') } }),
    second: app(appId, { inputs: { text: from('first', 'text') } }),
  })
  const flowRun = await runGraph(world, chained, { input: { text: 'hi' } })
  expect((await usage()).current).toBe(1)
  await endNode(world, flowRun.id, 'first', { output: { text: 'ho' } })
  expect((await get(world, flowRun.id)).error).toContain('allows 1 (Task runs per month)')
  expect((await usage()).current).toBe(1)
})

it('a run refused for another reason does not count', async () => {
  await limitTo(1)
  const bad = await run({ input: { text: 1 } })
  const nowhere = await run({ workers: ['nobody-cpu-0'], infra: 'private' })
  expect([bad.code, nowhere.code]).toEqual(['validation_error', 'no_capacity'])
  expect((await usage()).current).toBe(0)
  expect((await run()).status).toBe(200)
})

it('with enforcement `warn`, runs are accepted with a warning', async () => {
  await limitTo(1, 'warn')
  const warnings = async () => {
    const { status, json } = await run()
    expect(status).toBe(200)
    return (json.messages as { code: string }[]).filter(({ code }) => code === 'limit_exceeded')
  }
  expect(await warnings()).toEqual([])
  expect(await warnings()).toMatchObject([{ level: 'warning', meta: { limit: 1, current: 1 } }])
  expect((await usage()).current).toBe(2)
})

it('without a limit, a run needs no transaction and is counted within a second; a later limit includes it', async () => {
  await limitTo(null)
  await run()
  expect(await transactionsOf(() => run())).toEqual([])
  expect((await run({ input: { text: 1 } })).status).toBe(400)
  await expect.poll(async () => (await usage()).current, { timeout: 60_000, interval: 100 }).toBe(2)
  await limitTo(2)
  expect((await run()).code).toBe('limit_exceeded')
})

const toNextMonth = () => {
  const now = world.clock.now()
  world.clock.advance(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - now.getTime())
}

it('a limit set by staff applies immediately', async () => {
  await limitTo(null)
  expect((await run()).status).toBe(200)
  // Waits until the run is counted, so that it does not count in another test.
  await expect.poll(async () => (await usage()).current).toBe(1)
  const route = `PUT /workspaces/${world.team.id}/limits/task_executions`
  expect((await world.call('platform', route, { body: { limit: 0 } })).status).toBe(200)
  expect(await run()).toMatchObject({ status: 403, code: 'feature_not_available' })
})

it('a new month starts at zero, and the counts of old months are deleted', async () => {
  await limitTo(1)
  expect([(await run()).status, (await run()).status]).toEqual([200, 402])
  const before = month()
  toNextMonth()
  expect((await usage()).current).toBe(0)
  expect((await run()).status).toBe(200)
  const months = async () =>
    (await world.open.platform.db.selectFrom('task_execution_counts').select('month').orderBy('month').execute()).map(
      (row) => row.month,
    )
  const sweep = plansFeature.crons?.(world.open.platform).find(({ name }) => name === 'plans.forget')
  await sweep?.handler(null as never)
  expect(await months()).toEqual([before, month()])
  toNextMonth()
  await sweep?.handler(null as never)
  expect(await months()).not.toContain(before)
  expect(retentionRules.task_execution_counts.kind).toBe('swept')
})
