// Shared functions of server-rendered pages: response, errors and the signed-in browser.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type Actor, isMember, type Member } from '../core/actor.ts'
import { type Ctx, createCtx, type Platform } from '../core/ctx.ts'
import { pageHeaders } from './html.ts'
import { type HttpGate, originOf } from './mount.ts'
import { toFailure } from './problem.ts'

export const sendPage = (reply: FastifyReply, html: string, status = 200): FastifyReply =>
  reply.code(status).headers(pageHeaders).send(html)

/** Shows a failure as a page with its status; `problemPage` renders the public sentence. */
export const pageErrors =
  (problemPage: (sentence: string) => string) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const failure = toFailure(error)
    if (failure.code === 'internal_error') request.log.error({ err: failure.cause ?? failure }, 'request failed')
    if (failure.options.headers) reply.headers(failure.options.headers)
    sendPage(reply, problemPage(failure.message), failure.status)
  }

export type Visitors = {
  /** The context for a page's calls to services. */
  ctxFor<A extends Actor>(request: FastifyRequest, actor: A): Ctx<A>
  /** The member who is signed in with this browser; API keys and session tokens do not count. */
  browserOf(request: FastifyRequest, reply: FastifyReply): Promise<Member | null>
}

export const createVisitors = (platform: Platform, gate: HttpGate): Visitors => ({
  ctxFor: (request, actor) => createCtx(platform, actor, { origin: originOf(request), log: request.log as Logger }),
  browserOf: async (request, reply) => {
    const actor = await gate.authenticate(request, reply)
    return isMember(actor) && actor.kind === 'browser' ? actor : null
  },
})
