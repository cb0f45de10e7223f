// Guards: a change of who may use what is a change of a committed line; no operation without a declared scope; no two
// operations at one door; no workspace can take a name that a path needs.
import { readFile } from 'node:fs/promises'
import { allScopes } from '@millrace/contract/scopes'
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { isReservedUsername, isSlug } from '#accounts/identity/usernames.ts'
import { createMetrics } from '#platform/http/metrics.ts'
import { serviceDoors, serviceRoutes } from '#platform/http/service-routes.ts'
import { createWorld } from '../testing/world.ts'
import { doors, features, operations } from './app.ts'
import { policyText } from './policy-file.ts'

const repeated = (values: readonly string[]) => values.filter((value, index) => values.indexOf(value) !== index)

it('the policy table is the committed one (after a wanted change: npm run generate)', async () => {
  expect(await readFile(new URL('./policy.txt', import.meta.url), 'utf8')).toBe(policyText())
})

it('every operation says who may use it', () => {
  const known = new Set<string>([...allScopes, 'public', 'optional', 'authenticated'])
  expect(operations.filter((operation) => !known.has(operation.scope)).map((operation) => operation.name)).toEqual([])
})

it('a declaration does not contradict itself', () => {
  const open = operations.filter(({ scope }) => scope === 'public' || scope === 'optional')
  expect(open.filter(({ role, capability, publicRows }) => role || capability || publicRows)).toEqual([])
  const hidden = operations.filter(({ publicRows, scope }) => publicRows && !scope.includes(':'))
  expect(hidden).toEqual([])
})

it('no field of an operation stands in two places: a flat list of them is enough to call it', () => {
  const fields = (schema: unknown): string[] => Object.keys((schema as { properties?: object })?.properties ?? {})
  const clashes = operations.filter(
    ({ path, query, body, bytes }) => !bytes && repeated([path, query, body].flatMap(fields)).length > 0,
  )
  expect(clashes.map(({ name }) => name)).toEqual([])
})

it('names and doors are unique; doors that differ only in a parameter’s name are one door', () => {
  const raw = [...serviceDoors, ...doors]
  expect(repeated([...operations, ...raw].map(({ name }) => name))).toEqual([])
  const all = [...operations.flatMap((operation) => operation.doors), ...raw.map(({ door }) => door)]
  expect(repeated(all.map((door) => door.replace(/:\w+/g, ':')))).toEqual([])
})

/** Every door that is mounted besides the operations', as it is really mounted. */
const mountedDoors = async (): Promise<string[]> => {
  const world = await createWorld()
  const { platform } = world.open
  const app = Fastify()
  const mounted: string[] = []
  app.addHook('onRoute', ({ method, url, ...route }) => {
    const isSocket = 'websocket' in route && route.websocket === true
    // HEAD comes along with GET, OPTIONS says what else may be asked.
    for (const one of [method].flat())
      if (one !== 'HEAD' && one !== 'OPTIONS') mounted.push(`${isSocket ? 'WS' : one} ${url}`)
  })
  const readiness = { stopping: false }
  await serviceRoutes(platform, { metrics: createMetrics(), readiness, version: '0' })(app)
  const gate = {
    authenticate: () => Promise.reject(new Error('unused')),
    watch: () => () => {},
    limit: async () => ({}),
    turn: () => Promise.reject(new Error('unused')),
    callsWaiting: () => 0,
    once: () => Promise.reject(new Error('unused')),
  }
  for (const feature of features) await feature.routes?.(platform, gate)(app)
  await app.ready()
  await app.close()
  await world.close()
  return mounted
}

it('every door that is mounted is declared, and every declared one is mounted', async () => {
  const declared = [...serviceDoors, ...doors].map(({ door }) => door)
  expect((await mountedDoors()).sort()).toEqual(declared.sort())
})

it('every first word of a path is reserved as a username', () => {
  const operationDoors = operations.flatMap((operation) => operation.doors)
  const rawDoors = [...serviceDoors, ...doors].map(({ door }) => door)
  const words = new Set([...operationDoors, ...rawDoors].map((door) => door.split('/')[1] ?? ''))
  expect(words.size).toBeGreaterThan(5)
  expect([...words].filter((word) => isSlug(word) && !isReservedUsername(word))).toEqual([])
})
