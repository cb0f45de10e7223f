// Sign-in sessions: created here for every sign-in method, listed and ended by their owner. The secret is returned
// once; only its hash is stored.
import type { AuthSession, CreateSessionToken, SessionToken } from '@millrace/contract/identity'
import { newId } from '@millrace/contract/ids'
import { type Grant, grantOfSession, isKnownScope, isWithin } from '@millrace/contract/scopes'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { wireTime } from '#platform/core/times.ts'
import { hashToken, newOpaqueToken, newSessionToken } from '#platform/core/tokens.ts'
import { browserSessionSeconds, forgetCredentials } from '../../access/service.ts'
import { recordPersonal } from './personal-audit.ts'
import * as store from './sessions-store.ts'
import { parseUserAgent } from './user-agent.ts'

export const sessionSecondsDefault = 30 * 24 * 3600
export const sessionSecondsMax = 365 * 24 * 3600
const tokenSecondsDefault = 900

export type NewSession = {
  userId: string
  /** A browser cookie or a bearer token. */
  kind: 'browser' | 'token'
  authMethod: string
  teamId?: string | null
  /** Null means all rights of its person. */
  scopes?: readonly string[] | null
  elevated?: boolean
  lifetimeSeconds?: number
  parentSessionId?: string
  /** Where it will be used, when that differs from this request. */
  ip?: string
  userAgent?: string
}

export type MintedSession = { id: string; secret: string; csrfToken: string; expiresAt: string }

export const createSession = (ctx: Ctx<Actor>, session: NewSession): Promise<MintedSession> =>
  ctx.tx(async (ctx) => {
    const isBrowser = session.kind === 'browser'
    const secret = isBrowser ? newOpaqueToken() : newSessionToken()
    const csrfToken = isBrowser ? newOpaqueToken() : ''
    const seconds = isBrowser
      ? browserSessionSeconds
      : Math.min(session.lifetimeSeconds ?? sessionSecondsDefault, sessionSecondsMax)
    const now = ctx.now().toISOString()
    const expiresAt = wireTime(new Date(ctx.now().getTime() + seconds * 1000))
    const id = newId()
    const ip = session.ip ?? ctx.origin.ip
    const place = ctx.geo.place(ip)
    await store.insertSession(ctx.db, {
      id,
      user_id: session.userId,
      token_hash: hashToken(secret),
      kind: session.kind,
      auth_method: session.authMethod,
      team_id: session.teamId ?? null,
      scopes: session.scopes ? [...session.scopes] : null,
      elevated: session.elevated ?? false,
      csrf_token: csrfToken,
      ip,
      user_agent: session.userAgent ?? ctx.origin.userAgent,
      city: place.city,
      region: place.region,
      country_code: place.countryCode,
      parent_session_id: session.parentSessionId ?? null,
      created_at: now,
      last_seen_at: now,
      expires_at: expiresAt,
    })
    await recordPersonal(ctx, session.userId, 'session.created', {
      resourceType: 'session',
      resourceId: id,
      meta: { user_id: session.userId, auth_method: session.authMethod },
    })
    return { id, secret, csrfToken, expiresAt }
  })

const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

const toAuthSession = (row: store.SessionRow, currentId: string): AuthSession => ({
  id: row.id,
  created_at: row.created_at,
  expires_at: row.expires_at,
  ip: row.ip,
  city: row.city,
  country: row.country_code === '' ? '' : (countryNames.of(row.country_code) ?? ''),
  country_code: row.country_code,
  region: row.region,
  ...parseUserAgent(row.user_agent),
  auth_method: row.auth_method,
  ...(row.auth_method === 'api_key' ? { scopes: row.scopes ?? [] } : {}),
  current: row.id === currentId,
})

export const listSessions = async (ctx: Ctx): Promise<AuthSession[]> => {
  const rows = await store.listLiveSessions(ctx.db, ctx.actor.userId, ctx.now().toISOString())
  return rows.map((row) => toAuthSession(row, ctx.actor.credentialId))
}

/** Tokens created from a session end with it. */
const end = async (ctx: Ctx, id: string): Promise<void> => {
  for (const ended of await store.revokeSession(ctx.db, ctx.actor.userId, id, ctx.now().toISOString())) {
    await forgetCredentials(ctx, ended)
    await recordPersonal(ctx, ctx.actor.userId, 'session.revoked', { resourceType: 'session', resourceId: ended })
  }
}

export const revokeSession = (ctx: Ctx, ref: string): Promise<{ success: boolean }> =>
  ctx.tx(async (ctx) => {
    const session = await store.findLiveSession(ctx.db, ctx.actor.userId, ref, ctx.now().toISOString())
    if (!session) throw fail('not_found', 'Session not found')
    await end(ctx, session.id)
    return { success: true }
  })

export const revokeOtherSessions = (ctx: Ctx): Promise<{ success: boolean }> =>
  ctx.tx(async (ctx) => {
    const { userId, credentialId } = ctx.actor
    const ended = await store.revokeOtherSessions(ctx.db, userId, credentialId, ctx.now().toISOString())
    for (const id of ended) await forgetCredentials(ctx, id)
    await recordPersonal(ctx, userId, 'session.revoked_all', {
      resourceType: 'user',
      resourceId: userId,
      meta: { count: ended.length },
    })
    return { success: true }
  })

/** Ends the caller's session. A key is not a sign-in and stays. */
export const signOut = (ctx: Ctx): Promise<void> =>
  ctx.tx(async (ctx) => {
    if (ctx.actor.kind === 'browser' || ctx.actor.kind === 'session') await end(ctx, ctx.actor.credentialId)
  })

const requestedScopes = (grant: Grant, scopes: readonly string[]): readonly string[] => {
  const unknown = scopes.find((scope) => !isKnownScope(scope))
  if (unknown !== undefined) throw fail('validation_error', `\`scopes\`: unknown scope ${unknown}`)
  const outside = scopes.find((scope) => !isWithin(grantOfSession([scope]), grant))
  if (outside !== undefined) throw fail('insufficient_scope', `missing scope: ${outside}`)
  return [...new Set(scopes)]
}

/**
 * A short-lived token for a program that acts for the signed-in person: it has at most the scopes and lifetime of its
 * session, and no platform rights.
 */
export const createSessionToken = async (ctx: Ctx, request: CreateSessionToken): Promise<SessionToken> => {
  const { actor } = ctx
  if (actor.kind !== 'browser' && actor.kind !== 'session')
    throw fail('requires_sign_in', 'A session token needs your own sign-in')
  const parent = await store.findSession(ctx.db, actor.userId, actor.credentialId)
  if (!parent) throw fail('unauthorized', 'The session is not valid')
  const scopes = request.scopes ? requestedScopes(actor.grant, request.scopes) : parent.scopes
  const leftSeconds = (Date.parse(parent.expires_at) - ctx.now().getTime()) / 1000
  const minted = await createSession(ctx, {
    userId: actor.userId,
    kind: 'token',
    authMethod: 'session-token',
    teamId: actor.teamId,
    scopes,
    lifetimeSeconds: Math.min(request.expires_in ?? tokenSecondsDefault, leftSeconds),
    parentSessionId: parent.parent_session_id ?? parent.id,
  })
  return { token: minted.secret, expires_at: minted.expiresAt, ...(scopes ? { scopes: [...scopes] } : {}) }
}
