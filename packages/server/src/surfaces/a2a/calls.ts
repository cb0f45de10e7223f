// Answers one JSON-RPC call, in the version of the protocol that its method belongs to. A message is sent first and its
// task followed afterwards, so that a repeated request with the same idempotency key sends no second message.
import { A2AError, RequestMalformedError, VersionNotSupportedError } from '@a2a-js/sdk/errors'
import type { A2ARequestHandler } from '@a2a-js/sdk/server'
import type { JsonRpcAnswer, JsonRpcCall } from '@millrace/contract/a2a'
import { isRecord } from '@millrace/contract/json'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { type Failure, isFailure } from '#platform/core/errors.ts'
import type { EventStream } from '#platform/core/event-stream.ts'
import { createHandler, type HandlerParts } from './handler.ts'

type Ctxm = Ctx<Member>

/** Methods of version 0.3 have a slash. */
const isLegacy = ({ method }: JsonRpcCall): boolean => method.includes('/')

const sending = new Set(['SendMessage', 'message/send'])

/** Each streaming method with the method that begins it: it sends the message, or checks that the task exists. */
const beginnings: Readonly<Record<string, string>> = {
  SendStreamingMessage: 'SendMessage',
  'message/stream': 'message/send',
  SubscribeToTask: 'GetTask',
  'tasks/resubscribe': 'tasks/get',
}

const beginningOf = (call: JsonRpcCall): JsonRpcCall => ({ ...call, method: beginnings[call.method] ?? call.method })

export const sendsMessage = (call: JsonRpcCall): boolean => sending.has(beginningOf(call).method)

/** Refusals are errors of the protocol with their sentence and code. */
const refused = (error: unknown): unknown =>
  isFailure(error) && error.status < 500
    ? new RequestMalformedError({ message: error.message, metadata: { code: error.code } })
    : error

type Method = (...given: unknown[]) => unknown

/** The library would send the text of any error, so `onFault` receives those that are not for the client. */
const guarded = (handler: A2ARequestHandler, onFault: (error: unknown) => void): A2ARequestHandler => {
  const guard =
    (method: Method): Method =>
    (...given) => {
      const result = method(...given)
      if (!(result instanceof Promise)) return result
      return result.catch((thrown: unknown) => {
        const error = refused(thrown)
        if (!(error instanceof A2AError)) onFault(error)
        throw error
      })
    }
  const methods = Object.entries(handler).map(([name, method]) => [name, guard(method as Method)])
  return Object.fromEntries(methods) as A2ARequestHandler
}

type Answers = AsyncGenerator<JsonRpcAnswer>

const libraryOf = async (call: JsonRpcCall) => {
  const [server, legacy] = await Promise.all([import('@a2a-js/sdk/server'), import('@a2a-js/sdk/compat/v0_3/server')])
  const context = new server.ServerCallContext({ requestedVersion: isLegacy(call) ? '0.3' : '1.0' })
  return isLegacy(call)
    ? {
        errorOf: legacy.LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError,
        handle: (handler: A2ARequestHandler) => new legacy.LegacyJsonRpcTransportHandler(handler).handle(call, context),
      }
    : {
        errorOf: server.JsonRpcTransportHandler.mapToJSONRPCError,
        handle: (handler: A2ARequestHandler) => new server.JsonRpcTransportHandler(handler).handle(call, context),
      }
}

const answersOf = async (ctx: Ctxm, call: JsonRpcCall, parts: HandlerParts): Promise<JsonRpcAnswer | Answers> => {
  const library = await libraryOf(call)
  let fault: { error: unknown } | undefined
  const handler = guarded(createHandler(ctx, parts), (error) => {
    fault = { error }
  })
  const answers = (await library.handle(handler)) as JsonRpcAnswer | Answers
  if (fault) throw fault.error
  return answers
}

const versions = /^(0\.3|1\.0)(\.\d+)?$/

/** Sends the message of the call, or answers a call that does not wait. */
export const beginCall = async (
  ctx: Ctxm,
  agentId: string,
  call: JsonRpcCall,
  version: unknown,
): Promise<JsonRpcAnswer> => {
  if (typeof version === 'string' && version !== '' && !versions.test(version)) {
    const { errorOf } = await libraryOf(call)
    const error = errorOf(new VersionNotSupportedError('The versions 1.0 and 0.3 of the protocol are supported'))
    return { jsonrpc: '2.0', id: call.id ?? null, error }
  }
  const parts = { agentId, begun: undefined, signal: ctx.signal }
  return (await answersOf(ctx, beginningOf(call), parts)) as JsonRpcAnswer
}

/** The task in the result of version 1.0 (`{task}`) or of version 0.3. */
const taskIdIn = ({ result }: JsonRpcAnswer): string => {
  const task = isRecord(result) && isRecord(result.task) ? result.task : result
  return isRecord(task) && typeof task.id === 'string' ? task.id : ''
}

export const internalError = ({ message }: Failure) => ({ code: -32_603, message })

const streamOf = (ctx: Ctxm, call: JsonRpcCall, parts: Omit<HandlerParts, 'signal'>): EventStream => {
  const failed = (error: unknown) => ({ jsonrpc: '2.0' as const, id: call.id ?? null, error })
  return {
    single: true,
    foreign: { end: '', failed: (failure) => failed(internalError(failure)) },
    async *open(signal) {
      try {
        const answers = await answersOf(ctx, call, { ...parts, signal })
        if (!(Symbol.asyncIterator in answers)) yield { type: 'update', data: answers }
        else for await (const data of answers) yield { type: 'update', data }
      } catch (thrown) {
        const error = refused(thrown)
        if (!(error instanceof A2AError)) throw error
        yield { type: 'update', data: failed((await libraryOf(call)).errorOf(error)) }
      }
    },
  }
}

/** Follows the task of a call that has begun: as a stream, or until its answer is complete. */
export const followCall = async (
  ctx: Ctxm,
  agentId: string,
  call: JsonRpcCall,
  begun: JsonRpcAnswer,
): Promise<JsonRpcAnswer | EventStream> => {
  if (begun.error !== undefined) return begun
  const parts = { agentId, begun: taskIdIn(begun) }
  if (beginnings[call.method] !== undefined) return streamOf(ctx, call, parts)
  if (!sending.has(call.method)) return begun
  return (await answersOf(ctx, call, { ...parts, signal: ctx.signal })) as JsonRpcAnswer
}
