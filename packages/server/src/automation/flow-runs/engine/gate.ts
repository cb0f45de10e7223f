// Evaluates the condition of a gate. Operators that are not listed here are false.
import type { GateCondition } from '@millrace/contract/flows'
import { isRecord } from '@millrace/contract/json'

type Inputs = Record<string, unknown>

const asText = (value: unknown): string => {
  if (typeof value === 'string') return value
  return value === undefined ? '' : JSON.stringify(value)
}

const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** Numbers, and text that is a number. Otherwise NaN, for which every comparison is false. */
const asNumber = (value: unknown): number => {
  if (typeof value === 'number') return value
  return typeof value === 'string' && decimal.test(value.trim()) ? Number(value) : Number.NaN
}

const isEmpty = (value: unknown): boolean => {
  if (value === null || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return isRecord(value) && Object.keys(value).length === 0
}

const contains = (actual: unknown, sought: unknown): boolean => {
  if (typeof actual === 'string') return actual.includes(asText(sought))
  return Array.isArray(actual) && actual.some((item) => asText(item) === asText(sought))
}

const operators: Record<string, (actual: unknown, wanted: unknown) => boolean> = {
  equals: (actual, wanted) => asText(actual) === asText(wanted),
  not_equals: (actual, wanted) => asText(actual) !== asText(wanted),
  contains,
  gt: (actual, wanted) => asNumber(actual) > asNumber(wanted),
  lt: (actual, wanted) => asNumber(actual) < asNumber(wanted),
  is_empty: isEmpty,
  is_not_empty: (actual) => !isEmpty(actual),
}

export type GateResult = { open: true } | { open: false; reason: string }

export const evaluateGate = (condition: GateCondition | null | undefined, inputs: Inputs): GateResult => {
  if (!condition || (!condition.field && !condition.operator)) return { open: true }
  const { field = '', operator = '', value } = condition
  // A missing key is an error for every operator, as in any other expression.
  if (!Object.hasOwn(inputs, field)) return { open: false, reason: `input "${field}" is missing` }
  const evaluate = Object.hasOwn(operators, operator) ? operators[operator] : undefined
  if (!evaluate) return { open: false, reason: `unknown operator "${operator}"` }
  if (evaluate(inputs[field], value)) return { open: true }
  return { open: false, reason: `condition is false: ${field} ${operator}` }
}
