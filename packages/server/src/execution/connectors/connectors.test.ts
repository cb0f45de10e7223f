// Guarantees: a document becomes an app of the workspace; a version that removes or changes functions is staged unless
// the caller promotes it; the document is fetched through the guarded client only.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { newId } from '@millrace/contract/ids'
import { afterAll, beforeAll, expect } from 'vitest'
import { ownWorld, scenarios, sharedWorld } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { deploy, freshName, limitPrivateApps } from '../apps/testing/given.ts'

const documentWith = (paths: object, extra: object = {}): string =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Pet Shop' },
    servers: [{ url: 'https://pets.example/v1' }],
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
    paths,
    ...extra,
  })

const list = { operationId: 'listPets', tags: ['pets'] }
const get = {
  operationId: 'getPet',
  tags: ['pets'],
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
}
const shop = documentWith({ '/pets': { get: list }, '/pets/{id}': { get } })

let other: Server
let address: string
beforeAll(async () => {
  other = createServer((request, response) => {
    if (request.url === '/missing') response.writeHead(404).end()
    else response.end(shop)
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
})
afterAll(() => void other.close())

const shared = sharedWorld({ settings: { ALLOW_PRIVATE_HOSTS: '127.0.0.1' } })

type Given = { name: string }

const given = async (world: World): Promise<Given> => {
  const name = freshName()
  await world.call('owner', 'POST /connectors', { body: { name, openapi: { document: shop } } })
  return { name }
}

scenarios<Given>(
  'connectors.create',
  given,
  [
    {
      claim: 'a document becomes a private app with one function per operation',
      as: 'key:apps:write',
      body: { openapi: { document: shop } },
      status: 200,
      audits: ['app.created'],
      emits: ['team/apps'],
      check: ({ data }) => {
        expect(data).toMatchObject({
          app: { namespace: 'mill', name: 'pet-shop', title: 'Pet Shop', visibility: 'private' },
          functions: ['listPets', 'getPet'],
          changes: { added: ['listPets', 'getPet'], removed: [], changed: [] },
          staged: false,
          hosts: ['pets.example'],
          required_secrets: [{ key: 'PET_SHOP_KEY', optional: false }],
          skipped: [],
        })
        expect(data.app.version).toMatchObject({
          kernel: 'node-22',
          checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
          functions: { getPet: { input_schema: { required: ['id'] } } },
          metadata: { connector: { kind: 'openapi', hosts: ['pets.example'] } },
        })
        expect(data.app.version_id).toBe(data.app.version.id)
      },
    },
    {
      claim: 'a version without a function is staged, and the difference is shown',
      as: 'owner',
      body: ({ name }: Given) => ({ name, openapi: { document: documentWith({ '/pets': { get: list, post: {} } }) } }),
      status: 200,
      audits: ['app.deployed'],
      emits: ['team/apps'],
      check: ({ data }) => {
        expect(data).toMatchObject({
          staged: true,
          changes: { added: ['post_pets'], removed: ['getPet'], changed: [] },
        })
        expect(data.app.version_id).not.toBe(data.app.version.id)
      },
    },
    {
      claim: 'a changed schema is promoted on request',
      as: 'owner',
      body: ({ name }: Given) => ({
        name,
        promote: true,
        openapi: {
          document: documentWith({ '/pets': { get: list }, '/pets/{id}': { get: { ...get, parameters: [] } } }),
        },
      }),
      status: 200,
      audits: ['app.deployed'],
      emits: ['team/apps'],
      check: ({ data }) => {
        expect(data).toMatchObject({ staged: false, changes: { added: [], removed: [], changed: ['getPet'] } })
        expect(data.app.version_id).toBe(data.app.version.id)
      },
    },
    {
      claim: 'a document without a usable operation is refused with the reason',
      as: 'owner',
      body: { openapi: { document: documentWith({}) } },
      status: 400,
      code: 'validation_error',
      check: ({ text }) => expect(text).toContain('The document has no operations'),
    },
    {
      claim: 'a document and an address together are refused',
      as: 'owner',
      body: { openapi: { document: shop, url: 'https://pets.example/openapi.json' } },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'an npm package becomes an app that reads its tools on an engine',
      as: 'owner',
      body: { npm: { package: '@acme/weather-mcp', secrets: ['TOKEN'] } },
      status: 200,
      audits: ['app.created'],
      emits: ['team/apps'],
      check: ({ data }) => {
        expect(data).toMatchObject({ functions: ['list_tools'], required_secrets: [{ key: 'TOKEN' }] })
        expect(data.discovery).toBe(`mill/weather-mcp@${data.app.version.short_id}:list_tools`)
      },
    },
    {
      claim: 'a package outside of the registry is refused',
      as: 'owner',
      body: { npm: { package: 'https://elsewhere.example/x.tgz' } },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'a private address is not fetched',
      as: 'owner',
      body: { openapi: { url: 'http://169.254.169.254/openapi.json' } },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'the server fetches a document from its address',
      as: 'owner',
      body: () => ({ name: freshName(), openapi: { url: `${address}/openapi.json` } }),
      status: 200,
      audits: ['app.created'],
      emits: ['team/apps'],
      check: ({ data }) => expect(data.functions).toEqual(['listPets', 'getPet']),
    },
    {
      claim: 'an address that answers with an error is refused with its status',
      as: 'owner',
      body: () => ({ openapi: { url: `${address}/missing` } }),
      status: 400,
      code: 'validation_error',
      check: ({ text }) => expect(text).toContain('openapi.url: the host answered 404'),
    },
    {
      claim: 'a title without letters needs a name',
      as: 'owner',
      body: { openapi: { document: documentWith({ '/pets': { get: list } }, { info: { title: '???' } }) } },
      status: 400,
      code: 'validation_error',
    },
    {
      claim: "another member's private app stays unchanged",
      as: 'member',
      body: ({ name }: Given) => ({ name, openapi: { document: shop } }),
      status: 409,
      code: 'name_conflict',
    },
    { claim: 'a guest is refused', as: null, body: { openapi: { document: shop } }, status: 401, code: 'unauthorized' },
    {
      claim: 'a key without the scope is refused',
      as: 'key:apps:read',
      body: { openapi: { document: shop } },
      status: 403,
      code: 'insufficient_scope',
    },
    {
      claim: 'another workspace gets an app of its own',
      as: 'stranger',
      body: ({ name }: Given) => ({ name, openapi: { document: shop } }),
      status: 200,
      audits: ['app.created'],
      emits: ['team/apps'],
      check: ({ data }) => expect(data.app.namespace).not.toBe('mill'),
    },
  ],
  shared,
)

for (const [limit, status, code] of [
  [1, 402, 'limit_exceeded'],
  [0, 403, 'feature_not_available'],
] as const)
  scenarios(
    'connectors.create',
    async (world) => {
      if (limit > 0) await deploy(world, 'owner')
      await limitPrivateApps(world, world.team.id, limit)
    },
    [
      {
        claim: `a plan with ${limit} private apps refuses a further one`,
        as: 'owner',
        body: { name: 'over', openapi: { document: shop } },
        status,
        code,
      },
    ],
    ownWorld,
  )

const weather = {
  package: { name: '@acme/weather-mcp', version: '1.2.3', license: 'MIT' },
  tools: [{ name: 'weather.now', description: 'The weather', inputSchema: { type: 'object' }, annotations: {} }],
  lock: JSON.stringify({
    lockfileVersion: 3,
    packages: { 'node_modules/x': { version: '1.0.0', resolved: 'http://here' } },
  }),
}

type Read = { task: string; other: string; waiting: string; damaged: string; app: string }

/** A run that has read the tools of a package, as an engine would report it. */
const runOf = async (world: World, app: { id: string; version: { id: string } }, output: unknown, status = 10) => {
  const id = newId()
  const { team, people } = world
  const ids = { app_id: app.id, app_version_id: app.version.id, team_id: team.id, user_id: people.owner.userId }
  await world.open.platform.db
    .insertInto('tasks')
    .values({ id, ...ids, status, output: JSON.stringify(output), input: '{}', visibility: 'private' } as never)
    .execute()
  return id
}

const givenRuns = async (world: World): Promise<Read> => {
  const name = freshName()
  const made = await world.call('owner', 'POST /connectors', { body: { name, npm: { package: '@acme/weather-mcp' } } })
  const plain = await deploy(world, 'owner')
  return {
    app: name,
    task: await runOf(world, made.data.app, weather),
    waiting: await runOf(world, made.data.app, null, 1),
    damaged: await runOf(world, made.data.app, { ...weather, tools: 'many' }),
    other: await runOf(world, plain as never, weather),
  }
}

scenarios<Read>(
  'connectors.complete',
  givenRuns,
  [
    {
      claim: 'the tools that a run has read become functions of an active version',
      as: 'owner',
      body: ({ task }: Read) => ({ task_id: task }),
      status: 200,
      audits: ['app.deployed'],
      emits: ['team/apps'],
      check: ({ data }, { app }) => {
        expect(data).toMatchObject({ functions: ['weather_now'], staged: false, app: { name: app } })
        expect(data.app.version_id).toBe(data.app.version.id)
        expect(data.app.version.metadata.connector).toEqual({
          kind: 'npm',
          license: 'MIT',
          annotations: {},
          source: { package: '@acme/weather-mcp', version: '1.2.3' },
        })
      },
    },
    {
      claim: 'a run of another app is refused',
      as: 'owner',
      body: ({ other }: Read) => ({ task_id: other }),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'an invalid list of tools is refused',
      as: 'owner',
      body: ({ damaged }: Read) => ({ task_id: damaged }),
      status: 400,
      code: 'validation_error',
    },
    {
      claim: 'a run that has not completed is refused',
      as: 'owner',
      body: ({ waiting }: Read) => ({ task_id: waiting }),
      status: 409,
      code: 'invalid_state',
    },
    {
      claim: 'a member cannot see the run of another member',
      as: 'member',
      body: ({ task }: Read) => ({ task_id: task }),
      status: 404,
      code: 'not_found',
    },
    {
      claim: 'another workspace cannot see the run',
      as: 'stranger',
      body: ({ task }: Read) => ({ task_id: task }),
      status: 404,
      code: 'not_found',
    },
    { claim: 'a guest is refused', as: null, body: { task_id: 'x' }, status: 401, code: 'unauthorized' },
    {
      claim: 'a key without the scope is refused',
      as: 'key:apps:read',
      body: { task_id: 'x' },
      status: 403,
      code: 'insufficient_scope',
    },
  ],
  shared,
)
