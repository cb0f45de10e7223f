// Refreshes tokens. Exactly one process refreshes a connection at a time: it holds a lease on the row, and the others
// wait for the result. No database connection is held while the service is called.
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@millrace/contract/ids'
import type { Platform } from '#platform/core/ctx.ts'
import { type Failure, fail, isFailure } from '#platform/core/errors.ts'
import { clientOf, metadataOf } from './clients.ts'
import { fetchClientCredentials, isRefusal, isTokenDead, refresh, type Tokens } from './oauth-client.ts'
import { mintServiceAccountToken } from './service-accounts.ts'
import * as store from './store.ts'
import { openToken, tokenState } from './tokens.ts'

export type Parts = Pick<Platform, 'db' | 'keyring' | 'outbound' | 'now' | 'log'>

/** A token is refreshed this long before it expires. */
export const refreshLeadMs = 5 * 60_000

/** Longer than any conversation with a service, so a lease never expires under a live process. */
const leaseSeconds = 60
const maxWaitMs = 45_000
const pollMs = 50

const notConnected = (row: Pick<store.CredentialRow, 'display_name' | 'provider'>): Failure =>
  fail('invalid_state', `${row.display_name || row.provider} must be connected again`)

const endsWithin = (row: store.CredentialRow, now: Date, ms: number): boolean =>
  row.expires_at !== null && Date.parse(row.expires_at) - now.getTime() < ms

export const canRenew = (row: store.CredentialRow): boolean =>
  row.refresh_token_sealed !== null ||
  row.type === 'service_account' ||
  (metadataOf(row).flow === 'client_credentials' && row.status !== 'disconnected')

const fetchTokens = async (parts: Parts, row: store.CredentialRow): Promise<Tokens> => {
  if (row.type === 'service_account') return mintServiceAccountToken(parts, row)
  const client = await clientOf(parts, row)
  if (!client) throw fail('invalid_request', 'The OAuth app of this connection was deleted')
  if (metadataOf(row).flow === 'client_credentials') return fetchClientCredentials(parts, client, row.scopes)
  const refreshToken = await openToken(parts, row, 'refresh_token_sealed')
  if (refreshToken === null) throw notConnected(row)
  return refresh(parts, client, refreshToken)
}

/**
 * Refused, or unreachable with an expired token: the connection becomes expired. Only a token that is permanently
 * invalid is deleted.
 */
const failedState = (parts: Parts, row: store.CredentialRow, error: unknown): store.ConnectionState | null => {
  if (!isRefusal(error) && !endsWithin(row, parts.now(), 0)) return null
  return {
    status: 'expired',
    error_message: isFailure(error) ? error.message : 'The token could not be refreshed',
    ...(isTokenDead(error) ? { refresh_token_sealed: null } : {}),
    updated_at: parts.now().toISOString(),
  }
}

const renewUnderLease = async (parts: Parts, id: string, lease: string, generation: number) => {
  const row = await store.findById(parts.db, id)
  if (!row || row.token_generation !== generation || row.status === 'disconnected') {
    await store.settleLease(parts.db, id, lease, null)
    return
  }
  let tokens: Tokens
  try {
    tokens = await fetchTokens(parts, row)
  } catch (error) {
    await store.settleLease(parts.db, id, lease, failedState(parts, row, error))
    throw error
  }
  const state = await tokenState(parts, row, tokens, row.refresh_token_sealed)
  const scopes = tokens.scopes === null ? row.scopes : [...tokens.scopes]
  const settled = await store.settleLease(parts.db, id, lease, { ...state, scopes })
  if (!settled)
    parts.log.warn({ credential: id }, 'a refreshed token arrived after its lease expired and was discarded')
}

/** The row with a token newer than `generation`, refreshed here or by the process that was first. */
export const renew = async (parts: Parts, id: string, generation: number): Promise<store.CredentialRow> => {
  const lease = newId()
  for (let waitedMs = 0; waitedMs < maxWaitMs; waitedMs += pollMs) {
    const row = await store.findById(parts.db, id)
    if (!row || row.status === 'disconnected') throw fail('invalid_state', 'The connection was deleted')
    if (row.token_generation !== generation) return row
    if (!canRenew(row)) throw notConnected(row)
    if (await store.takeLease(parts.db, id, lease, leaseSeconds)) await renewUnderLease(parts, id, lease, generation)
    else await sleep(pollMs)
  }
  throw fail('unavailable', 'Another server is refreshing the token; try again')
}

/** The row with a token that stays valid for a while. */
export const fresh = async (parts: Parts, row: store.CredentialRow): Promise<store.CredentialRow> => {
  const now = parts.now()
  if (row.status === 'disconnected' || row.status === 'pending' || row.status === 'error') throw notConnected(row)
  const ended = row.status === 'expired' || endsWithin(row, now, 0)
  if (!ended && !(endsWithin(row, now, refreshLeadMs) && canRenew(row))) return row
  if (!canRenew(row)) {
    if (row.status === 'connected')
      await store.setState(parts.db, row.id, { status: 'expired', updated_at: now.toISOString() })
    throw notConnected(row)
  }
  try {
    return await renew(parts, row.id, row.token_generation)
  } catch (error) {
    // The token still works, so a later refresh may succeed before it expires.
    if (!ended && !isRefusal(error)) return row
    throw isRefusal(error) ? notConnected(row) : error
  }
}

const sweepLimit = 100
const sweepWidth = 8

/** How long the refresh of an expired connection is retried when the service did not respond. */
const secondChanceMs = 24 * 60 * 60_000

/** Refreshes tokens that expire soon, and marks expired ones that cannot be refreshed. */
export const renewEnding = async (parts: Parts): Promise<void> => {
  const nowMs = parts.now().getTime()
  const before = new Date(nowMs + refreshLeadMs).toISOString()
  const endedSince = new Date(nowMs - secondChanceMs).toISOString()
  const ending = await store.findEnding(parts.db, before, endedSince, sweepLimit)
  for (let from = 0; from < ending.length; from += sweepWidth)
    await Promise.all(ending.slice(from, from + sweepWidth).map(({ id }) => renewOne(parts, id)))
}

const renewOne = async (parts: Parts, id: string): Promise<void> => {
  const row = await store.findById(parts.db, id)
  if (!row) return
  try {
    await fresh(parts, row)
  } catch (error) {
    if (!isFailure(error)) throw error
    parts.log.info({ credential: id, code: error.code }, 'a connection could not be refreshed')
  }
}
