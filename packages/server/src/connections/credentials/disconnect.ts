// Ends a connection: tokens and keys are destroyed, vault links are removed, and the service is asked to revoke the
// token where it supports revocation.

import { type Actor, hasRole, isPlatformAdmin, type Member } from '#platform/core/actor.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { assertWritable } from '#platform/tenancy/private-access.ts'
import type { MovedProvider } from '../auth-providers/extension-points.ts'
import { deleteSecretsOfCredential } from '../secrets/service.ts'
import { unlinkCredential } from '../vaults/service.ts'
import { clientOf } from './clients.ts'
import { auditConnection } from './connecting.ts'
import { type OauthClient, revoke } from './oauth-client.ts'
import { holderOf } from './reads.ts'
import { deleteOfCredential } from './states-store.ts'
import * as store from './store.ts'
import { openToken } from './tokens.ts'

/** By slug: the connection of the workspace with the highest precedence. By id: exactly that one. */
const findOwned = async (ctx: Ctx, text: string): Promise<store.CredentialRow> => {
  const { actor, db } = ctx
  const holder = holderOf(actor)
  const [own] = await store.findOwn(db, holder, text)
  const row = own ?? (await store.findByIdFor(db, holder, text)) ?? (await store.findReachable(db, holder, text))[0]
  if (!row) throw fail('not_found', `Credential not found: ${text}`)
  if (row.team_id !== actor.teamId)
    throw fail('permission_denied', 'The connection belongs to another workspace and must be disconnected there')
  return row
}

const assertMayEnd = async (ctx: Ctx, row: store.CredentialRow): Promise<void> => {
  await assertWritable(ctx, row, 'credential')
  const { actor } = ctx
  if (isPlatformAdmin(actor)) return
  if (row.scope === 'platform')
    throw fail('permission_denied', "Only platform operators can disconnect the platform's connections")
  if (!mayEnd(actor, row))
    throw fail('team_role_required', 'Disconnecting a shared connection needs the workspace role admin')
}

const mayEnd = (actor: Member, row: store.CredentialRow): boolean => {
  if (row.scope === 'org') return actor.orgAdmin
  return (row.scope === 'user' && row.user_id === actor.userId) || hasRole(actor, 'admin')
}

const isSignIn = ({ type }: Pick<store.CredentialRow, 'type'>): boolean => type === 'oauth' || type === 'mcp'

type Revocation = { client: OauthClient; tokens: string[] }

/** The data needed to revoke the token at the service, read before it is destroyed here. */
const findRevocation = async (ctx: Ctx<Actor>, row: store.CredentialRow): Promise<Revocation | null> => {
  if (!isSignIn(row)) return null
  const client = await clientOf(ctx, row)
  if (client?.spec.revocation_endpoint === undefined) return null
  const tokens = [await openToken(ctx, row, 'refresh_token_sealed'), await openToken(ctx, row, 'access_token_sealed')]
  return { client, tokens: tokens.filter((token) => token !== null) }
}

export const disconnect = async (ctx: Ctx, text: string): Promise<{ success: boolean }> => {
  const revocation = await ctx.tx(async (ctx) => {
    const found = await findOwned(ctx, text)
    await assertMayEnd(ctx, found)
    const row = await store.lockById(ctx.db, found.id)
    if (!row) throw fail('not_found', `Credential not found: ${text}`)
    const revocation = await findRevocation(ctx, row)
    await destroy(ctx, row)
    await auditConnection(ctx, 'credential.disconnected', row, { scope: row.scope })
    return revocation
  })
  await revokeTokens(ctx, revocation)
  return { success: true }
}

const endAll = async (
  ctx: Ctx,
  rows: readonly Pick<store.CredentialRow, 'id'>[],
  reason: string,
): Promise<(Revocation | null)[]> => {
  const revocations: (Revocation | null)[] = []
  for (const { id } of rows) {
    const row = await store.lockById(ctx.db, id)
    if (!row || row.status === 'disconnected') continue
    revocations.push(await findRevocation(ctx, row))
    await destroy(ctx, row)
    await auditConnection(ctx, 'credential.disconnected', row, { scope: row.scope, reason })
  }
  return revocations
}

/** Ends all connections of the workspace to a service, of all members. */
export const disconnectProvider = async (ctx: Ctx, slug: string): Promise<void> => {
  const revocations = await ctx.tx(async (ctx) =>
    endAll(ctx, await store.findOfProvider(ctx.db, ctx.actor.teamId, slug), 'service_removed'),
  )
  for (const revocation of revocations) await revokeTokens(ctx, revocation)
}

/**
 * A token belongs to the addresses where its owner signed in. The author of a new address must not receive it at the
 * next refresh, so the connection ends. Keys were never sent there. The old service is asked to revoke the tokens after
 * the commit.
 */
export const disconnectMoved = async (ctx: Ctx, { teamId, slug }: MovedProvider) => {
  const rows = await store.findOfProvider(ctx.db, teamId, slug)
  const revocations = await endAll(ctx, rows.filter(isSignIn), 'service_moved')
  return async (): Promise<void> => {
    for (const revocation of revocations) await revokeTokens(ctx, revocation)
  }
}

/**
 * Ends a connection whose holder was deleted. A key saved as a workspace secret stays until an admin deletes it. A
 * personal key is deleted, because no other run uses it.
 */
export const disconnectOrphan = async (ctx: Ctx<Actor>, id: string): Promise<void> => {
  const revocation = await ctx.tx(async (ctx) => {
    const row = await store.lockById(ctx.db, id)
    if (!row || row.status === 'disconnected') return null
    const revocation = await findRevocation(ctx, row)
    await endConnection(ctx, row)
    await recordAudit(ctx, 'credential.disconnected', {
      resourceType: 'credential',
      resourceId: row.id,
      teamId: row.team_id,
      meta: { provider: row.provider, scope: row.scope, reason: 'holder_gone' },
    })
    return revocation
  })
  await revokeTokens(ctx, revocation)
}

const destroy = async (ctx: Ctx<Actor>, row: store.CredentialRow): Promise<void> => {
  await deleteSecretsOfCredential(ctx, row.id)
  await endConnection(ctx, row)
}

const endConnection = async (ctx: Ctx<Actor>, row: store.CredentialRow): Promise<void> => {
  await deleteOfCredential(ctx.db, row.id)
  await unlinkCredential(ctx, row.id)
  await store.setState(ctx.db, row.id, {
    status: 'disconnected',
    error_message: '',
    expires_at: null,
    vault_id: null,
    access_token_sealed: null,
    refresh_token_sealed: null,
    id_token_sealed: null,
    refresh_lease: null,
    refresh_lease_until: null,
    updated_at: ctx.now().toISOString(),
  })
}

const revokeTokens = async (parts: Pick<Platform, 'outbound' | 'now' | 'log'>, revocation: Revocation | null) => {
  if (!revocation) return
  for (const token of revocation.tokens)
    if (!(await revoke(parts, revocation.client, token)))
      parts.log.info({ service: revocation.client.displayName }, 'a service did not revoke a token')
}
