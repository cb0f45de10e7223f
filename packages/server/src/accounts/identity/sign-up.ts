// Who may make an account by proving an address. The operator's own ways (the link of the banner, the commands) do not
// come through here.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { anyPersonExists } from './accounts-store.ts'
import { emailDomain, mailboxKey } from './email.ts'
import { hasInvite } from './sign-in-store.ts'

export const mayOpenAccount = async (ctx: Ctx<Actor>, email: string): Promise<boolean> => {
  const { SIGN_UP: signUp, SIGN_UP_DOMAINS: domains } = ctx.settings
  if (signUp === 'closed') return false
  if (domains.length > 0 && !domains.includes(emailDomain(email))) return false
  if (signUp === 'open') return true
  return (await hasInvite(ctx.db, mailboxKey(email), ctx.now().toISOString())) || !(await anyPersonExists(ctx.db))
}
