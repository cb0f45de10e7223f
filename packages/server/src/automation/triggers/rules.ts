// Validates the bodies of create and update; each refusal has its own code and field. Pure: the service checks that the
// target and the secret exist and may be used. Null counts as absent.
import {
  type EventFilter,
  type InputMapping,
  type MappingTried,
  type TriggerAction,
  type TriggerType,
  type TryMapping,
  triggerActions,
  triggerTypes,
} from '@millrace/contract/triggers'
import { type Failure, fail } from '#platform/core/errors.ts'
import { isCalendarDay } from '#platform/core/times.ts'
import { checkExpression, checkZone } from './cron.ts'
import { expiryPrefix } from './expiry-name.ts'
import { readFilters } from './filters.ts'
import { findMappingFault, mapInput } from './input-mapping.ts'
import { isTooDeep } from './payload.ts'
import { isJsonObject, type JsonObject } from './payload-path.ts'
import { findSource } from './sources.ts'

/** The field with the target of an action. */
export const targetFields = {
  run_agent: 'agent_id',
  run_app: 'app_id',
  run_flow: 'flow_id',
  resolve_interrupt: 'interrupt_id',
} as const satisfies Record<TriggerAction, string>

export type TriggerSettings = {
  readonly name: string
  readonly enabled: boolean
  readonly config: JsonObject
  readonly input: JsonObject
  readonly inputMapping: InputMapping
  readonly filters: readonly EventFilter[]
  readonly scheduledAt: Date | null
}

export type NewTrigger = TriggerSettings & {
  readonly type: TriggerType
  readonly action: TriggerAction
  readonly targetId: string
  /** The catalog key of a source; only for webhook triggers. */
  readonly sourceKey: string | null
}

/** Only the fields that the body has. */
export type TriggerChange = Partial<TriggerSettings>

type Kind = { readonly type: TriggerType; readonly action: TriggerAction }

const nameMaxLength = 255

const invalid = (field: string, detail: string): Failure => fail('validation_error', { detail, meta: { field } })

const readName = (name: unknown): string => {
  if (typeof name !== 'string' || name.trim() === '') throw invalid('name', 'name is required')
  if (name.length > nameMaxLength) throw invalid('name', `name is longer than ${nameMaxLength} characters`)
  if (name.trim().startsWith(expiryPrefix)) throw invalid('name', `a name that begins with ${expiryPrefix} is reserved`)
  return name.trim()
}

const readChoice = <T extends string>(field: string, value: unknown, choices: readonly T[]): T => {
  const choice = choices.find((known) => known === value)
  if (choice === undefined) throw invalid(field, `${field} must be one of ${choices.join(', ')}`)
  return choice
}

const readAction = (value: unknown): TriggerAction => readChoice('action', value, triggerActions)

const readEnabled = (enabled: unknown): boolean => {
  if (typeof enabled !== 'boolean') throw invalid('enabled', 'enabled must be true or false')
  return enabled
}

const readObject = (field: string, value: unknown): JsonObject => {
  if (!isJsonObject(value)) throw invalid(field, `${field} must be an object`)
  if (isTooDeep(value)) throw invalid(field, `${field} is nested too deeply`)
  return value
}

const readConfig = (type: TriggerType, value: unknown): JsonObject => {
  const config = readObject('config', value)
  if (type === 'cron') {
    const expression = checkExpression(config.expression)
    if (!expression.ok) throw invalid('config.expression', `config.expression: ${expression.detail}`)
    const zone = checkZone(config.timezone ?? 'UTC')
    if (!zone.ok) throw invalid('config.timezone', `config.timezone: ${zone.detail}`)
  }
  const { secret_ref: secretRef = null } = config
  if (type === 'webhook' && secretRef !== null && typeof secretRef !== 'string') {
    throw invalid('config.secret_ref', 'config.secret_ref must be the name of a secret')
  }
  return config
}

const configFields: Readonly<Record<TriggerType, readonly string[]>> = {
  cron: ['expression', 'timezone'],
  webhook: ['secret_ref'],
  scheduled: [],
  manual: [],
}

const namedUnread = 10

/** Unknown fields of a config, such as a mistyped `secret_ref`, are stored but reported. */
export const unreadConfig = (type: TriggerType, config: JsonObject): { field: string; message: string }[] => {
  const known = configFields[type]
  const reads = known.length === 0 ? 'has no config' : `uses only ${known.join(' and ')}`
  return Object.keys(config)
    .filter((key) => !known.includes(key))
    .slice(0, namedUnread)
    .map((key) => ({
      field: `config.${key}`,
      message: `config.${key} has no effect: a ${type} trigger ${reads}`,
    }))
}

const readMapping = (action: TriggerAction, mapping: unknown): InputMapping => {
  const fault = findMappingFault(readObject('input_mapping', mapping), action)
  if (fault) throw invalid(fault.field, fault.detail)
  return mapping as InputMapping
}

/** Previews the result of a mapping. */
export const tryMapping = (body: TryMapping): MappingTried => {
  const action = readAction(body.action)
  const mapping = readMapping(action, body.input_mapping)
  const mapped = mapInput({ action, input: body.input ?? {}, mapping, payload: body.payload })
  if (!mapped.ok) throw invalid('input_mapping', mapped.detail)
  const { input, nodes, context } = mapped
  return { input, nodes, context }
}

export const readFilterRules = (value: unknown): readonly EventFilter[] => {
  const read = readFilters(value)
  if (!read.ok) throw invalid(read.field, read.detail)
  return read.filters
}

const rfc3339 = /^(\d{4}-\d{2}-\d{2})[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/

/** A time in the past is accepted and fires at the next check. */
const readScheduledAt = (type: TriggerType, value: unknown): Date => {
  if (type !== 'scheduled') throw invalid('scheduled_at', 'scheduled_at applies to scheduled triggers only')
  const [, date] = (typeof value === 'string' && rfc3339.exec(value)) || []
  const at = new Date(typeof value === 'string' ? value.toUpperCase() : Number.NaN)
  const isDate = date !== undefined && isCalendarDay(date)
  // PostgreSQL would return the year 0 as 1 BC.
  const year = at.getUTCFullYear()
  if (!isDate || !(year >= 1 && year <= 9999)) throw invalid('scheduled_at', 'scheduled_at must be an RFC 3339 time')
  return at
}

const readTarget = (action: TriggerAction, body: JsonObject): string => {
  const field = targetFields[action]
  const id = body[field]
  if (typeof id !== 'string' || id.trim() === '') throw invalid(field, `${field} is required for ${action}`)
  return id.trim()
}

const readSource = (reference: unknown): string => {
  const source = typeof reference === 'string' ? findSource(reference) : undefined
  if (!source) throw invalid('source_id', 'source_id is not a source of GET /trigger-sources')
  return source.key
}

export const readNewTrigger = (body: JsonObject): NewTrigger => {
  const name = readName(body.name)
  const type = readChoice('type', body.type, triggerTypes)
  const action = readAction(body.action)
  return {
    name,
    type,
    action,
    targetId: readTarget(action, body),
    config: readConfig(type, body.config ?? {}),
    // Fields of other types are dropped like unknown fields.
    scheduledAt: type === 'scheduled' ? readScheduledAt(type, body.scheduled_at) : null,
    sourceKey: type === 'webhook' && body.source_id ? readSource(body.source_id) : null,
    enabled: readEnabled(body.enabled ?? true),
    input: readObject('input', body.input ?? {}),
    inputMapping: readMapping(action, body.input_mapping ?? {}),
    filters: readFilterRules(body.filters ?? []),
  }
}

const changeReaders: Record<string, (value: unknown, kind: Kind) => TriggerChange> = {
  name: (value) => ({ name: readName(value) }),
  enabled: (value) => ({ enabled: readEnabled(value) }),
  config: (value, { type }) => ({ config: readConfig(type, value) }),
  input: (value) => ({ input: readObject('input', value) }),
  input_mapping: (value, { action }) => ({ inputMapping: readMapping(action, value) }),
  filters: (value) => ({ filters: readFilterRules(value) }),
  scheduled_at: (value, { type }) => ({ scheduledAt: readScheduledAt(type, value) }),
}

/** Only fields of the body change; a body without changeable fields is refused. */
export const readTriggerChange = (trigger: Kind, body: JsonObject): TriggerChange => {
  const given = Object.entries(changeReaders).filter(([field]) => (body[field] ?? null) !== null)
  if (given.length === 0) {
    throw fail('invalid_request', `nothing to change; changeable fields are ${Object.keys(changeReaders).join(', ')}`)
  }
  return Object.assign({}, ...given.map(([field, read]) => read(body[field], trigger)))
}
