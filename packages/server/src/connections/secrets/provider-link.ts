// A secret as the key of a provider: the credential it joins becomes connected; the credential it leaves becomes
// disconnected when it has no other secret. Applies to credentials of type `api_key` only.
import { newId } from '@millrace/contract/ids'
import type { Ctx } from '#platform/core/ctx.ts'
import { findListedProvider } from '../provider-catalogue/service.ts'
import { linkCredentialToDefaultVault, unlinkCredential } from '../vaults/service.ts'
import * as store from './provider-link-store.ts'
import type { ConnectionScope } from './rules.ts'

export const iconJob = 'secrets_find_icon'

export type ProviderLink = {
  slug: string
  /** Used for unlisted providers. */
  name: string | undefined
  /** Null for listed providers. */
  website: string | null
  /** Null means the provider's default. */
  scope: ConnectionScope | null
}

const visibilityOf: Record<ConnectionScope, string> = { user: 'private', team: 'team', org: 'org', platform: 'team' }

/** Connects the credential for a secret of this provider; returns its id. */
export const joinProvider = async (
  ctx: Ctx,
  { slug, name, website, scope: requested }: ProviderLink,
): Promise<string> => {
  const { actor, db } = ctx
  await store.lockLinks(db, actor.teamId)
  const listed = findListedProvider(slug)
  const written = await store.findWrittenProvider(db, actor.teamId, slug)
  const scope = requested ?? written?.connection_scope ?? listed?.connection_scope ?? 'team'
  const credentialId = await store.connectKeyCredential(db, {
    id: newId(),
    team_id: actor.teamId,
    user_id: actor.userId,
    org_id: scope === 'org' ? actor.orgId : null,
    visibility: visibilityOf[scope],
    provider: slug,
    scope,
    display_name: listed?.display_name ?? (name || null),
    fallback_name: written?.display_name ?? slug,
    website,
    now: ctx.now().toISOString(),
  })
  // Other workspaces inherit the credentials of the organization and the platform; they do not use a vault.
  if (scope === 'team' || scope === 'user')
    await store.setVault(db, credentialId, await linkCredentialToDefaultVault(ctx, credentialId))
  if (website !== null) {
    const payload = { credential_id: credentialId, team_id: actor.teamId }
    // Runs one lookup at a time, so a workspace with slow sites occupies only one worker.
    await ctx.jobs.add(db, iconJob, payload, { maxAttempts: 3, queue: `${iconJob}:${actor.teamId}` })
  }
  return credentialId
}

/** Call after the secret no longer names the credential. */
export const leaveProvider = async (ctx: Ctx, credentialId: string): Promise<void> => {
  const { db } = ctx
  await store.lockLinks(db, ctx.actor.teamId)
  if (await store.hasSecrets(db, credentialId)) return
  await store.setStatus(db, credentialId, 'disconnected', ctx.now().toISOString())
  await unlinkCredential(ctx, credentialId)
  await store.setVault(db, credentialId, null)
}

/** A new key was saved, so errors of the old key no longer count. */
export const keySaved = (ctx: Ctx, credentialId: string): Promise<void> =>
  store.setStatus(ctx.db, credentialId, 'connected', ctx.now().toISOString())
