// The input mapping of a trigger as form rows. Each row sets one field: from the delivery, from a text, or to a JSON value. Pure.
import { isRecord } from '@millrace/contract/json'
import type { InputMapping, TriggerAction } from '@millrace/contract/triggers'
import { strings } from './strings.ts'

export const sourceLabels = {
  path: strings.mapping.sources.path,
  text: strings.mapping.sources.text,
  json: strings.mapping.sources.json,
} as const
export type Source = keyof typeof sourceLabels

/** `place`: `input`, `context` or a node of a flow. */
export type MapRow = { place: string; field: string; how: Source; value: string }

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

/** Undefined while a value is not valid JSON. Rows without a field are ignored. */
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

/** The targets of a mapping with their labels and known fields. */
export type Targets = Readonly<Record<string, { label: string; fields: readonly string[] }>>

const propertiesOf = (schema: unknown): string[] =>
  isRecord(schema) && isRecord(schema.properties) ? Object.keys(schema.properties) : []

type TargetResources = {
  app?: { version?: { default_function: string; functions: object; input_schema: unknown } | null } | undefined
  flow?: { input_schema: unknown; nodes: readonly { id: string; type: string }[] } | undefined
  agent?: { version?: { context: readonly { name: string }[] } | null } | undefined
}

const appFields = ({ version }: NonNullable<TargetResources['app']>): string[] => {
  const chosen = version ? (version.functions as Record<string, unknown>)[version.default_function] : undefined
  return propertiesOf(isRecord(chosen) ? chosen.input_schema : version?.input_schema)
}

/** Input and output nodes have no fields of their own to set. */
const isMappable = ({ type }: { type: string }): boolean => type !== 'inputNode' && type !== 'outputNode'

export const targetsOf = (action: TriggerAction, { app, flow, agent }: TargetResources): Targets => {
  if (action === 'run_agent')
    return {
      input: { label: strings.mapping.targets.message, fields: ['text'] },
      context: {
        label: strings.mapping.targets.context,
        fields: agent?.version?.context.map(({ name }) => name) ?? [],
      },
    }
  if (action !== 'run_flow')
    return { input: { label: strings.mapping.targets.input, fields: app ? appFields(app) : [] } }
  const nodes = (flow?.nodes ?? [])
    .filter(isMappable)
    .map(({ id }) => [id, { label: strings.mapping.targets.node(id), fields: [] }])
  return {
    input: { label: strings.mapping.targets.input, fields: propertiesOf(flow?.input_schema) },
    ...Object.fromEntries(nodes),
  }
}
