// Rules of device sign-in up to the person's decision: start, lookup, approve, deny. Approval records the person,
// workspace, scopes and lifetime; delivery.ts creates the credential when the device polls.
import { createHash } from 'node:crypto'
import { type ApproveDevice, deviceLifeSeconds, pollIntervalSeconds, type StartDevice } from '@millrace/contract/device'
import { newId } from '@millrace/contract/ids'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { hashToken, newOpaqueToken } from '#platform/core/tokens.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { limitSignedOut } from '../../access/service.ts'
import { requireWithinLimit } from '../../plans/service.ts'
import { newSixDigitCode, newUserCode, normaliseUserCode } from '../user-code.ts'
import { type ApprovalTarget, lifetimeOf, planDeviceKey, planSession } from './approval.ts'
import { guess } from './guesses.ts'
import { deleteWindowsBefore } from './guesses-store.ts'
import { lookedUpStatus, refuseAnswer } from './states.ts'
import * as store from './store.ts'

export type StartedDevice = { deviceCode: string; userCode: string; approveUrl: string }

export const devicePageUrl = (appUrl: string, userCode?: string): string =>
  userCode === undefined ? `${appUrl}/device` : `${appUrl}/device?code=${userCode}`

/** Per network. The caller is unauthenticated and each call stores a row; no office signs in this many devices. */
export const startsPerMinute = 300

export type DeviceRequest = StartDevice & {
  /** The approval page offers other choices beside the requested scopes. */
  readonly offersPresets?: boolean
}

export const start = async (ctx: Ctx<Actor>, request: DeviceRequest): Promise<StartedDevice> => {
  const { token_kind: tokenKind = 'api_key', code_challenge: challenge, code_challenge_method: method } = request
  if ((challenge === undefined) !== (method === undefined))
    throw fail(
      'validation_error',
      '`code_challenge` and `code_challenge_method` must be used together; the method must be S256',
    )
  await limitSignedOut(ctx, 'device', startsPerMinute)
  const deviceCode = newOpaqueToken()
  for (;;) {
    const userCode = newUserCode()
    const inserted = await store.insertAuthorization(ctx.db, {
      id: newId(),
      device_code_hash: hashToken(deviceCode),
      user_code: userCode,
      token_kind: tokenKind,
      code_challenge: challenge ?? null,
      client_name: ctx.origin.userAgent,
      ip: ctx.origin.ip,
      interval_seconds: pollIntervalSeconds,
      requested_scopes: request.scopes ?? [],
      requested_team: request.team_id ?? null,
      offers_presets: request.offersPresets ?? false,
      created_at: ctx.now().toISOString(),
      expires_at: new Date(ctx.now().getTime() + deviceLifeSeconds * 1000).toISOString(),
    })
    if (inserted) return { deviceCode, userCode, approveUrl: devicePageUrl(ctx.settings.APP_URL, userCode) }
  }
}

/** Undefined when the code does not exist, which counts as a wrong guess. */
export const findWaiting = async (ctx: Ctx<Actor>, typed: string): Promise<store.DeviceRow | undefined> => {
  const userCode = normaliseUserCode(typed)
  // The text has no code's format, so it is not a guess.
  if (userCode === null) return undefined
  return guess(ctx, 'user_code', () => store.findByUserCode(ctx.db, userCode))
}

export const lookUp = async (ctx: Ctx<Actor>, typed: string) => {
  const found = await findWaiting(ctx, typed)
  const status = found ? lookedUpStatus(found, ctx.now()) : 'expired'
  const userCode = found?.user_code ?? normaliseUserCode(typed) ?? typed.slice(0, 32)
  if (!found || status === 'expired') return { user_code: userCode, valid: false, status: 'expired' as const }
  return { user_code: userCode, valid: true, status, expires_at: found.expires_at }
}

const findAnswerable = async (ctx: Ctx, typed: string): Promise<store.DeviceRow> => {
  const found = await findWaiting(ctx, typed)
  if (!found) throw fail('invalid_code', 'No device is waiting for this code')
  const refusal = refuseAnswer(found, ctx.now())
  if (refusal) throw fail(refusal)
  return found
}

const placeOf = async (ctx: Ctx, requested: string | undefined): Promise<ApprovalTarget & { id: string }> => {
  const wanted = requested ?? ctx.actor.teamId
  const workspaces = await store.workspacesOf(ctx.db, ctx.actor.userId)
  const team = workspaces.find(({ id }) => id === wanted || (wanted.length === 8 && id.startsWith(wanted)))
  if (!team) throw fail('forbidden', 'You are not a member of this workspace')
  return { id: team.id, role: team.role, personal: team.type === 'personal', isPlatform: team.is_platform }
}

const refuseGuest = async (ctx: Ctx): Promise<void> => {
  const standing = await store.findMembershipStatus(ctx.db, ctx.actor.userId, ctx.actor.teamId)
  if (!standing || standing.user_role === 'guest') throw fail('forbidden', 'Guests cannot sign in devices')
}

/** Binds the six digits to one request, so that a stored hash is useless for another. */
export const hashClaimCode = (authorizationId: string, code: string): Buffer =>
  createHash('sha256').update(`${authorizationId}/${code}`).digest()

export type Approved = { claimCode: string | null; teamId: string }

/** `grantsRequested`: exactly the scopes that the device requested. */
export type ApprovalRequest = ApproveDevice & { readonly grantsRequested?: boolean }

const grantedScopes = (device: store.DeviceRow, { scopes, grantsRequested }: ApprovalRequest): string[] | undefined => {
  if (!grantsRequested) return scopes
  // An empty list would be full access.
  if (device.requested_scopes.length === 0) throw fail('validation_error', 'The device requested no scopes')
  return device.requested_scopes
}

export const approve = async (ctx: Ctx<Member>, request: ApprovalRequest): Promise<Approved> => {
  await refuseGuest(ctx)
  const device = await findAnswerable(ctx, request.code)
  const scopes = grantedScopes(device, request)
  const place = await placeOf(ctx, request.team_id)
  const plan =
    device.token_kind === 'session'
      ? planSession(ctx.actor, scopes, place)
      : planDeviceKey(ctx.actor, scopes, place, ctx.now())
  if ('refused' in plan) throw fail(plan.refused, plan.detail)
  // Only a device that sent a challenge can use the digits, so only its approver sees them.
  const claimCode = device.code_challenge === null ? null : newSixDigitCode()
  await ctx.tx(async (ctx) => {
    const approved = await store.approvePending(ctx.db, device.id, ctx.now().toISOString(), {
      user_id: ctx.actor.userId,
      team_id: place.id,
      scopes: plan.scopes && [...plan.scopes],
      elevated: plan.elevated,
      lifetime_seconds: lifetimeOf(request.expires_in),
      claim_code_hash: claimCode === null ? null : hashClaimCode(device.id, claimCode),
    })
    if (!approved) throw fail('already_processed')
    // The key is created and checked later; check here as well, so that the approver learns it in time.
    if (device.token_kind === 'api_key') await requireWithinLimit(ctx, 'api_keys', { teamId: place.id })
    await recordAudit(ctx, 'device.approved', {
      resourceType: 'device_authorization',
      resourceId: device.id,
      teamId: place.id,
      meta: { scopes: plan.scopes, device_ip: device.ip, device_user_agent: device.client_name },
    })
  })
  return { claimCode, teamId: place.id }
}

export const deny = async (ctx: Ctx<Member>, typed: string): Promise<void> => {
  const device = await findAnswerable(ctx, typed)
  await ctx.tx(async (ctx) => {
    if (!(await store.denyPending(ctx.db, device.id, ctx.now().toISOString()))) throw fail('already_processed')
    await recordAudit(ctx, 'device.denied', {
      resourceType: 'device_authorization',
      resourceId: device.id,
      meta: { device_ip: device.ip, device_user_agent: device.client_name },
    })
  })
}

/** How long a late device still receives `expired`. */
const retentionAfterExpiryMs = 3_600_000

export const sweep = async ({ db, now }: Pick<Ctx<Actor>, 'db' | 'now'>): Promise<void> => {
  const cutoff = new Date(now().getTime() - retentionAfterExpiryMs).toISOString()
  await store.expireOverdue(db, now().toISOString())
  await store.deleteExpiredBefore(db, cutoff)
  await deleteWindowsBefore(db, cutoff)
}
