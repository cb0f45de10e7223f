// Guarantees: the document is valid OpenAPI 3.1 according to an independent validator, contains every operation with
// its body and response, and its examples match the current declarations; the reference is searchable.
import { Validator } from '@seriousme/openapi-schema-validator'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Operation, splitRoute } from '#platform/core/operation.ts'
import { type Example, readExamples } from '#platform/http/examples.ts'
import { createWorld, type World } from '../testing/world.ts'
import { operations } from './app.ts'

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

it('contains every route with a unique operation id', async () => {
  const { json } = await world.call(null, 'GET /openapi.json')
  const paths = json.paths as Record<string, Record<string, { operationId: string }>>
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map((item) => item.operationId))
  expect(new Set(ids).size).toBe(ids.length)
  for (const { method, path } of operations.flatMap((operation) => operation.routes).map(splitRoute))
    expect(paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()], `${method} ${path}`).toBeDefined()
})

it('contains the page of an artifact, which is not an operation', async () => {
  const { json } = await world.call(null, 'GET /openapi.json')
  const { get } =
    (json.paths as Record<string, Record<string, { parameters: { name: string }[]; responses: object }>>)[
      '/artifacts/{id}/render'
    ] ?? {}
  expect(get?.parameters.map(({ name }) => name)).toEqual(['id', 'version', 'theme', 'team'])
  expect(get?.responses).toMatchObject({ 200: { content: { 'text/html': {} } }, 404: {} })
})

it('declares the success of each operation: a response or a redirect', async () => {
  const { json } = await world.call(null, 'GET /openapi.json')
  const paths = json.paths as Record<
    string,
    Record<string, { operationId: string; responses: Record<string, unknown> }>
  >
  const without = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ responses }) => !Object.keys(responses).some((status) => /^2|^302$/.test(status)))
  expect(without.map(({ operationId }) => operationId)).toEqual([])
})

it('names the input and output schemas of each operation', async () => {
  const { json } = await world.call(null, 'GET /openapi.json')
  const { schemas } = json.components as { schemas: Record<string, unknown> }
  for (const name of ['App', 'Task', 'RunRequest', 'Flow', 'Trigger', 'Secret', 'File', 'Engine'])
    expect(schemas[name], name).toBeDefined()
  const paths = json.paths as Record<string, Record<string, object>>
  const unnamed = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter((item) => !JSON.stringify(item).includes('#/components/schemas/'))
  expect(unnamed).toEqual([])
  const referred = new Set([...JSON.stringify(json).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name))
  for (const name of referred) expect(schemas[name ?? ''], name).toBeDefined()
})

/** Events contain JSON data; the final event of a stream has no data of the resource. */
const dataOfEvents = (events: string): unknown[] =>
  [...events.matchAll(/^event: (\w+)\n(?:id: .*\n)?data: (.*)$/gm)].flatMap(([, name, data = '{}']) =>
    name === 'done' ? [] : [JSON.parse(data)],
  )

const fitsReply = (operation: Operation, example: Example): boolean => {
  if ('location' in example) return /^(https?:\/)?\//.test(example.location)
  if ('events' in example) return dataOfEvents(example.events).length > 0
  const { data } = example.response as { data?: unknown }
  return Value.Check(operation.reply, operation.bare ? example.response : data)
}

it('shows examples that match the declarations (otherwise run `npm run examples`)', () => {
  const examples = readExamples()
  const wrong = Object.entries(examples).filter(([name, example]) => {
    const operation = operations.find((one) => one.name === name)
    if (!operation) return true
    if (!fitsReply(operation, example)) return true
    return (
      example.body !== undefined &&
      operation.body !== undefined &&
      !operation.bytes &&
      !Value.Check(operation.body, example.body)
    )
  })
  expect(wrong.map(([name]) => name)).toEqual([])
  const missing = operations.map(({ name }) => name).filter((name) => !Object.hasOwn(examples, name))
  expect(missing, 'operations without an example').toEqual([])
})

it('shows a body for every request with one', async () => {
  const { json } = await world.call(null, 'GET /openapi.json')
  type Item = { operationId: string; requestBody?: { content: Record<string, { example?: unknown }> } }
  const items = Object.values(json.paths as Record<string, Record<string, Item>>).flatMap((methods) =>
    Object.values(methods),
  )
  const bare = items.filter(
    ({ requestBody }) =>
      requestBody && Object.values(requestBody.content).some(({ example }) => typeof example !== 'object'),
  )
  expect(bare.map(({ operationId }) => operationId)).toEqual([])
})

it('finds operations in the reference by words', async () => {
  const all = await world.call(null, 'GET /docs')
  expect(all.text.indexOf('id="tag-apps"')).toBeLessThan(all.text.indexOf('id="tag-tasks"'))
  expect(all.text.indexOf('id="tag-tasks"')).toBeLessThan(all.text.indexOf('id="tag-agents"'))
  const { text } = await world.call(null, 'GET /docs', { query: { q: 'POST /run' } })
  expect(text).toContain('id="tasks.run.post.run"')
  expect(text).not.toContain('id="tasks.list"')
  for (const language of ['curl', 'JavaScript', 'Python']) expect(text).toContain(`<summary>${language}</summary>`)
  const hostile = await world.call(null, 'GET /docs', { query: { q: '"><script>alert(1)</script>' } })
  expect(hostile.text).not.toContain('<script>alert')
})
