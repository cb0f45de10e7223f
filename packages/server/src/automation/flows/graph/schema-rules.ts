// Rules for a flow's input and output schemas.
import { isRecord, type JsonRecord } from '@millrace/contract/json'

export type FlowSchema = JsonRecord | null

/** Null or absent clears the schema; otherwise it must be an object schema whose required fields exist. */
export const readFlowSchema = (schema: unknown): { schema: FlowSchema } | { error: string } => {
  if (schema === null || schema === undefined) return { schema: null }
  if (!isRecord(schema)) return { error: 'schema must be a JSON object' }
  if (schema.type !== 'object') return { error: 'schema.type must be "object"' }
  const { properties, required } = schema
  if (properties !== undefined && !isRecord(properties)) return { error: 'schema.properties must be an object' }
  if (required === undefined) return { schema }
  if (!Array.isArray(required)) return { error: 'schema.required must be an array of strings' }
  for (const name of required) {
    if (typeof name !== 'string') return { error: 'schema.required must be an array of strings' }
    if (!Object.hasOwn(properties ?? {}, name)) {
      return { error: `schema.required names "${name}", which is not in schema.properties` }
    }
  }
  return { schema }
}

export const isFileSchema = (schema: unknown): boolean =>
  isRecord(schema) && schema.format === 'file' && (schema.type === 'object' || schema.type === undefined)

export const isFileListSchema = (schema: unknown): boolean =>
  isRecord(schema) && schema.type === 'array' && isFileSchema(schema.items)
