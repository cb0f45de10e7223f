// Validates the input of a run against the flow's schema; neither is trusted.
import { checkValue } from '#platform/core/json-schema/check-value.ts'
import { copySchema, type SchemaCopy } from '#platform/core/json-schema/schema-copy.ts'
import type { ValuePath } from '#platform/core/json-schema/steps.ts'

type Schema = Record<string, unknown>

/** A flow combines the fields of many apps. */
const maxSubschemas = 3_000

/** Cached as long as the flow's version is in memory. */
const copies = new WeakMap<Schema, SchemaCopy>()

const copyOf = (schema: Schema): SchemaCopy => {
  const copy = copies.get(schema) ?? copySchema(schema, maxSubschemas)
  copies.set(schema, copy)
  return copy
}

const stepsOf = (place: ValuePath): string[] => (place === null ? [] : [...stepsOf(place.outer), String(place.step)])

/**
 * The first violation with the name of the field; undefined if valid. Can be passed to `inputFault` of run-input.ts.
 */
export const schemaFault = (schema: Schema, values: Record<string, unknown>): string | undefined => {
  try {
    const fault = checkValue(copyOf(schema), values)
    if (fault === null) return undefined
    const path = stepsOf(fault.place).join('.')
    return `input${path ? ` "${path}"` : ''} ${fault.message}`
  } catch (error) {
    return `the input cannot be checked: ${error instanceof Error ? error.message : String(error)}`
  }
}
