// The page at APP_URL/invite that a mailed link opens. Sign-in redirects back by the invite's id and never by its
// token: the redirect is stored until it is used, and the database must not contain tokens.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { guest, isMember, type Member } from '#platform/core/actor.ts'
import { authorise } from '#platform/core/authorise.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import type { DeclaredRoute } from '#platform/core/declared-route.ts'
import { fail } from '#platform/core/errors.ts'
import type { Operation } from '#platform/core/operation.ts'
import type { HttpGate } from '#platform/http/mount.ts'
import { createVisitors, pageErrors, sendPage } from '#platform/http/pages.ts'
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

export const declaredInviteRoutes: readonly DeclaredRoute[] = [
  { name: 'pages.invite', route: 'GET /invite', access: 'public' },
  { name: 'pages.invite.answer', route: 'POST /invite', access: 'browser' },
]

export const inviteRoutes =
  (platform: Platform, gate: HttpGate) =>
  (app: FastifyInstance): void => {
    const { APP_URL, CONSOLE } = platform.settings

    const { ctxFor, browserOf } = createVisitors(platform, gate)
    const errorHandler = pageErrors(pages.problemPage)
    const signInUrl = (id: string): string =>
      `${APP_URL}/sign-in?redirect_to=${encodeURIComponent(`${APP_URL}/invite?id=${encodeURIComponent(id)}`)}`

    app.get('/invite', { errorHandler }, async (request, reply) => {
      const { id, token } = fieldsOf(request.query)
      const member = await browserOf(request, reply)
      if (!member) {
        if (token === '') return reply.redirect(signInUrl(id), 303)
        const invite = await invites.inviteInfo(ctxFor(request, guest), token)
        if (invite.status !== 'pending') return sendPage(reply, pages.closedPage(invite.status))
        return sendPage(reply, pages.signedOutPage(invite, signInUrl(invite.id)))
      }
      const ctx = ctxFor(request, member)
      const invite = await (token === '' ? invites.ownInviteInfo(ctx, id) : invites.inviteInfo(ctx, token))
      if (invite.status !== 'pending') return sendPage(reply, pages.closedPage(invite.status))
      const user = await findUser(ctx.db, member.userId)
      return sendPage(reply, pages.answerPage(invite, { email: user?.email ?? '', token }))
    })

    /** The page calls the operation with the operation's own scope. */
    const through = (request: FastifyRequest, member: Member, operation: Operation): Ctx<Member> => {
      const actor = authorise(member, operation)
      if (!isMember(actor)) throw fail('unauthorized', 'Sign in first')
      return ctxFor(request, actor)
    }

    app.post('/invite', { config: { takesForm: true }, errorHandler }, async (request, reply) => {
      const { id, token, decision } = fieldsOf(request.body)
      const member = await browserOf(request, reply)
      if (!member) return reply.redirect(signInUrl(id), 303)
      if (decision === 'accept') {
        const { team_id } = await invites.acceptInvite(
          through(request, member, acceptOperation),
          id,
          token || undefined,
        )
        // Opens the joined workspace and not the previous one.
        return sendPage(reply, pages.acceptedPage(CONSOLE ? `/console/${encodeURIComponent(team_id)}` : '/'))
      }
      if (decision !== 'decline') throw fail('validation_error', '`decision` must be accept or decline')
      await invites.declineInvite(through(request, member, declineOperation), id, token || undefined)
      return sendPage(reply, pages.declinedPage())
    })
  }
