// Guarantees: a recently run app is cached, but the cache never decides: the next run after a change sees every change,
// also one from another server, and a refused run leaves no task.
import type { App } from '@millrace/contract/apps'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { setAlias } from '../apps/service.ts'
import { ctxAs, deploy, echoVersion, freshName, show } from '../apps/testing/given.ts'

let world: World
let app: App
let ref: string

beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const run = (as: 'owner' | 'stranger', body: object = {}) =>
  world.call(as, 'POST /run', { body: { app: ref, input: { text: 'hi' }, ...body } })

const tasks = () => world.open.platform.db.selectFrom('tasks').select('id').where('app_id', '=', app.id).execute()

/** Each caller runs it twice: the first run reads the app, the second uses the cache. */
beforeEach(async () => {
  app = await show(world, 'owner', await deploy(world, 'owner'), 'public')
  ref = `${app.namespace}/${app.name}`
  for (const as of ['owner', 'stranger', 'owner', 'stranger'] as const) expect((await run(as)).status).toBe(200)
})

const changes: [string, () => Promise<unknown>, number, string][] = [
  [
    'hidden from others',
    () => world.call('owner', `POST /apps/${app.id}/visibility`, { body: { visibility: 'private' } }),
    404,
    'not_found',
  ],
  ['deleted', () => world.call('owner', `DELETE /apps/${app.id}`), 404, 'not_found'],
  [
    'retired',
    () => world.call('owner', `POST /apps/${app.id}/status`, { body: { status: 'retired' } }),
    410,
    'app_retired',
  ],
  [
    'changed by another server',
    () => sql`update apps set status = 'maintenance' where id = ${app.id}`.execute(world.open.platform.db),
    503,
    'app_maintenance',
  ],
  [
    'deployed with another input',
    () =>
      deploy(world, 'owner', {
        name: app.name,
        version: {
          ...echoVersion,
          functions: { run: { input_schema: { type: 'object', required: ['words'], properties: { words: {} } } } },
        },
      }),
    400,
    'validation_error',
  ],
]

describe('the next run refuses an app that was', () => {
  it.each(changes)('%s', async (_name, change, status, code) => {
    const before = (await tasks()).length
    await change()
    const answer = await run('stranger')
    expect([answer.status, answer.code]).toEqual([status, code])
    expect(await tasks()).toHaveLength(before)
  })
})

it('the next run uses the newly deployed version and its input schema', async () => {
  const next = await deploy(world, 'owner', {
    name: app.name,
    version: { ...echoVersion, functions: { run: { input_schema: { type: 'object' } } } },
  })
  const { data, status } = await run('stranger', { input: { anything: 1 } })
  expect(status).toBe(200)
  const task = (await world.call('stranger', `GET /tasks/${data.id}`)).data
  expect(task.app_version_id).toBe(next.version_id)
  expect(next.version_id).not.toBe(app.version_id)
})

it('a moved alias resolves to the new app immediately', async () => {
  const other = await show(world, 'owner', await deploy(world, 'owner'), 'public')
  const alias = { namespace: 'old', name: freshName() }
  const point = (to: App) => setAlias(ctxAs(world, 'platform'), { ...alias, target: { appId: to.id } })
  const appOf = async () => {
    const { data } = await run('owner', { app: `${alias.namespace}/${alias.name}` })
    return (await world.call('owner', `GET /tasks/${data.id}`)).data.app_id
  }
  await point(app)
  expect([await appOf(), await appOf()]).toEqual([app.id, app.id])
  await point(other)
  expect(await appOf()).toBe(other.id)
})

it('naming the app in both fields is an invalid request', async () => {
  expect((await run('owner', { app_id: app.id })).code).toBe('invalid_request')
})
