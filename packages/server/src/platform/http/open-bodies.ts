// How much of what callers have sent lies in memory while it is read, waits for its turn and is worked on. A body becomes several
// times as large as it was on the wire; a caller that sends many large ones at once is told to wait before they are read.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isMember } from '../core/actor.ts'
import { callerOfAddress } from '../core/caller.ts'
import { fail } from '../core/errors.ts'
import { rateLimited } from '../core/rate-limited.ts'
import { whenClosed } from './gone.ts'

const mebibyte = 1024 * 1024

/** Of one workspace, or of a network without one; and of all. */
export const openBytesOfOne = 64 * mebibyte
const openBytesOfAll = 512 * mebibyte

/** What is smaller is bounded by how many connections there are. */
const countedFrom = 64 * 1024

/** Nobody knows when one of them ends. */
const retryMs = 1_000

const callerOf = ({ ctx, clientIp }: FastifyRequest): string =>
  ctx && isMember(ctx.actor) ? ctx.actor.teamId : callerOfAddress(clientIp)

declare module 'fastify' {
  interface FastifyRequest {
    /** The body is worked on no longer, however long its answer goes on: from here it counts no more. */
    uncountBody(): void
  }
}

/** Counts a body of so many bytes until it is worked on no longer, or its caller has left; refuses what would be too much. */
export const createOpenBodies = () => {
  const openBy = new Map<string, number>()
  let open = 0
  return (request: FastifyRequest, reply: FastifyReply, bytes: number): void => {
    // What is larger than its door is refused unread.
    if (bytes < countedFrom || bytes > request.routeOptions.bodyLimit) return
    const caller = callerOf(request)
    const before = openBy.get(caller) ?? 0
    const nowMs = Date.now()
    if (before + bytes > openBytesOfOne)
      throw rateLimited(
        () => `At most ${openBytesOfOne / mebibyte} MiB of requests at a time; wait for some answers, then try again`,
        nowMs,
        nowMs + retryMs,
      )
    if (open + bytes > openBytesOfAll)
      throw fail('unavailable', {
        detail: 'The server holds as much of what was sent as it may; try again in a moment',
        headers: { 'retry-after': '1' },
      })
    open += bytes
    openBy.set(caller, before + bytes)
    let counts = true
    request.uncountBody = () => {
      if (!counts) return
      counts = false
      open -= bytes
      const rest = (openBy.get(caller) ?? bytes) - bytes
      if (rest > 0) openBy.set(caller, rest)
      else openBy.delete(caller)
    }
    whenClosed(reply, request.uncountBody)
  }
}
