// Finds the actor of a request from its headers. Credentials are cached for a short time; a change that removes access
// drops them on every server at once.
import type { IncomingHttpHeaders } from 'node:http'
import { shortId } from '@millrace/contract/ids'
import { type Grant, grantOfKey, grantOfSession, withoutEngines } from '@millrace/contract/scopes'
import type { Logger } from 'pino'
import { type Actor, guest, type Member, type PlatformStatus } from '#platform/core/actor.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { hashToken, isOpaqueToken, isSessionToken, parseKeyText, sameSecret } from '#platform/core/tokens.ts'
import type { Db } from '#platform/db/database.ts'
import { readCookie } from '#platform/http/cookies.ts'
import type { CachedCredential, CredentialCache } from './credential-cache.ts'
import * as store from './credential-store.ts'
import { programSource } from './mint-key.ts'
import { createRecentSet } from './recent-set.ts'

export const sessionCookie = 'session'
export const csrfCookie = 'csrf'
export const browserSessionSeconds = 30 * 24 * 3600

const lastUsedDebounceMs = 5 * 60_000
const slideDebounceMs = 60 * 60_000
/** A repeated wrong credential is refused from memory; short, so that a newly created one works soon. */
const wrongCredentialMs = 5_000
const maxWrongCredentials = 10_000

export type AuthenticateParts = {
  db: Db
  cache: CredentialCache
  now: () => Date
  log: Logger
  ownOrigins: ReadonlySet<string>
  /** Runs a lookup in the fair queue of the client's address, because the owner of the credential is not known yet. */
  turn<T>(work: () => Promise<T>): Promise<T>
}

type RequestHead = { method: string; headers: IncomingHttpHeaders }

/** The session was extended, so its cookies must be sent again before the browser drops them. */
export type OnSlide = (cookies: { secret: string; csrf: string }) => void

export const createAuthenticate = (parts: AuthenticateParts) => {
  const { db, cache, now, log } = parts
  const wrong = createRecentSet(() => now().getTime(), { ageMs: wrongCredentialMs, most: maxWrongCredentials })

  const later = (work: Promise<unknown>): void => {
    work.catch((error: unknown) => log.warn({ err: error }, 'could not record the use of a credential'))
  }

  const fromKey = async (text: string, team: string): Promise<Member> => {
    const hash = hashToken(text)
    const cacheKey = `key ${hash.toString('base64')}`
    const cached = cache.get(cacheKey) ?? (await cache.load(cacheKey, () => loadKey(hash, cacheKey)))
    const nowMs = now().getTime()
    if (cached.endsAtMs !== null && cached.endsAtMs <= nowMs) throw fail('unauthorized', 'The API key has expired')
    const { teamId, credentialId } = cached.actor
    if (team !== '' && team !== teamId && team !== shortId(teamId) && team !== cached.teamName)
      throw fail('forbidden', 'An API key is pinned to its workspace; X-Team-ID names another one')
    if (nowMs - cached.touchedMs >= lastUsedDebounceMs) {
      cached.touchedMs = nowMs
      later(store.touchKey(db, credentialId, new Date(nowMs), lastUsedDebounceMs))
    }
    return cached.actor
  }

  const loadKey = async (hash: Buffer, cacheKey: string): Promise<CachedCredential> => {
    if (wrong.has(cacheKey)) throw fail('unauthorized', 'The API key is not valid')
    const row = await parts.turn(() => store.findKey(db, hash, now().toISOString()))
    if (!row) wrong.add(cacheKey)
    // A personal key ends with its creator's membership.
    if (!row || (row.scope === 'user' && row.role === null)) throw fail('unauthorized', 'The API key is not valid')
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
      grant: grantOf(row),
      platform: row.user_role === 'admin' ? 'admin_session_required' : 'not_staff',
      inPlatformTeam: row.is_platform,
      expiresAtMs: row.expires_at === null ? null : Date.parse(row.expires_at),
    }
    const ends = [row.expires_at, row.previous_expires_at].flatMap((end) => (end === null ? [] : Date.parse(end)))
    return {
      actor,
      endsAtMs: ends.length === 0 ? null : Math.min(...ends),
      touchedMs: row.last_used_at === null ? 0 : Date.parse(row.last_used_at),
      teamName: row.team_username,
    }
  }

  const fromSession = async (
    text: string,
    team: string,
    kind: 'session' | 'browser',
    onSlide: OnSlide,
  ): Promise<CachedCredential> => {
    const hash = hashToken(text)
    const cacheKey = `${kind} ${hash.toString('base64')} ${team}`
    const cached = cache.get(cacheKey) ?? (await cache.load(cacheKey, () => loadSession(hash, team, kind)))
    const nowMs = now().getTime()
    if (cached.endsAtMs !== null && cached.endsAtMs <= nowMs) throw fail('unauthorized', 'The session has expired')
    if (nowMs - cached.touchedMs >= (kind === 'browser' ? slideDebounceMs : lastUsedDebounceMs)) {
      cached.touchedMs = nowMs
      const slidToMs = kind === 'browser' ? nowMs + browserSessionSeconds * 1000 : null
      if (slidToMs !== null) {
        cached.endsAtMs = slidToMs
        onSlide({ secret: text, csrf: cached.csrf ?? '' })
      }
      later(store.touchSession(db, cached.actor.credentialId, new Date(nowMs), slidToMs))
    }
    return cached
  }

  const loadSession = async (hash: Buffer, team: string, kind: 'session' | 'browser'): Promise<CachedCredential> => {
    const wrongKey = `session ${hash.toString('base64')}`
    if (wrong.has(wrongKey)) throw fail('unauthorized', 'The session is not valid')
    const row = await parts.turn(() => store.findSession(db, hash))
    if (!row) wrong.add(wrongKey)
    if (!row || (row.kind === 'browser') !== (kind === 'browser'))
      throw fail('unauthorized', 'The session is not valid')
    if (Date.parse(row.expires_at) <= now().getTime()) throw fail('unauthorized', 'The session has expired')
    const membership = await findActiveTeam(row, team)
    if (!membership) throw fail('forbidden', 'You are not a member of this workspace')
    refuseSuspended(row.banned_at, membership.status)
    const actor: Member = {
      kind,
      credentialId: row.id,
      userId: row.user_id,
      teamId: membership.id,
      role: membership.role,
      isPerson: true,
      personalTeam: membership.type === 'personal',
      orgId: membership.org_id,
      orgAdmin: membership.org_admin !== null,
      grant: grantOfSession(row.scopes, membership.role !== 'member'),
      platform: platformStatusOf(row),
      inPlatformTeam: membership.is_platform,
      expiresAtMs: Date.parse(row.expires_at),
    }
    return { actor, endsAtMs: actor.expiresAtMs, touchedMs: Date.parse(row.last_seen_at), csrf: row.csrf_token }
  }

  /**
   * A workspace named in the request or in a program's approval must match. The browser's last workspace and the
   * default may be outdated, so these fall back.
   */
  const findActiveTeam = async (session: store.SessionRow, team: string) => {
    const named = team !== '' ? team : session.kind === 'browser' ? null : session.team_id
    if (named !== null) return store.findMembership(db, session.user_id, named)
    for (const preferred of [session.team_id, session.default_team_id]) {
      const found = preferred === null ? undefined : await store.findMembership(db, session.user_id, preferred)
      if (found) return found
    }
    return store.findPersonalTeam(db, session.user_id)
  }

  const fromCookie = async ({ method, headers }: RequestHead, team: string, onSlide: OnSlide): Promise<Actor> => {
    const cookie = readCookie(headers.cookie, sessionCookie)
    if (cookie === null || !isOpaqueToken(cookie)) return guest
    const { origin } = headers
    // Pages of other sites cannot use the visitor's cookie, not even to read.
    if (origin !== undefined && !parts.ownOrigins.has(origin)) return guest
    const cached = await fromSession(cookie, team, 'browser', onSlide).catch((error: unknown) => {
      // A stale cookie means signed out, which is not an error on a public page.
      if (isFailure(error, 'unauthorized')) return null
      throw error
    })
    if (!cached) return guest
    const reads = method === 'GET' || method === 'HEAD'
    if (!reads && origin === undefined && !matches(headers['x-csrf-token'], cached.csrf))
      throw fail('csrf_failed', 'Cookie requests that write need the Origin of the app or a matching X-CSRF-Token')
    return cached.actor
  }

  return async (head: RequestHead, onSlide: OnSlide = () => {}): Promise<Actor> => {
    const { headers } = head
    const team = typeof headers['x-team-id'] === 'string' ? headers['x-team-id'].trim().slice(0, 64) : ''
    const { authorization } = headers
    if (authorization === undefined) return fromCookie(head, team, onSlide)
    const token = /^bearer +(\S+)$/i.exec(authorization.trim())?.[1]
    if (token === undefined) throw fail('unauthorized', 'Send the credential as: Authorization: Bearer <token>')
    if (isSessionToken(token)) return (await fromSession(token, team, 'session', onSlide)).actor
    // The checksum avoids a database query for mistyped or invented keys.
    if (parseKeyText(token) === null) throw fail('unauthorized', 'The credential is not valid')
    return fromKey(token, team)
  }
}

type KeyRow = {
  id: string
  scope: string
  role: string | null
  source: string
  scopes: readonly string[]
  holds_engine_scopes: boolean
}

/**
 * The scopes that a key effectively has. A key of an OAuth client has fewer than its list may say; so has a key whose
 * creator is no longer an admin, because runs of the workspace would still reach the creator's machine.
 */
const grantOf = ({ id, scope, role, source, scopes, holds_engine_scopes: holdsEngineScopes }: KeyRow): Grant => {
  if (source.startsWith(programSource)) return { kind: 'listed', bearer: 'oauth-app', scopes, key: id }
  const grant = grantOfKey({ scopes, holdsEngineScopes, id })
  return scope === 'user' && role === 'member' ? withoutEngines(grant) : grant
}

const matches = (sent: string | string[] | undefined, expected: string | undefined): boolean =>
  typeof sent === 'string' && expected !== undefined && expected !== '' && sameSecret(sent, expected)

const refuseSuspended = (bannedAt: string | null, teamStatus: string): void => {
  if (bannedAt !== null) throw fail('forbidden', 'This account is suspended')
  if (teamStatus !== 'active') throw fail('forbidden', 'This workspace is suspended')
}

/**
 * Platform rights of a browser session need an enrolled authenticator; without one, an earlier second factor does not
 * count.
 */
export const platformStatusOf = (row: {
  user_role: string
  elevated: boolean
  kind: string
  totp_confirmed_at: string | null
}): PlatformStatus => {
  if (row.user_role !== 'admin') return 'not_staff'
  if (row.kind !== 'browser') return row.elevated ? 'powered' : 'admin_session_required'
  if (row.totp_confirmed_at === null) return 'admin_authenticator_required'
  return row.elevated ? 'powered' : 'otp_required'
}
