// What the parts of a check share: where they are, what they found, what they have left.
import type { SchemaCopy, SchemaNode } from './schema-copy.ts'

/** Where in the value: from the inside out. */
export type Place = { readonly step: string | number; readonly outer: Place } | null

export type ValueFault = {
  readonly keyword: string
  readonly place: Place
  /** Completes the name of the place. */
  readonly message: string
  /** What the keyword asked for, or the member's name that is missing or unknown. */
  readonly detail?: unknown
  /** Of each form that did not fit. */
  readonly inner?: readonly ValueFault[]
}

/** Members and items that some schema has looked at, for the keywords about the rest. */
export type Seen = { readonly names: Set<string>; readonly items: Set<number> }

/** Checking could not be finished. */
export class CheckTooMuch extends Error {}

export type Check = {
  readonly copy: SchemaCopy
  /** Pays for so many steps; throws `CheckTooMuch` when they took too long. */
  charge(steps: number): void
  fits(schema: SchemaNode, value: unknown, at: At): ValueFault | null
}

export type At = { readonly place: Place; readonly seen: Seen | null; readonly references: number }

export const inside = (at: At, step: string | number): At => ({
  place: { step, outer: at.place },
  seen: null,
  references: 0,
})
