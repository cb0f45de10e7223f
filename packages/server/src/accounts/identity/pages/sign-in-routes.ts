// The sign-in pages: plain forms with the same rules as the API. A form post needs the Origin of the app, which
// browsers set and other pages cannot forge.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { guest, type Member } from '#platform/core/actor.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import type { DeclaredRoute } from '#platform/core/declared-route.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { readCookie } from '#platform/http/cookies.ts'
import { ownOrigins } from '#platform/http/cors.ts'
import { type HttpGate, wireOf } from '#platform/http/mount.ts'
import { createVisitors, pageErrors, sendPage } from '#platform/http/pages.ts'
import { version } from '#platform/settings/version.ts'
import { anyPersonExists, findUser } from '../accounts/accounts-store.ts'
import { workspacesOf } from '../device/store.ts'
import { signOut } from '../sessions/sessions.ts'
import { emailOfLink, sendLink, verifyCode, verifyToken } from '../sign-in/magic-links.ts'
import { ownerLinkProblem, signInOwner } from '../sign-in/owner-link.ts'
import type { SignIn } from '../sign-in/sign-in.ts'
import { challengeCookie, clearSessionCookies, problemOf, redirectBrowser } from '../sign-in/sign-in-answer.ts'
import { verifyOtp } from '../sign-in/sign-in-otp.ts'
import { ownAddress } from '../sign-in/sign-in-rules.ts'
import { needsSetUp } from '../sign-in/sign-up.ts'
import {
  authenticatorPage,
  badSetupPage,
  codePage,
  homePage,
  linkPage,
  ownedPage,
  problemPage,
  setupPage,
  signInPage,
  unclaimedPage,
} from './sign-in-pages.ts'

const textOf = (fields: unknown, name: string): string => {
  const value = (fields as Record<string, unknown> | null | undefined)?.[name]
  return typeof value === 'string' ? value.slice(0, 2048) : ''
}

export const declaredSignInRoutes: readonly DeclaredRoute[] = [
  { name: 'pages.home', route: 'GET /', access: 'public' },
  { name: 'pages.sign_in', route: 'GET /sign-in', access: 'public' },
  { name: 'pages.sign_in.send', route: 'POST /sign-in', access: 'public' },
  { name: 'pages.code', route: 'GET /sign-in/code', access: 'public' },
  { name: 'pages.code.send', route: 'POST /sign-in/code', access: 'public' },
  { name: 'pages.link', route: 'GET /auth/magic-link/verify', access: 'public' },
  { name: 'pages.link.send', route: 'POST /sign-in/link', access: 'public' },
  { name: 'pages.authenticator', route: 'GET /sign-in/authenticator', access: 'public' },
  { name: 'pages.authenticator.send', route: 'POST /sign-in/authenticator', access: 'public' },
  { name: 'pages.setup', route: 'GET /sign-in/setup', access: 'public' },
  { name: 'pages.setup.send', route: 'POST /sign-in/setup', access: 'public' },
  { name: 'pages.sign_out', route: 'POST /sign-in/sign-out', access: 'browser' },
]

export const signInRoutes =
  (platform: Platform, gate: HttpGate) =>
  (app: FastifyInstance): void => {
    const { settings } = platform
    const { APP_URL } = settings
    const own = ownOrigins(settings)
    const singleSignOn = settings.OIDC_ISSUER !== undefined
    const mailed = settings.SMTP_URL !== undefined

    const { ctxFor, browserOf } = createVisitors(platform, gate)
    const guestCtx = (request: FastifyRequest) => ctxFor(request, guest)

    const visitor = async (request: FastifyRequest, reply: FastifyReply): Promise<Ctx<Member> | null> => {
      const member = await browserOf(request, reply)
      return member && ctxFor(request, member)
    }

    /** The requested destination; empty without one or when it is outside the app. */
    const requestedRedirect = ({ body, query }: FastifyRequest): string => {
      const requested = textOf(body ?? query, 'redirect_to')
      return requested === '' ? '' : (ownAddress(requested, APP_URL) ?? '')
    }

    /** Runs a step; a refusal is shown on its page, with its status. */
    const attempt = async (
      request: FastifyRequest,
      reply: FastifyReply,
      step: () => Promise<SignIn>,
      again: (problem: string) => string,
    ): Promise<FastifyReply> => {
      try {
        return reply.redirect(redirectBrowser(wireOf(request, reply, platform), await step(), settings), 303)
      } catch (error) {
        return refuse(reply, error, again)
      }
    }

    const refuse = (reply: FastifyReply, error: unknown, again: (problem: string) => string): FastifyReply => {
      if (!isFailure(error)) throw error
      if (error.options.headers) reply.headers(error.options.headers)
      return sendPage(reply, again(error.message), error.status)
    }

    const formOnly = async (request: FastifyRequest): Promise<void> => {
      if (request.method === 'POST' && !own.has(request.headers.origin ?? ''))
        throw fail('csrf_failed', 'This form can only be submitted from its own page')
    }

    const options = {
      config: { takesForm: true } as const,
      preHandler: formOnly,
      errorHandler: pageErrors(problemPage),
    }

    app.get('/', options, async (request, reply) => {
      // Browsers request HTML explicitly; programs accept anything and get a JSON overview.
      reply.header('vary', 'Accept')
      if (!request.headers.accept?.includes('text/html')) return reply.send(signpost(settings))
      const sameHostAddress = otherLoopbackName(request, APP_URL)
      if (sameHostAddress !== null) return reply.redirect(sameHostAddress, 302)
      const ctx = await visitor(request, reply)
      if (!ctx) return reply.redirect(`${APP_URL}/sign-in`, 302)
      if (settings.CONSOLE) return reply.redirect(`${APP_URL}/console`, 302)
      const [user, workspaces] = await Promise.all([
        findUser(ctx.db, ctx.actor.userId),
        workspacesOf(ctx.db, ctx.actor.userId),
      ])
      return sendPage(reply, homePage({ email: user?.email ?? '', workspaces }))
    })

    app.get('/sign-in', options, async (request, reply) => {
      const sameHostAddress = otherLoopbackName(request, APP_URL)
      if (sameHostAddress !== null) return reply.redirect(sameHostAddress, 302)
      const redirectTo = requestedRedirect(request)
      if (await visitor(request, reply)) return reply.redirect(redirectTo || `${APP_URL}/`, 302)
      if (await needsSetUp(platform)) return sendPage(reply, unclaimedPage())
      const problem = problemOf(textOf(request.query, 'problem'))
      return sendPage(reply, signInPage({ email: textOf(request.query, 'email'), redirectTo, problem, singleSignOn }))
    })

    app.post('/sign-in', options, async (request, reply) => {
      const email = textOf(request.body, 'email')
      const redirectTo = requestedRedirect(request)
      try {
        await sendLink(guestCtx(request), { email, redirect_to: redirectTo })
      } catch (error) {
        return refuse(reply, error, (problem) => signInPage({ email, redirectTo, problem, singleSignOn }))
      }
      const query = new URLSearchParams(redirectTo === '' ? { email } : { email, redirect_to: redirectTo })
      return reply.redirect(`${APP_URL}/sign-in/code?${query}`, 303)
    })

    app.get('/sign-in/code', options, async (request, reply) =>
      sendPage(
        reply,
        codePage({ mailed, email: textOf(request.query, 'email'), redirectTo: requestedRedirect(request) }),
      ),
    )

    app.post('/sign-in/code', options, async (request, reply) => {
      const email = textOf(request.body, 'email')
      return attempt(
        request,
        reply,
        () => verifyCode(guestCtx(request), email, textOf(request.body, 'code')),
        (problem) => codePage({ mailed, email, redirectTo: requestedRedirect(request), problem }),
      )
    })

    app.get('/auth/magic-link/verify', options, async (request, reply) => {
      const token = textOf(request.query, 'token')
      const email = await emailOfLink(guestCtx(request), token)
      return sendPage(reply, linkPage({ token, email, teamId: textOf(request.query, 'team_id') }))
    })

    app.post('/sign-in/link', options, async (request, reply) => {
      const teamId = textOf(request.body, 'team_id')
      return attempt(
        request,
        reply,
        () => verifyToken(guestCtx(request), textOf(request.body, 'token'), teamId || undefined),
        problemPage,
      )
    })

    app.get('/sign-in/authenticator', options, async (request, reply) =>
      sendPage(reply, authenticatorPage({ teamId: textOf(request.query, 'team_id') })),
    )

    app.post('/sign-in/authenticator', options, async (request, reply) => {
      const challengeToken = readCookie(request.headers.cookie, challengeCookie) ?? ''
      const teamId = textOf(request.body, 'team_id')
      return attempt(
        request,
        reply,
        () => verifyOtp(guestCtx(request), challengeToken, textOf(request.body, 'code'), teamId || undefined),
        (problem) => authenticatorPage({ teamId, problem }),
      )
    })

    app.get('/sign-in/setup', options, async (request, reply) => {
      if (await anyPersonExists(platform.db)) return sendPage(reply, ownedPage(`${APP_URL}/sign-in`), 410)
      const token = textOf(request.query, 'token')
      const problem = await ownerLinkProblem(platform, token)
      return problem === null ? sendPage(reply, setupPage({ token })) : sendPage(reply, badSetupPage(problem), 400)
    })

    app.post('/sign-in/setup', options, async (request, reply) => {
      const token = textOf(request.body, 'token')
      const email = textOf(request.body, 'email')
      return attempt(
        request,
        reply,
        () => signInOwner(guestCtx(request), token, email),
        (problem) => setupPage({ token, email, problem }),
      )
    })

    app.post('/sign-in/sign-out', options, async (request, reply) => {
      const ctx = await visitor(request, reply)
      if (ctx) await signOut(ctx)
      clearSessionCookies(wireOf(request, reply, platform))
      return reply.redirect(`${APP_URL}/sign-in`, 303)
    })
  }

const signpost = ({ BASE_URL, APP_URL, CONSOLE }: Platform['settings']) => ({
  name: 'Millrace',
  version,
  links: {
    ...(CONSOLE ? { console: `${APP_URL}/console` } : {}),
    sign_in: `${APP_URL}/sign-in`,
    guides: `${BASE_URL}/guides`,
    reference: `${BASE_URL}/docs`,
    openapi: `${BASE_URL}/openapi.json`,
    health: `${BASE_URL}/healthz`,
  },
})

const isLoopbackName = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)

/**
 * The same page under the app's own host name, for a visitor who typed `localhost` instead of `127.0.0.1` or the
 * reverse: cookies and Origin belong to one name. Null when the name is right.
 */
const otherLoopbackName = (request: FastifyRequest, appUrl: string): string | null => {
  const app = new URL(appUrl)
  const requested = `http://${request.headers.host ?? ''}`
  if (!URL.canParse(requested)) return null
  const { hostname } = new URL(requested)
  if (hostname === app.hostname || !isLoopbackName(hostname) || !isLoopbackName(app.hostname)) return null
  return `${app.origin}${request.url}`
}
