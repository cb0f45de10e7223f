// Guarantees: every operation, present and future, admits exactly the callers that its declaration allows, and a server
// that admits others is detected.
import Type from 'typebox'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Operation, operation } from '#platform/core/operation.ts'
import { operations } from '#start/app.ts'
import { callers, runMatrix } from '../../testing/matrix.ts'
import { createWorld, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

it('every operation of the server × nine callers', async () => {
  const { operations: count, cells, surprises } = await runMatrix(world, operations)
  console.log(
    `access matrix: ${count} operations × ${callers.length} callers = ${cells} cells, ${surprises.length} surprises`,
  )
  expect(surprises).toEqual([])
  expect(count).toBe(operations.length)
})

/** One operation of each kind there can be, whether or not the server has it yet. */
const sample = (name: string, declaration: Partial<Operation>): Operation => ({
  ...operation({
    name,
    route: `POST /sample-${name}/:id`,
    summary: name,
    scope: 'authenticated',
    reply: Type.Object({}),
    run: () => ({}),
  }),
  ...declaration,
})

const kinds: Operation[] = [
  sample('public', { scope: 'public' }),
  sample('optional', { scope: 'optional' }),
  sample('anybody', { scope: 'authenticated' }),
  sample('admins', { scope: 'authenticated', role: 'admin' }),
  sample('owners', { scope: 'apps:write', role: 'owner' }),
  sample('members', { scope: 'projects:read', role: 'member' }),
  sample('managers', { scope: 'authenticated', capability: 'manage_keys' }),
  sample('creators', { scope: 'apikeys:write', capability: 'create_keys' }),
  sample('public-rows', { scope: 'apps:read', publicRows: true, role: 'admin' }),
  sample('browser', { scope: 'user:write', browserOnly: true }),
  sample('approvals', { scope: 'approvals:write' }),
  sample('platform', { scope: 'admin:write' }),
  sample('store', { scope: 'store:submit' }),
  sample('engines', { scope: 'engines:write' }),
  sample('alias', { scope: 'integrations:read' }),
  sample('either', { scope: 'files:write', orScope: 'engines:write' }),
  sample('both', { scope: 'files:write', andScope: 'apps:execute' }),
  sample('reveal', { scope: 'secrets:reveal' }),
]

it('every kind of declaration × nine callers', async () => {
  expect((await runMatrix(world, kinds)).surprises).toEqual([])
})

it.each([
  ['a scope that is not asked for', 'owners', { scope: 'authenticated' }],
  ['a second scope that does not count', 'either', { orScope: undefined }],
  ['another scope', 'alias', { scope: 'apps:read' }],
  ['a role that is not asked for', 'admins', { role: undefined }],
  ['a lesser role', 'owners', { role: 'admin' }],
  ['a capability that is not asked for', 'managers', { capability: undefined }],
  ['a route open to everyone', 'anybody', { scope: 'public' }],
  ['a route that need not be opened', 'anybody', { scope: 'optional' }],
  ['public rows where there are none', 'owners', { publicRows: true }],
  ['a browser’s route open to programs', 'browser', { browserOnly: undefined, scope: 'authenticated' }],
] as const)('notices %s', async (_claim, name, slip) => {
  const served = kinds.map((kind) => (kind.name === name ? { ...kind, ...slip } : kind))
  const { surprises } = await runMatrix(world, served, kinds)
  expect(surprises.length).toBeGreaterThan(0)
  expect(new Set(surprises.map((surprise) => surprise.operation))).toEqual(new Set([name]))
})
