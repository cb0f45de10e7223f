// Guards: many runs started together are what each would be alone: a refusal leaves the others, and what a run needs
// besides its row (the socket of a stream function) is there for every one.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ctxAs } from '../apps/testing/given.ts'
import { isFailure } from '../core/errors.ts'
import { givenApp, taskOf } from '../tasks/testing/given.ts'
import { createWorld, type World } from '../testing/world.ts'
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

it.each(['run', 'stream'])('of a function of kind %s: all but the refused, in their order', async (kind) => {
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

it('an app that cannot be run refuses all of them', async () => {
  const answers = await start('0'.repeat(26), [{}, {}])
  expect(answers.map((one) => isFailure(one) && one.code)).toEqual(['not_found', 'not_found'])
})
