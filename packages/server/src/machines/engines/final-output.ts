// Converts the reported output of a task to its stored form. Items of live fields were already sent over the live
// socket, so the final output omits them.
import { isRecord, own } from '@millrace/contract/json'
import { compileSchema, runnableVersion } from '#execution/apps/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { functionOfTask } from './store.ts'

type Compiled = ReturnType<typeof compileSchema>

const compiled = new WeakMap<object, Compiled | null>()

export const finalOutput = async (ctx: Ctx<Actor>, taskId: string, output: unknown): Promise<unknown> => {
  // A live field is a list, so an output without lists needs no lookup of the schema.
  if (!isRecord(output) || !Object.values(output).some(Array.isArray)) return output
  const ran = await functionOfTask(ctx.db, taskId)
  const version = ran && (await runnableVersion(ctx.db, ran.app_version_id))
  const schema = version && own(version.functions, ran.function)?.output_schema
  return isRecord(schema) ? (compiledOnce(schema)?.withoutLive(output) ?? output) : output
}

/** Null for a schema that was accepted under older schema rules: the output is still stored. */
const compiledOnce = (schema: object): Compiled | null => {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const made = tryCompile(schema)
  compiled.set(schema, made)
  return made
}

const tryCompile = (schema: object): Compiled | null => {
  try {
    return compileSchema(schema)
  } catch {
    return null
  }
}
