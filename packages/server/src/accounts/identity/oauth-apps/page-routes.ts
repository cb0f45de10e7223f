// The consent page at APP_URL/oauth/authorize: a plain form for a signed-in browser. A form post needs the Origin of
// the app, which browsers set and other pages cannot forge.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import type { DeclaredRoute } from '#platform/core/declared-route.ts'
import { fail } from '#platform/core/errors.ts'
import type { HttpGate } from '#platform/http/mount.ts'
import { createVisitors, pageErrors } from '#platform/http/pages.ts'
import { findUser } from '../accounts/accounts-store.ts'
import { planDeviceKey } from '../device/approval.ts'
import { lifetimeChoices } from '../device/page-choices.ts'
import { findMembershipStatus, workspacesOf } from '../device/store.ts'
import { consentHeaders, consentPage, problemPage } from './page.ts'
import { type AuthorizeQuery, type AuthorizeRequest, answerAddress, consentChoices, readRequest } from './request.ts'
import { issueCode } from './service.ts'
import * as store from './store.ts'

const route = '/oauth/authorize'

export const declaredOauthAppRoutes: readonly DeclaredRoute[] = [
  { name: 'pages.oauth_consent', route: `GET ${route}`, access: 'browser' },
  { name: 'pages.oauth_consent.answer', route: `POST ${route}`, access: 'browser' },
]

type ConsentRequest = { client: store.ClientRow; request: AuthorizeRequest }

export const oauthAppRoutes =
  (platform: Platform, gate: HttpGate) =>
  (app: FastifyInstance): void => {
    const { APP_URL, BASE_URL } = platform.settings
    const { ctxFor, browserOf } = createVisitors(platform, gate)
    const errorHandler = pageErrors(problemPage)

    const sendBack = (reply: FastifyReply, redirectUri: string, fields: Record<string, string>): FastifyReply =>
      reply.header('cache-control', 'no-store').redirect(answerAddress(redirectUri, { ...fields, iss: BASE_URL }), 303)

    /** Undefined when the response was already sent: the error was reported to the client. */
    const read = async (reply: FastifyReply, query: AuthorizeQuery): Promise<ConsentRequest | undefined> => {
      const id = typeof query.client_id === 'string' ? query.client_id.slice(0, 64) : ''
      const client = await store.findClient(platform.db, id)
      const request = readRequest(query, client, [BASE_URL, `${BASE_URL}/mcp`])
      if ('to' in request) {
        if (request.to === 'page') throw fail('invalid_request', request.sentence)
        sendBack(reply, request.redirectUri, { error: request.error, state: request.state })
        return undefined
      }
      return client && { client, request }
    }

    const show = async (
      ctx: Ctx<Member>,
      reply: FastifyReply,
      { client, request }: ConsentRequest,
    ): Promise<FastifyReply> => {
      const [workspaces, user] = await Promise.all([
        workspacesOf(ctx.db, ctx.actor.userId),
        findUser(ctx.db, ctx.actor.userId),
      ])
      const view = { client, request, choices: consentChoices(request.asked), workspaces }
      const html = consentPage({ ...view, activeId: ctx.actor.teamId, email: user?.email ?? '' })
      return reply.headers(consentHeaders(request.redirectUri)).send(html)
    }

    app.get<{ Querystring: AuthorizeQuery }>(route, { errorHandler }, async (request, reply) => {
      const consentRequest = await read(reply, request.query)
      if (!consentRequest) return reply
      const member = await browserOf(request, reply)
      if (!member) {
        const back = encodeURIComponent(`${APP_URL}${request.url}`)
        return reply.redirect(`${APP_URL}/sign-in?redirect_to=${back}`, 303)
      }
      return show(ctxFor(request, member), reply, consentRequest)
    })

    app.post(route, { config: { takesForm: true }, errorHandler }, async (request: FastifyRequest, reply) => {
      const fields = (request.body ?? {}) as Record<string, unknown>
      const member = await browserOf(request, reply)
      if (!member) throw fail('unauthorized', 'You are not signed in; sign in, then start again in the program')
      const consentRequest = await read(reply, fields)
      if (!consentRequest) return reply
      const { redirectUri, state } = consentRequest.request
      if (fields.decision === 'deny') return sendBack(reply, redirectUri, { error: 'access_denied', state })
      if (fields.decision !== 'approve') throw fail('validation_error', '`decision` must be approve or deny')
      const code = await approve(ctxFor(request, member), consentRequest, fields)
      return sendBack(reply, redirectUri, { code, state })
    })
  }

const lifetimeOf = (chosen: unknown): number => {
  const found = lifetimeChoices.find(({ seconds }) => String(seconds) === chosen)
  if (!found) throw fail('validation_error', '`lifetime` must be one of the choices')
  return found.seconds
}

/** Accepts only values that the page offered, and grants no more than the person has. */
const approve = async (
  ctx: Ctx<Member>,
  { request }: ConsentRequest,
  fields: Record<string, unknown>,
): Promise<string> => {
  const standing = await findMembershipStatus(ctx.db, ctx.actor.userId, ctx.actor.teamId)
  if (!standing || standing.user_role === 'guest') throw fail('forbidden', 'Guests cannot authorize programs')
  const team = (await workspacesOf(ctx.db, ctx.actor.userId)).find(({ id }) => id === fields.team_id)
  if (!team) throw fail('forbidden', 'You are not a member of this workspace')
  const choice = consentChoices(request.asked).find(({ id }) => id === fields.access)
  if (!choice?.scopes?.length) throw fail('validation_error', '`access` must be one of the choices')
  const place = { role: team.role, personal: team.type === 'personal', isPlatform: team.is_platform }
  const plan = planDeviceKey(ctx.actor, choice.scopes, place, ctx.now())
  if ('refused' in plan) throw fail(plan.refused, plan.detail)
  return issueCode(ctx, {
    clientId: request.clientId,
    userId: ctx.actor.userId,
    teamId: team.id,
    scopes: plan.scopes ?? choice.scopes,
    redirectUri: request.redirectUri,
    codeChallenge: request.codeChallenge,
    lifetimeSeconds: lifetimeOf(fields.lifetime),
  })
}
