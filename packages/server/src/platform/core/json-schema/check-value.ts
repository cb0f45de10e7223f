// Validates a value against a copied JSON Schema. Users choose both, so every step is counted against a budget. Pure.
import { isRecord } from '@millrace/contract/json'
import { checkArray } from './check-array.ts'
import { checkObject } from './check-object.ts'
import { checkScalar } from './check-scalar.ts'
import type { SchemaCopy, SchemaNode } from './schema-copy.ts'
import { type Check, type CheckPosition, CheckTooMuch, type EvaluatedParts, type ValueFault } from './steps.ts'

/** 500,000 steps take about 50 ms; the time limit covers steps that are slower than expected. */
const limits = { steps: 500_000, stepsPerTurn: 10_000, checkMs: 250, references: 100 } as const

/** Processor time of this thread, so that other load on the machine does not fail the check. */
const ownTimeMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Returns the first fault or null. Throws `CheckTooMuch` if the check exceeds its budget. */
export const checkValue = (copy: SchemaCopy, value: unknown, nowMs: () => number = ownTimeMs): ValueFault | null => {
  const endMs = nowMs() + limits.checkMs
  let left: number = limits.stepsPerTurn
  let turns = limits.steps / limits.stepsPerTurn
  const check: Check = {
    copy,
    charge: (steps) => {
      left -= steps
      if (left > 0) return
      turns += Math.trunc(left / limits.stepsPerTurn) - 1
      if (turns < 0 || nowMs() > endMs) throw new CheckTooMuch('checking it takes too long')
      left = limits.stepsPerTurn
    },
    fits: (schema, inner, at) => fits(check, schema, inner, at),
  }
  try {
    return fits(check, copy.root, value, { place: null, seen: null, references: 0 })
  } catch (error) {
    throw error instanceof RangeError ? new CheckTooMuch('it is nested too deeply') : error
  }
}

const fits = (check: Check, schema: SchemaNode, value: unknown, at: CheckPosition): ValueFault | null => {
  check.charge(1)
  if (schema === true) return null
  if (schema === false) return { keyword: 'false schema', place: at.place, message: 'boolean schema is false' }
  const needsEvaluatedParts = schema.unevaluatedProperties !== undefined || schema.unevaluatedItems !== undefined
  const seen = at.seen ?? (needsEvaluatedParts ? { names: new Set<string>(), items: new Set<number>() } : null)
  const here = seen === at.seen ? at : { ...at, seen }
  return (
    checkScalar(check, schema, value, here) ??
    checkForms(check, schema, value, here) ??
    (Array.isArray(value) ? checkArray(check, schema, value, here) : null) ??
    (isRecord(value) ? checkObject(check, schema, value, here) : null)
  )
}

/** Members and items that a matching subschema evaluated also count as evaluated in the outer schema. */
const inForm = (check: Check, schema: SchemaNode, value: unknown, at: CheckPosition): ValueFault | null => {
  if (at.seen === null) return check.fits(schema, value, at)
  const seen: EvaluatedParts = { names: new Set(), items: new Set() }
  const fault = check.fits(schema, value, { ...at, seen })
  if (fault) return fault
  check.charge(seen.names.size + seen.items.size)
  for (const name of seen.names) at.seen.names.add(name)
  for (const item of seen.items) at.seen.items.add(item)
  return null
}

type Keywords = { readonly [keyword: string]: unknown }

const checkForms = (check: Check, schema: Keywords, value: unknown, at: CheckPosition): ValueFault | null => {
  const { not, allOf } = schema
  if (not !== undefined && check.fits(not as SchemaNode, value, { ...at, seen: null }) === null)
    return { keyword: 'not', place: at.place, message: 'must NOT be valid' }
  const fault = checkAny(check, schema, value, at) ?? checkOne(check, schema, value, at)
  if (fault) return fault
  for (const form of (allOf ?? []) as SchemaNode[]) {
    const missed = inForm(check, form, value, at)
    if (missed) return missed
  }
  return checkCondition(check, schema, value, at) ?? checkReference(check, schema, value, at)
}

const checkAny = (check: Check, { anyOf }: Keywords, value: unknown, at: CheckPosition): ValueFault | null => {
  if (anyOf === undefined) return null
  const inner: ValueFault[] = []
  let fitting = 0
  for (const form of anyOf as SchemaNode[]) {
    const fault = inForm(check, form, value, at)
    if (fault) inner.push(fault)
    else fitting += 1
    // Further alternatives matter only for the members and items that they evaluate.
    if (fitting > 0 && at.seen === null) return null
  }
  return fitting > 0 ? null : { keyword: 'anyOf', place: at.place, message: 'must match a schema in anyOf', inner }
}

const checkOne = (check: Check, { oneOf }: Keywords, value: unknown, at: CheckPosition): ValueFault | null => {
  if (oneOf === undefined) return null
  const faults = (oneOf as SchemaNode[]).map((form) => inForm(check, form, value, at))
  const inner = faults.filter((fault) => fault !== null)
  return faults.length - inner.length === 1
    ? null
    : { keyword: 'oneOf', place: at.place, message: 'must match exactly one schema in oneOf', inner }
}

const checkCondition = (check: Check, schema: Keywords, value: unknown, at: CheckPosition): ValueFault | null => {
  if (schema.if === undefined) return null
  const matchesIf = inForm(check, schema.if as SchemaNode, value, at) === null
  const next = schema[matchesIf ? 'then' : 'else']
  return next === undefined ? null : inForm(check, next as SchemaNode, value, at)
}

const checkReference = (check: Check, { $ref }: Keywords, value: unknown, at: CheckPosition): ValueFault | null => {
  if ($ref === undefined) return null
  const target = check.copy.target($ref as string)
  // Published schemas cannot have a missing target; older stored ones can.
  if (target === undefined) return null
  if (at.references > limits.references) throw new CheckTooMuch('its schema refers to itself through too many steps')
  return inForm(check, target, value, { ...at, references: at.references + 1 })
}
