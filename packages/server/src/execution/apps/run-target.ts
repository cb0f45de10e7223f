// Resolves a run request to its app, version and function, and checks that the caller may run them.
import type { FunctionKind } from '@millrace/contract/apps'
import { isRecord, own } from '@millrace/contract/json'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { assertRunnable } from '#platform/tenancy/private-access.ts'
import { defaultFunctionName, type Version } from './dto.ts'
import { type AppLookup, findByText, versionOf } from './lookup.ts'
import { addRecent, getRecent } from './recent-apps.ts'
import { type CompiledSchema, compileSchema } from './schemas.ts'
import * as store from './store.ts'

export type RunTargetRequest = { app?: string; app_id?: string; version_id?: string; function?: string }

export type RunTarget = {
  app: store.AppRow
  version: Version
  functionName: string
  fn: { input_schema: unknown; output_schema: unknown; setup_schema: unknown; kind: FunctionKind }
}

/** The target from the cache, or undefined. The statement that relies on it must include its stamp. */
export const recentRunTarget = async (
  ctx: Ctx<Actor>,
  request: RunTargetRequest,
): Promise<(RunTarget & { stamp: string }) | undefined> => {
  if (!request.app === !request.app_id) return undefined
  const found = getRecent(ctx, textOf(request))
  return found && { ...(await targetOf(ctx, request, found)), stamp: found.row.stamp }
}

export const resolveForRun = async (ctx: Ctx<Actor>, request: RunTargetRequest): Promise<RunTarget> => {
  if (!request.app === !request.app_id) throw fail('invalid_request', 'Set exactly one of `app` and `app_id`')
  const found = await findTarget(ctx, request)
  addRecent(ctx, textOf(request), found)
  return targetOf(ctx, request, found)
}

const textOf = ({ app, app_id: id }: RunTargetRequest): string => app || id || ''

const targetOf = async (ctx: Ctx<Actor>, request: RunTargetRequest, found: AppLookup): Promise<RunTarget> => {
  const app = assertRunnable(ctx, found.row, 'app')
  assertRunningAllowed(app)
  const version = await versionOf(ctx, app, request.version_id || found.version)
  if (!version) throw fail('not_found', 'Version not found')
  const functionName = request.function || found.function || found.aliasFunction || defaultFunctionName(version)
  const fn = own(version.functions, functionName)
  if (!fn) {
    const names = Object.keys(version.functions).join(', ')
    throw fail('validation_error', `Function "${functionName}" not found; the app has ${names}`)
  }
  const { input_schema, output_schema, kind } = fn
  return { app, version, functionName, fn: { input_schema, output_schema, setup_schema: version.setup_schema, kind } }
}

const findTarget = async (ctx: Ctx<Actor>, { app, app_id: id }: RunTargetRequest): Promise<AppLookup> =>
  app
    ? findByText(ctx, app)
    : { row: await store.findApp(ctx.db, id ?? ''), version: null, function: null, aliasFunction: null }

const assertRunningAllowed = ({ status, status_message: message }: store.AppRow): void => {
  const because = message === '' ? '' : `: ${message}`
  if (status === 'maintenance') throw fail('app_maintenance', `The app is under maintenance${because}`)
  if (status === 'retired') throw fail('app_retired', `The app is retired${because}`)
}

const compiled = new WeakMap<object, CompiledSchema>()

/**
 * Returns the value to store: without live fields. Throws `validation_error` with the name of the field, as in
 * "input.text is required". Each schema is compiled once while its version is cached. Without a schema, every value is
 * valid.
 */
export const validateAgainst = <T>(name: 'input' | 'setup' | 'output', schema: unknown, value: T): T => {
  if (schema === false) throw fail('validation_error', `${name} is not allowed`)
  if (!isRecord(schema)) return value
  const cached = compiled.get(schema) ?? compileSchema(schema)
  compiled.set(schema, cached)
  const stored = cached.withoutLive(value)
  const fault = cached.fault(stored, name)
  if (fault !== null) throw fail('validation_error', fault)
  return stored
}
