// Shared by all connection types: who may connect for whom, the row of the connection, and the response.

import type { ConnectAnswer } from '@millrace/contract/credentials'
import { newId } from '@millrace/contract/ids'
import { requireWithinLimit } from '#accounts/plans/service.ts'
import { isPlatformAdmin, isTeamAdmin } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { assertMayConnect, type ConnectionScope } from '../secrets/service.ts'
import { linkCredentialToDefaultVault } from '../vaults/service.ts'
import { credentialDto, type ShownRow } from './dto.ts'
import { credentialConnected } from './extension-points.ts'
import * as store from './store.ts'

/** Everyone may connect for themselves, admins for the workspace, and organization or platform admins beyond it. */
export const assertMayConnectFor = async (ctx: Ctx, scope: ConnectionScope): Promise<void> => {
  await assertMayConnect(ctx, scope)
  if (scope === 'team' && !isTeamAdmin(ctx.actor) && !isPlatformAdmin(ctx.actor))
    throw fail('team_role_required', 'Connecting for the whole workspace needs the workspace role admin')
}

export const visibilityOf: Readonly<Record<ConnectionScope, string>> = {
  user: 'private',
  team: 'team',
  org: 'org',
  platform: 'team',
}

/** An existing connection does not count against the plan again. */
export const assertRoom = async (ctx: Ctx, slug: string, scope: ConnectionScope): Promise<void> => {
  const { actor, db } = ctx
  const own = await store.findOwn(db, { teamId: actor.teamId, userId: actor.userId }, slug)
  if (!own.some((row) => row.scope === scope)) await requireWithinLimit(ctx, 'connectors')
}

export type Connecting = {
  slug: string
  displayName: string
  iconUrl: string
  type: store.NewConnection['type']
  scope: ConnectionScope
}

/** The row of a connection, new as pending or unchanged, and its link to the default vault where it has one. */
export const upsertConnection = async (ctx: Ctx, connecting: Connecting): Promise<string> => {
  const { actor, db } = ctx
  const { slug, scope } = connecting
  await assertRoom(ctx, slug, scope)
  const id = await store.upsertConnection(db, {
    id: newId(),
    team_id: actor.teamId,
    user_id: actor.userId,
    org_id: scope === 'org' ? actor.orgId : null,
    visibility: visibilityOf[scope],
    provider: slug,
    type: connecting.type,
    scope,
    display_name: connecting.displayName,
    icon_url: connecting.iconUrl,
    now: ctx.now().toISOString(),
  })
  await linkToVault(ctx, id, scope)
  return id
}

/** Other workspaces inherit the connections of the organization and the platform; they do not use a vault. */
export const linkToVault = async (ctx: Ctx, credentialId: string, scope: ConnectionScope): Promise<void> => {
  if (scope !== 'team' && scope !== 'user') return
  await store.setVault(ctx.db, credentialId, await linkCredentialToDefaultVault(ctx, credentialId))
}

export const answerFor = async (
  ctx: Ctx,
  credentialId: string,
  more: Omit<ConnectAnswer, 'credential' | 'integration'> = {},
): Promise<ConnectAnswer> => {
  const row = await store.findById(ctx.db, credentialId)
  if (!row) throw fail('not_found', 'The connection was deleted')
  return answerOf(row, more)
}

/** The connection under its current name and under the name that older clients read. */
const answerOf = (row: ShownRow, more: Omit<ConnectAnswer, 'credential' | 'integration'>): ConnectAnswer => {
  const credential = credentialDto(row)
  return { credential, integration: credential, ...more }
}

export const auditConnection = async (
  ctx: Ctx,
  action: string,
  row: { id: string; provider: string },
  meta: Record<string, unknown> = {},
): Promise<void> => {
  await recordAudit(ctx, action, {
    resourceType: 'credential',
    resourceId: row.id,
    meta: { provider: row.provider, ...meta },
  })
}

/** Runs that waited for the connection continue in the same transaction. */
export const publishConnected = async (ctx: Ctx, row: { id: string; provider: string }): Promise<void> => {
  for (const listener of ctx.extensions.listenersOf(credentialConnected))
    await listener(ctx, { teamId: ctx.actor.teamId, provider: row.provider, id: row.id })
}
