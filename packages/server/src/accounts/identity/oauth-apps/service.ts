// OAuth clients that act for a person: they register themselves (RFC 7591), a person grants access, and a code that
// only they can use (RFC 7636) becomes a key with exactly those scopes. It is an ordinary key: hashed, expiring, and
// listed and revoked like other keys. It cannot have scopes that app tokens never have.
import { createHash } from 'node:crypto'
import type { OauthToken } from '@millrace/contract/device'
import { newId } from '@millrace/contract/ids'
import { authorizationCodeGrant, type OauthClient, type RegisterOauthClient } from '@millrace/contract/oauth-apps'
import type { Actor } from '#platform/core/actor.ts'
import { callerOfAddress } from '#platform/core/caller.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { rateLimited } from '#platform/core/rate-limited.ts'
import { hashToken, newOpaqueToken, sameSecret } from '#platform/core/tokens.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { limitSignedOut, mintKey, programSource, revokeLeakedKey } from '../../access/service.ts'
import { requireWithinLimit } from '../../plans/service.ts'
import { findMembershipStatus } from '../device/store.ts'
import { redirectProblem } from './redirects.ts'
import * as store from './store.ts'

const hourMs = 3_600_000
const maxPerHour = 30
const codeLifeMs = 5 * 60_000
const unusedMs = 24 * hourMs
const forgottenMs = 400 * 24 * hourMs

const clientDto = (row: store.ClientRow, issuedAt: Date): OauthClient => ({
  client_id: row.id,
  client_id_issued_at: Math.floor(issuedAt.getTime() / 1000),
  client_name: row.name,
  ...(row.client_uri === '' ? {} : { client_uri: row.client_uri }),
  redirect_uris: row.redirect_uris,
  grant_types: [authorizationCodeGrant],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
})

/** Invisible and direction-changing characters would change the text of the consent page around the name. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu

const websiteOf = (text: string | undefined): string => {
  const url = URL.parse(text ?? '')
  return url?.protocol === 'https:' ? url.href : ''
}

export const registerClient = async (ctx: Ctx<Actor>, body: RegisterOauthClient): Promise<OauthClient> => {
  for (const uri of body.redirect_uris) {
    const problem = redirectProblem(uri)
    if (problem !== null) throw fail('invalid_redirect_uri', `redirect_uris: ${uri} ${problem}`)
  }
  // Simultaneous registrations do not see each other's rows, but this counts them.
  await limitSignedOut(ctx, 'register', maxPerHour)
  const now = ctx.now()
  const caller = callerOfAddress(ctx.origin.ip)
  const since = new Date(now.getTime() - hourMs).toISOString()
  if ((await store.countClientsFrom(ctx.db, caller, since)) >= maxPerHour)
    throw rateLimited(() => 'Too many registrations from this network', now.getTime(), now.getTime() + hourMs)
  const name = body.client_name?.replace(invisible, ' ').trim()
  const row = {
    id: newId(),
    name: name || new URL(body.redirect_uris[0] ?? '').host || 'An unnamed program',
    client_uri: websiteOf(body.client_uri),
    redirect_uris: [...new Set(body.redirect_uris)],
  }
  await store.insertClient(ctx.db, { ...row, ip: caller, created_at: now.toISOString() })
  return clientDto(row, now)
}

export type Consent = {
  clientId: string
  userId: string
  teamId: string
  scopes: readonly string[]
  redirectUri: string
  codeChallenge: string
  lifetimeSeconds: number
}

/** Issues a code after consent: valid once, for five minutes. */
export const issueCode = (ctx: Ctx<Actor>, consent: Consent): Promise<string> =>
  ctx.tx(async (ctx) => {
    const code = newOpaqueToken()
    const now = ctx.now()
    // The key is created and checked later; check here as well, so that the person learns it in time.
    await requireWithinLimit(ctx, 'api_keys', { teamId: consent.teamId })
    await store.insertCode(ctx.db, {
      code_hash: hashToken(code),
      client_id: consent.clientId,
      user_id: consent.userId,
      team_id: consent.teamId,
      scopes: [...consent.scopes],
      redirect_uri: consent.redirectUri,
      code_challenge: consent.codeChallenge,
      lifetime_seconds: consent.lifetimeSeconds,
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + codeLifeMs).toISOString(),
    })
    await store.markClientUsed(ctx.db, consent.clientId, now.toISOString())
    await recordAudit(ctx, 'oauth_app.approved', {
      resourceType: 'oauth_app',
      resourceId: consent.clientId,
      teamId: consent.teamId,
      meta: { scopes: consent.scopes, redirect_uri: consent.redirectUri },
    })
    return code
  })

export type CodeExchange = {
  code?: string | undefined
  client_id?: string | undefined
  redirect_uri?: string | undefined
  code_verifier?: string | undefined
}

const badCode = () => fail('invalid_grant', 'The code is unknown, used or expired')

type Taken =
  | { kind: 'key'; token: OauthToken }
  /** Outside the transaction, so that the revocation after a second exchange is not rolled back. */
  | { kind: 'replayed'; keyId: string | null }
  | { kind: 'refused' }

const isRightProof = (row: { code_challenge: string }, verifier: string | undefined): boolean =>
  verifier !== undefined &&
  /^[A-Za-z0-9._~-]{43,128}$/.test(verifier) &&
  sameSecret(createHash('sha256').update(verifier).digest('base64url'), row.code_challenge)

const take = (ctx: Ctx<Actor>, { code = '', ...request }: CodeExchange): Promise<Taken> =>
  ctx.tx(async (ctx) => {
    const codeHash = hashToken(code)
    const row = await store.lockCode(ctx.db, codeHash)
    if (!row || row.client_id !== request.client_id) return { kind: 'refused' }
    if (row.used_at !== null) return { kind: 'replayed', keyId: row.key_id }
    const isLate = Date.parse(row.expires_at) <= ctx.now().getTime()
    if (isLate || row.redirect_uri !== request.redirect_uri || !isRightProof(row, request.code_verifier))
      return { kind: 'refused' }
    const client = await store.findClient(ctx.db, row.client_id)
    const standing = await findMembershipStatus(ctx.db, row.user_id, row.team_id)
    if (!client || !standing) return { kind: 'refused' }
    await requireWithinLimit(ctx, 'api_keys', { teamId: row.team_id })
    const { row: key, text } = await mintKey(ctx, {
      teamId: row.team_id,
      userId: row.user_id,
      createdBy: row.user_id,
      name: client.name,
      scope: 'user',
      scopes: row.scopes,
      holdsEngineScopes: false,
      source: programSource + client.id,
      expiresAt: new Date(ctx.now().getTime() + row.lifetime_seconds * 1000),
    })
    await store.markCodeUsed(ctx.db, codeHash, key.id, ctx.now().toISOString())
    await recordAudit(ctx, 'oauth_app.signed_in', {
      resourceType: 'api_key',
      resourceId: key.id,
      teamId: row.team_id,
      meta: { client_id: client.id, user_id: row.user_id },
    })
    const token: OauthToken = {
      access_token: text,
      token_type: 'Bearer',
      team_id: row.team_id,
      expires_in: row.lifetime_seconds,
      scope: row.scopes.join(' '),
    }
    return { kind: 'key', token }
  })

export const exchangeCode = async (ctx: Ctx<Actor>, request: CodeExchange): Promise<OauthToken> => {
  for (const field of ['code', 'client_id', 'redirect_uri', 'code_verifier'] as const)
    if (!request[field]) throw fail('invalid_request', `${field} is required`)
  const taken = await take(ctx, request)
  if (taken.kind === 'key') return taken.token
  // A code presented twice was leaked, so the key it produced is revoked.
  const leakedKeyId = taken.kind === 'replayed' ? taken.keyId : null
  if (leakedKeyId !== null) await ctx.tx((ctx) => revokeLeakedKey(ctx, leakedKeyId))
  throw badCode()
}

export const sweepOauthApps = ({ db, now }: Pick<Platform, 'db' | 'now'>): Promise<void> => {
  const at = (ms: number) => new Date(now().getTime() - ms).toISOString()
  return store.sweep(db, { codes: at(unusedMs), unused: at(unusedMs), forgotten: at(forgottenMs) })
}
