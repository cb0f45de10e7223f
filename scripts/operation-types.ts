// Generates the client's view of the operations from the server's list: types of inputs and answers, a table of
// endpoints, and the help texts of the command line. Exported schemas of the contract are referenced by name.
import Type, { type TSchema } from 'typebox'
import { PageOf } from '../packages/contract/src/common.ts'
import { type Operation, splitRoute } from '../packages/server/src/platform/core/operation.ts'

/** The contract's modules by file name without extension. */
export type ContractModules = Readonly<Record<string, Readonly<Record<string, unknown>>>>

type Schema = {
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema | Schema[]
  anyOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
}

const heading = '// Written by `npm run generate` from the list of operations; do not edit.'

const withoutRequired = ({ required: _, ...schema }: Schema): string => JSON.stringify(schema)

type Names = { readonly whole: ReadonlyMap<string, string>; readonly partial: ReadonlyMap<string, string> }

const namesOf = (modules: ContractModules): Names => {
  const whole = new Map<string, string>()
  const partial = new Map<string, string>()
  for (const [file, exports] of Object.entries(modules).sort(([a], [b]) => (a < b ? -1 : 1)))
    for (const [name, value] of Object.entries(exports)) {
      if (typeof value !== 'object' || value === null || !('properties' in value)) continue
      const schema = value as Schema
      // A schema shorter than its name is written out.
      if (Object.keys(schema.properties ?? {}).length < 2) continue
      const type = `Static<typeof ${aliasOf(file)}.${name}>`
      if (!whole.has(JSON.stringify(schema))) whole.set(JSON.stringify(schema), type)
      if (!partial.has(withoutRequired(schema))) partial.set(withoutRequired(schema), type)
    }
  return { whole, partial }
}

const aliasOf = (file: string): string => file.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

const quoted = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

const withoutItems = ({ properties, ...schema }: Schema): string =>
  JSON.stringify({ ...schema, properties: { ...properties, items: null } })

const anyPage = withoutItems(PageOf(Type.Unknown()) as Schema)

const simple: Record<string, string> = {
  string: 'string',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  null: 'null',
}

const writer = ({ whole, partial }: Names) => {
  const write = (schema: Schema): string => {
    const named = whole.get(JSON.stringify(schema))
    if (named !== undefined) return named
    const { items } = schema.properties ?? {}
    if (items && withoutItems(schema) === anyPage) return `common.Page<${write(items.items as Schema)}>`
    if (schema.properties && schema.required === undefined) {
      const part = partial.get(withoutRequired(schema))
      if (part !== undefined) return `Partial<${part}>`
    }
    return writeOut(schema)
  }

  const writeOut = (schema: Schema): string => {
    if ('const' in schema) return JSON.stringify(schema.const)
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
    if (schema.anyOf) return schema.anyOf.map(grouped).join(' | ')
    if (schema.allOf) return schema.allOf.map(grouped).join(' & ')
    if (Array.isArray(schema.type)) return schema.type.map((type) => writeOut({ ...schema, type })).join(' | ')
    if (schema.type === 'array') return writeArray(schema)
    if (schema.type === 'object') return writeObject(schema)
    return simple[schema.type ?? ''] ?? 'unknown'
  }

  const grouped = (schema: Schema): string => {
    const text = write(schema)
    return / [|&] /.test(text) ? `(${text})` : text
  }

  const writeArray = ({ items }: Schema): string => {
    if (Array.isArray(items)) return `[${items.map(write).join(', ')}]`
    return items === undefined ? 'unknown[]' : `${grouped(items)}[]`
  }

  const writeObject = ({ properties, required = [], patternProperties, additionalProperties }: Schema): string => {
    const fields = Object.entries(properties ?? {}).map(
      ([name, schema]) => `${quoted(name)}${required.includes(name) ? '' : '?'}: ${write(schema)}`,
    )
    if (fields.length > 0) return `{ ${fields.join('; ')} }`
    const [pattern] = Object.values(patternProperties ?? {})
    const rest = pattern ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined)
    return `Record<string, ${rest ? write(rest) : additionalProperties === false ? 'never' : 'unknown'}>`
  }
  return write
}

const partOf = (name: 'path' | 'query' | 'body', schema: TSchema | undefined, write: (schema: Schema) => string) => {
  if (!schema) return []
  const { required = [] } = schema as Schema
  return [`${name}${required.length === 0 ? '?' : ''}: ${write(schema)}`]
}

const inputOf = (operation: Operation, write: (schema: Schema) => string): string => {
  const body = operation.bytes ? ['body: Uint8Array'] : partOf('body', operation.body, write)
  const parts = [...partOf('path', operation.path, write), ...partOf('query', operation.query, write), ...body]
  return parts.length === 0 ? 'Record<never, never>' : `{ ${parts.join('; ')} }`
}

/** The endpoint for programs: for a list, the one with a JSON body. */
const routeOf = (operation: Operation) => {
  const routes = operation.routes.map(splitRoute)
  const [first] = operation.list ? routes.filter(({ method }) => method === 'POST') : routes
  const route = first ?? routes[0]
  if (!route) throw new Error(`${operation.name} has no route`)
  return route
}

const rowOf = (operation: Operation): string => {
  const { method, path } = routeOf(operation)
  const flags = (['list', 'stream', 'bare', 'bytes', 'form'] as const)
    .filter((flag) => operation[flag])
    .map((flag) => `, ${flag}: true`)
  return `  '${operation.name}': { method: '${method}', path: '${path}'${flags.join('')} },`
}

const sorted = (operations: readonly Operation[]): readonly Operation[] =>
  operations.toSorted((a, b) => (a.name < b.name ? -1 : 1))

export const operationTypesText = (operations: readonly Operation[], modules: ContractModules): string => {
  const write = writer(namesOf(modules))
  const rows = sorted(operations).map(
    (operation) =>
      `  '${operation.name}': {\n    input: ${inputOf(operation, write)}\n    reply: ${write(operation.reply)}\n  }`,
  )
  const types = rows.join('\n')
  const files = Object.keys(modules)
    .filter((file) => new RegExp(`\\b${aliasOf(file)}\\.`).test(types))
    .sort()
  return [
    heading,
    "import type { Static } from 'typebox'",
    ...files.map((file) => `import type * as ${aliasOf(file)} from './${file}.ts'`),
    '',
    '/** Inputs and answers of each operation; for a stream, the data of one event. */',
    'export type Operations = {',
    types,
    '}',
    '',
    'export const operationTable = {',
    ...sorted(operations).map(rowOf),
    '} as const',
    '',
  ].join('\n')
}

const kindOf = (schema: Schema): string => {
  if (schema.enum) return schema.enum.join('|')
  if (Array.isArray(schema.type)) return schema.type.filter((type) => type !== 'null').join('|')
  return schema.type ?? 'json'
}

const fieldsOf = (place: 'path' | 'query' | 'body', schema: TSchema | undefined) => {
  const { properties = {}, required = [] } = (schema ?? {}) as Schema
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    kind: kindOf(property),
    ...(required.includes(name) ? { required: true } : {}),
    ...(property.description === undefined ? {} : { description: property.description }),
  }))
}

export const operationHelpText = (operations: readonly Operation[]): string => {
  const rows = sorted(operations).map((operation) => {
    const fields = operation.bytes
      ? fieldsOf('path', operation.path)
      : [
          ...fieldsOf('path', operation.path),
          ...fieldsOf('query', operation.query),
          ...fieldsOf('body', operation.body),
        ]
    return [
      `  '${operation.name}': {`,
      `    summary: ${JSON.stringify(operation.summary)},`,
      `    scope: '${operation.scope}',`,
      fields.length === 0 ? '    fields: [],' : '    fields: [',
      ...fields.map((field) => `      ${JSON.stringify(field)},`),
      ...(fields.length === 0 ? [] : ['    ],']),
      '  },',
    ].join('\n')
  })
  return [
    heading,
    "import type { OperationHelp } from './operation-help.ts'",
    "import type { Operations } from './operations.gen.ts'",
    '',
    'export const operationHelp: Readonly<Record<keyof Operations, OperationHelp>> = {',
    ...rows,
    '}',
    '',
  ].join('\n')
}

/** The modules that export schemas, for programs that need a schema's name at run time. */
export const schemaModulesText = (modules: ContractModules): string => {
  const files = Object.entries(modules)
    .filter(([, exports]) =>
      Object.values(exports).some((value) => typeof value === 'object' && value !== null && 'properties' in value),
    )
    .map(([file]) => file)
    .sort()
  return [
    '// Written by `npm run generate` from the list of modules; do not edit.',
    ...files.map((file) => `import * as ${aliasOf(file)} from './${file}.ts'`),
    '',
    `export const schemaModules = { ${files.map(aliasOf).join(', ')} }`,
    '',
  ].join('\n')
}
