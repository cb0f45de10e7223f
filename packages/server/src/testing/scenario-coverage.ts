// Computes the cases that an operation must cover, and those that are missing. Refusals that follow from the declaration
// alone (no credential, a key without the scope) are generated for every operation by matrix.ts. Pure: takes the
// operations and the recorded scenarios.
import type { TSchema } from 'typebox'
import type { Operation } from '#platform/core/operation.ts'
import { declaredFailures } from '#platform/http/openapi.ts'
import type { RecordedScenario } from './scenarios.ts'

type Schema = {
  type?: unknown
  properties?: Record<string, Schema>
  required?: readonly string[]
  items?: Schema
  enum?: unknown
  pattern?: unknown
  format?: unknown
  minimum?: unknown
  maximum?: unknown
  minLength?: number
  maxLength?: unknown
  anyOf?: unknown
}

const limits = ['enum', 'pattern', 'format', 'minimum', 'maximum', 'items', 'anyOf'] as const

/** Texts of a path or a query are always strings, so only their content can be wrong. */
const textCanBeWrong = (schema: Schema): boolean =>
  (schema.type !== undefined && schema.type !== 'string') || limits.some((limit) => schema[limit] !== undefined)

const propertiesOf = (schema: TSchema | undefined): Schema[] => Object.values((schema as Schema)?.properties ?? {})

export const canBeInvalid = ({ path, query, body }: Operation): boolean =>
  propertiesOf(path).some(textCanBeWrong) ||
  propertiesOf(query).some(textCanBeWrong) ||
  ((query as Schema | undefined)?.required ?? []).length > 0 ||
  // A JSON body can contain any type, so every typed property can be wrong.
  propertiesOf(body).some((property) => property.type !== undefined || textCanBeWrong(property))

type Case = {
  name: string
  applies: (operation: Operation) => boolean
  shownBy: (row: RecordedScenario) => boolean
}

const isOpen = ({ scope }: Operation): boolean => scope === 'public' || scope === 'optional'
const isStranger = ({ as }: RecordedScenario): boolean => as === 'stranger' || as?.startsWith('stranger-key:') === true
const invalidStatuses = [400, 413, 415, 422]

const cases: readonly Case[] = [
  { name: 'success', applies: () => true, shownBy: ({ status }) => status >= 200 && status < 400 },
  { name: 'invalid input', applies: canBeInvalid, shownBy: ({ status }) => invalidStatuses.includes(status) },
  {
    name: 'anonymous',
    applies: ({ scope, publicRows }) => scope === 'optional' || publicRows === true,
    shownBy: ({ as }) => as === null,
  },
  {
    name: 'wrong role',
    // Every person has `create_keys`; callers without it are keys, which the scope check rejects first.
    applies: ({ role, capability }) => (role !== undefined && role !== 'member') || capability === 'manage_keys',
    shownBy: ({ code }) => code === 'team_role_required',
  },
  {
    name: 'foreign team',
    applies: (operation) =>
      operation.routes.some((route) => route.includes('/:')) &&
      !isOpen(operation) &&
      // Platform administration is not bound to a workspace.
      !operation.scope.startsWith('admin:'),
    shownBy: (row) => isStranger(row) && (row.status === 404 || row.status === 403),
  },
]

/** `operation: case` for every applicable case that is missing, and every declared failure without a scenario. */
export const missingScenarios = (operations: readonly Operation[], recorded: readonly RecordedScenario[]): string[] =>
  operations.flatMap((operation) => {
    const rows = recorded.filter((row) => row.operation === operation.name)
    const missing = cases
      .filter((one) => one.applies(operation) && !rows.some((row) => one.shownBy(row)))
      .map((one) => one.name)
    const codes = (operation.fails ?? []).filter((code) => !rows.some((row) => row.code === code))
    return [...missing, ...codes].map((name) => `${operation.name}: ${name}`)
  })

/** `operation: code` for every code that a scenario shows but the operation does not declare. */
export const undeclaredCodes = (operations: readonly Operation[], recorded: readonly RecordedScenario[]): string[] => {
  const found = operations.flatMap((operation) => {
    const declared = new Set(declaredFailures(operation))
    return recorded.flatMap((row) =>
      row.operation !== operation.name || row.code === undefined || declared.has(row.code)
        ? []
        : [`${operation.name}: ${row.code}`],
    )
  })
  return [...new Set(found)]
}
