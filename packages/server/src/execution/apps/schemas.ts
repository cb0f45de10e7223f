// Validates inputs with the JSON Schemas of an app's author and describes the first violation. Pure.
import { isRecord } from '@millrace/contract/json'
import { checkValue } from '#platform/core/json-schema/check-value.ts'
import { copySchema, requireTargets } from '#platform/core/json-schema/schema-copy.ts'
import { CheckTooMuch, type ValueFault, type ValuePath } from '#platform/core/json-schema/steps.ts'

export type CompiledSchema = {
  /**
   * The first violation as a sentence that starts with the path of the field under `name`; null when the value is
   * valid.
   */
  fault(value: unknown, name: string, nowMs?: () => number): string | null
  /** The value without its live fields, which occur neither in requests nor in final outputs. */
  withoutLive<T>(value: T): T
  /** Patterns that cannot be matched in linear time and are therefore skipped. */
  skippedPatterns: readonly string[]
  /** The number of subschemas. */
  subschemas: number
}

/** Throws an error whose message completes "input_schema …". */
export const compileSchema = (source: unknown): CompiledSchema => {
  const live = liveFieldsOf(source)
  const copy = copySchema(live.length === 0 ? source : unrequired(source as object, live))
  requireTargets(copy)
  return {
    withoutLive: (value) => (live.length === 0 ? value : without(value, live)),
    skippedPatterns: copy.skippedPatterns,
    subschemas: copy.subschemas,
    fault: (value, name, nowMs) => {
      try {
        const fault = checkValue(copy, value, nowMs)
        return fault && describe(fault, name)
      } catch (error) {
        if (error instanceof CheckTooMuch) return `${name} cannot be checked: ${error.message}`
        throw error
      }
    },
  }
}

/** Fields whose items are sent through the live socket of the run. */
const liveFieldsOf = (schema: unknown): string[] =>
  isRecord(schema) && isRecord(schema.properties)
    ? Object.entries(schema.properties).flatMap(([name, field]) =>
        isRecord(field) && field.type === 'array' && field.format === 'stream' ? [name] : [],
      )
    : []

/** Live fields are never required, whatever the author's schema says. */
const unrequired = (schema: { required?: unknown }, live: readonly string[]): object =>
  Array.isArray(schema.required)
    ? { ...schema, required: schema.required.filter((name) => !live.includes(name as string)) }
    : schema

const without = <T>(value: T, names: readonly string[]): T =>
  isRecord(value) && names.some((name) => Object.hasOwn(value, name))
    ? (Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name))) as T)
    : value

const describePlace = (place: ValuePath, name: string): string =>
  place === null ? name : `${describePlace(place.outer, name)}.${place.step}`

const describe = (fault: ValueFault, name: string): string => {
  const at = describePlace(fault.place, name)
  switch (fault.keyword) {
    case 'required':
      return `${at}.${fault.detail} is required`
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `${at}.${fault.detail} is not a known field`
    case 'enum':
      return `${at} must be one of ${(fault.detail as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`
    case 'uniqueItems':
      return `${at} must not contain duplicate items`
    case 'anyOf':
    case 'oneOf':
      return describeForms(fault, at)
    default:
      return `${at} ${fault.message}`
  }
}

/** If only the type is wrong, names all accepted types. */
const describeForms = ({ inner = [], place }: ValueFault, at: string): string => {
  const types = inner.filter((fault) => fault.keyword === 'type' && fault.place === place)
  return types.length > 0 && types.length === inner.length
    ? `${at} must be ${types.map(({ detail }) => detail).join(' or ')}`
    : `${at} matches none of the allowed forms`
}
