// Guards: the served document is valid OpenAPI 3.1 by an independent validator, and names every mounted operation.
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { operations } from './app.ts'
import { splitDoor } from './core/operation.ts'
import { createWorld, type World } from './testing/world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

it('is valid OpenAPI 3.1', async () => {
  const { json } = await world.call(null, 'GET /openapi.json')
  const validator = new Validator()
  const result = await validator.validate(json as Record<string, unknown>)
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
  expect(validator.version).toBe('3.1')
})

it('holds every door, with unique operation ids', async () => {
  const { json } = await world.call(null, 'GET /openapi.json')
  const paths = json.paths as Record<string, Record<string, { operationId: string }>>
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map((item) => item.operationId))
  expect(new Set(ids).size).toBe(ids.length)
  for (const { method, path } of operations.flatMap((operation) => operation.doors).map(splitDoor))
    expect(paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()], `${method} ${path}`).toBeDefined()
})
