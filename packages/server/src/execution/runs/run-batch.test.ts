// Guarantees: runs started as a batch equal single runs: a refused run does not affect the others, and each gets its
// additional resources (such as the socket of a stream function).
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isFailure } from '#platform/core/errors.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { ctxAs } from '../apps/testing/given.ts'
import { givenApp, taskOf } from '../tasks/testing/given.ts'
import { startRuns } from './run-batch.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const schema = { type: 'object', properties: { n: { type: 'integer' } } }
const start = (appId: string, inputs: readonly Record<string, unknown>[]) =>
  ctxAs(world, 'owner').tx((ctx) =>
    startRuns(
      ctx,
      { app_id: appId },
      inputs.map((input) => ({ input })),
    ),
  )

it.each(['run', 'stream'])('functions of kind %s: starts all but the refused runs, in order', async (kind) => {
  const app = await givenApp(world, { functions: { run: { name: 'run', kind, input_schema: schema } } })
  const [first, second, third] = await start(app.id, [{ n: 1 }, { n: 'two' }, { n: 3 }])
  expect(isFailure(second) && second.code).toBe('validation_error')
  for (const [id, n] of [
    [String(first), 1],
    [String(third), 3],
  ] as const)
    expect(await taskOf(world, id)).toMatchObject({ status: 2, input: { n } })
})

it('every run of a stream function has its socket', async () => {
  const app = await givenApp(world, { functions: { run: { name: 'run', kind: 'stream', input_schema: schema } } })
  const ids = await start(app.id, [{ n: 1 }, { n: 2 }])
  for (const id of ids) {
    const { data } = await world.call('owner', 'POST /sockets/list', {
      body: { filters: [{ field: 'task_id', operator: 'eq', value: String(id) }] },
    })
    expect(data.items).toMatchObject([{ task_id: id, status: 'pending' }])
  }
})

it('an app that cannot run refuses all of them', async () => {
  const answers = await start('0'.repeat(26), [{}, {}])
  expect(answers.map((one) => isFailure(one) && one.code)).toEqual(['not_found', 'not_found'])
})

it('a priced run that is refused after the reservation costs nothing, and the others keep their reservations', async () => {
  const app = await givenApp(world)
  const pricing = { prices: { run: 10 }, total_expression: 'prices.run' }
  await world.call('platform', `PUT /store/apps/${app.id}/pricing`, { body: pricing })
  await world.call('platform', 'POST /billing/grants', { body: { team_id: world.team.id, amount: 100 } })
  const request = { app_id: app.id, workers: ['nobody-cpu-0'] }
  const [refused] = await ctxAs(world, 'owner').tx((ctx) => startRuns(ctx, request, [{ input: { text: 'hi' } }]))
  expect(isFailure(refused) && refused.code).toBe('no_capacity')
  const started = await start(app.id, [{ text: 'hi' }, { text: 'hi' }])
  expect(started.filter((one) => isFailure(one))).toEqual([])
  expect((await world.call('owner', 'GET /billing')).data.balance).toBe(80)
})
