// Guards: a change of who may use what is a change of a committed line; no operation without a declared scope; no two
// operations at one door; no workspace can take a name that a path needs.
import { readFile } from 'node:fs/promises'
import { allScopes } from '@millrace/contract/scopes'
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { features, operations } from './app.ts'
import { splitDoor } from './core/operation.ts'
import { createMetrics } from './http/metrics.ts'
import { serviceRoutes } from './http/service-routes.ts'
import { isReservedUsername, isSlug } from './identity/usernames.ts'
import { policyText } from './policy-file.ts'
import { createWorld } from './testing/world.ts'

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

it('names and doors are unique; doors that differ only in a parameter’s name are one door', () => {
  expect(repeated(operations.map((operation) => operation.name))).toEqual([])
  const doors = operations.flatMap((operation) => operation.doors.map((door) => door.replace(/:\w+/g, ':')))
  expect(repeated(doors)).toEqual([])
})

it('every first word of a path is reserved as a username', async () => {
  const world = await createWorld()
  const { platform } = world.open
  const app = Fastify()
  const paths = operations.flatMap((operation) => operation.doors.map((door) => splitDoor(door).path))
  app.addHook('onRoute', (route) => {
    paths.push(route.url)
  })
  const readiness = { stopping: false }
  await serviceRoutes(platform, { operations, metrics: createMetrics(), readiness, version: '0' })(app)
  const gate = {
    authenticate: () => Promise.reject(new Error('unused')),
    watch: () => () => {},
    limit: async () => ({}),
    once: () => Promise.reject(new Error('unused')),
  }
  for (const feature of features) await feature.routes?.(platform, gate)(app)
  await app.ready()
  await app.close()
  await world.close()
  const words = new Set(paths.map((path) => path.split('/')[1] ?? ''))
  expect(words.size).toBeGreaterThan(5)
  expect([...words].filter((word) => isSlug(word) && !isReservedUsername(word))).toEqual([])
})
