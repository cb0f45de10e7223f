// Rules for creating an account by proving an address. The set-up link of the banner and the operator's commands do not
// pass these rules.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import { isOnlyLocal } from '#platform/settings/settings.ts'
import { anyPersonExists } from '../accounts/accounts-store.ts'
import { emailDomain, mailboxKey } from '../accounts/email.ts'
import { hasInvite } from './sign-in-store.ts'

export const mayOpenAccount = async (ctx: Ctx<Actor>, email: string): Promise<boolean> => {
  const { SIGN_UP: signUp, SIGN_UP_DOMAINS: domains } = ctx.settings
  if (signUp === 'closed') return false
  if (domains.length > 0 && !domains.includes(emailDomain(email))) return false
  if (await needsSetUp(ctx)) return false
  if (signUp === 'open') return true
  return (await hasInvite(ctx.db, mailboxKey(email), ctx.now().toISOString())) || !(await anyPersonExists(ctx.db))
}

/**
 * True while only the operator can create the first account, which owns the platform. Others could reach the server
 * before the operator does, unless the server is reachable from this machine only.
 */
export const needsSetUp = async ({ db, settings }: Pick<Platform, 'db' | 'settings'>): Promise<boolean> =>
  !isOnlyLocal(settings) && !(await anyPersonExists(db))
