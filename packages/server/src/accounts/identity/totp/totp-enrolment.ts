// Enrolment of a person's authenticator in two steps, so that nobody is locked out by a secret that was never scanned.
// Removal needs a valid code.

import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { forgetCredentials } from '../../access/service.ts'
import { findUser } from '../accounts/accounts-store.ts'
import { reportUser } from '../accounts/user-updates.ts'
import { recordPersonal } from '../sessions/personal-audit.ts'
import { elevateSession, lowerBrowserSessions } from '../sessions/sessions-store.ts'
import { issueRecoveryCodes, useSecondFactor } from './recovery-codes.ts'
import { newTotpSecret, otpauthUri, toBase32 } from './totp.ts'
import { countTotpTry, sealTotpSecret, useTotpCode } from './totp-codes.ts'
import * as store from './totp-store.ts'

const issuer = 'Millrace'

export const enrolTotp = (ctx: Ctx): Promise<{ secret: string; otpauth_uri: string }> =>
  ctx.tx(async (ctx) => {
    const { userId } = ctx.actor
    const secret = newTotpSecret()
    const user = await findUser(ctx.db, userId)
    const saved = await store.setTotpSecret(ctx.db, userId, await sealTotpSecret(ctx, userId, secret))
    if (!user || !saved) throw fail('conflict', 'An authenticator is already set up; remove it first')
    return { secret: toBase32(secret), otpauth_uri: otpauthUri({ issuer, account: user.email ?? user.name, secret }) }
  })

export const confirmTotp = async (ctx: Ctx, code: string): Promise<{ success: boolean; recovery_codes: string[] }> => {
  await countTotpTry(ctx, ctx.actor.userId)
  return ctx.tx(async (ctx) => {
    const { userId, credentialId, kind } = ctx.actor
    const user = await store.findTotp(ctx.db, userId)
    if (!user?.totp_secret_sealed) throw fail('not_found', 'No authenticator set-up is in progress')
    if (user.totp_confirmed_at !== null) throw fail('conflict', 'The authenticator is already confirmed')
    await useTotpCode(ctx, { userId: user.id, sealed: user.totp_secret_sealed, lastStep: user.totp_last_step }, code)
    await store.confirmTotp(ctx.db, userId, ctx.now().toISOString())
    // This browser has just used the authenticator, so it gets platform rights without another sign-in.
    if (kind === 'browser' && user.role === 'admin') await elevateSession(ctx.db, userId, credentialId)
    await forgetCredentials(ctx, userId)
    await reportUser(ctx, userId)
    const recovery_codes = await issueRecoveryCodes(ctx, userId)
    await recordPersonal(ctx, userId, 'user.totp_enabled', { resourceType: 'user', resourceId: userId })
    return { success: true, recovery_codes }
  })
}

export const removeTotp = async (ctx: Ctx, code: string): Promise<{ success: boolean }> => {
  await countTotpTry(ctx, ctx.actor.userId)
  return ctx.tx(async (ctx) => {
    const { userId } = ctx.actor
    const user = await store.findTotp(ctx.db, userId)
    if (!user?.totp_secret_sealed || user.totp_confirmed_at === null)
      throw fail('not_found', 'No authenticator is set up')
    await useSecondFactor(ctx, { ...user, totp_secret_sealed: user.totp_secret_sealed }, code)
    await store.removeTotp(ctx.db, userId, ctx.now().toISOString())
    // Platform rights in a browser depend on the removed authenticator.
    await lowerBrowserSessions(ctx.db, userId)
    await forgetCredentials(ctx, userId)
    await reportUser(ctx, userId)
    await recordPersonal(ctx, userId, 'user.totp_disabled', { resourceType: 'user', resourceId: userId })
    return { success: true }
  })
}
