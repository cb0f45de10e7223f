// Computes the input of an action from a fire. The outer keys of a mapping name the target (`input`, `context`, a flow
// node), its inner keys the fields. Values are literals, texts with `{{path}}` placeholders, or connections to the
// payload.
import type { InputMapping, TriggerAction } from '@millrace/contract/triggers'
import { asText, isJsonObject, type JsonObject, readPath } from './payload-path.ts'

export type MappingRequest = {
  readonly action: TriggerAction
  /** The trigger's own `input`: used if the fire has no payload, and the base of a mapping. */
  readonly input: JsonObject
  readonly mapping: InputMapping
  readonly payload: unknown
  /** A scheduled fire has a payload but no body: without a mapping, the trigger's own `input` is used. */
  readonly isTick?: boolean
}

export type MappedInput =
  | {
      readonly ok: true
      /** The input of an app, the flat input of a flow, or the message to an agent. */
      readonly input: JsonObject
      /** run_flow: inputs of single nodes. */
      readonly nodes: Readonly<Record<string, JsonObject>>
      /** run_agent: chat context. */
      readonly context: Readonly<Record<string, string>>
    }
  | { readonly ok: false; readonly detail: string }

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (isJsonObject(value) && Object.keys(value).length === 0)

export const mapInput = ({ action, input, mapping, payload, isTick = false }: MappingRequest): MappedInput => {
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
  if (reader.isSpent()) return { ok: false, detail: `the mapping creates more than ${mappedMaxLength} characters` }
  return mapped
}

/** The total size of mapped values, which limits mappings that repeat a large value. */
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

/** Without a mapping, an agent receives the payload's text, else its message, else the whole payload. */
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
  // A list keeps its length: a missing value becomes null.
  if (Array.isArray(value)) return value.map((item) => resolveValue(item, reader) ?? null)
  if (!isJsonObject(value)) return value
  return 'connection' in value ? reader.at(connectionKey(value.connection)).value : resolve(value, reader)
}

const connectionKey = (connection: unknown): string =>
  isJsonObject(connection) && typeof connection.key === 'string' ? connection.key : ''

// A single pass: placeholders inside inserted values are not replaced.
const fillTemplate = (text: string, reader: Reader): string =>
  text.replace(/\{\{([^{}]*)\}\}/g, (_, path: string) => (path.trim() === '' ? '' : reader.at(path.trim()).text))

export type MappingFault = { readonly field: string; readonly detail: string }

/** The first invalid part of a mapping; null if there is none. Node ids are not checked here. */
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
