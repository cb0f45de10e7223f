// Sign-in by mail: a one-time link and a code. Responses do not reveal whether an address has an account: all callers
// get the same response, and the mail is sent unless no account may be created for the address.
import { randomInt } from 'node:crypto'
import type { SendLink, VerifyLink } from '@millrace/contract/identity'
import { newId } from '@millrace/contract/ids'
import type { Actor } from '#platform/core/actor.ts'
import { callerOfAddress } from '#platform/core/caller.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { rateLimited } from '#platform/core/rate-limited.ts'
import { hashToken, newOpaqueToken, sameSecret } from '#platform/core/tokens.ts'
import { platformKeyTeam } from '#platform/keyring/keyring.ts'
import { sealBinding } from '#platform/keyring/sealed-columns.ts'
import { queueMail } from '#platform/mail/queue.ts'
import { signInMail } from '#platform/mail/templates.ts'
import { findUserByEmail } from '../accounts/accounts-store.ts'
import { normaliseEmail } from '../accounts/email.ts'
import { newSixDigitCode } from '../user-code.ts'
import { type SignIn, signInWith } from './sign-in.ts'
import { readEmail, readRedirect, refuseNewAccount } from './sign-in-rules.ts'
import * as store from './sign-in-store.ts'
import { mayOpenAccount } from './sign-up.ts'

export const linkSeconds = 15 * 60
export const codeSeconds = 10 * 60
export const codeTries = 5
export const linksPerHour = 5
/** To any address. Enough for an office behind one address. */
export const mailsPerNetwork = 120
/** To one address from all networks together; beyond that, one per minute. */
export const mailsPerAddress = 30
const minIntervalMs = 60_000

const hourMs = 3_600_000
const clockSlackMs = 60_000
const authMethod = 'magic-link'

const codeBinding = (linkId: string) => sealBinding('magic_links', linkId, 'code_sealed')

export const linkAddress = (appUrl: string, token: string): string => `${appUrl}/auth/magic-link/verify?token=${token}`

/** `dead`: only counted and not usable. `asker`: the network of the request. */
type NewLink = { email: string; redirectTo: string | null; codeLifeSeconds: number; asker: string; dead?: boolean }

/** Creates a link and its code. Both are returned once; a hash and a sealed value are stored. */
const createLink = async (ctx: Ctx<Actor>, { email, redirectTo, codeLifeSeconds, asker: network, dead }: NewLink) => {
  const id = newId()
  const token = newOpaqueToken()
  const code = newSixDigitCode(randomInt)
  const now = ctx.now()
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1000)
  await store.insertLink(ctx.db, {
    id,
    email,
    token_hash: hashToken(token),
    code_sealed: await ctx.keyring.seal(ctx.db, platformKeyTeam, code, codeBinding(id)),
    redirect_to: redirectTo,
    asker: network,
    created_at: now.toISOString(),
    expires_at: after(linkSeconds).toISOString(),
    code_expires_at: after(codeLifeSeconds).toISOString(),
    ...(dead && { used_at: now.toISOString() }),
  })
  return { link: linkAddress(ctx.settings.APP_URL, token), code, expiresAt: after(linkSeconds) }
}

export const sendLink = async (
  ctx: Ctx<Actor>,
  { email: typed, redirect_to }: SendLink,
): Promise<{ sent: boolean }> => {
  const email = readEmail(typed)
  const redirectTo = readRedirect(redirect_to, ctx.settings.APP_URL)
  const isKnown = (await findUserByEmail(ctx.db, email)) !== undefined
  if (!isKnown) refuseNewAccount(email, { enforcePlusAlias: ctx.settings.ENFORCE_PLUS_ALIAS })
  const dead = !isKnown && !(await mayOpenAccount(ctx, email))
  const network = callerOfAddress(ctx.origin.ip)
  await ctx.tx(async (ctx) => {
    await store.lockLinksOf(ctx.db, network)
    await refuseTooMany(ctx, network, email)
    const unsent = dead || (await isFlooded(ctx, email))
    const newLink = { email, redirectTo, codeLifeSeconds: codeSeconds, asker: network, dead: unsent }
    const { link, code, expiresAt } = await createLink(ctx, newLink)
    if (!unsent) await queueMail(ctx, signInMail({ to: email, link, code }), { notAfter: expiresAt })
  })
  return { sent: true }
}

/**
 * Counted per network, so that a stranger can neither use up another person's mails nor send an unlimited number. Rows
 * with a future time came from a wrong clock and are ignored.
 */
const refuseTooMany = async (ctx: Ctx<Actor>, network: string, email: string): Promise<void> => {
  const nowMs = ctx.now().getTime()
  const recentMails = await store.linksRequestedBy(ctx.db, network, {
    since: new Date(nowMs - hourMs).toISOString(),
    until: new Date(nowMs + clockSlackMs).toISOString(),
  })
  const refuseBeyond = (times: readonly string[], limit: number, what: string): void => {
    if (times.length < limit) return
    throw rateLimited(
      (seconds) => `At most ${limit} sign-in mails per hour ${what}; try again in ${seconds} s`,
      nowMs,
      Date.parse(times.at(-limit) ?? '') + hourMs,
    )
  }
  const toThis = recentMails.filter((link) => link.email === email)
  refuseBeyond(toThis.map(createdAt), linksPerHour, 'and address')
  refuseBeyond(recentMails.map(createdAt), mailsPerNetwork, 'from one network')
}

/**
 * Limits mails from many networks to one mailbox, and with them the codes that can be guessed. A mail of the last
 * minute still works and is the newest one in the mailbox.
 */
const isFlooded = async (ctx: Ctx<Actor>, email: string): Promise<boolean> => {
  await store.lockLinksOf(ctx.db, `to ${email}`)
  const nowMs = ctx.now().getTime()
  const since = new Date(nowMs - hourMs).toISOString()
  const mailed = await store.lastMailedTo(ctx.db, email, { since, most: mailsPerAddress })
  const last = mailed[0]
  return (
    mailed.length === mailsPerAddress &&
    last !== undefined &&
    Math.abs(nowMs - Date.parse(last.created_at)) < minIntervalMs
  )
}

const createdAt = (link: { created_at: string }): string => link.created_at

/** A link for the operator to hand over: without mail or code, and not counted as a mail. */
export const issueSignInLink = async (ctx: Ctx<Actor>, email: string, teamId?: string): Promise<string> => {
  const newLink = { email: normaliseEmail(email), redirectTo: null, codeLifeSeconds: 0, asker: '' }
  const { link } = await createLink(ctx, newLink)
  return teamId === undefined ? link : `${link}&team_id=${teamId}`
}

export const verifyLink = async (ctx: Ctx<Actor>, { token, email, code }: VerifyLink): Promise<SignIn> => {
  if (token !== undefined) return verifyToken(ctx, token)
  if (email !== undefined && code !== undefined) return verifyCode(ctx, email, code)
  throw fail('validation_error', '`token`, or `email` and `code`, is required')
}

const badLink = () => fail('invalid_token', 'The link is invalid, was used or has expired')

/** The address that a link signs in; the link stays valid. */
export const emailOfLink = async (ctx: Ctx<Actor>, token: string): Promise<string> => {
  const email = await store.findLinkEmail(ctx.db, hashToken(token), ctx.now().toISOString())
  if (email === undefined) throw badLink()
  return email
}

/** `teamId`: the workspace that the browser opens, if its person is a member. */
export const verifyToken = (ctx: Ctx<Actor>, token: string, teamId?: string): Promise<SignIn> =>
  ctx.tx(async (ctx) => {
    const link = await store.useLinkByToken(ctx.db, hashToken(token), ctx.now().toISOString())
    if (!link) throw badLink()
    return signInWith(ctx, { email: link.email, authMethod, redirectTo: link.redirect_to, teamId })
  })

/** The try is counted in a separate statement, so that a refusal does not undo the count. */
export const verifyCode = async (ctx: Ctx<Actor>, typedEmail: string, typedCode: string): Promise<SignIn> => {
  const now = ctx.now().toISOString()
  const email = normaliseEmail(typedEmail)
  const code = typedCode.replace(/[\s-]/g, '')
  const waiting = await store.countCodeTry(ctx.db, email, codeTries, now)
  const codes = await Promise.all(
    waiting.map(async ({ id, code_sealed }) => ({
      id,
      code: (await ctx.keyring.open(ctx.db, code_sealed, codeBinding(id))).toString(),
    })),
  )
  const matching = codes.filter((one) => sameSecret(one.code, code))[0]
  if (!matching) throw fail('invalid_code', 'The code is wrong, was used or has expired')
  return ctx.tx(async (ctx) => {
    const link = await store.useLink(ctx.db, matching.id, now)
    if (!link) throw fail('invalid_code', 'The code is wrong, was used or has expired')
    return signInWith(ctx, { email: link.email, authMethod, redirectTo: link.redirect_to })
  })
}
