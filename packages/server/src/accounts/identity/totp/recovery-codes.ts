// Recovery codes: each replaces one authenticator code, for people who lost their authenticator. Only their hashes are stored.
import { randomBytes } from 'node:crypto'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { hashToken } from '#platform/core/tokens.ts'
import { recordPersonal } from '../sessions/personal-audit.ts'
import { toBase32 } from './totp.ts'
import { countTotpTry, useTotpCode } from './totp-codes.ts'
import * as store from './totp-store.ts'

const codeCount = 10
/** 80 bits, so that a stolen hash does not reveal the code. */
const codeBytes = 10
const codePattern = /^[a-z2-7]{16}$/

const normalized = (typed: string): string => typed.replace(/[\s-]/g, '').toLowerCase()
const inGroups = (code: string): string => code.match(/.{4}/g)?.join('-') ?? code
const hashOf = (code: string): Buffer => hashToken(`recovery ${normalized(code)}`)

/** Replaces all earlier codes. */
export const issueRecoveryCodes = async (ctx: Ctx<Actor>, userId: string): Promise<string[]> => {
  const codes = Array.from({ length: codeCount }, () => inGroups(toBase32(randomBytes(codeBytes)).toLowerCase()))
  await store.setRecoveryCodes(ctx.db, userId, codes.map(hashOf))
  return codes
}

type Protected = { id: string; totp_secret_sealed: Buffer; totp_last_step: number }

/** Consumes a code of the authenticator or a recovery code, or refuses it. Must run in a transaction. */
export const useSecondFactor = async (ctx: Ctx<Actor>, user: Protected, code: string): Promise<void> => {
  const { id: userId, totp_secret_sealed: sealed, totp_last_step: lastStep } = user
  if (!codePattern.test(normalized(code))) return useTotpCode(ctx, { userId, sealed, lastStep }, code)
  if (!(await store.useRecoveryCode(ctx.db, userId, hashOf(code))))
    throw fail('invalid_code', 'The recovery code is wrong or was already used')
  await recordPersonal(ctx, userId, 'user.recovery_code_used', { resourceType: 'user', resourceId: userId })
}

/** For a person who has used or lost the codes. */
export const renewRecoveryCodes = async (ctx: Ctx, code: string): Promise<{ recovery_codes: string[] }> => {
  await countTotpTry(ctx, ctx.actor.userId)
  return ctx.tx(async (ctx) => {
    const { userId } = ctx.actor
    const user = await store.findTotp(ctx.db, userId)
    if (!user?.totp_secret_sealed || user.totp_confirmed_at === null)
      throw fail('not_found', 'No authenticator is set up')
    await useTotpCode(ctx, { userId, sealed: user.totp_secret_sealed, lastStep: user.totp_last_step }, code)
    const recovery_codes = await issueRecoveryCodes(ctx, userId)
    await recordPersonal(ctx, userId, 'user.recovery_codes_renewed', { resourceType: 'user', resourceId: userId })
    return { recovery_codes }
  })
}
