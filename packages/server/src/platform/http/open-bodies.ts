// Limits the bytes of request bodies in memory while they are read, queued and processed. A parsed body takes several
// times its size. A client that sends many large bodies at once gets `rate_limited` before they are read.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isMember } from '../core/actor.ts'
import { callerOfAddress } from '../core/caller.ts'
import { fail } from '../core/errors.ts'
import { rateLimited } from '../core/rate-limited.ts'
import { whenClosed } from './disconnects.ts'

const mebibyte = 1024 * 1024

/** Per workspace, or per network without a workspace; and in total. */
export const openBytesOfOne = 64 * mebibyte
const openBytesOfAll = 512 * mebibyte

/** Smaller bodies are limited by the number of connections. */
const countedFrom = 64 * 1024

/** The end of the open requests is unknown. */
const retryMs = 1_000

const callerOf = ({ ctx, clientIp }: FastifyRequest): string =>
  ctx && isMember(ctx.actor) ? ctx.actor.teamId : callerOfAddress(clientIp)

declare module 'fastify' {
  interface FastifyRequest {
    /** Stops counting the body, although its response may continue. */
    uncountBody(): void
  }
}

/** Counts a body until its processing ends or the client disconnects. Refuses bodies above the limit. */
export const createOpenBodies = () => {
  const openBy = new Map<string, number>()
  let open = 0
  return (request: FastifyRequest, reply: FastifyReply, bytes: number): void => {
    // A body above the limit of its route is refused unread.
    if (bytes < countedFrom || bytes > request.routeOptions.bodyLimit) return
    const caller = callerOf(request)
    const before = openBy.get(caller) ?? 0
    const nowMs = Date.now()
    if (before + bytes > openBytesOfOne)
      throw rateLimited(
        () =>
          `At most ${openBytesOfOne / mebibyte} MiB of request bodies can be open at a time; wait for responses, then try again`,
        nowMs,
        nowMs + retryMs,
      )
    if (open + bytes > openBytesOfAll)
      throw fail('unavailable', {
        detail: 'The server has too many large requests open; try again in a moment',
        headers: { 'retry-after': '1' },
      })
    open += bytes
    openBy.set(caller, before + bytes)
    let counts = true
    request.uncountBody = () => {
      if (!counts) return
      counts = false
      open -= bytes
      const remaining = (openBy.get(caller) ?? bytes) - bytes
      if (remaining > 0) openBy.set(caller, remaining)
      else openBy.delete(caller)
    }
    whenClosed(reply, request.uncountBody)
  }
}
