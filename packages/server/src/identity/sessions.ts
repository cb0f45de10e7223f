// Sign-in sessions: made here, whatever the way in was. The secret is returned once; only its hash is kept.
import { newId } from '@millrace/contract/ids'
import { browserSessionSeconds } from '../access/service.ts'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { hashToken, newOpaqueToken, newSessionToken } from '../core/tokens.ts'

export const sessionSecondsDefault = 30 * 24 * 3600
export const sessionSecondsMax = 365 * 24 * 3600

export type NewSession = {
  userId: string
  /** A browser's cookie, or a token that a program carries. */
  kind: 'browser' | 'token'
  authMethod: string
  teamId?: string | null
  /** Null: everything its person may do. */
  scopes?: readonly string[] | null
  elevated?: boolean
  lifetimeSeconds?: number
  parentSessionId?: string
  /** Where it will be used from, when that is not where this request comes from. */
  ip?: string
  userAgent?: string
}

export type MintedSession = { id: string; secret: string; csrfToken: string; expiresAt: string }

export const createSession = async (ctx: Ctx<Actor>, session: NewSession): Promise<MintedSession> => {
  const secret = session.kind === 'browser' ? newOpaqueToken() : newSessionToken()
  const csrfToken = session.kind === 'browser' ? newOpaqueToken() : ''
  const lifetime =
    session.kind === 'browser'
      ? browserSessionSeconds
      : Math.min(session.lifetimeSeconds ?? sessionSecondsDefault, sessionSecondsMax)
  const expiresAt = new Date(ctx.now().getTime() + lifetime * 1000).toISOString()
  const id = newId()
  await ctx.db
    .insertInto('auth_sessions')
    .values({
      id,
      user_id: session.userId,
      token_hash: hashToken(secret),
      kind: session.kind,
      auth_method: session.authMethod,
      team_id: session.teamId ?? null,
      scopes: session.scopes ? [...session.scopes] : null,
      elevated: session.elevated ?? false,
      csrf_token: csrfToken,
      ip: session.ip ?? ctx.origin.ip,
      user_agent: session.userAgent ?? ctx.origin.userAgent,
      parent_session_id: session.parentSessionId ?? null,
      created_at: ctx.now().toISOString(),
      last_seen_at: ctx.now().toISOString(),
      expires_at: expiresAt,
    })
    .execute()
  return { id, secret, csrfToken, expiresAt }
}
