// The page at APP_URL/invite that a mailed link opens. Signing in leads back by the invite's id, never by its token: the
// way back is written down until it is used, and a token is not to be found in the database.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type Actor, guest, isMember, type Member } from '../core/actor.ts'
import { authorise } from '../core/authorise.ts'
import { type Ctx, createCtx, type Platform } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import type { Operation } from '../core/operation.ts'
import { pageHeaders } from '../http/html.ts'
import { type HttpGate, originOf } from '../http/mount.ts'
import { toFailure } from '../http/problem.ts'
import { acceptOperation, declineOperation } from './invite-operations.ts'
import * as pages from './invite-pages.ts'
import * as invites from './invites.ts'
import { findUser } from './store.ts'

type Fields = { readonly id: string; readonly token: string; readonly decision: string }

const fieldsOf = (source: unknown): Fields => {
  const values = (source ?? {}) as Record<string, unknown>
  const text = (name: string): string => (typeof values[name] === 'string' ? values[name].slice(0, 128) : '')
  return { id: text('id'), token: text('token'), decision: text('decision') }
}

export const inviteRoutes =
  (platform: Platform, gate: HttpGate) =>
  (app: FastifyInstance): void => {
    const { APP_URL } = platform.settings

    const ctxFor = <A extends Actor>(request: FastifyRequest, actor: A): Ctx<A> =>
      createCtx(platform, actor, { origin: originOf(request), log: request.log as Logger })
    const send = (reply: FastifyReply, html: string, status = 200): FastifyReply =>
      reply.code(status).headers(pageHeaders).send(html)
    const signInUrl = (id: string): string =>
      `${APP_URL}/sign-in?redirect_to=${encodeURIComponent(`${APP_URL}/invite?id=${encodeURIComponent(id)}`)}`
    const browserOf = async (request: FastifyRequest, reply: FastifyReply): Promise<Member | null> => {
      const actor = await gate.authenticate(request, reply)
      return isMember(actor) && actor.kind === 'browser' ? actor : null
    }
    const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
      const failure = toFailure(error)
      if (failure.code === 'internal_error') request.log.error({ err: failure.cause ?? failure }, 'request failed')
      send(reply, pages.problemPage(failure.message), failure.status)
    }

    app.get('/invite', { errorHandler }, async (request, reply) => {
      const { id, token } = fieldsOf(request.query)
      const member = await browserOf(request, reply)
      if (!member) {
        if (token === '') return reply.redirect(signInUrl(id), 303)
        const invite = await invites.inviteInfo(ctxFor(request, guest), token)
        if (invite.status !== 'pending') return send(reply, pages.closedPage(invite.status))
        return send(reply, pages.signedOutPage(invite, signInUrl(invite.id)))
      }
      const ctx = ctxFor(request, member)
      const invite = await (token === '' ? invites.ownInviteInfo(ctx, id) : invites.inviteInfo(ctx, token))
      if (invite.status !== 'pending') return send(reply, pages.closedPage(invite.status))
      const user = await findUser(ctx.db, member.userId)
      return send(reply, pages.answerPage(invite, { email: user?.email ?? '', token }))
    })

    /** The page is one more door onto the operation, with the operation's own scope. */
    const through = (request: FastifyRequest, member: Member, operation: Operation): Ctx<Member> => {
      const actor = authorise(member, operation)
      if (!isMember(actor)) throw fail('unauthorized', 'Sign in first')
      return ctxFor(request, actor)
    }

    app.post('/invite', { errorHandler }, async (request, reply) => {
      const { id, token, decision } = fieldsOf(request.body)
      const member = await browserOf(request, reply)
      if (!member) return reply.redirect(signInUrl(id), 303)
      if (decision === 'accept') {
        await invites.acceptInvite(through(request, member, acceptOperation), id, token || undefined)
        return send(reply, pages.acceptedPage())
      }
      if (decision !== 'decline') throw fail('validation_error', 'decision must be accept or decline')
      await invites.declineInvite(through(request, member, declineOperation), id, token || undefined)
      return send(reply, pages.declinedPage())
    })
  }
