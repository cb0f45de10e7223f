// The difference between the functions of two versions. Pure.
import { isDeepStrictEqual } from 'node:util'

export type FunctionChanges = { added: string[]; removed: string[]; changed: string[] }

type Functions = Readonly<Record<string, { input_schema?: unknown; output_schema?: unknown }>>

/** Descriptions are not compared: callers depend on names and schemas. */
export const functionChanges = (before: Functions, after: Functions): FunctionChanges => {
  const shared = Object.keys(after).filter((name) => Object.hasOwn(before, name))
  const schemas = ({ input_schema, output_schema }: Functions[string]) => [input_schema ?? null, output_schema ?? null]
  return {
    added: Object.keys(after).filter((name) => !Object.hasOwn(before, name)),
    removed: Object.keys(before).filter((name) => !Object.hasOwn(after, name)),
    changed: shared.filter((name) => !isDeepStrictEqual(schemas(before[name] ?? {}), schemas(after[name] ?? {}))),
  }
}
