// From what fired a trigger to what its action is run with. A mapping's outer keys name the target (`input`, `context`,
// a flow node), its inner keys the fields; values are literals, texts with `{{path}}` parts, or connections to the payload.
import type { InputMapping, TriggerAction } from '@millrace/contract/triggers'
import { asText, isJsonObject, type JsonObject, readPath } from './payload-path.ts'

export type Firing = {
  readonly action: TriggerAction
  /** The trigger's own `input`: the payload when the fire has none, and what a mapping is laid over. */
  readonly input: JsonObject
  readonly mapping: InputMapping
  readonly payload: unknown
  /** A clock's tick has a payload but no body: without a mapping the trigger's own `input` is meant. */
  readonly isTick?: boolean
}

export type Mapped =
  | {
      readonly ok: true
      /** App input, flat flow input, or the message of an agent. */
      readonly input: JsonObject
      /** run_flow: inputs of single nodes. */
      readonly nodes: Readonly<Record<string, JsonObject>>
      /** run_agent: chat context. */
      readonly context: Readonly<Record<string, string>>
    }
  | { readonly ok: false; readonly detail: string }

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (isJsonObject(value) && Object.keys(value).length === 0)

export const mapInput = ({ action, input, mapping, payload, isTick = false }: Firing): Mapped => {
  const event = isEmpty(payload) ? input : payload
  if (isEmpty(mapping)) {
    const plain = isTick && !isEmpty(input) ? input : event
    if (action === 'run_agent') return { ok: true, input: { ...messageOf(plain) }, nodes: {}, context: {} }
    if (!isJsonObject(plain)) return { ok: false, detail: 'the payload is not a JSON object and there is no mapping' }
    return { ok: true, input: plain, nodes: {}, context: {} }
  }
  const places = Object.entries(mapping)
  const reader = createReader(event)
  const nodes = places.filter(([key]) => isNodeKey(key, action)).map(([key, fields]) => [key, resolve(fields, reader)])
  const mapped = {
    ok: true as const,
    input: { ...input, ...resolve(mapping.input ?? {}, reader) },
    nodes: Object.fromEntries(nodes),
    context: action === 'run_agent' ? texts(resolve(mapping.context ?? {}, reader)) : {},
  }
  if (reader.isSpent()) return { ok: false, detail: `the mapping makes more than ${mappedMaxLength} characters` }
  return mapped
}

/** What a mapping may take out of a payload in all: a large part that is named over and over is not put together. */
const mappedMaxLength = 4_194_304

type Read = { readonly value: unknown; readonly text: string }
type Reader = { readonly at: (path: string) => Read; readonly isSpent: () => boolean }

const readOf = (value: unknown): Read => ({ value, text: asText(value) })

const createReader = (event: unknown): Reader => {
  const known = new Map<string, Read>()
  let left = mappedMaxLength
  return {
    at: (path) => {
      if (left < 0) return { value: undefined, text: '' }
      const read = known.get(path) ?? readOf(readPath(event, path))
      known.set(path, read)
      left -= read.text.length
      return read
    },
    isSpent: () => left < 0,
  }
}

const isNodeKey = (key: string, action: TriggerAction): boolean => action === 'run_flow' && key !== 'input'

/** An agent without a mapping is told the payload's text, else its message, else all of it. */
const messageOf = (event: unknown): { text: string } => {
  for (const path of ['text', 'message']) {
    const value = isJsonObject(event) ? event[path] : undefined
    if (typeof value === 'string') return { text: value }
  }
  return { text: asText(event) }
}

const texts = (fields: JsonObject): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, asText(value)]))

const resolve = (fields: JsonObject, reader: Reader): JsonObject =>
  Object.fromEntries(
    Object.entries(fields)
      .map(([key, value]) => [key, resolveValue(value, reader)] as const)
      .filter(([, value]) => value !== undefined),
  )

const resolveValue = (value: unknown, reader: Reader): unknown => {
  if (typeof value === 'string') return fillTemplate(value, reader)
  // A list keeps its length: what is missing from it is null.
  if (Array.isArray(value)) return value.map((item) => resolveValue(item, reader) ?? null)
  if (!isJsonObject(value)) return value
  return 'connection' in value ? reader.at(connectionKey(value.connection)).value : resolve(value, reader)
}

const connectionKey = (connection: unknown): string =>
  isJsonObject(connection) && typeof connection.key === 'string' ? connection.key : ''

// Values are put in once, as text: a payload that itself holds `{{…}}` is not looked into again.
const fillTemplate = (text: string, reader: Reader): string =>
  text.replace(/\{\{([^{}]*)\}\}/g, (_, path: string) => (path.trim() === '' ? '' : reader.at(path.trim()).text))

export type MappingFault = { readonly field: string; readonly detail: string }

/** The first part of a mapping that can never work, or null. Node ids are checked by who knows the flow. */
export const findMappingFault = (mapping: JsonObject, action: TriggerAction): MappingFault | null => {
  for (const [key, fields] of Object.entries(mapping)) {
    const field = `input_mapping.${key}`
    const isKnown = key === 'input' || (key === 'context' && action === 'run_agent') || isNodeKey(key, action)
    if (!isKnown) return { field, detail: `${field} does not apply to ${action}` }
    if (!isJsonObject(fields)) return { field, detail: `${field} must map fields to values` }
    for (const [name, value] of Object.entries(fields)) {
      const fault = findConnectionFault(value, `${field}.${name}`)
      if (fault) return fault
    }
  }
  return null
}

const findConnectionFault = (value: unknown, field: string): MappingFault | null => {
  if (isJsonObject(value) && 'connection' in value) {
    const { connection } = value
    const isOurs = isJsonObject(connection) && connection.nodeId === 'trigger' && typeof connection.key === 'string'
    return isOurs ? null : { field, detail: `${field}: a connection needs the nodeId "trigger" and a key` }
  }
  if (typeof value !== 'object' || value === null) return null
  for (const [key, inner] of Object.entries(value)) {
    const fault = findConnectionFault(inner, `${field}.${key}`)
    if (fault) return fault
  }
  return null
}
