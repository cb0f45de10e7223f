// Event filters: the payloads that a webhook trigger accepts. Every rule must match.
import {
  type EventFilter,
  type EventFilterOperator,
  eventFilterOperators,
  type FiltersTried,
} from '@millrace/contract/triggers'
import { isJsonObject, readPath } from './payload-path.ts'

export type FilterCheck =
  | { readonly ok: true; readonly filters: readonly EventFilter[] }
  | { readonly ok: false; readonly field: string; readonly detail: string }

const maxFilters = 100

const isOperator = (value: unknown): value is EventFilterOperator =>
  eventFilterOperators.some((operator) => operator === value)

/** Validates the filters of a body; the detail names the rule by its index. */
export const readFilters = (given: unknown): FilterCheck => {
  if (!Array.isArray(given)) return { ok: false, field: 'filters', detail: 'filters must be an array' }
  if (given.length > maxFilters) {
    return { ok: false, field: 'filters', detail: `filters has more than ${maxFilters} rules` }
  }
  const filters: EventFilter[] = []
  for (const [at, rule] of given.entries()) {
    const place = `filters[${at}]`
    if (!isJsonObject(rule)) return { ok: false, field: place, detail: `${place} must be an object` }
    const { field, operator, value } = rule
    if (typeof field !== 'string' || field === '') {
      return { ok: false, field: `${place}.field`, detail: `${place}.field must be a path into the payload` }
    }
    if (!isOperator(operator)) {
      const known = eventFilterOperators.join(', ')
      return { ok: false, field: `${place}.operator`, detail: `${place}.operator must be one of ${known}` }
    }
    if (operator !== 'exists' && typeof value !== 'string') {
      return { ok: false, field: `${place}.value`, detail: `${place}.value must be a string` }
    }
    filters.push(typeof value === 'string' ? { field, operator, value } : { field, operator })
  }
  return { ok: true, filters }
}

// The value of a rule is text, so numbers and booleans are compared in their JSON notation. Lists and objects are never
// equal.
const equals = (actual: unknown, value: string): boolean =>
  (typeof actual === 'string' || typeof actual === 'number' || typeof actual === 'boolean') && String(actual) === value

const tests: Record<EventFilterOperator, (actual: unknown, value: string) => boolean> = {
  eq: equals,
  // A missing field is not equal to anything, so the rule matches.
  neq: (actual, value) => !equals(actual, value),
  contains: (actual, value) => typeof actual === 'string' && actual.includes(value),
  prefix: (actual, value) => typeof actual === 'string' && actual.startsWith(value),
  exists: (actual) => actual !== undefined && actual !== null,
}

/** Each rule with its result, for the authors of filters. */
export const tryFilters = (filters: readonly EventFilter[], payload: unknown): FiltersTried => {
  const rules = filters.map((rule) => {
    const actual = readPath(payload, rule.field)
    const passes = tests[rule.operator](actual, rule.value ?? '')
    return { ...rule, passes, ...(actual === undefined ? {} : { actual }) }
  })
  return { passes: rules.every(({ passes }) => passes), rules }
}

export const passesFilters = (filters: readonly EventFilter[], payload: unknown): boolean =>
  filters.every(({ field, operator, value = '' }) => tests[operator](readPath(payload, field), value))
