// The page at APP_URL/settings/secrets/oauth/{slug}, where services redirect browsers. It calls the operation that
// completes a sign-in, for the signed-in person who started it, in the workspace where it started. A form post needs
// the Origin of the app, which browsers set and other pages cannot forge.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isMember, type Member } from '#platform/core/actor.ts'
import { authorise } from '#platform/core/authorise.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import type { DeclaredRoute } from '#platform/core/declared-route.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { hashToken } from '#platform/core/tokens.ts'
import { readCookie } from '#platform/http/cookies.ts'
import { type HttpGate, wireOf } from '#platform/http/mount.ts'
import { createVisitors, pageErrors, sendPage } from '#platform/http/pages.ts'
import { redirectAddress } from '../auth-providers/service.ts'
import { badState, completeOauth } from './complete.ts'
import { stateLifetimeMs } from './connect-oauth.ts'
import { type OauthReturn, packReturn, readReturn, returnCookie, unpackReturn } from './oauth-return.ts'
import { completeOperation } from './operations.ts'
import {
  connectedPage,
  deniedPage,
  finishHeaders,
  finishPage,
  type PendingSignIn,
  problemPage,
} from './return-pages.ts'
import { findPending } from './states-store.ts'

const route = '/settings/secrets/oauth/:slug' as const

export const declaredReturnRoutes: readonly DeclaredRoute[] = [
  { name: 'pages.oauth_return', route: `GET ${route}`, access: 'browser' },
  { name: 'pages.oauth_return.finish', route: `POST ${route}`, access: 'browser' },
]

type Params = { Params: { slug: string } }

export const returnRoutes =
  (platform: Platform, gate: HttpGate) =>
  (app: FastifyInstance): void => {
    const { settings, db, now } = platform

    const { ctxFor, browserOf } = createVisitors(platform, gate)
    const errorHandler = pageErrors(problemPage)

    const toSignIn = (
      request: FastifyRequest,
      reply: FastifyReply,
      slug: string,
      fields: OauthReturn,
    ): FastifyReply => {
      const packed = packReturn(slug, fields)
      if (packed === null) throw fail('invalid_request', 'You are not signed in; sign in, then start again')
      const lifetime = { maxAgeSeconds: stateLifetimeMs / 1000, httpOnly: true }
      wireOf(request, reply, platform).setCookie(returnCookie, packed, lifetime)
      const back = encodeURIComponent(redirectAddress(settings, slug))
      return reply.redirect(`${settings.APP_URL}/sign-in?redirect_to=${back}`, 303)
    }

    const pendingFor = async ({ userId }: Member, slug: string, { state }: OauthReturn) => {
      const key = { stateHash: hashToken(state), userId, provider: slug }
      const pending = await findPending(db, key, now().toISOString())
      if (!pending) throw badState()
      return pending
    }

    /** The workspace where the sign-in started, which may differ from the browser's current one. */
    const ctxIn = async (request: FastifyRequest, reply: FastifyReply, teamId: string): Promise<Ctx<Member>> => {
      request.headers['x-team-id'] = teamId
      const member = await browserOf(request, reply)
      const actor = member && authorise(member, completeOperation)
      if (!actor || !isMember(actor)) throw fail('unauthorized', 'Sign in first')
      return ctxFor(request, actor)
    }

    app.get<Params>(route, { errorHandler }, async (request, reply) => {
      const { slug } = request.params
      const cookie = readCookie(request.headers.cookie, returnCookie)
      const fields = readReturn(request.query) ?? unpackReturn(cookie, slug)
      if (!fields) throw fail('invalid_request', 'There is no sign-in to complete; start one first')
      const member = await browserOf(request, reply)
      if (!member) return toSignIn(request, reply, slug, fields)
      const pending = await pendingFor(member, slug, fields)
      return reply.headers(finishHeaders).send(finishPage(slug, pending, fields))
    })

    app.post<Params>(route, { config: { takesForm: true }, errorHandler }, async (request, reply) => {
      const { slug } = request.params
      const fields = readReturn(request.body)
      if (!fields) throw fail('invalid_request', 'There is no sign-in to complete; start one first')
      const member = await browserOf(request, reply)
      if (!member) return toSignIn(request, reply, slug, fields)
      const pending = await pendingFor(member, slug, fields)
      const ctx = await ctxIn(request, reply, pending.teamId)
      wireOf(request, reply, platform).clearCookie(returnCookie)
      return finish(ctx, reply, pending, { provider: slug, ...fields })
    })

    const finish = async (
      ctx: Ctx<Member>,
      reply: FastifyReply,
      pending: PendingSignIn,
      request: OauthReturn & { provider: string },
    ): Promise<FastifyReply> => {
      try {
        const { credential } = await completeOauth(ctx, request)
        return sendPage(reply, connectedPage(pending, credential.account_name || credential.account_identifier || ''))
      } catch (error) {
        if (isFailure(error, 'access_denied')) return sendPage(reply, deniedPage(pending), error.status)
        throw error
      }
    }
  }
