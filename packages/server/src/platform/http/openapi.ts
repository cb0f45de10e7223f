// Generates the OpenAPI 3.1 document from the mounted operations.
import { errorTable } from '@millrace/contract/errors'
import { schemaModules } from '@millrace/contract/schemas.gen'
import { isSignInOnly } from '@millrace/contract/scopes'
import type { TSchema } from 'typebox'
import type { DeclaredRoute, RouteReference } from '../core/declared-route.ts'
import { type Operation, type Route, splitRoute } from '../core/operation.ts'
import type { Example, Examples } from './examples.ts'
import { createNamedSchemas, type NamedSchemas, pascal } from './named-schemas.ts'
import { openAiErrorResponse } from './openai-error.ts'
import { describeAccess } from './openapi-access.ts'
import { tagsOf } from './openapi-tags.ts'

type Schema = TSchema & { properties?: Record<string, TSchema>; required?: string[] }

type Values = Readonly<Record<string, string>>

const parameters = (
  schemas: NamedSchemas,
  schema: Schema | undefined,
  { where, values = {} }: { where: 'path' | 'query'; values?: Values | undefined },
) =>
  Object.entries(schema?.properties ?? {}).map(([name, property]) => {
    const type = (property as { type?: unknown }).type
    const isJson = type === 'array' || type === 'object'
    const written = schemas.write(property)
    return {
      name,
      in: where,
      required: where === 'path' || (schema?.required?.includes(name) ?? false),
      ...(isJson ? { content: { 'application/json': { schema: written } } } : { schema: written }),
      ...(type === 'string' && values[name] !== undefined ? { example: values[name] } : {}),
    }
  })

const problemResponse = (codes: readonly string[]) => ({
  description: codes.map((code) => `\`${code}\``).join(', '),
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

const oauthErrorResponse = (codes: readonly string[]) => ({
  description: codes.map((code) => `\`${code}\``).join(', '),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/OAuthError' } } },
})

/** Failures that follow from the declaration, in addition to those that the operation lists. */
export const declaredFailures = (operation: Operation): string[] => {
  const codes = new Set<string>(operation.fails)
  codes.add('invalid_request')
  if (operation.path || operation.query || operation.body) codes.add('validation_error')
  // An invalid credential, and a workspace that it does not belong to.
  if (operation.scope !== 'public') codes.add('unauthorized').add('forbidden')
  if (operation.scope.includes(':') && !operation.publicRows) codes.add('insufficient_scope')
  if (isSignInOnly(operation.scope)) codes.add('requires_sign_in')
  if (operation.role || operation.capability) codes.add('team_role_required')
  if (operation.rateLimit) codes.add('rate_limited')
  if (operation.stores) for (const code of ['limit_exceeded', 'feature_not_available']) codes.add(code)
  if (operation.unsafeGet) codes.add('method_not_allowed')
  return [...codes]
}

const jsonContent = (operation: Operation, data: unknown, example: Example | undefined) => {
  const schema = operation.bare
    ? data
    : {
        type: 'object',
        required: ['success', 'data', 'messages'],
        properties: {
          success: { const: true },
          data,
          messages: { type: 'array', items: { $ref: '#/components/schemas/Notice' } },
        },
      }
  const shown = example && 'response' in example ? { example: example.response } : {}
  return { 'application/json': { schema, ...shown } }
}

const streamContent = (data: unknown, example: Example | undefined) => ({
  'text/event-stream': {
    schema: { type: 'string', description: 'Events; the `data` of each event is JSON, the same as one line of NDJSON' },
    ...(example && 'events' in example ? { example: example.events } : {}),
  },
  'application/x-ndjson': { schema: data },
})

const success = (operation: Operation, schemas: NamedSchemas, example: Example | undefined) => {
  if (example && 'location' in example) {
    const header = { description: 'Target of the redirect', schema: { type: 'string' }, example: example.location }
    return { 302: { description: 'Redirect', headers: { Location: header } } }
  }
  const data = schemas.refer(operation.reply, `${pascal(operation.name)}Reply`)
  const content = operation.stream ? streamContent(data, example) : jsonContent(operation, data, example)
  return { [operation.created ? 201 : 200]: { description: 'Success', content } }
}

const responsesOfFailures = (failures: readonly string[], statuses: Operation['statuses']) => {
  const byStatus = new Map<number, string[]>()
  for (const code of failures) {
    const named = code as keyof typeof errorTable
    const status = statuses?.[named] ?? errorTable[named].status
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].sort(([a], [b]) => a - b).map(([status, codes]) => [status, problemResponse(codes)]),
  )
}

const responses = (operation: Operation, schemas: NamedSchemas, example: Example | undefined) => {
  // An OAuth route responds to every refusal with 400 and an `error`; other problems of a form are `invalid_request`.
  if (operation.form)
    return {
      ...success(operation, schemas, example),
      400: oauthErrorResponse([...new Set([...(operation.fails ?? []), 'invalid_request'])]),
    }
  if (operation.errors === 'openai')
    return {
      ...success(operation, schemas, example),
      default: openAiErrorResponse(declaredFailures(operation), schemas),
    }
  return {
    ...success(operation, schemas, example),
    ...responsesOfFailures(declaredFailures(operation), operation.statuses),
  }
}

/** Operation id of an additional route: method and first path segment, with a number if that is ambiguous. */
const additionalRouteId = ({ name, routes }: Operation, route: Route): string => {
  const idOf = (one: Route): string => {
    const { method, path } = splitRoute(one)
    return `${name}.${method.toLowerCase()}.${path.split('/')[1]}`
  }
  const sameId = routes.slice(1).filter((one) => idOf(one) === idOf(route))
  const number = sameId.indexOf(route) + 1
  return number > 1 ? `${idOf(route)}.${number}` : idOf(route)
}

type Parts = { readonly schemas: NamedSchemas; readonly examples: Examples }

const contentTypeOf = ({ form, multipart }: Operation): string => {
  if (multipart) return 'multipart/form-data'
  return form ? 'application/x-www-form-urlencoded' : 'application/json'
}

/** The request body, with the recorded example. */
const requestBody = (operation: Operation, { schemas }: Parts, example: Example | undefined) => {
  if (!operation.body) return {}
  const contentType = contentTypeOf(operation)
  const schema = schemas.refer(operation.body, `${pascal(operation.name)}Body`)
  // A recorded call without a body is shown with an empty one.
  const shown = example ? { example: example.body ?? {} } : {}
  return { requestBody: { required: false, content: { [contentType]: { schema, ...shown } } } }
}

const pathItem = (operation: Operation, route: Route, isAdditional: boolean, parts: Parts) => {
  const { schemas, examples } = parts
  const example = examples[operation.name]
  const { method, path } = splitRoute(route)
  const listQuery = operation.list && method === 'GET'
  return {
    path: path.replace(/:(\w+)/g, '{$1}'),
    method: method.toLowerCase(),
    item: {
      operationId: isAdditional ? additionalRouteId(operation, route) : operation.name,
      summary: operation.summary,
      description: describeAccess(operation),
      tags: [operation.name.split('.')[0]],
      ...(operation.scope === 'public' ? { security: [] } : {}),
      ...(operation.scope === 'optional' || operation.publicRows ? { security: [{}, { bearer: [] }] } : {}),
      'x-scope': operation.scope,
      ...(operation.checkedScopes ? { 'x-checked-scopes': operation.checkedScopes } : {}),
      ...(operation.stream ? { 'x-stream': true } : {}),
      parameters: [
        ...parameters(schemas, operation.path, { where: 'path', values: example?.path }),
        ...parameters(schemas, listQuery ? operation.body : operation.query, {
          where: 'query',
          values: example?.query,
        }),
      ],
      ...(listQuery ? {} : requestBody(operation, parts, example)),
      responses: responses(operation, schemas, example),
    },
  }
}

const rawItem = (name: string, raw: RouteReference, schemas: NamedSchemas) => ({
  operationId: name,
  summary: raw.summary,
  description: raw.access,
  tags: [name.split('.')[0]],
  security: [{}, { bearer: [] }],
  parameters: [
    ...parameters(schemas, raw.path as Schema | undefined, { where: 'path' }),
    ...parameters(schemas, raw.query as Schema | undefined, { where: 'query' }),
  ],
  responses: {
    200: { description: 'Success', content: { [raw.contentType]: { schema: { type: 'string' } } } },
    ...responsesOfFailures(raw.fails, undefined),
  },
})

/** Schemas of responses that are not resources. */
const ownSchemas = {
  Problem: {
    type: 'object',
    required: ['type', 'title', 'status', 'detail'],
    properties: {
      type: { type: 'string', format: 'uri' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      meta: { type: 'object' },
    },
  },
  OAuthError: {
    type: 'object',
    required: ['error', 'error_description'],
    properties: { error: { type: 'string' }, error_description: { type: 'string' } },
  },
  Notice: {
    type: 'object',
    required: ['level', 'code', 'message'],
    properties: {
      level: { type: 'string', enum: ['info', 'warning'] },
      code: { type: 'string' },
      message: { type: 'string' },
      meta: { type: 'object' },
    },
  },
}

const pathsOf = (operations: readonly Operation[], routes: readonly DeclaredRoute[], parts: Parts) => {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations)
    for (const [index, route] of operation.routes.entries()) {
      const { path, method, item } = pathItem(operation, route, index > 0, parts)
      paths[path] = { ...paths[path], [method]: item }
    }
  for (const { name, route, reference } of routes) {
    if (!reference) continue
    const { method, path } = splitRoute(route as Route)
    const shown = path.replace(/:(\w+)/g, '{$1}')
    paths[shown] = { ...paths[shown], [method.toLowerCase()]: rawItem(name, reference, parts.schemas) }
  }
  return paths
}

export const openApiDocument = (
  operations: readonly Operation[],
  {
    baseUrl,
    version,
    examples = {},
    routes = [],
  }: { baseUrl: string; version: string; examples?: Examples; routes?: readonly DeclaredRoute[] },
) => {
  const schemas = createNamedSchemas(schemaModules)
  const paths = pathsOf(operations, routes, { schemas, examples })
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Millrace',
      version,
      description:
        'Apps, flows, triggers, files, secrets and engines of a self-hosted AI platform.\n\n' +
        'A success is an envelope: the resource under `data`, notices under `messages`, and `success: true`. ' +
        'A request with the header `X-API-Version: 2` is answered with the resource alone.',
      contact: { name: 'Operator of this server', url: baseUrl },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    security: [{ bearer: [] }],
    tags: tagsOf(operations),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key (mill-…) or a session token (sess_…)' },
      },
      schemas: {
        ...schemas.components(),
        ...ownSchemas,
      },
    },
  }
}
