// Answers that can take minutes. Whitespace, which JSON permits before a value, is sent while such an answer is awaited,
// so that no proxy ends the connection. The status is 200 from then on, so a later failure has a body of its own.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { guarded } from '../core/boundary.ts'
import type { Operation } from '../core/operation.ts'
import { toFailure } from './problem.ts'

const heartbeatMs = 10_000

export type SlowAnswer = {
  /** The operation with heartbeats during its `follow`. */
  operation: Operation
  /** True once a heartbeat was sent. */
  isOpen(): boolean
  /** Sends the body, or that of the failure. */
  end(body: string): void
}

export const createSlowAnswer = (request: FastifyRequest, reply: FastifyReply, operation: Operation): SlowAnswer => {
  const { follow, lateFailure } = operation
  const { raw } = reply
  let isOpen = false
  let failed: object | undefined
  const beat = (): void => {
    if (raw.closed) return
    if (!isOpen) {
      isOpen = true
      reply.hijack()
      raw.writeHead(200, {
        ...(reply.getHeaders() as Record<string, string>),
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-cache',
        'x-accel-buffering': 'no',
      })
    }
    if (!raw.writableNeedDrain) raw.write(' ')
  }
  const followed: Operation['follow'] = async (ctx, result, input) => {
    const heartbeat = setInterval(
      guarded(() => raw.destroy(), beat),
      heartbeatMs,
    )
    try {
      return await follow?.(ctx, result, input)
    } catch (error) {
      if (!isOpen) throw error
      // A client that has disconnected is no fault.
      if (raw.closed) return result
      const failure = toFailure(error)
      if (failure.status >= 500) request.log.error({ err: error }, 'request failed')
      failed = lateFailure?.(result, failure)
      return result
    } finally {
      clearInterval(heartbeat)
    }
  }
  return {
    operation: { ...operation, follow: followed },
    isOpen: () => isOpen,
    end: (body) => void raw.end(failed ? JSON.stringify(failed) : body),
  }
}
