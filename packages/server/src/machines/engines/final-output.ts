// What an engine says a task has come to, as it is kept. Items of live fields went over the socket of the run while it went
// on; the final output is without them.
import { isRecord, own } from '@millrace/contract/json'
import { compileSchema, runnableVersion } from '#execution/apps/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { functionOfTask } from './store.ts'

type Compiled = ReturnType<typeof compileSchema>

const compiled = new WeakMap<object, Compiled | null>()

export const finalOutput = async (ctx: Ctx<Actor>, taskId: string, output: unknown): Promise<unknown> => {
  // A live field is a list: of most outputs nothing has to be looked up.
  if (!isRecord(output) || !Object.values(output).some(Array.isArray)) return output
  const ran = await functionOfTask(ctx.db, taskId)
  const version = ran && (await runnableVersion(ctx.db, ran.app_version_id))
  const schema = version && own(version.functions, ran.function)?.output_schema
  return isRecord(schema) ? (compiledOnce(schema)?.withoutLive(output) ?? output) : output
}

/** Null for a schema that was taken when the rules for schemas were others: what was done is not lost for it. */
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
