// Rules of API keys: who creates, sees, rotates and revokes them. key-rules.ts decides the scopes of a new key.
import {
  type ApiKey,
  type CreateApiKey,
  type RotateApiKey,
  rotationGraceDefaultSeconds,
} from '@millrace/contract/access'
import type { ListRequest, Page } from '@millrace/contract/common'
import { newId } from '@millrace/contract/ids'
import { expand, grantOfKey, holds, isWithin } from '@millrace/contract/scopes'
import { type Actor, isPlatformAdmin, isTeamAdmin, type Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { wireTime } from '#platform/core/times.ts'
import { hashToken, lastFour, maskKey, newKeyText } from '#platform/core/tokens.ts'
import type { Db } from '#platform/db/database.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import type { ListSpec } from '#platform/tenancy/list/spec.ts'
import { resourceFields } from '#platform/tenancy/resource.ts'
import { requireWithinLimit } from '../plans/service.ts'
import { forgetCredentials } from './credential-cache.ts'
import { type KeyCreator, planKey } from './key-rules.ts'
import * as store from './keys-store.ts'
import { mintKey, programSource } from './mint-key.ts'

type Key = store.KeyRow

const toApiKey = (row: Key, text?: string): ApiKey => ({
  ...resourceFields(row),
  deleted_at: row.deleted_at,
  visibility: row.scope === 'workspace' ? 'team' : 'private',
  name: row.name,
  key: text ?? maskKey(row.last_four),
  scope: row.scope as ApiKey['scope'],
  created_by: row.created_by,
  creator: {
    id: row.created_by,
    name: row.creator_name,
    full_name: row.creator_full_name,
    email: row.creator_email ?? '',
    avatar_url: row.creator_avatar_url,
  },
  scopes: row.scopes,
  ...(row.last_used_at === null ? {} : { last_used_at: row.last_used_at }),
  ...(row.expires_at === null ? {} : { expires_at: row.expires_at }),
  source: row.source,
})

const seesEveryKey = (actor: Actor): boolean => isTeamAdmin(actor) || isPlatformAdmin(actor)

const isOwnPersonal = (key: Key, actor: Member): boolean => key.scope === 'user' && key.created_by === actor.userId

const listSpec: ListSpec = {
  id: 'api_keys.id',
  columns: {
    id: { ref: 'api_keys.id', type: 'text' },
    name: { ref: 'api_keys.name', type: 'text' },
    scope: { ref: 'api_keys.scope', type: 'text' },
    scopes: { ref: 'api_keys.scopes', type: 'array' },
    source: { ref: 'api_keys.source', type: 'text' },
    user_id: { ref: 'api_keys.user_id', type: 'text' },
    created_by: { ref: 'api_keys.created_by', type: 'text' },
    last_used_at: { ref: 'api_keys.last_used_at', type: 'time', nullable: true },
    expires_at: { ref: 'api_keys.expires_at', type: 'time', nullable: true },
    created_at: { ref: 'api_keys.created_at', type: 'time' },
    updated_at: { ref: 'api_keys.updated_at', type: 'time' },
  },
  search: ['name'],
}

export const listKeys = async (ctx: Ctx, request: ListRequest): Promise<Page<Partial<ApiKey>>> => {
  const { actor, db, notice } = ctx
  const all = store.keysOfTeam(db, actor.teamId, ctx.now().toISOString())
  const seen = seesEveryKey(actor)
    ? all
    : all.where('api_keys.created_by', '=', actor.userId).where('api_keys.scope', '=', 'user')
  return runOwnedList(seen, { db, spec: listSpec, request, toItem: toApiKey, notice })
}

/** Keys and runs are limited by their scopes and lifetime; a sign-in only by its scopes. */
const creatorOf = ({ kind, grant, isPerson, expiresAtMs }: Member): KeyCreator => {
  if (kind === 'browser' || kind === 'session' || kind === 'operator') return { kind: 'sign-in', grant }
  return {
    kind: 'key',
    grant,
    scope: isPerson ? 'user' : 'workspace',
    expiresAt: expiresAtMs === null ? null : new Date(expiresAtMs),
  }
}

export const createKey = (ctx: Ctx, request: CreateApiKey): Promise<ApiKey> =>
  ctx.tx(async (ctx) => {
    const { actor, db } = ctx
    const place = {
      teamAdmin: seesEveryKey(actor),
      personalTeam: actor.personalTeam,
      inPlatformTeam: actor.inPlatformTeam,
    }
    const plan = planKey(creatorOf(actor), request, place, ctx.now())
    if (!plan.ok) throw fail(plan.code, plan.detail)
    // A member who is being removed must not leave a key behind.
    if (!(await store.lockMembership(db, actor.teamId, actor.userId)))
      throw fail('unauthorized', 'You are no longer a member of this workspace')
    await requireWithinLimit(ctx, 'api_keys')
    const { scope, scopes, holdsEngineScopes, expiresAt, source } = plan.key
    const { row, text } = await mintKey(ctx, {
      teamId: actor.teamId,
      userId: scope === 'workspace' ? await ensureServiceAccount(db, actor.teamId) : actor.userId,
      createdBy: actor.userId,
      name: request.name,
      scope,
      scopes,
      holdsEngineScopes,
      source,
      // Only when requested explicitly, in the platform's workspace, by a caller with platform rights.
      servesAll: actor.inPlatformTeam && actor.platform === 'powered' && scopes.includes('engines:write'),
      expiresAt,
    })
    const made = await store.findKeyById(db, actor.teamId, row.id, ctx.now().toISOString())
    await audit(ctx, 'api_key.created', made, { scope, scopes, source, expires_at: row.expires_at })
    return toApiKey(made, text)
  })

/** The service account that represents a workspace's keys, created with the first key. */
export const ensureServiceAccount = async (db: Db, teamId: string): Promise<string> => {
  const known = await store.findServiceAccount(db, teamId)
  if (known) return known.id
  await store.insertServiceAccount(db, newId(), teamId)
  const made = await store.findServiceAccount(db, teamId)
  if (!made) throw fail('internal_error', { cause: new Error(`Team ${teamId} has no service account`) })
  return made.id
}

const audit = (ctx: Ctx<Actor>, action: string, key: { id: string; name: string }, meta: Record<string, unknown>) =>
  recordAudit(ctx, action, { resourceType: 'api_key', resourceId: key.id, meta: { name: key.name, ...meta } })

const lockKey = async (ctx: Ctx, id: string): Promise<Key> => {
  const key = await store.lockKey(ctx.db, ctx.actor.teamId, id, ctx.now().toISOString())
  if (!key) throw fail('not_found', 'Key not found')
  return key
}

export const revokeKey = (ctx: Ctx, id: string): Promise<ApiKey> =>
  ctx.tx(async (ctx) => {
    const key = await lockKey(ctx, id)
    if (!isOwnPersonal(key, ctx.actor) && !seesEveryKey(ctx.actor))
      throw fail('forbidden', 'Members can revoke only their own personal keys; owners and admins can revoke any')
    const now = wireTime(ctx.now())
    await store.deleteKey(ctx.db, key.id, now)
    await forgetCredentials(ctx, key.id)
    await audit(ctx, 'api_key.revoked', key, { scope: key.scope, created_by: key.created_by })
    return toApiKey({ ...key, deleted_at: now, updated_at: now })
  })

/** Credentials of engines and OAuth apps are renewed by their own protocol. */
const isManaged = (source: string): boolean => source.startsWith('engine:') || source.startsWith(programSource)

/**
 * The caller learns the new value and can act with it. So only the creator rotates a personal key, and the new value
 * never has more scopes than the caller's sign-in.
 */
const assertMayRotate = (key: Key, actor: Member): void => {
  const mayUse = key.scope === 'user' ? isOwnPersonal(key, actor) : seesEveryKey(actor)
  if (!mayUse)
    throw fail('forbidden', 'Only the creator can rotate a personal key, and only owners and admins a workspace key')
  if (isManaged(key.source)) throw fail('invalid_state', `This key is renewed by its holder (${key.source})`)
  const grant = grantOfKey({ scopes: key.scopes, holdsEngineScopes: key.holds_engine_scopes })
  if (isWithin(grant, actor.grant)) return
  const missing = expand(grant, actor).find((scope) => !holds(actor.grant, scope, actor))
  throw fail('insufficient_scope', `missing scope: ${missing ?? '*'}`)
}

/**
 * Replaces the value of a key. The previous value, and older ones in their grace period, end with this grace period at
 * the latest.
 */
export const rotateKey = (
  ctx: Ctx,
  id: string,
  { grace_seconds = rotationGraceDefaultSeconds }: RotateApiKey,
): Promise<ApiKey> =>
  ctx.tx(async (ctx) => {
    const { db, actor } = ctx
    const key = await lockKey(ctx, id)
    assertMayRotate(key, actor)
    const nowMs = ctx.now().getTime()
    const now = wireTime(new Date(nowMs))
    const graceEndsMs = nowMs + grace_seconds * 1000
    const keyEndsMs = key.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(key.expires_at)
    const graceEnds = wireTime(new Date(Math.min(graceEndsMs, keyEndsMs)))
    await store.capPreviousValues(db, key.id, graceEnds)
    if (grace_seconds > 0) await store.retainValueUntil(db, key.id, graceEnds)
    const text = newKeyText()
    await store.replaceValue(db, key.id, { tokenHash: hashToken(text), lastFour: lastFour(text) }, now)
    await forgetCredentials(ctx, key.id)
    await audit(ctx, 'api_key.rotated', key, { grace_seconds })
    const rotated = toApiKey({ ...key, updated_at: now }, text)
    return grace_seconds > 0 ? { ...rotated, previous_expires_at: graceEnds } : rotated
  })

/** Call in the transaction that ends a membership. Workspace keys created by the member keep working. */
export const revokeKeysOfMember = async (ctx: Ctx<Actor>, teamId: string, userId: string): Promise<void> => {
  const revoked = await store.deletePersonalKeys(ctx.db, teamId, userId, ctx.now().toISOString())
  await forgetCredentials(ctx, userId)
  await auditRevoked(ctx, teamId, revoked, 'member_left')
}

/** Call in the transaction that archives a workspace. */
export const revokeKeysOfTeam = async (ctx: Ctx<Actor>, teamId: string): Promise<void> => {
  const revoked = await store.deleteKeysOfTeam(ctx.db, teamId, ctx.now().toISOString())
  await forgetCredentials(ctx, teamId)
  await auditRevoked(ctx, teamId, revoked, 'team_archived')
}

const auditRevoked = async (
  ctx: Ctx<Actor>,
  teamId: string,
  revoked: readonly { id: string; name: string; created_by: string }[],
  reason: string,
): Promise<void> => {
  for (const { id, name, created_by } of revoked) {
    const meta = { name, created_by, reason }
    await recordAudit(ctx, 'api_key.revoked', { resourceType: 'api_key', resourceId: id, teamId, meta })
  }
}

const revokedRetentionMs = 30 * 24 * 3600_000

/** Deletes expired keys, which are already refused, and old revoked keys. */
export const sweepKeys = async (db: Db, now: Date): Promise<number> => {
  await store.purgePreviousValues(db, now.toISOString())
  return store.purgeKeys(db, now.toISOString(), new Date(now.getTime() - revokedRetentionMs).toISOString())
}

/** Revokes a leaked key. */
export const revokeLeakedKey = async (ctx: Ctx<Actor>, id: string): Promise<void> => {
  await store.deleteKey(ctx.db, id, ctx.now().toISOString())
  await forgetCredentials(ctx, id)
}

/** Revokes keys that the platform created for an object, such as `engine:<id>`, when that object is deleted. */
export const revokeKeysFromSource = async (ctx: Ctx<Actor>, teamId: string, source: string): Promise<void> => {
  const revoked = await store.deleteKeysFromSource(ctx.db, teamId, source, ctx.now().toISOString())
  for (const { id } of revoked) await forgetCredentials(ctx, id)
}
