// Members of a vault. Adding and removing a link changes neither the secret nor the credential.
import type { VaultCredential } from '@millrace/contract/vaults'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { audit, find, lockManaged } from './service.ts'
import * as store from './store.ts'

export const listCredentials = async (ctx: Ctx, vaultId: string): Promise<VaultCredential[]> => {
  const vault = await find(ctx, vaultId)
  return store.findCredentialsOfVault(ctx.db, ctx.actor.teamId, vault.id)
}

/** The secret of the caller's own workspace with this id. */
const lockSecret = async (ctx: Ctx, id: string): Promise<string> => {
  if (id === '') throw fail('invalid_request', '`secret_id` is required')
  const secret = await store.lockSecret(ctx.db, ctx.actor.teamId, id)
  if (!secret) throw fail('validation_error', '`secret_id`: the secret does not belong to this workspace')
  return secret.id
}

const lockCredential = async (ctx: Ctx, id: string): Promise<string> => {
  if (id === '') throw fail('invalid_request', '`credential_id` is required')
  const credential = await store.lockCredential(ctx.db, ctx.actor.teamId, id)
  if (!credential) throw fail('validation_error', '`credential_id`: the credential does not belong to this workspace')
  if (credential.scope === 'org' || credential.scope === 'platform')
    throw fail(
      'validation_error',
      `\`credential_id\`: a credential of scope ${credential.scope} cannot be a vault member`,
    )
  return credential.id
}

type Done = { success: boolean }

export const addSecret = (ctx: Ctx, vaultId: string, id: string): Promise<Done> =>
  ctx.tx(async (ctx) => {
    const vault = await lockManaged(ctx, vaultId)
    const secretId = await lockSecret(ctx, id)
    await store.linkSecret(ctx.db, vault.id, secretId)
    await audit(ctx, 'vault.secret_added', vault.id, { secret_id: secretId })
    return { success: true }
  })

export const removeSecret = (ctx: Ctx, vaultId: string, id: string): Promise<Done> =>
  ctx.tx(async (ctx) => {
    const vault = await lockManaged(ctx, vaultId)
    const secretId = await lockSecret(ctx, id)
    await store.unlinkSecret(ctx.db, vault.id, secretId)
    await audit(ctx, 'vault.secret_removed', vault.id, { secret_id: secretId })
    return { success: true }
  })

export const addCredential = (ctx: Ctx, vaultId: string, id: string): Promise<Done> =>
  ctx.tx(async (ctx) => {
    const vault = await lockManaged(ctx, vaultId)
    const credentialId = await lockCredential(ctx, id)
    await store.linkCredential(ctx.db, vault.id, credentialId)
    await store.nameVault(ctx.db, vault.id, credentialId)
    await audit(ctx, 'vault.credential_added', vault.id, { credential_id: credentialId })
    return { success: true }
  })

export const removeCredential = (ctx: Ctx, vaultId: string, id: string): Promise<Done> =>
  ctx.tx(async (ctx) => {
    const vault = await lockManaged(ctx, vaultId)
    const credentialId = await lockCredential(ctx, id)
    await store.unlinkCredential(ctx.db, vault.id, credentialId)
    await store.nameOtherVault(ctx.db, vault.team_id, vault.id)
    await audit(ctx, 'vault.credential_removed', vault.id, { credential_id: credentialId })
    return { success: true }
  })
