// From the bytes of a request to an actor. Looked-up credentials are kept in memory for a short while; a change that
// takes something away drops them on every replica at once.
import type { IncomingHttpHeaders } from 'node:http'
import { grantOfKey, grantOfSession } from '@millrace/contract/scopes'
import type { Logger } from 'pino'
import { type Actor, guest, type Member, type PlatformStanding } from '../core/actor.ts'
import { fail } from '../core/errors.ts'
import { hashToken, isSessionToken, parseKeyText } from '../core/tokens.ts'
import type { Db } from '../db/database.ts'
import { readCookie } from '../http/cookies.ts'
import type { CredentialCache, HeldCredential } from './credential-cache.ts'
import * as store from './credential-store.ts'

export const sessionCookie = 'session'
export const csrfCookie = 'csrf'
export const browserSessionSeconds = 30 * 24 * 3600

const lastUsedDebounceMs = 5 * 60_000
const slideDebounceMs = 60 * 60_000

export type AuthenticateParts = {
  db: Db
  cache: CredentialCache
  now: () => Date
  log: Logger
  ownOrigins: ReadonlySet<string>
}

type RequestHead = { method: string; headers: IncomingHttpHeaders }

export const createAuthenticate = (parts: AuthenticateParts) => {
  const { db, cache, now, log } = parts

  const later = (work: Promise<unknown>): void => {
    work.catch((error: unknown) => log.warn({ err: error }, 'could not record the use of a credential'))
  }

  const fromKey = async (text: string, team: string): Promise<Member> => {
    const hash = hashToken(text)
    const cacheKey = hash.toString('base64')
    const held = cache.get(cacheKey) ?? (await cache.load(cacheKey, () => loadKey(hash)))
    const nowMs = now().getTime()
    if (held.endsAtMs !== null && held.endsAtMs <= nowMs) throw fail('unauthorized', 'The API key has expired')
    if (team !== '' && team !== held.actor.teamId && !held.actor.teamId.startsWith(team))
      throw fail('forbidden', 'An API key is pinned to its workspace; X-Team-ID names another one')
    if (nowMs - held.touchedMs >= lastUsedDebounceMs) {
      held.touchedMs = nowMs
      later(store.touchKey(db, held.actor.credentialId, now().toISOString()))
    }
    return held.actor
  }

  const loadKey = async (hash: Buffer): Promise<HeldCredential> => {
    const row = await store.findKey(db, hash, now().toISOString())
    if (!row) throw fail('unauthorized', 'The API key is not valid')
    if (row.scope === 'user' && row.role === null) throw fail('unauthorized', 'The API key is not valid')
    refuseSuspended(row.banned_at, row.team_status)
    const actor: Member = {
      kind: 'key',
      credentialId: row.id,
      userId: row.user_id,
      teamId: row.team_id,
      role: row.scope === 'workspace' ? 'member' : (row.role ?? 'member'),
      isPerson: row.scope === 'user',
      personalTeam: row.team_type === 'personal',
      orgId: row.org_id,
      orgAdmin: false,
      grant: grantOfKey({ scopes: row.scopes, holdsEngineScopes: row.holds_engine_scopes }),
      platform: row.user_role === 'admin' ? 'admin_session_required' : 'not_staff',
      inPlatformTeam: row.is_platform,
      expiresAtMs: row.expires_at === null ? null : Date.parse(row.expires_at),
    }
    const ends = [row.expires_at, row.previous_expires_at].flatMap((end) => (end === null ? [] : Date.parse(end)))
    return {
      actor,
      endsAtMs: ends.length === 0 ? null : Math.min(...ends),
      touchedMs: row.last_used_at === null ? 0 : Date.parse(row.last_used_at),
    }
  }

  const fromSession = async (text: string, team: string, browser: boolean): Promise<Member & { csrf: string }> => {
    const hash = hashToken(text)
    const cacheKey = `${hash.toString('base64')} ${team}`
    const held = cache.get(cacheKey) ?? (await cache.load(cacheKey, () => loadSession(hash, team, browser)))
    const nowMs = now().getTime()
    if (held.endsAtMs !== null && held.endsAtMs <= nowMs) throw fail('unauthorized', 'The session has expired')
    if (nowMs - held.touchedMs >= (browser ? slideDebounceMs : lastUsedDebounceMs)) {
      held.touchedMs = nowMs
      const slidTo = browser ? new Date(nowMs + browserSessionSeconds * 1000).toISOString() : null
      if (slidTo !== null) held.endsAtMs = Date.parse(slidTo)
      later(store.touchSession(db, held.actor.credentialId, now().toISOString(), slidTo))
    }
    return { ...held.actor, csrf: held.csrf ?? '' }
  }

  const loadSession = async (hash: Buffer, team: string, browser: boolean): Promise<HeldCredential> => {
    const row = await store.findSession(db, hash)
    if (!row || (row.kind === 'browser') !== browser) throw fail('unauthorized', 'The session is not valid')
    const wanted = team !== '' ? team : (row.team_id ?? row.default_team_id ?? '')
    const membership = await store.findMembership(db, row.user_id, wanted)
    if (!membership) throw fail('forbidden', 'You are not a member of this workspace')
    refuseSuspended(row.banned_at, membership.status)
    const actor: Member = {
      kind: browser ? 'browser' : 'session',
      credentialId: row.id,
      userId: row.user_id,
      teamId: membership.id,
      role: membership.role,
      isPerson: true,
      personalTeam: membership.type === 'personal',
      orgId: membership.org_id,
      orgAdmin: membership.org_admin !== null,
      grant: grantOfSession(row.scopes),
      platform: standing(row),
      inPlatformTeam: membership.is_platform,
      expiresAtMs: Date.parse(row.expires_at),
    }
    return { actor, endsAtMs: actor.expiresAtMs, touchedMs: Date.parse(row.last_seen_at), csrf: row.csrf_token }
  }

  return async ({ method, headers }: RequestHead): Promise<Actor> => {
    const team = typeof headers['x-team-id'] === 'string' ? headers['x-team-id'].trim().slice(0, 64) : ''
    const authorization = headers.authorization
    if (authorization !== undefined) {
      const token = /^bearer +(\S+)$/i.exec(authorization.trim())?.[1]
      if (token === undefined) throw fail('unauthorized', 'Send the credential as: Authorization: Bearer <token>')
      if (isSessionToken(token)) return fromSession(token, team, false)
      // The checksum spares the database a look-up for every mistyped or invented key.
      if (parseKeyText(token) === null) throw fail('unauthorized', 'The credential is not valid')
      return fromKey(token, team)
    }
    const cookie = readCookie(headers.cookie, sessionCookie)
    if (cookie === null) return guest
    const { origin } = headers
    // A page of another site gets no use of the visitor's cookie, not even to read.
    if (origin !== undefined && !parts.ownOrigins.has(origin)) return guest
    const member = await fromSession(cookie, team, true).catch((error: unknown) => {
      // A stale cookie is a signed-out browser, not an error on a public page.
      if (team === '') return null
      throw error
    })
    if (!member) return guest
    const { csrf, ...actor } = member
    if (
      method !== 'GET' &&
      method !== 'HEAD' &&
      origin === undefined &&
      (csrf === '' || headers['x-csrf-token'] !== csrf)
    )
      throw fail('csrf_failed', 'Cookie requests that write need an Origin of the app or a matching X-CSRF-Token')
    return actor
  }
}

const refuseSuspended = (bannedAt: string | null, teamStatus: string): void => {
  if (bannedAt !== null) throw fail('forbidden', 'This account is suspended')
  if (teamStatus !== 'active') throw fail('forbidden', 'This workspace is suspended')
}

const standing = (row: {
  user_role: string
  elevated: boolean
  kind: string
  totp_confirmed_at: string | null
}): PlatformStanding => {
  if (row.user_role !== 'admin') return 'not_staff'
  if (row.elevated) return 'powered'
  if (row.kind !== 'browser') return 'admin_session_required'
  return row.totp_confirmed_at === null ? 'admin_authenticator_required' : 'otp_required'
}
