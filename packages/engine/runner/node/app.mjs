// Finds the App class of a bundle, its functions and their schemas.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { hasLiveFields, isZod, schemaReader } from './schema.mjs'

const entryNames = [
  'inference.js',
  'inference.mjs',
  'inference.ts',
  'src/inference.js',
  'src/inference.mjs',
  'src/inference.ts',
]
const notFunctions = new Set(['constructor', 'setup', 'unload', 'onCancel'])

export async function loadApp(bundle) {
  const entry = entryNames.map((name) => join(bundle, name)).find((path) => existsSync(path))
  if (!entry) throw new Error(`the bundle has no ${entryNames[0]} and no src/inference.js`)
  const module = await import(pathToFileURL(entry).href)
  const App = module.App ?? module.default
  if (typeof App !== 'function') throw new Error('inference.js does not export a class named App')

  const instance = new App()
  const declared = schemasInFile(bundle)
  const functions = functionNames(instance).map((name) => describeFunction(module, instance, name, declared[name]))
  return {
    instance,
    functions: new Map(functions.map((fn) => [fn.name, fn])),
    schema: await describeSchemas(module, functions, entry),
    setup: async (values, metadata) => {
      const parsed = isZod(module.AppSetup) ? parseWith(module.AppSetup, values, 'setup') : values
      await instance.setup?.(parsed, metadata)
    },
  }
}

export function parseWith(schema, value, what) {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issue = result.error?.issues?.[0]
  const place = [what, ...(issue?.path ?? [])].join('.')
  throw new Error(`${place}: ${issue?.message ?? 'invalid'}`)
}

function functionNames(instance) {
  const names = new Set()
  for (
    let proto = Object.getPrototypeOf(instance);
    proto && proto !== Object.prototype;
    proto = Object.getPrototypeOf(proto)
  ) {
    for (const name of Object.getOwnPropertyNames(proto)) {
      const isMethod = typeof Object.getOwnPropertyDescriptor(proto, name)?.value === 'function'
      if (isMethod && !name.startsWith('_') && !notFunctions.has(name)) names.add(name)
    }
  }
  return [...names].sort()
}

// A stream function receives a socket after its input. It is recognized by the parameter's name or by live fields in
// its schemas.
function describeFunction(module, instance, name, declared) {
  const exported = (kind) =>
    titlesOf(name)
      .map((title) => module[`${title}${kind}`])
      .find((schema) => schema)
  const input = exported('Input') ?? declared?.input_schema
  const output = exported('Output') ?? declared?.output_schema
  const takesSocket = /^[^(]*\([^)]*,\s*socket\b/i.test(instance[name].toString())
  const kind = takesSocket || hasLiveFields(input) || hasLiveFields(output) ? 'stream' : 'run'
  return { name, description: declared?.description, input, output, kind }
}

// `getAll`, `get_all` and `get-all` all find `GetAllInput`; `run` also finds `AppInput`, as in Python apps.
const titlesOf = (name) => {
  const words = name.split(/[_-]+/).filter(Boolean)
  const pascal = words.map((word) => word[0].toUpperCase() + word.slice(1)).join('')
  return [name[0].toUpperCase() + name.slice(1), pascal, ...(name === 'run' ? ['App'] : [])]
}

/** Schemas in a file, for functions whose code has none: by function, or under `functions`. */
function schemasInFile(bundle) {
  const path = join(bundle, 'functions_schema.json')
  if (!existsSync(path)) return {}
  const written = JSON.parse(readFileSync(path, 'utf8'))
  return written.functions ?? written
}

async function describeSchemas(module, functions, entry) {
  const read = schemaReader(entry)
  const described = {}
  for (const fn of functions) {
    fn.outputSchema = await read(fn.output, 'output')
    described[fn.name] = {
      name: fn.name,
      ...(typeof fn.description === 'string' ? { description: fn.description } : {}),
      kind: fn.kind,
      input_schema: await read(fn.input, 'input'),
      output_schema: fn.outputSchema,
      // With zod, the app's own File type opens the URL. With plain JSON Schema, the engine downloads the file before
      // the call.
      file_inputs: isZod(fn.input) ? 'app' : 'engine',
    }
  }
  return { setup_schema: await read(module.AppSetup, 'input'), functions: described }
}
