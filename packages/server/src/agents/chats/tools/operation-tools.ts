// Built-in tools that call operations of the server, with the rights of the run's user and every check of the API. The
// call is idempotent: a retry after a crash gets the first reply.
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { type Invocation, invoke } from '#platform/core/invoke.ts'
import { clippedBytes } from './http-request.ts'
import type { ToolOutcome } from './kinds.ts'

const maxResultBytes = 64 * 1024

/** Calls an operation by name with the rights of the run. */
export const operate = async (
  ctx: Ctx<Member>,
  name: string,
  call: Pick<Invocation, 'input' | 'idempotencyKey'>,
): Promise<Record<string, unknown>> => {
  const operation = ctx.operations.find((one) => one.name === name)
  if (!operation) throw fail('internal_error', { cause: new Error(`Operation ${name} not found`) })
  const { data } = await invoke(ctx, operation, { actor: ctx.actor, origin: ctx.origin, signal: ctx.signal, ...call })
  return data as Record<string, unknown>
}

type Arguments = Record<string, unknown>

const publish = async (ctx: Ctx<Member>, callId: string, { artifact_id: id, ...body }: Arguments): Promise<string> => {
  const made =
    typeof id === 'string' && id !== ''
      ? await operate(ctx, 'artifacts.publish_version', { input: { path: { id }, body }, idempotencyKey: callId })
      : await operate(ctx, 'artifacts.publish', { input: { body }, idempotencyKey: callId })
  const { id: madeId, namespace, name, title, url, version_id } = made
  return JSON.stringify({ id: madeId, ref: `${String(namespace)}/${String(name)}`, title, version_id, url })
}

const read = async (ctx: Ctx<Member>, { artifact_id: id }: Arguments): Promise<string> => {
  const { content } = await operate(ctx, 'artifacts.content', { input: { path: { id } } })
  return clippedBytes(String(content ?? ''), maxResultBytes)
}

export const isOperationTool = (operation: string): boolean =>
  operation === 'artifact_publish' || operation === 'artifact_read'

export const callOperationTool = async (
  ctx: Ctx<Member>,
  operation: string,
  callId: string,
  given: Arguments,
): Promise<ToolOutcome> => {
  try {
    const result = operation === 'artifact_publish' ? await publish(ctx, callId, given) : await read(ctx, given)
    return { status: 'completed', result }
  } catch (error) {
    if (isFailure(error)) return { status: 'failed', result: error.message }
    throw error
  }
}
