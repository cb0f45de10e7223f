// The first sign-in of an empty installation: a one-time link that the operator reads from the start banner. Whoever
// opens it names the owner's address.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { hashToken, newOpaqueToken, sameSecret } from '#platform/core/tokens.ts'
import { anyPersonExists } from './accounts-store.ts'
import { deleteLink, findLink, lockLink, type OwnerLink, saveLink } from './owner-link-store.ts'
import { type SignIn, signInWith } from './sign-in.ts'
import { readEmail, refuseNewAccount } from './sign-in-rules.ts'

const linkSeconds = 15 * 60

/** A fresh link while nobody has an account, which ends every earlier one; null afterwards. */
export const ownerSignInUrl = async ({ db, settings, now }: Platform): Promise<string | null> => {
  if (await anyPersonExists(db)) {
    await deleteLink(db)
    return null
  }
  const token = newOpaqueToken()
  await saveLink(db, {
    hash: hashToken(token).toString('base64'),
    expires_at: new Date(now().getTime() + linkSeconds * 1000).toISOString(),
  })
  return `${settings.APP_URL}/sign-in/setup?token=${token}`
}

const isValid = (link: OwnerLink | undefined, token: string, now: Date): boolean =>
  link !== undefined &&
  sameSecret(link.hash, hashToken(token).toString('base64')) &&
  Date.parse(link.expires_at) > now.getTime()

const badLink = 'The link is invalid, was used or has expired; start the server again for a new one'

/** What is wrong with a link, before its visitor has typed anything; null when it would open the door. */
export const ownerLinkProblem = async ({ db, now }: Pick<Platform, 'db' | 'now'>, token: string) => {
  return isValid(await findLink(db), token, now()) ? null : badLink
}

/** The account becomes the platform's owner by being the first; see accounts.ts. */
export const signInOwner = (ctx: Ctx<Actor>, token: string, typedEmail: string): Promise<SignIn> =>
  ctx.tx(async (ctx) => {
    const link = await lockLink(ctx.db)
    if (await anyPersonExists(ctx.db)) throw fail('invalid_token', 'This installation has its owner; sign in instead')
    if (!isValid(link, token, ctx.now())) throw fail('invalid_token', badLink)
    const email = readEmail(typedEmail)
    refuseNewAccount(email, { enforcePlusAlias: false })
    await deleteLink(ctx.db)
    return signInWith(ctx, { email, authMethod: 'owner-link', redirectTo: null })
  })
