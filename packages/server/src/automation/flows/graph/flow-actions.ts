// Actions on the whole flow: its schemas and the mappings of its output.
import type { ActionPayloads, GraphAction } from '@millrace/contract/flows'
import { isRecord, own } from '@millrace/contract/json'
import { findNode, type Graph, type Outcome } from './graph.ts'
import { renameKey, withKey, withoutKey } from './records.ts'
import { readFlowSchema } from './schema-rules.ts'

export const setInputSchema = (graph: Graph, payload: ActionPayloads['flow.set_input_schema']): Outcome => {
  const read = readFlowSchema(payload.schema)
  if ('error' in read) return read
  return {
    graph: { ...graph, input_schema: read.schema },
    inverse: [{ type: 'flow.set_input_schema', payload: { schema: graph.input_schema } }],
  }
}

export const setOutputSchema = (graph: Graph, payload: ActionPayloads['flow.set_output_schema']): Outcome => {
  const read = readFlowSchema(payload.schema)
  if ('error' in read) return read
  return {
    graph: { ...graph, output_schema: read.schema },
    inverse: [{ type: 'flow.set_output_schema', payload: { schema: graph.output_schema } }],
  }
}

const restoreMapping = (graph: Graph, field: string): GraphAction => {
  const mapping = own(graph.output_mappings, field)
  return mapping
    ? { type: 'flow.set_output_mapping', payload: { field, mapping } }
    : { type: 'flow.remove_output_mapping', payload: { field } }
}

export const setOutputMapping = (graph: Graph, payload: ActionPayloads['flow.set_output_mapping']): Outcome => {
  const { field, mapping } = payload
  const source = findNode(graph, mapping.sourceNodeId)
  if (!source) return { error: `node "${mapping.sourceNodeId}" does not exist` }
  if (source.type === 'note') return { error: `node "${source.id}" is a note, which has no output` }
  // The key is the name of the output field; a different second name is replaced.
  const normalized = { ...mapping, outputFieldName: field }
  return {
    graph: { ...graph, output_mappings: withKey(graph.output_mappings, field, normalized) },
    inverse: [restoreMapping(graph, field)],
  }
}

export const clearOutputMapping = (graph: Graph, payload: ActionPayloads['flow.remove_output_mapping']): Outcome => {
  const { field } = payload
  if (!own(graph.output_mappings, field)) return { error: `output field "${field}" has no mapping` }
  return {
    graph: { ...graph, output_mappings: withoutKey(graph.output_mappings, field) },
    inverse: [restoreMapping(graph, field)],
  }
}

const propertiesOf = (schema: unknown): Record<string, unknown> =>
  isRecord(schema) && isRecord(schema.properties) ? schema.properties : {}

const renameInSchema = (schema: unknown, from: string, to: string): unknown => {
  if (!isRecord(schema) || !Object.hasOwn(propertiesOf(schema), from)) return schema
  return {
    ...schema,
    properties: renameKey(propertiesOf(schema), from, to),
    ...(Array.isArray(schema.required) && {
      required: schema.required.map((name) => (name === from ? to : name)),
    }),
  }
}

/** For the caller, the mapping and the property of the output schema are one field, so both are renamed. */
export const renameOutputField = (graph: Graph, payload: ActionPayloads['flow.rename_output_field']): Outcome => {
  const { old_field, new_field } = payload
  const exists = (field: string) =>
    Object.hasOwn(graph.output_mappings, field) || Object.hasOwn(propertiesOf(graph.output_schema), field)
  if (!exists(old_field)) return { error: `output field "${old_field}" does not exist` }
  if (exists(new_field)) return { error: `output field "${new_field}" already exists` }
  const renamed = renameKey(graph.output_mappings, old_field, new_field)
  const mapping = own(renamed, new_field)
  return {
    graph: {
      ...graph,
      output_schema: renameInSchema(graph.output_schema, old_field, new_field),
      output_mappings: mapping ? withKey(renamed, new_field, { ...mapping, outputFieldName: new_field }) : renamed,
    },
    inverse: [{ type: 'flow.rename_output_field', payload: { old_field: new_field, new_field: old_field } }],
  }
}
