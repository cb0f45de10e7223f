// Types that the parts of a check share: position, faults and remaining budget.
import type { SchemaCopy, SchemaNode } from './schema-copy.ts'

/** Path of a value, from the innermost step outwards. */
export type ValuePath = { readonly step: string | number; readonly outer: ValuePath } | null

export type ValueFault = {
  readonly keyword: string
  readonly place: ValuePath
  /** Completes a sentence that starts with the path. */
  readonly message: string
  /** The expected value, or the name of a missing or unknown member. */
  readonly detail?: unknown
  /** The faults of each alternative that did not match. */
  readonly inner?: readonly ValueFault[]
}

/** Members and items that a keyword has evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
export type EvaluatedParts = { readonly names: Set<string>; readonly items: Set<number> }

/** The check exceeded its budget. */
export class CheckTooMuch extends Error {}

export type Check = {
  readonly copy: SchemaCopy
  /** Counts steps; throws `CheckTooMuch` when the budget is used up. */
  charge(steps: number): void
  fits(schema: SchemaNode, value: unknown, at: CheckPosition): ValueFault | null
}

export type CheckPosition = {
  readonly place: ValuePath
  readonly seen: EvaluatedParts | null
  readonly references: number
}

export const inside = (at: CheckPosition, step: string | number): CheckPosition => ({
  place: { step, outer: at.place },
  seen: null,
  references: 0,
})
