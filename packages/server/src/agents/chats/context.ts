// The variables of a chat: those that its agent declares, with the values that are set. Pure.
import type { ContextVariable } from '@millrace/contract/agents'
import { fail } from '#platform/core/errors.ts'

/** Declared variables with their defaults; required ones must be set. */
export const contextFor = (
  declared: readonly ContextVariable[],
  given: Readonly<Record<string, string>>,
): Record<string, string> => {
  const context: Record<string, string> = { ...given }
  for (const { name, required, default: value } of declared) {
    if (Object.hasOwn(context, name)) continue
    if (value !== undefined) context[name] = value
    else if (required)
      throw fail('validation_error', { detail: `context.${name} is required`, meta: { field: `context.${name}` } })
  }
  return context
}
