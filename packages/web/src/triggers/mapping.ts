// The mapping of a trigger as rows of a form: each fills one field, from the delivery, by a text or as it is written. Pure.
import { isRecord } from '@millrace/contract/json'
import type { InputMapping, TriggerAction } from '@millrace/contract/triggers'

export const hows = { path: 'a part of what is sent', text: 'a text', json: 'a value as JSON' } as const
export type How = keyof typeof hows

/** `place`: `input`, `context` or a node of a flow. */
export type MapRow = { place: string; field: string; how: How; value: string }

const rowOf = (place: string, field: string, value: unknown): MapRow => {
  if (typeof value === 'string') return { place, field, how: 'text', value }
  const connection = isRecord(value) ? value.connection : undefined
  if (isRecord(connection)) return { place, field, how: 'path', value: String(connection.key ?? '') }
  return { place, field, how: 'json', value: JSON.stringify(value) }
}

export const rowsOf = (mapping: InputMapping): MapRow[] =>
  Object.entries(mapping).flatMap(([place, fields]) =>
    Object.entries(fields).map(([field, value]) => rowOf(place, field, value)),
  )

const mappedValue = ({ how, value }: MapRow): unknown => {
  if (how === 'text') return value
  return how === 'path' ? { connection: { nodeId: 'trigger', key: value.trim(), type: '' } } : JSON.parse(value)
}

export const isJsonText = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Undefined while a row cannot be read. A row without a field is not there yet. */
export const mappingOf = (rows: readonly MapRow[]): InputMapping | undefined => {
  if (rows.some(({ how, value }) => how === 'json' && !isJsonText(value))) return undefined
  const named = rows.filter(({ field }) => field.trim() !== '')
  const places = Map.groupBy(named, ({ place }) => place)
  return Object.fromEntries(
    [...places].map(([place, fields]) => [
      place,
      Object.fromEntries(fields.map((row) => [row.field.trim(), mappedValue(row)])),
    ]),
  )
}

/** What can be filled: for each place, in words, the fields that are known of it. */
export type Places = Readonly<Record<string, { label: string; fields: readonly string[] }>>

const propertiesOf = (schema: unknown): string[] =>
  isRecord(schema) && isRecord(schema.properties) ? Object.keys(schema.properties) : []

type Target = {
  app?: { version?: { default_function: string; functions: object; input_schema: unknown } | null } | undefined
  flow?: { input_schema: unknown; nodes: readonly { id: string; type: string }[] } | undefined
  agent?: { version?: { context: readonly { name: string }[] } | null } | undefined
}

const appFields = ({ version }: NonNullable<Target['app']>): string[] => {
  const chosen = version ? (version.functions as Record<string, unknown>)[version.default_function] : undefined
  return propertiesOf(isRecord(chosen) ? chosen.input_schema : version?.input_schema)
}

/** What a flow's own nodes are fed by; those at its ends are fed by its input and its nodes. */
const isFed = ({ type }: { type: string }): boolean => type !== 'inputNode' && type !== 'outputNode'

export const placesOf = (action: TriggerAction, { app, flow, agent }: Target): Places => {
  if (action === 'run_agent')
    return {
      input: { label: 'the message', fields: ['text'] },
      context: { label: 'the context of the chat', fields: agent?.version?.context.map(({ name }) => name) ?? [] },
    }
  if (action !== 'run_flow') return { input: { label: 'the input', fields: app ? appFields(app) : [] } }
  const nodes = (flow?.nodes ?? []).filter(isFed).map(({ id }) => [id, { label: `the node ${id}`, fields: [] }])
  return { input: { label: 'the input', fields: propertiesOf(flow?.input_schema) }, ...Object.fromEntries(nodes) }
}
