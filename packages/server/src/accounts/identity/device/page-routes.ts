// The approval page at APP_URL/device: plain forms for a signed-in browser. A form post needs the Origin of the app,
// which browsers set and other pages cannot forge.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import type { DeclaredRoute } from '#platform/core/declared-route.ts'
import { fail } from '#platform/core/errors.ts'
import type { HttpGate } from '#platform/http/mount.ts'
import { createVisitors, pageErrors, sendPage } from '#platform/http/pages.ts'
import { findUser } from '../accounts/accounts-store.ts'
import { approvalPage, approvedPage, codePage, deniedPage, problemPage } from './page.ts'
import { findAccessChoice, lifetimeChoices } from './page-choices.ts'
import * as device from './service.ts'
import { refuseAnswer } from './states.ts'
import { workspacesOf } from './store.ts'

type CodePage = { readonly code: string; readonly ctx: Ctx<Member> | null }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const sentences = {
  unknown: 'No device is waiting for this code. Codes are valid for five minutes.',
  expired: 'This code has expired. Start again on the device.',
  already_processed: 'This code was already answered.',
}

export const declaredDeviceRoutes: readonly DeclaredRoute[] = [
  { name: 'pages.device', route: 'GET /device', access: 'browser' },
  { name: 'pages.device.answer', route: 'POST /device', access: 'browser' },
]

export const deviceRoutes =
  (platform: Platform, gate: HttpGate) =>
  (app: FastifyInstance): void => {
    const { APP_URL } = platform.settings

    const { ctxFor, browserOf } = createVisitors(platform, gate)
    const openCodePage = async (request: FastifyRequest, reply: FastifyReply, code: string): Promise<CodePage> => {
      const member = await browserOf(request, reply)
      return { code, ctx: member && ctxFor(request, member) }
    }
    const toSignIn = (reply: FastifyReply, code: string): FastifyReply => {
      const back = device.devicePageUrl(APP_URL, code === '' ? undefined : encodeURIComponent(code))
      return reply.redirect(`${APP_URL}/sign-in?redirect_to=${encodeURIComponent(back)}`, 303)
    }
    const errorHandler = pageErrors((sentence) => problemPage('Something went wrong', sentence))

    app.get<{ Querystring: Record<string, unknown> }>('/device', { errorHandler }, async (request, reply) => {
      const { ctx, code } = await openCodePage(request, reply, textOf(request.query.code).trim().slice(0, 32))
      if (!ctx) return toSignIn(reply, code)
      if (code === '') return sendPage(reply, codePage())
      return show(ctx, reply, code)
    })

    const show = async (ctx: Ctx<Member>, reply: FastifyReply, code: string): Promise<FastifyReply> => {
      const waiting = await device.findWaiting(ctx, code)
      if (!waiting) return sendPage(reply, codePage({ typed: code, problem: sentences.unknown }))
      const refusal = refuseAnswer(waiting, ctx.now())
      if (refusal) return sendPage(reply, codePage({ problem: sentences[refusal] }))
      const [workspaces, user] = await Promise.all([
        workspacesOf(ctx.db, ctx.actor.userId),
        findUser(ctx.db, ctx.actor.userId),
      ])
      // The requested workspace if the person is a member, otherwise the browser's own.
      const chosenId = workspaces.find(({ id }) => id === waiting.requested_team)?.id ?? ctx.actor.teamId
      return sendPage(reply, approvalPage(waiting, { workspaces, chosenId, email: user?.email ?? '' }))
    }

    app.post('/device', { config: { takesForm: true }, errorHandler }, async (request, reply) => {
      const fields = (request.body ?? {}) as Record<string, unknown>
      const { ctx, code } = await openCodePage(request, reply, textOf(fields.code))
      if (!ctx) return toSignIn(reply, code)
      if (fields.decision === 'deny') {
        await device.deny(ctx, code)
        return sendPage(reply, deniedPage())
      }
      if (fields.decision !== 'approve') throw fail('validation_error', '`decision` must be approve or deny')
      const { claimCode } = await device.approve(ctx, {
        code,
        team_id: textOf(fields.team_id) || undefined,
        expires_in: lifetimeOf(fields.lifetime),
        ...(fields.access === 'requested' ? { grantsRequested: true } : { scopes: scopesOf(fields.access) }),
      })
      return sendPage(reply, approvedPage(claimCode))
    })
  }

/** Only values that the page offers. */
const lifetimeOf = (chosen: unknown): number => {
  const found = lifetimeChoices.find(({ seconds }) => String(seconds) === chosen)
  if (!found) throw fail('validation_error', '`lifetime` must be one of the choices')
  return found.seconds
}

const scopesOf = (chosen: unknown): string[] | undefined => {
  const found = findAccessChoice(chosen)
  if (!found) throw fail('validation_error', '`access` must be one of the choices')
  return found.scopes && [...found.scopes]
}
