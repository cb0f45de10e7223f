// Guarantees: the rules for who may deploy which ref; a deployment is atomic; a ref belongs to exactly one app.
import type { App } from '@millrace/contract/apps'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownWorld, scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { deploy, echoVersion, freshName, limitPrivateApps, show } from './testing/given.ts'

const versions = async (world: World, app: App): Promise<string[]> =>
  (await world.call('owner', `GET /apps/${app.id}/versions`)).data.items.map((version: { id: string }) => version.id)

type Given = { name: string; app: App; hidden: App; open: App }

scenarios<Given>(
  'apps.deploy',
  async (world) => {
    world.clock.advance(1000)
    const name = freshName()
    return {
      name,
      app: await deploy(world, 'owner', {
        name,
        title: 'Echo',
        description: 'Gives back',
        tags: ['one', 'two'],
        category: 'text',
      }),
      hidden: await deploy(world, 'member'),
      open: await show(world, 'stranger', await deploy(world, 'stranger'), 'public'),
    }
  },
  [
    {
      claim: "a new ref creates a private app in the workspace's namespace and activates its version",
      as: 'key:apps:write',
      body: { name: 'fresh', namespace: 'other', version: echoVersion },
      status: 200,
      audits: ['app.created'],
      emits: ['team/apps'],
      check: ({ data }) => {
        expect(data).toMatchObject({
          namespace: 'mill',
          name: 'fresh',
          title: 'fresh',
          visibility: 'private',
          status: 'active',
          category: 'other',
          images: { card: '', thumbnail: '', banner: '' },
          version: { kernel: 'node-22', default_function: '', warnings: expect.any(Array) },
        })
        expect(data.version_id).toBe(data.version.id)
        expect(data.short_id).toBe(data.id.slice(0, 8))
        expect(data).not.toHaveProperty('tags')
      },
    },
    {
      claim: 'a known ref gets a new active version; omitted fields stay',
      as: 'owner',
      body: ({ name }: Given) => ({ name, version: echoVersion }),
      status: 200,
      audits: ['app.deployed'],
      emits: ['team/apps'],
      check: async ({ data }, { app }, world) => {
        expect(data).toMatchObject({
          id: app.id,
          title: 'Echo',
          description: 'Gives back',
          category: 'text',
          tags: ['one', 'two'],
        })
        expect(data.version_id).not.toBe(app.version_id)
        expect(new Set(await versions(world, app))).toEqual(new Set([data.version_id, app.version_id]))
      },
    },
    {
      claim: 'by id',
      as: 'owner',
      body: ({ app }: Given) => ({ id: app.short_id, name: app.name, title: 'New', version: echoVersion }),
      status: 200,
      audits: ['app.deployed'],
      emits: ['team/apps'],
      check: ({ data }, { app }) => expect(data).toMatchObject({ id: app.id, title: 'New' }),
    },
    {
      claim: 'staged: the active version stays, the answer shows the new one',
      as: 'owner',
      body: ({ name }: Given) => ({ name, version: echoVersion, preserve_current_version: true }),
      status: 200,
      audits: ['app.deployed'],
      emits: ['team/apps'],
      check: async ({ data }, { app }, world) => {
        expect(data.version_id).toBe(app.version_id)
        expect(data.version.id).not.toBe(app.version_id)
        expect((await world.call('owner', `GET /apps/${app.id}`)).data.version.id).toBe(app.version_id)
        expect(await versions(world, app)).toHaveLength(2)
      },
    },
    {
      claim: 'only the answer to the deployment contains warnings',
      as: 'owner',
      body: ({ name }: Given) => ({ name, version: { kernel: '3.12' } }),
      status: 200,
      audits: ['app.deployed'],
      emits: ['team/apps'],
      check: async ({ data }, { app }, world) => {
        expect(data.version.kernel).toBe('python-3.12')
        expect(data.version.warnings.map((one: { code: string }) => one.code)).toEqual([
          'function_without_schema',
          'no_code',
        ])
        const read = await world.call('owner', `GET /apps/${app.id}/versions/${data.version.id}`)
        expect(read.data).not.toHaveProperty('warnings')
      },
    },
    {
      claim: 'without a version only the fields change',
      as: 'owner',
      body: ({ name }: Given) => ({ name, description: 'Other' }),
      status: 200,
      audits: ['app.deployed'],
      emits: ['team/apps'],
      check: async ({ data }, { app }, world) => {
        expect(data).toMatchObject({ description: 'Other', version_id: app.version_id })
        expect(await versions(world, app)).toEqual([app.version_id])
      },
    },
    {
      claim: 'tags in the body replace the stored ones',
      as: 'owner',
      body: ({ name }: Given) => ({
        name,
        tags: [' Three ', 'three'],
        version: { ...echoVersion, metadata: { tags: ['four'] } },
      }),
      status: 200,
      audits: ['app.deployed'],
      emits: ['team/apps'],
      check: ({ data }) => expect(data.tags).toEqual(['three']),
    },
    {
      claim: 'without tags in the body, the valid tags of the metadata are used',
      as: 'owner',
      body: ({ name }: Given) => ({ name, version: { ...echoVersion, metadata: { tags: ['Four', 'not a tag'] } } }),
      status: 200,
      audits: ['app.deployed'],
      emits: ['team/apps'],
      check: ({ data }) => {
        expect(data.tags).toEqual(['four'])
        expect(data.version.warnings).toMatchObject([{ code: 'tags_skipped', meta: { tags: ['not a tag'] } }])
      },
    },
    {
      claim:
        "schemas keep the order of their properties, and the version's schemas equal those of the default function",
      as: 'owner',
      body: ({ name }: Given) => ({
        name,
        version: {
          repository: 'x',
          functions: { a: { input_schema: { properties: { z: {}, b: {}, a: {} } } }, b: {} },
          default_function: 'a',
          setup_schema: { type: 'object' },
          required_integrations: [{ key: 'github', scopes: ['repo'] }],
        },
      }),
      status: 200,
      audits: ['app.deployed'],
      emits: ['team/apps'],
      check: async ({ data }, { app }, world) => {
        const read = (await world.call('owner', `GET /apps/${app.id}/versions/${data.version.id}`)).data
        expect(Object.keys(read.input_schema.properties)).toEqual(['z', 'b', 'a'])
        expect(read.functions.a.input_schema).toEqual(read.input_schema)
        expect(read.setup_schema).toEqual({ type: 'object' })
        expect(read.required_credentials).toEqual(read.required_integrations)
        expect(read.required_credentials).toEqual([{ provider: 'github', key: 'github', scopes: ['repo'] }])
      },
    },
    {
      claim: "an admin deploys a member's private app through the audited bypass",
      as: 'admin',
      body: ({ hidden }: Given) => ({ name: hidden.name, version: echoVersion }),
      status: 200,
      audits: ['team_admin.permission_bypass', 'app.deployed'],
      emits: ['team/apps'],
    },
    {
      claim: 'a platform administrator chooses the namespace',
      as: 'platform',
      body: { namespace: 'mill', name: 'by-platform', version: echoVersion },
      status: 200,
      audits: ['app.created'],
      emits: ['team/apps'],
      check: ({ data }, _given, world) => expect(data).toMatchObject({ namespace: 'mill', team_id: world.team.id }),
    },
    {
      claim: 'an unknown namespace',
      as: 'platform',
      body: { namespace: 'nobody', name: 'x' },
      status: 400,
      code: 'validation_error',
    },
    { claim: 'a missing name', as: 'owner', body: {}, status: 400, code: 'validation_error' },
    { claim: 'a body that is not an object', as: 'owner', body: '[]', status: 400, code: 'invalid_request' },
    {
      claim: 'a name that is not a slug',
      as: 'owner',
      body: { name: 'Echo App' },
      status: 400,
      code: 'validation_error',
    },
    { claim: 'a reserved name', as: 'owner', body: { name: 'license' }, status: 400, code: 'validation_error' },
    {
      claim: 'an unknown category',
      as: 'owner',
      body: { name: 'x', category: 'games' },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'an image that is not a URL',
      as: 'owner',
      body: { name: 'x', images: { card: 'javascript:alert(1)' } },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'an invalid tag creates nothing',
      as: 'owner',
      body: { name: 'never-made', tags: ['not a tag'], version: echoVersion },
      status: 400,
      code: 'validation_error',
      check: async (_answer, _given, world) =>
        expect((await world.call('owner', 'GET /apps/mill/never-made')).status).toBe(404),
    },
    {
      claim: 'a description that is too long, in characters, creates nothing',
      as: 'owner',
      body: { name: 'never-made', description: '🦊'.repeat(201), version: echoVersion },
      status: 400,
      code: 'validation_error',
      check: async ({ json }, _given, world) => {
        expect(json.detail).toBe('description must be at most 200 characters, got 201')
        expect((await world.call('owner', 'GET /apps/mill/never-made')).status).toBe(404)
      },
    },
    {
      claim: 'two hundred characters of two code units each',
      as: 'owner',
      body: ({ name }: Given) => ({ name, description: '🦊'.repeat(200) }),
      status: 200,
      audits: ['app.deployed'],
      emits: ['team/apps'],
    },
    {
      claim: 'an unreadable artifact creates no version',
      as: 'owner',
      body: ({ name }: Given) => ({ name, version: { ...echoVersion, metadata: { ui: { artifact: 'mill/page' } } } }),
      status: 400,
      code: 'validation_error',
      check: async (_answer, { app }, world) => expect(await versions(world, app)).toEqual([app.version_id]),
    },
    {
      claim: 'an unknown version of an artifact',
      as: 'owner',
      act: async (world, { name }) => {
        const { data } = await world.call('owner', 'POST /artifacts', {
          body: { name: `${name}-page`, title: 'Page', content: '<p></p>' },
        })
        const deployed = (artifact: string) =>
          world.call('owner', 'POST /apps', {
            body: { name, version: { ...echoVersion, metadata: { ui: { artifact } } } },
          })
        expect((await deployed(`mill/${name}-page@${data.version_id}`)).status).toBe(200)
        return deployed(`mill/${name}-page@00000000`)
      },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'an invalid schema is named',
      as: 'owner',
      body: ({ name }: Given) => ({ name, version: { functions: { run: { input_schema: { type: 'text' } } } } }),
      status: 400,
      code: 'validation_error',
      check: ({ json }) => expect(json.detail).toMatch(/^version\.functions\.run\.input_schema /),
    },
    {
      claim: 'an invalid kernel',
      as: 'owner',
      body: { name: 'x', version: { kernel: 'ruby' } },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'a plain member cannot deploy an existing ref of another member',
      as: 'member',
      body: ({ name }: Given) => ({ name, version: echoVersion }),
      status: 409,
      code: 'name_conflict',
    },
    {
      claim: 'by id with the name of another app',
      as: 'owner',
      body: ({ app, hidden }: Given) => ({ id: app.id, name: hidden.name }),
      status: 409,
      code: 'name_conflict',
    },
    {
      claim: 'by id with an unused name: names do not change',
      as: 'owner',
      body: ({ app }: Given) => ({ id: app.id, name: 'renamed' }),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: "by the id of another workspace's public app",
      as: 'owner',
      body: ({ open }: Given) => ({ id: open.id, name: open.name }),
      status: 403,
      code: 'forbidden',
    },
    {
      claim: "by the id of another member's private app",
      as: 'member',
      body: ({ app }: Given) => ({ id: app.id, name: app.name }),
      status: 404,
      code: 'not_found',
    },
    {
      claim: 'each workspace has its own refs',
      as: 'stranger',
      body: ({ name }: Given) => ({ name, version: echoVersion }),
      status: 200,
      audits: ['app.created'],
      emits: ['team/apps'],
    },
  ],
)

scenarios(
  'apps.deploy',
  (world) => limitPrivateApps(world, world.team.id, 1).then(() => deploy(world, 'owner', { name: 'only' })),
  [
    {
      claim: 'the plan allows no further private app',
      as: 'owner',
      body: { name: 'second' },
      status: 402,
      code: 'limit_exceeded',
    },
    {
      claim: 'an existing private app can still be deployed',
      as: 'owner',
      body: { name: 'only', version: echoVersion },
      status: 200,
      audits: ['app.deployed'],
      emits: ['team/apps'],
    },
  ],
  ownWorld,
)

scenarios(
  'apps.deploy',
  (world) => limitPrivateApps(world, world.team.id, 0),
  [
    {
      claim: 'the plan has no private apps',
      as: 'owner',
      body: { name: 'x' },
      status: 403,
      code: 'feature_not_available',
    },
  ],
  ownWorld,
)

describe('races', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world?.close())

  it('concurrent deployments of a new ref create one app with all versions', async () => {
    const name = freshName()
    const answers = await Promise.all(Array.from({ length: 6 }, () => deploy(world, 'owner', { name })))
    const [first] = answers
    expect(new Set(answers.map((app) => app.id)).size).toBe(1)
    if (!first) throw new Error('no answer')
    const kept = await versions(world, first)
    expect(new Set(kept)).toEqual(new Set(answers.map((app) => app.version?.id)))
    expect(kept).toHaveLength(6)
  })

  it('deployments concurrent with the deletion of the app still create one app', async () => {
    const name = freshName()
    for (let round = 0; round < 5; round += 1) {
      const app = await deploy(world, 'owner', { name })
      const [redeployed] = await Promise.all([
        deploy(world, 'owner', { name }),
        world.call('owner', `DELETE /apps/${app.id}`),
      ])
      const after = await world.call('owner', `GET /apps/mill/${name}`)
      // Either the deployment preceded the deletion, or it created a new app.
      expect(after.status).toBe(redeployed.id === app.id ? 404 : 200)
    }
  })

  it('concurrent deployments do not exceed the limit of one private app', async () => {
    await limitPrivateApps(world, world.otherTeam.id, 1)
    const bodies = Array.from({ length: 5 }, () => ({ name: freshName() }))
    const answers = await Promise.all(bodies.map((body) => world.call('stranger', 'POST /apps', { body })))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 402, 402, 402, 402])
  })
})
