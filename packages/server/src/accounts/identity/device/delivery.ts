// Delivery of a device's credential: by polling, or with the six digits that the person enters. The credential is
// created at that moment, for the device that asked, and delivered exactly once.
import { createHash } from 'node:crypto'
import { type ClaimDevice, type DevicePoll, deviceCodeGrant, type OauthToken } from '@millrace/contract/device'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { hashToken } from '#platform/core/tokens.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { mintKey } from '../../access/service.ts'
import { requireWithinLimit } from '../../plans/service.ts'
import { createSession } from '../sessions/sessions.ts'
import { parseUserAgent } from '../sessions/user-agent.ts'
import { guess } from './guesses.ts'
import { hashClaimCode } from './service.ts'
import { paceOf, polledStatus, statusAt } from './states.ts'
import * as store from './store.ts'

export const deviceAuthMethod = 'device-auth'

export type DeliveredCredential = {
  readonly kind: 'session' | 'api_key'
  readonly secret: string
  readonly teamId: string
  readonly lifetimeSeconds: number
  /** Null means full access. */
  readonly scopes: readonly string[] | null
}

type Collected =
  | { readonly status: 'pending' | 'denied' | 'expired' }
  | { readonly status: 'approved'; readonly delivered: DeliveredCredential }

/**
 * Consumes the approved row and creates the credential, both or neither. Null when another call was first or the person
 * was deleted. When the plan has no room for another key, the row stays approved.
 */
const deliver = (ctx: Ctx<Actor>, id: string): Promise<DeliveredCredential | null> =>
  ctx.tx(async (ctx) => {
    const taken = await store.takeApproved(ctx.db, id, ctx.now().toISOString())
    if (!taken || taken.user_id === null || taken.team_id === null || taken.lifetime_seconds === null) return null
    const standing = await store.findMembershipStatus(ctx.db, taken.user_id, taken.team_id)
    if (!standing) return null
    const { user_id: userId, team_id: teamId, lifetime_seconds: lifetimeSeconds, scopes } = taken
    const minted =
      taken.token_kind === 'session'
        ? await createSession(ctx, {
            userId,
            kind: 'token',
            authMethod: deviceAuthMethod,
            teamId,
            scopes,
            elevated: taken.elevated,
            lifetimeSeconds,
          })
        : await mintDeviceKey(ctx, { userId, teamId, lifetimeSeconds, scopes: scopes ?? [], role: standing.role })
    await recordAudit(ctx, 'device.signed_in', {
      resourceType: taken.token_kind,
      resourceId: minted.id,
      teamId,
      meta: { user_id: userId, device_authorization_id: taken.id },
    })
    const narrowed = scopes !== null && scopes.length > 0 && !scopes.includes('*')
    return {
      kind: taken.token_kind,
      secret: minted.secret,
      teamId,
      lifetimeSeconds,
      scopes: narrowed ? scopes : null,
    }
  })

const mintDeviceKey = async (
  ctx: Ctx<Actor>,
  key: { userId: string; teamId: string; lifetimeSeconds: number; scopes: readonly string[]; role: string },
): Promise<{ id: string; secret: string }> => {
  await requireWithinLimit(ctx, 'api_keys', { teamId: key.teamId })
  const client = parseUserAgent(ctx.origin.userAgent).browser
  const full = key.scopes.length === 0 || key.scopes.includes('*')
  const { row, text } = await mintKey(ctx, {
    teamId: key.teamId,
    userId: key.userId,
    createdBy: key.userId,
    name: client === '' ? 'Device sign-in' : `Device sign-in: ${client}`,
    scope: 'user',
    scopes: key.scopes,
    holdsEngineScopes: full && key.role !== 'member',
    source: deviceAuthMethod,
    expiresAt: new Date(ctx.now().getTime() + key.lifetimeSeconds * 1000),
  })
  return { id: row.id, secret: text }
}

const collect = async (ctx: Ctx<Actor>, found: store.DeviceRow): Promise<Collected> => {
  const status = polledStatus(found, ctx.now())
  if (status !== 'approved') return { status }
  const delivered = await deliver(ctx, found.id)
  return delivered ? { status, delivered } : { status: 'expired' }
}

export const credentialFields = ({ kind, secret, teamId }: DeliveredCredential) =>
  kind === 'session' ? { session_token: secret, team_id: teamId } : { api_key: secret, team_id: teamId }

export const poll = async (ctx: Ctx<Actor>, deviceCode: string): Promise<DevicePoll> => {
  const found = await store.findByDeviceCode(ctx.db, hashToken(deviceCode))
  if (!found) throw fail('not_found', 'Device code not found')
  const collected = await collect(ctx, found)
  return collected.status === 'approved'
    ? { status: 'approved', ...credentialFields(collected.delivered) }
    : { status: collected.status }
}

/**
 * Records the poll and returns whether it came too early. The row is locked, so of two simultaneous polls one is too
 * early.
 */
const pollsTooFast = (ctx: Ctx<Actor>, id: string): Promise<boolean> =>
  ctx.tx(async (ctx) => {
    const authorization = await store.lockAuthorization(ctx.db, id)
    const pace = paceOf(authorization, ctx.now())
    await store.recordPoll(ctx.db, id, ctx.now().toISOString(), pace.intervalSeconds)
    return pace.tooFast
  })

export const token = async (
  ctx: Ctx<Actor>,
  request: { grant_type: string; device_code?: string },
): Promise<OauthToken> => {
  if (request.grant_type !== deviceCodeGrant)
    throw fail('unsupported_grant_type', `\`grant_type\` must be authorization_code or ${deviceCodeGrant}`)
  if (request.device_code === undefined || request.device_code === '')
    throw fail('invalid_request', '`device_code` is required')
  const found = await store.findByDeviceCode(ctx.db, hashToken(request.device_code))
  if (!found) throw fail('invalid_grant')
  const collected = await collect(ctx, found)
  if (collected.status !== 'approved') {
    if (collected.status === 'denied') throw fail('access_denied')
    if (collected.status === 'expired') throw fail('expired_token')
    throw fail((await pollsTooFast(ctx, found.id)) ? 'slow_down' : 'authorization_pending')
  }
  const { secret, teamId, lifetimeSeconds, scopes } = collected.delivered
  return {
    access_token: secret,
    token_type: 'Bearer',
    team_id: teamId,
    expires_in: lifetimeSeconds,
    ...(scopes === null ? {} : { scope: scopes.join(' ') }),
  }
}

const claimTries = 5

type Claimed = { readonly id: string } | { readonly refused: 'expired' | 'already_processed' }

/** Undefined for a wrong guess, which is then already counted. */
const checkClaim = (ctx: Ctx<Actor>, { code, code_verifier: verifier }: ClaimDevice): Promise<Claimed | undefined> =>
  ctx.tx(async (ctx) => {
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const authorization = await store.lockByChallenge(ctx.db, challenge)
    if (!authorization) return undefined
    const status = statusAt(authorization, ctx.now())
    if (status === 'expired') return { refused: 'expired' }
    if (status === 'denied' || status === 'delivered') return { refused: 'already_processed' }
    // Before approval there are no digits to guess.
    if (authorization.claim_code_hash === null) return undefined
    if (authorization.claim_code_hash.equals(hashClaimCode(authorization.id, code.replace(/[\s-]/g, ''))))
      return { id: authorization.id }
    const attempts = authorization.claim_attempts + 1
    await store.countWrongClaim(ctx.db, authorization.id, attempts, attempts >= claimTries)
    return undefined
  })

export const claim = async (ctx: Ctx<Actor>, request: ClaimDevice): Promise<DeliveredCredential> => {
  const claimed = await guess(ctx, 'claim_code', () => checkClaim(ctx, request))
  if (!claimed) throw fail('invalid_code', 'The six digits do not belong to this device')
  if ('refused' in claimed) throw fail(claimed.refused)
  const delivered = await deliver(ctx, claimed.id)
  if (!delivered) throw fail('already_processed')
  return delivered
}
