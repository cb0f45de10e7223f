// Converts an OpenAPI document to the functions of an app. Pure; runs on the thread of `worker.ts`.
import type { SecretRequirement } from '@millrace/contract/apps'
import type { OpenApiSource } from '@millrace/contract/connectors'
import { isRecord } from '@millrace/contract/json'
import { DocumentProblem, follow, type Json, readDocument, textOf } from './document.ts'
import { chooseOperations, type FoundOperation, functionName } from './operations.ts'
import { copySchema, type SchemaBudget } from './schema.ts'
import { type Auth, readSchemes, type Scheme, type Security, securityOf } from './security.ts'
import { mainServer, serverOf } from './servers.ts'

/** A parameter of a request; `field` is its name in the input. */
type Parameter = { field: string; name: string; in: 'path' | 'query' | 'header' | 'cookie'; explode: boolean }

/** The parts of a request that do not depend on the input. */
export type RequestTemplate = {
  method: string
  server: string
  path: string
  parameters: Parameter[]
  body: { type: string } | null
  auth: Auth[]
}

export type ConvertedFunction = { description: string; input_schema: Json; output_schema: Json; kind: 'run' }

export type Converted = {
  title: string
  description: string
  calls: Record<string, RequestTemplate>
  functions: Record<string, ConvertedFunction>
  secrets: SecretRequirement[]
  provider: string | null
  hosts: string[]
  skipped: { operation: string; reason: string }[]
}

export type ConvertOptions = Omit<OpenApiSource, 'document'> & { app: string | undefined }

/** Below the limit of subschemas per version, with room for the fields around the copied schemas. */
const subschemasPerApp = 3_000
const maxSubschemas = 300
const maxFunctionsBytes = 1_900_000

const output: Json = {
  type: 'object',
  properties: {
    status: { type: 'integer', description: 'HTTP status' },
    body: { description: 'The answer: parsed JSON, or text' },
    file: { type: 'string', format: 'file', description: 'An answer that is neither JSON nor text' },
  },
  required: ['status'],
}

const isPlace = (text: unknown): text is Parameter['in'] =>
  text === 'path' || text === 'query' || text === 'header' || text === 'cookie'

/** OpenAPI defines that parameters with these names are ignored. */
const ownHeaders = new Set(['accept', 'authorization', 'content-type'])

type Input = { properties: Json; required: string[] }

const addParameters = (found: FoundOperation, budget: SchemaBudget, input: Input): Parameter[] => {
  const given = new Map<string, Json>()
  for (const level of [found.item.parameters, found.operation.parameters])
    for (const one of Array.isArray(level) ? level : []) {
      const parameter = follow(budget.document, one)
      if (isRecord(parameter)) given.set(`${parameter.in} ${parameter.name}`, parameter)
    }
  return [...given.values()].flatMap((parameter): Parameter[] => {
    const { name, in: place } = parameter
    if (typeof name !== 'string' || !isPlace(place) || (place === 'header' && ownHeaders.has(name.toLowerCase())))
      return []
    const taken = Object.hasOwn(input.properties, name) || name === 'body'
    const field = taken ? `${place}_${name}` : name
    const [content] = isRecord(parameter.content) ? Object.values(parameter.content) : []
    const schema = copySchema(budget, parameter.schema ?? (isRecord(content) ? content.schema : undefined))
    const description = textOf(parameter.description, 300)
    input.properties[field] = { ...schema, ...(description === '' ? {} : { description }) }
    if (parameter.required === true || place === 'path') input.required.push(field)
    const explode = typeof parameter.explode === 'boolean' ? parameter.explode : place === 'query' || place === 'cookie'
    return [{ field, name, in: place, explode }]
  })
}

const preferred = [/\bjson\b/, /^multipart\/form-data/, /^application\/x-www-form-urlencoded/, /^text\//]

const addBody = (found: FoundOperation, budget: SchemaBudget, input: Input): RequestTemplate['body'] => {
  const given = follow(budget.document, found.operation.requestBody)
  if (!isRecord(given) || !isRecord(given.content)) return null
  const types = Object.keys(given.content)
  const type = preferred.map((pattern) => types.find((one) => pattern.test(one))).find((one) => one) ?? types[0]
  if (type === undefined) return null
  const media = given.content[type]
  const isForm = type.startsWith('multipart/')
  const isBytes = !preferred.some((pattern) => pattern.test(type))
  const copied = copySchema({ ...budget, binaryIsFile: isForm }, isRecord(media) ? media.schema : undefined)
  const description = textOf(given.description, 300)
  input.properties.body = {
    ...(isBytes ? { type: 'string', format: 'file' } : copied),
    ...(description === '' ? {} : { description }),
  }
  if (given.required === true) input.required.push('body')
  return { type }
}

const describe = ({ title, operation }: FoundOperation): string => {
  const summary = textOf(operation.summary, 300)
  const text = textOf(operation.description, 900)
  const deprecated = operation.deprecated === true ? 'Deprecated. ' : ''
  return `${deprecated}${[summary, text === summary ? '' : text].filter((part) => part !== '').join('\n\n') || title}`
}

const reasonToSkip = ({ method, path }: FoundOperation, security: Security | undefined): string | undefined => {
  if (security === undefined) return 'needs a sign-in that is not supported'
  if (method === 'HEAD' || method === 'OPTIONS') return `${method} has no answer to use`
  return path.length > 1_000 ? 'its path is too long' : undefined
}

/** A secret is required when no operation works without it. */
const secretsOf = (schemes: Map<string, Scheme>, uses: readonly Security[]): SecretRequirement[] =>
  [...schemes].flatMap(([name, { auth, description, fromConnection }]) => {
    const using = uses.filter(({ names }) => names.includes(name))
    if (using.length === 0 || fromConnection) return []
    const optional = using.length < uses.length || using.some((one) => one.optional)
    return auth.env.map((key) => ({ key, description: description || `${name} of the service`, optional }))
  })

type Scope = { document: Json; options: ConvertOptions; schemes: Map<string, Scheme>; main: string; share: number }

const convertOperation = (
  found: FoundOperation,
  security: Security,
  scope: Scope,
): { call: RequestTemplate; made: ConvertedFunction } => {
  const { document, options, schemes, main, share } = scope
  const input: Input = { properties: {}, required: [] }
  const budget: SchemaBudget = { left: share, document, binaryIsFile: false }
  const parameters = addParameters(found, budget, input)
  const body = addBody(found, budget, input)
  const auth = security.names.flatMap((scheme) => schemes.get(scheme)?.auth ?? [])
  const server = serverOf(main, options.server_url, found.operation, found.item)
  const input_schema = { type: 'object', properties: input.properties, required: [...new Set(input.required)] }
  return {
    call: { method: found.method, server, path: found.path, parameters, body, auth },
    made: { description: describe(found), input_schema, output_schema: output, kind: 'run' },
  }
}

const convertAll = (chosen: readonly FoundOperation[], scope: Scope) => {
  const calls: Converted['calls'] = {}
  const functions: Converted['functions'] = {}
  const skipped: Converted['skipped'] = []
  const uses: Security[] = []
  const taken = new Set<string>()
  for (const found of chosen) {
    const security = securityOf(scope.document, found.operation, scope.schemes)
    const reason = reasonToSkip(found, security)
    if (reason !== undefined || security === undefined) {
      skipped.push({ operation: found.title, reason: reason ?? '' })
      continue
    }
    const name = functionName(found, taken)
    const { call, made } = convertOperation(found, security, scope)
    taken.add(name)
    uses.push(security)
    calls[name] = call
    functions[name] = made
  }
  return { calls, functions, skipped, uses }
}

export const convertDocument = (text: string, options: ConvertOptions): Converted => {
  const document = readDocument(text)
  const info = isRecord(document.info) ? document.info : {}
  const title = textOf(info.title, 200)
  const schemes = readSchemes(document, options.app ?? (title || 'service'), options.provider)
  const main = mainServer(document, options.server_url, options.url)
  const chosen = chooseOperations(document, options)
  const share = Math.min(maxSubschemas, Math.floor(subschemasPerApp / chosen.length))
  const { uses, ...converted } = convertAll(chosen, { document, options, schemes, main, share })
  const [first] = converted.skipped
  if (uses.length === 0)
    throw new DocumentProblem(`None of the operations can be used: ${first?.operation} ${first?.reason}`)
  if (JSON.stringify(converted.functions).length > maxFunctionsBytes)
    throw new DocumentProblem('The descriptions of these operations are too large; choose fewer by tag or name')
  const usesConnection = uses.some(({ names }) => names.some((name) => schemes.get(name)?.fromConnection))
  return {
    ...converted,
    title,
    description: textOf(info.description, 2_000),
    secrets: secretsOf(schemes, uses),
    provider: usesConnection ? (options.provider ?? null) : null,
    hosts: [...new Set(Object.values(converted.calls).map(({ server }) => new URL(server).host))].sort(),
  }
}
