// Guarantees: the JSON Schema of an app's zod schemas has their names, titles, descriptions and bounds, for every
// version and copy of zod.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { z as z3 } from 'zod/v3'

type Runner = {
  isZod: (schema: unknown) => boolean
  schemaReader: (entry: string) => (schema: unknown, io: 'input' | 'output') => Promise<unknown>
  loadApp: (bundle: string) => Promise<{ schema: { functions: Record<string, { input_schema: unknown }> } }>
}

// The runner is plain JavaScript.
const runner = (name: string): Promise<Runner> => import(new URL(`../../runner/node/${name}`, import.meta.url).href)
const { isZod, schemaReader } = await runner('schema.mjs')
const { loadApp } = await runner('app.mjs')
const read = schemaReader(import.meta.filename)

test('zod 4: titles, descriptions and examples at every level', async () => {
  const schema = z
    .object({
      width: z
        .number()
        .int()
        .min(1)
        .meta({ title: 'Width', description: 'In pixels', examples: [64] }),
      prompt: z.string().describe('The prompt').optional(),
      style: z.enum(['plain', 'loud']).describe('How').default('plain'),
    })
    .meta({ title: 'Drawing', description: 'A drawing' })
  expect(await read(schema, 'input')).toMatchObject({
    title: 'Drawing',
    description: 'A drawing',
    properties: {
      width: { type: 'integer', minimum: 1, title: 'Width', description: 'In pixels', examples: [64] },
      prompt: { type: 'string', description: 'The prompt' },
      style: { enum: ['plain', 'loud'], default: 'plain', description: 'How' },
    },
    required: ['width'],
  })
})

test('a JSON Schema is unchanged, except that live fields are not required', async () => {
  const properties = { audio: { type: 'array', format: 'stream' }, text: { type: 'string' } }
  const given = (required: string[]) => read({ type: 'object', properties, required }, 'input')
  expect(await given(['audio', 'text'])).toEqual({ type: 'object', properties, required: ['text'] })
  expect(await given(['audio'])).toEqual({ type: 'object', properties })
  expect(await given([])).toEqual({ type: 'object', properties, required: [] })
})

test('zod 3: descriptions through every wrapper, and recursive schemas', async () => {
  type Tree = { name: string; below?: Tree[] }
  const tree: z3.ZodType<Tree> = z3.lazy(() =>
    z3.object({ name: z3.string().describe('Its name'), below: z3.array(tree).optional() }),
  )
  const schema = z3
    .object({
      seed: z3.number().describe('A seed').nullable().default(null),
      text: z3.string().describe('A text').trim().readonly(),
      tree,
    })
    .describe('All of it')
  expect(await read(schema, 'input')).toMatchObject({
    description: 'All of it',
    properties: {
      seed: { description: 'A seed', default: null },
      text: { type: 'string', description: 'A text' },
      tree: { properties: { name: { description: 'Its name' }, below: { type: 'array', items: {} } } },
    },
    required: ['text', 'tree'],
  })
})

test('zod mini is recognized as zod, not as a JSON Schema', async () => {
  const schema = mini.object({ name: mini.optional(mini.string()), count: mini.number() })
  expect(isZod(schema)).toBe(true)
  expect(await read(schema, 'input')).toMatchObject({
    properties: { name: { type: 'string' }, count: { type: 'number' } },
    required: ['count'],
  })
})

/** An app with its own packages. */
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-zod-'))
  await mkdir(join(folder, 'node_modules/zod'), { recursive: true })
})
afterAll(() => rm(folder, { recursive: true }))

const put = (name: string, text: string) => writeFile(join(folder, name), text)
const installed = (name: string) => pathToFileURL(createRequire(import.meta.url).resolve(name)).href

test('zod 4 inside zod 3, and functions found by the names of their schemas', async () => {
  const exports = { '.': './v3.js', './v4': './v4.js' }
  await put(
    'node_modules/zod/package.json',
    JSON.stringify({ name: 'zod', version: '3.25.0', type: 'module', exports }),
  )
  await put('node_modules/zod/v3.js', `export * from '${installed('zod/v3')}'`)
  await put('node_modules/zod/v4.js', `export * from '${installed('zod/v4')}'`)
  await put('package.json', '{"type":"module"}')
  await put(
    'inference.js',
    `import { z } from 'zod/v4'
     export const AppInput = z.object({ name: z.string().describe('Who') })
     export const GetAllInput = z.object({ limit: z.number().describe('How many') })
     export class App { run() {} get_all() {} }`,
  )
  const { schema } = await loadApp(folder)
  expect(schema.functions.run?.input_schema).toMatchObject({ properties: { name: { description: 'Who' } } })
  expect(schema.functions.get_all?.input_schema).toMatchObject({ properties: { limit: { description: 'How many' } } })
})
