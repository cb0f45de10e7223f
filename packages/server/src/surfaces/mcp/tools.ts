// Maps operations to MCP tools: which tools a caller gets, their schemas and annotations. Everything is derived from
// the operation's declaration. Pure.
import { holds } from '@millrace/contract/scopes'
import { type Actor, isMember } from '#platform/core/actor.ts'
import { authorise } from '#platform/core/authorise.ts'
import { isFailure } from '#platform/core/errors.ts'
import { type AnyInput, type Operation, splitRoute } from '#platform/core/operation.ts'

type Schema = Record<string, unknown> & {
  properties?: Record<string, unknown>
  required?: readonly string[]
}

type Section = keyof AnyInput

/** The section of the request and the field for an argument. */
type ArgumentTarget = { readonly section: Section; readonly name: string }

export type OperationTool = {
  readonly name: string
  readonly operation: Operation
  readonly places: ReadonlyMap<string, ArgumentTarget>
  /** The body is not an object with named fields, so it is a single argument, `body`. */
  readonly hasWholeBody: boolean
  readonly definition: Record<string, unknown>
}

/** The oldest clients accept letters, digits, `_` and `-`, at most 64. */
const toolName = (operation: Operation): string => operation.name.replaceAll('.', '_').slice(0, 64)

const asSchema = (schema: unknown): Schema | undefined =>
  schema === undefined ? undefined : (JSON.parse(JSON.stringify(schema)) as Schema)

const isFieldwise = (schema: Schema | undefined): boolean =>
  schema?.properties !== undefined && schema.$defs === undefined && schema.anyOf === undefined

const placesOf = (operation: Operation, body: Schema | undefined): Map<string, ArgumentTarget> => {
  const places = new Map<string, ArgumentTarget>()
  for (const section of ['path', 'query'] as const)
    for (const name of Object.keys(asSchema(operation[section])?.properties ?? {}))
      if (!places.has(name)) places.set(name, { section, name })
  if (isFieldwise(body))
    for (const name of Object.keys(body?.properties ?? {}))
      places.set(places.has(name) ? `body_${name}` : name, { section: 'body', name })
  return places
}

const inputSchema = (
  operation: Operation,
  places: ReadonlyMap<string, ArgumentTarget>,
  wholeBody: Schema | undefined,
) => {
  const sections: Record<Section, Schema | undefined> = {
    path: asSchema(operation.path),
    query: asSchema(operation.query),
    body: wholeBody ? undefined : asSchema(operation.body),
  }
  const properties: Record<string, unknown> = {}
  const required: string[] = []
  for (const [argument, { section, name }] of places) {
    properties[argument] = sections[section]?.properties?.[name] ?? {}
    if (section === 'path' || sections[section]?.required?.includes(name)) required.push(argument)
  }
  if (wholeBody) properties.body = wholeBody
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

const annotationsOf = (operation: Operation) => {
  const methods = operation.routes.map((route) => splitRoute(route).method)
  const reads = operation.list === true || (methods.every((method) => method === 'GET') && !operation.unsafeGet)
  const removes = methods.includes('DELETE') || /\.(delete|remove|revoke|disconnect|stop|cancel)\b/.test(operation.name)
  return {
    title: operation.summary,
    readOnlyHint: reads,
    ...(!reads && { destructiveHint: removes || methods.includes('PUT') }),
    idempotentHint: reads || methods.includes('PUT') || methods.includes('DELETE'),
    // An app, an agent or an external server can reach anything.
    openWorldHint: operation.scope.endsWith(':execute'),
  }
}

const described = ({ summary, scope, andScope }: Operation): string => {
  if (!scope.includes(':')) return `${summary}.`
  return andScope
    ? `${summary}. Requires the scopes ${scope} and ${andScope}.`
    : `${summary}. Requires the scope ${scope}.`
}

const toTool = (operation: Operation): OperationTool => {
  const body = asSchema(operation.body)
  const hasWholeBody = body !== undefined && !isFieldwise(body)
  const places = placesOf(operation, body)
  const name = toolName(operation)
  return {
    name,
    operation,
    places,
    hasWholeBody,
    definition: {
      name,
      title: operation.summary,
      description: described(operation),
      inputSchema: inputSchema(operation, places, hasWholeBody ? body : undefined),
      annotations: annotationsOf(operation),
    },
  }
}

/**
 * Excludes operations that do not fit into a tool call: streams, bytes, browser-only and anonymous operations, sign-in,
 * and other protocols, whose routes repeat operations.
 */
const isCallable = ({ stream, bytes, form, errors, browserOnly, scope, name }: Operation): boolean =>
  !stream &&
  !bytes &&
  !form &&
  errors === undefined &&
  !browserOnly &&
  scope !== 'public' &&
  !/^(auth|device)\./.test(name)

const known = new WeakMap<readonly Operation[], readonly OperationTool[]>()

const allTools = (operations: readonly Operation[]): readonly OperationTool[] => {
  const made = known.get(operations) ?? operations.filter(isCallable).map(toTool)
  known.set(operations, made)
  return made
}

/** Anyone may read public rows, but as a tool a read is only offered to callers with its scope. */
const mayUse = (actor: Actor, operation: Operation): boolean => {
  try {
    authorise(actor, operation)
  } catch (error) {
    if (isFailure(error)) return false
    throw error
  }
  const { scope, orScope } = operation
  if (!isMember(actor) || scope === 'optional' || scope === 'authenticated' || scope === 'public') return true
  return holds(actor.grant, scope, actor) || (orScope !== undefined && holds(actor.grant, orScope, actor))
}

/** The tools that a caller may use; `only` restricts them to some resources, such as `apps` and `tasks`. */
export const toolsFor = (
  actor: Actor,
  operations: readonly Operation[],
  only: readonly string[] = [],
): OperationTool[] =>
  allTools(operations).filter(
    ({ operation }) =>
      (only.length === 0 || only.includes(operation.name.split('.')[0] ?? '')) && mayUse(actor, operation),
  )

export const inputOf = (tool: OperationTool, given: Readonly<Record<string, unknown>>): AnyInput => {
  const input: Record<Section, Record<string, unknown>> = { path: {}, query: {}, body: {} }
  for (const [argument, value] of Object.entries(given)) {
    const place = tool.places.get(argument)
    if (place) input[place.section][place.name] = value
  }
  return { ...input, body: tool.hasWholeBody ? (given.body ?? {}) : input.body }
}
