// The first sign-in of an empty installation: a one-time link in the start output. Its visitor enters the owner's
// address.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { hashToken, newOpaqueToken, sameSecret } from '#platform/core/tokens.ts'
import { anyPersonExists } from '../accounts/accounts-store.ts'
import { deleteLink, findLink, lockLink, type OwnerLink, saveLink } from './owner-link-store.ts'
import { type SignIn, signInWith } from './sign-in.ts'
import { readEmail, refuseNewAccount } from './sign-in-rules.ts'

const linkSeconds = 15 * 60

/** A new link while no account exists, which invalidates all earlier links; null afterwards. */
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

const badLink = 'The link is invalid, was used or has expired; restart the server for a new one'

/** The problem of a link before its visitor enters anything; null when it is valid. */
export const ownerLinkProblem = async ({ db, now }: Pick<Platform, 'db' | 'now'>, token: string) => {
  return isValid(await findLink(db), token, now()) ? null : badLink
}

/** The first account becomes the platform's owner; see accounts.ts. */
export const signInOwner = (ctx: Ctx<Actor>, token: string, typedEmail: string): Promise<SignIn> =>
  ctx.tx(async (ctx) => {
    const link = await lockLink(ctx.db)
    if (await anyPersonExists(ctx.db)) throw fail('invalid_token', 'This installation has an owner; sign in instead')
    if (!isValid(link, token, ctx.now())) throw fail('invalid_token', badLink)
    const email = readEmail(typedEmail)
    refuseNewAccount(email, { enforcePlusAlias: false })
    await deleteLink(ctx.db)
    return signInWith(ctx, { email, authMethod: 'owner-link', redirectTo: null })
  })
