// Guarantees: a run is checked in the order of [runs 1], its row is written before the answer, and the answer never
// shows it as finished.
import { taskStatus } from '@millrace/contract/task-status'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startEngine } from '#machines/engines/testing/engine-double.ts'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { deploy, echoVersion } from '../apps/testing/given.ts'
import { finish, givenApp, givenTasks, run, taskOf, unknownId } from '../tasks/testing/given.ts'

const given = async (world: World) => {
  const app = await givenApp(world)
  const closed = await givenApp(world)
  const retired = await givenApp(world)
  await world.open.platform.db.updateTable('apps').set({ status: 'maintenance' }).where('id', '=', closed.id).execute()
  await world.open.platform.db.updateTable('apps').set({ status: 'retired' }).where('id', '=', retired.id).execute()
  const other = await givenApp(world)
  const needy = await givenApp(world, { ...echoVersion, required_secrets: [{ key: 'PRESS_KEY' }] })
  const session = await run(world, app, { session: 'new' })
  const over = await run(world, app, { session: 'new' })
  await world.call('owner', `DELETE /sessions/${over.session_id}`)
  const idle = await run(world, app, { session: 'new', session_timeout: 1 })
  await finish(world, idle.id)
  return {
    app,
    closed,
    retired,
    other,
    needy,
    session: session.session_id,
    ended: over.session_id,
    idle: idle.session_id,
    engine: await startEngine(world),
  }
}

type Given = Awaited<ReturnType<typeof given>>
const body =
  (extra: object = {}) =>
  ({ app }: Given) => ({ app_id: app.id, input: { text: 'hi' }, ...extra })

scenarios('tasks.run', given, [
  {
    claim: 'an app by its name',
    as: 'member',
    body: ({ app }: Given) => ({ app: `mill/${app.name}`, input: { text: 'hi' } }),
    status: 200,
    emits: ['tasks'],
  },
  {
    claim: 'is accepted as queued',
    as: 'member',
    body: body({ metadata: { action: { key: 'a', on: 'b' } } }),
    status: 200,
    emits: ['tasks'],
    check: async ({ data }, _given, world) => {
      expect(data).toMatchObject({ status: 2, status_text: 'queued', output: null })
      expect(data).not.toHaveProperty('socket')
      expect((await taskOf(world, data.id)).events.map(({ status }) => status)).toEqual([1, 2])
    },
  },
  {
    claim: 'the older address behaves the same',
    as: 'owner',
    route: 'POST /run',
    body: body(),
    status: 200,
    emits: ['tasks'],
  },
  {
    claim: 'a specific function',
    as: 'owner',
    body: ({ app }: Given) => ({ app: `mill/${app.name}:count`, input: {} }),
    status: 200,
    emits: ['tasks'],
  },
  {
    claim: 'live fields of the schema are neither required nor accepted',
    as: 'owner',
    act: async (world) => {
      const audio = { type: 'array', format: 'stream', items: { type: 'string', format: 'binary' } }
      const schema = { type: 'object', properties: { audio, text: { type: 'string' } }, required: ['audio'] }
      const app = await givenApp(world, { functions: { run: { input_schema: schema } } })
      const without = await run(world, app, { input: { text: 'hi' } })
      expect((await taskOf(world, without.id)).input).toEqual({ text: 'hi' })
      return world.call('owner', 'POST /run', { body: { app_id: app.id, input: { text: 'hi', audio: ['AAAA'] } } })
    },
    status: 200,
    check: async ({ data }, _given, world) => expect((await taskOf(world, data.id)).input).toEqual({ text: 'hi' }),
  },
  { claim: 'an unknown app', as: 'owner', body: { app_id: unknownId, input: {} }, status: 404, code: 'not_found' },
  ...[{ app: 'x'.repeat(301) }, { app_id: 'x'.repeat(65) }].map((named) => ({
    claim: `an overlong name that cannot exist: ${Object.keys(named)}`,
    as: 'owner' as const,
    body: { ...named, input: {} },
    status: 404,
    code: 'not_found',
  })),
  { claim: 'a long version', as: 'owner', body: body({ version_id: 'x'.repeat(65) }), status: 404, code: 'not_found' },
  { claim: 'an app of another workspace', as: 'stranger', body: body(), status: 404, code: 'not_found' },
  { claim: 'both `app` and `app_id`', as: 'owner', body: body({ app: 'a/b' }), status: 400, code: 'invalid_request' },
  {
    claim: 'under maintenance',
    as: 'owner',
    body: ({ closed }: Given) => ({ app_id: closed.id, input: {} }),
    status: 503,
    code: 'app_maintenance',
  },
  {
    claim: 'retired',
    as: 'owner',
    body: ({ retired }: Given) => ({ app_id: retired.id, input: {} }),
    status: 410,
    code: 'app_retired',
  },
  {
    claim: 'the status of the app is checked before the input',
    as: 'owner',
    body: ({ retired }: Given) => ({ app_id: retired.id, input: { text: 1 }, session: unknownId }),
    status: 410,
    code: 'app_retired',
  },
  {
    claim: 'missing requirements are reported before the input',
    as: 'owner',
    body: ({ needy }: Given) => ({ app_id: needy.id, input: { text: 1 } }),
    status: 412,
    code: 'requirements_not_met',
    check: ({ json }) =>
      expect(json).toMatchObject({ satisfied: false, errors: [{ type: 'secret', key: 'PRESS_KEY' }] }),
  },
  {
    claim: 'an invalid input field is named',
    as: 'owner',
    body: body({ input: { text: 7 } }),
    status: 400,
    code: 'validation_error',
    check: ({ json }) => expect(json.detail).toContain('input.text'),
  },
  {
    claim: 'the input is checked before the session',
    as: 'owner',
    body: body({ input: {}, session: unknownId }),
    status: 400,
    code: 'validation_error',
  },
  { claim: 'an unknown function', as: 'owner', body: body({ function: 'fly' }), status: 400, code: 'validation_error' },
  {
    claim: 'an invalid leap second',
    as: 'owner',
    body: body({ run_at: '2026-12-31T23:59:60Z' }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'the year 0',
    as: 'owner',
    body: body({ run_at: '0000-01-01T00:00:00Z' }),
    status: 400,
    code: 'validation_error',
  },
  { claim: 'an unknown variant', as: 'owner', body: body({ variant: 'huge' }), status: 400, code: 'validation_error' },
  {
    claim: 'a variant named like a property of every object',
    as: 'owner',
    body: body({ variant: 'constructor' }),
    status: 400,
    code: 'validation_error',
  },
  { claim: 'an unknown infra', as: 'owner', body: body({ infra: 'moon' }), status: 400, code: 'validation_error' },
  {
    claim: 'a webhook address without TLS',
    as: 'owner',
    body: body({ webhook: 'http://example.com' }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: '`session_timeout` without a new session',
    as: 'owner',
    body: body({ session_timeout: 5 }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: '`session_timeout` out of range',
    as: 'owner',
    body: body({ session: 'new', session_timeout: 3601 }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'workers without private infra',
    as: 'owner',
    body: body({ infra: 'cloud', workers: ['double-cpu-0'] }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'an unknown session',
    as: 'owner',
    body: body({ session: unknownId }),
    status: 404,
    code: 'session_not_found',
  },
  {
    claim: 'a long one',
    as: 'owner',
    body: body({ session: 'x'.repeat(65) }),
    status: 404,
    code: 'session_not_found',
  },
  {
    claim: "a colleague's session, whose process has the colleague's connections",
    as: 'member',
    body: (all: Given) => body({ session: all.session })(all),
    status: 404,
    code: 'session_not_found',
  },
  {
    claim: 'a session of another app',
    as: 'owner',
    body: ({ other, session }: Given) => ({ app_id: other.id, input: { text: '' }, session }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'an ended session',
    as: 'owner',
    body: (all: Given) => body({ session: all.ended })(all),
    status: 410,
    code: 'session_ended',
  },
  {
    claim: 'an expired session',
    as: 'owner',
    act: async (world, all) => {
      world.clock.advance(1_500)
      return world.call('owner', 'POST /run', { body: body({ session: all.idle })(all) })
    },
    status: 410,
    code: 'session_expired',
  },
  {
    claim: 'a session with a full queue',
    as: 'owner',
    act: async (world, all) => {
      for (let waiting = 0; waiting < 8; waiting += 1) await run(world, all.app, { session: all.session })
      return world.call('owner', 'POST /run', { body: body({ session: all.session })(all) })
    },
    status: 409,
    code: 'session_busy',
  },
  {
    claim: 'an infra that excludes every engine',
    as: 'owner',
    body: body({ infra: 'cloud' }),
    status: 409,
    code: 'no_capacity',
  },
  {
    claim: 'an unknown worker',
    as: 'owner',
    body: body({ infra: 'private', workers: ['other-cpu-0'] }),
    status: 409,
    code: 'no_capacity',
  },
  {
    claim: 'a worker by its label',
    as: 'owner',
    body: body({ infra: 'private', workers: ['double-cpu-0'] }),
    status: 200,
    emits: ['tasks'],
  },
])

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

it('a task whose requirements no worker meets is queued instead of failing', async () => {
  await startEngine(world, { cloud: true })
  const big = await deploy(world, 'owner', { version: { ...echoVersion, resources: { gpu: { count: 8 } } } })
  const { id } = await run(world, big)
  expect((await taskOf(world, id)).status).toBe(taskStatus.queued)
})

it('an answer replayed by its idempotency key is not terminal either', async () => {
  const { app } = await givenTasks(world)
  const send = () =>
    world.call('owner', 'POST /run', {
      body: { app_id: app.id, input: { text: 'once' }, run_at: '2099-01-01T00:00:00Z' },
      headers: { 'idempotency-key': 'once' },
    })
  const first = await send()
  await finish(world, first.data.id)
  const again = await send()
  expect(again.data).toMatchObject({ id: first.data.id, status: 2, output: null })
  expect(again.headers['idempotent-replayed']).toBe('true')
})

it('wait answers with the finished task', async () => {
  const app = await givenApp(world)
  const body = { app_id: app.id, input: { text: 'x' }, run_at: '2099-01-01T00:00:00Z', wait: true }
  const answer = world.call('owner', 'POST /run', { body })
  const row = await findRow(app.id)
  await finish(world, row.id, { text: 'done' })
  expect((await answer).data).toMatchObject({ id: row.id, status: 10, output: { text: 'done' } })
})

it('stream answers with the events of the task', async () => {
  const app = await givenApp(world)
  const answer = world.call('owner', 'POST /run', {
    body: { app_id: app.id, input: { text: 'x' }, run_at: '2099-01-01T00:00:00Z', stream: true },
    headers: { accept: 'application/x-ndjson' },
  })
  await finish(world, (await findRow(app.id)).id)
  const lines = (await answer).text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.at(-1)).toMatchObject({ status: 10, output: { text: 'hi' } })
})

it('a stream ends even if the task ended before the database confirmed its insert', async () => {
  const app = await givenApp(world)
  const { pool } = world.open.database
  const query = pool.query.bind(pool) as (...given: unknown[]) => Promise<unknown>
  const { promise: over, resolve: release } = Promise.withResolvers<void>()
  const late = async (...given: unknown[]): Promise<unknown> => {
    const answer = await query(...given)
    if (JSON.stringify(given).includes('insert into tasks')) await over
    return answer
  }
  Object.assign(pool, { query: late })
  const answer = world.call('owner', 'POST /run', {
    body: { app_id: app.id, input: { text: 'x' }, stream: true },
    headers: { accept: 'application/x-ndjson' },
  })
  await finish(world, (await findRow(app.id)).id)
  release()
  expect(
    (await answer).text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .at(-1),
  ).toMatchObject({ status: 10 })
  Object.assign(pool, { query })
})

const findRow = async (appId: string): Promise<{ id: string }> => {
  for (;;) {
    const row = await world.open.platform.db
      .selectFrom('tasks')
      .select('id')
      .where('app_id', '=', appId)
      .executeTakeFirst()
    if (row) return row
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
