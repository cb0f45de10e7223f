// Guarantees: a run request resolves to one app, version and function that the caller may run, by the documented
// precedence.
import type { App } from '@millrace/contract/apps'
import { newId } from '@millrace/contract/ids'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type PersonName, type World } from '../../testing/world.ts'
import {
  appSummaries,
  deployApp,
  type RunTargetRequest,
  resolveForRun,
  runnableVersion,
  setAlias,
  validateAgainst,
} from './service.ts'
import { ctxAs, deploy, echoVersion, type GivenApps, givenApps, show } from './testing/given.ts'
import { loadVersion } from './versions.ts'

let world: World
let apps: GivenApps
let first: string
let plain: App

beforeAll(async () => {
  world = await createWorld()
  apps = await givenApps(world)
  first = apps.shared.version_id
  const version = {
    ...echoVersion,
    functions: { ...echoVersion.functions, live: { kind: 'stream' } },
    default_function: 'count',
  }
  apps.shared = await deploy(world, 'owner', { name: apps.shared.name, version })
  plain = await show(world, 'owner', await deploy(world, 'owner', { name: 'abcdefgh' }), 'team')
  const target = { appId: apps.foreign.id, function: 'count' }
  await setAlias(ctxAs(world, 'platform'), { namespace: 'old', name: 'echo', target })
})
afterAll(() => world?.close())

const resolve = (request: RunTargetRequest, person: PersonName = 'member') =>
  resolveForRun(ctxAs(world, person), request)

describe('accepts', () => {
  it.each<[string, () => RunTargetRequest, () => [App, string, string]]>([
    ['a ref', () => ({ app: `mill/${apps.shared.name}` }), () => [apps.shared, apps.shared.version_id, 'count']],
    [
      'a typed ref',
      () => ({ app: `app/mill/${apps.shared.name}` }),
      () => [apps.shared, apps.shared.version_id, 'count'],
    ],
    ['a bare name', () => ({ app: apps.shared.name }), () => [apps.shared, apps.shared.version_id, 'count']],
    [
      'a function in the ref',
      () => ({ app: `${apps.shared.name}:live` }),
      () => [apps.shared, apps.shared.version_id, 'live'],
    ],
    [
      'the field `function` before the ref',
      () => ({ app: `${apps.shared.name}:live`, function: 'run' }),
      () => [apps.shared, apps.shared.version_id, 'run'],
    ],
    ['a pinned version', () => ({ app: `${apps.shared.name}@${first}` }), () => [apps.shared, first, 'run']],
    [
      'a pinned version by short id',
      () => ({ app: `${apps.shared.name}@${first.slice(0, 8)}` }),
      () => [apps.shared, first, 'run'],
    ],
    ['version_id with a ref', () => ({ app: apps.shared.name, version_id: first }), () => [apps.shared, first, 'run']],
    [
      'version_id before the pinned version of the ref',
      () => ({ app: `${apps.shared.name}@${apps.shared.version_id}`, version_id: first }),
      () => [apps.shared, first, 'run'],
    ],
    ['an app id', () => ({ app_id: apps.shared.id }), () => [apps.shared, apps.shared.version_id, 'count']],
    [
      'an app id and a version',
      () => ({ app_id: apps.shared.short_id, version_id: first }),
      () => [apps.shared, first, 'run'],
    ],
    ['an id in the field `app`', () => ({ app: apps.shared.id }), () => [apps.shared, apps.shared.version_id, 'count']],
    [
      'a short id in the field `app`',
      () => ({ app: apps.shared.short_id }),
      () => [apps.shared, apps.shared.version_id, 'count'],
    ],
    ['a name that looks like a short id', () => ({ app: 'abcdefgh' }), () => [plain, plain.version_id, 'run']],
    ['an alias with its function', () => ({ app: 'old/echo' }), () => [apps.foreign, apps.foreign.version_id, 'count']],
    [
      'a function in the ref before that of the alias',
      () => ({ app: 'old/echo:run' }),
      () => [apps.foreign, apps.foreign.version_id, 'run'],
    ],
    [
      "the caller's own private app",
      () => ({ app_id: apps.hidden.id }),
      () => [apps.hidden, apps.hidden.version_id, 'run'],
    ],
  ])('%s', async (_claim, request, expected) => {
    const target = await resolve(request())
    const [app, versionId, functionName] = expected()
    expect([target.app.id, target.version.id, target.functionName]).toEqual([app.id, versionId, functionName])
  })

  it('returns the data that a run needs', async () => {
    const { fn, version } = await resolve({ app: `${apps.shared.name}:live` })
    expect(fn).toEqual({ input_schema: null, output_schema: null, setup_schema: null, kind: 'stream' })
    expect(version).toMatchObject({
      repository: echoVersion.repository,
      checksum: '',
      kernel: 'node-22',
      flow_version_id: null,
    })
    expect(version.resources).toEqual({ gpu: { count: 0, vram: 0, type: 'none' }, ram: 0 })
  })
})

describe('refuses', () => {
  it.each<[string, () => RunTargetRequest, string, PersonName?]>([
    ['neither', () => ({}), 'invalid_request'],
    ['empty', () => ({ app: '' }), 'invalid_request'],
    ['both', () => ({ app: apps.shared.name, app_id: apps.shared.id }), 'invalid_request'],
    ['not there', () => ({ app: 'mill/nothing' }), 'not_found'],
    ['no ref', () => ({ app: 'No Ref' }), 'not_found'],
    ['an agent', () => ({ app: `agent/mill/${apps.shared.name}` }), 'not_found'],
    ['an unknown id', () => ({ app_id: newId() }), 'not_found'],
    ['a private app of another workspace', () => ({ app_id: apps.secret.id }), 'not_found'],
    ["a member's private app, for an admin", () => ({ app_id: apps.hidden.id }), 'not_found', 'admin'],
    ['an unknown version', () => ({ app: `${apps.shared.name}@${newId()}` }), 'not_found'],
    ['a version of another app', () => ({ app: apps.shared.name, version_id: apps.foreign.version_id }), 'not_found'],
    ['an unknown function', () => ({ app: apps.shared.name, function: 'nothing' }), 'validation_error'],
    ['the name of a property of every object', () => ({ app: `${apps.shared.name}:toString` }), 'validation_error'],
  ])('%s', async (_claim, request, code, person) => {
    await expect(resolve(request(), person)).rejects.toMatchObject({ code })
  })

  it('an app without a version', async () => {
    const bare = await deploy(world, 'owner', { version: undefined })
    await expect(resolve({ app_id: bare.id }, 'owner')).rejects.toMatchObject({ code: 'not_found' })
  })

  it.each([
    ['maintenance', 'app_maintenance', 503],
    ['retired', 'app_retired', 410],
  ])('an app that is %s, before checking the function', async (status, code, httpStatus) => {
    const app = await deploy(world, 'owner')
    await world.call('owner', `POST /apps/${app.id}/status`, { body: { status, message: 'until noon' } })
    const refusal = { code, status: httpStatus, message: expect.stringContaining('until noon') }
    await expect(resolve({ app_id: app.id, function: 'nothing' }, 'owner')).rejects.toMatchObject(refusal)
    for (const next of ['active', 'deprecated']) {
      await world.call('owner', `POST /apps/${app.id}/status`, { body: { status: next } })
      await expect(resolve({ app_id: app.id }, 'owner')).resolves.toMatchObject({ functionName: 'run' })
    }
  })
})

describe('inputs', () => {
  it("are validated by the function's schema, with the name of the field", async () => {
    const { fn } = await resolve({ app_id: apps.foreign.id })
    expect(() => validateAgainst('input', fn.input_schema, { text: 'x' })).not.toThrow()
    expect(() => validateAgainst('input', fn.input_schema, {})).toThrow('input.text is required')
    const again = await resolve({ app_id: apps.foreign.id })
    expect(again.fn.input_schema).toBe(fn.input_schema)
  })
  it('never require a live field and never store one', () => {
    const stream = { type: 'array', format: 'stream', items: { type: 'string', format: 'binary' } }
    const properties = { audio: stream, words: { type: 'array' }, text: { type: 'string' } }
    const schema = { type: 'object', properties, required: ['audio', 'text'], additionalProperties: false }
    expect(validateAgainst('input', schema, { text: 'x' })).toEqual({ text: 'x' })
    expect(validateAgainst('input', schema, { text: 'x', words: [1], audio: 'no list' })).toEqual({
      text: 'x',
      words: [1],
    })
    expect(() => validateAgainst('input', schema, { audio: [] })).toThrow('input.text is required')
    expect(schema.required).toEqual(['audio', 'text'])
  })
  it('without a schema accept any value', () => {
    expect(() => validateAgainst('input', null, { a: 1 })).not.toThrow()
    expect(() => validateAgainst('setup', true, { a: 1 })).not.toThrow()
    expect(() => validateAgainst('setup', false, {})).toThrow('setup is not allowed')
  })
})

describe('functions for other features', () => {
  it('deploys a version that is backed by a flow', async () => {
    const input = { name: 'from-flow', category: 'flow' as const, version: { kernel: 'node-22', repository: 'x' } }
    const app = await deployApp(ctxAs(world, 'owner'), input, { flowVersionId: 'flow-version', visibility: 'team' })
    expect(app).toMatchObject({
      visibility: 'team',
      version: { kernel: '', repository: '', flow_version_id: 'flow-version' },
    })
    expect((await resolve({ app: 'from-flow' })).version.flow_version_id).toBe('flow-version')
  })

  it('deploys shipped apps as public', async () => {
    const app = await deployApp(
      ctxAs(world, 'owner'),
      { name: 'shipped', version: echoVersion },
      { visibility: 'public' },
    )
    expect((await world.call(null, `GET /apps/${app.id}`)).status).toBe(200)
  })

  it('loads a version for an engine even if its app was deleted', async () => {
    const app = await deploy(world, 'owner')
    await world.call('owner', `DELETE /apps/${app.id}`)
    const { db } = world.open.platform
    expect(await runnableVersion(db, app.version_id)).toMatchObject({ id: app.version_id })
    expect(await runnableVersion(db, newId())).toBeUndefined()
  })

  it('embeds the apps that the reader of tasks may see, including deleted ones', async () => {
    const gone = await show(world, 'owner', await deploy(world, 'owner'), 'team')
    await world.call('owner', `DELETE /apps/${gone.id}`)
    const ids = [apps.shared.id, apps.shared.id, gone.id, apps.foreign.id, apps.secret.id, apps.hidden.id, '', newId()]
    const found = await appSummaries(ctxAs(world, 'member'), ids)
    expect(new Set(found.keys())).toEqual(new Set([apps.shared.id, gone.id, apps.foreign.id, apps.hidden.id]))
    expect(found.get(apps.foreign.id)).toMatchObject({ name: apps.foreign.name, version: null })
    expect(await appSummaries(ctxAs(world, 'member'), [''])).toEqual(new Map())
  })

  it('limits the versions in memory', async () => {
    const { db } = world.open.platform
    const held = await loadVersion(db, first)
    expect(await loadVersion(db, first)).toBe(held)
    const big = { type: 'object', description: 'x'.repeat(200_000) }
    const functions = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`f${index}`, { input_schema: big }]))
    const { version_id: large } = await deploy(world, 'owner', { version: { functions } })
    // Copies the row in the database, because deploying that many versions would take too long.
    for (let index = 0; index < 45; index += 1) {
      const id = newId()
      await sql`insert into app_versions select (jsonb_populate_record(v, jsonb_build_object('id', ${id}::text))).*
        from app_versions v where id = ${large}`.execute(db)
      await loadVersion(db, id)
    }
    expect(await loadVersion(db, first)).not.toBe(held)
    expect(await loadVersion(db, first)).toEqual(held)
  })
})
