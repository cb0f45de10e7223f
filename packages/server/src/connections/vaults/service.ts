// Rules of vaults, and functions for other features: the default vault and its links.
import type { ListRequest, Page } from '@millrace/contract/common'
import { newId } from '@millrace/contract/ids'
import type { CreateVault, ReplaceVault, Vault } from '@millrace/contract/vaults'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import type { ListSpec } from '#platform/tenancy/list/spec.ts'
import { resourceFields } from '#platform/tenancy/resource.ts'
import * as store from './store.ts'

const toVault = (row: store.VaultRow): Vault => ({
  ...resourceFields(row),
  visibility: 'team',
  name: row.name,
  description: row.description,
  is_default: row.is_default,
  credential_count: row.credential_count,
  secret_count: row.secret_count,
})

const listSpec: ListSpec = {
  id: 'vaults.id',
  columns: {
    id: { ref: 'vaults.id', type: 'text' },
    name: { ref: 'vaults.name', type: 'text' },
    description: { ref: 'vaults.description', type: 'text' },
    is_default: { ref: 'vaults.is_default', type: 'boolean' },
    user_id: { ref: 'vaults.user_id', type: 'text' },
    created_at: { ref: 'vaults.created_at', type: 'time' },
    updated_at: { ref: 'vaults.updated_at', type: 'time' },
  },
  search: ['name', 'description'],
}

export const list = async (ctx: Ctx, request: ListRequest): Promise<Page<Partial<Vault>>> => {
  const { db, actor, notice } = ctx
  const own = store.liveVaults(db).where('vaults.team_id', '=', actor.teamId)
  return runOwnedList(own, { db, spec: listSpec, request, notice, toItem: toVault })
}

const vaultNotFound = () => fail('not_found', 'Vault not found')

export const find = async (ctx: Ctx, id: string): Promise<store.VaultRow> => {
  const row = await store.findVault(ctx.db, ctx.actor.teamId, id)
  if (!row) throw vaultNotFound()
  return row
}

export const get = async (ctx: Ctx, id: string): Promise<Vault> => toVault(await find(ctx, id))

/** A workspace key cannot manage vaults: people decide what a key can reach. */
export const assertMayManage = ({ actor }: Ctx): void => {
  if (!actor.isPerson) throw fail('permission_denied', 'A workspace key cannot manage vaults')
}

/** The vault, locked until the transaction ends, for a caller who may change it. */
export const lockManaged = async (ctx: Ctx, id: string): Promise<store.VaultRow> => {
  assertMayManage(ctx)
  const row = await store.lockVault(ctx.db, ctx.actor.teamId, id)
  if (!row) throw vaultNotFound()
  return row
}

const newVault = (ctx: Ctx, name: string, description: string): store.NewVault => {
  const { actor } = ctx
  const now = ctx.now().toISOString()
  const times = { created_at: now, updated_at: now }
  return { id: newId(), team_id: actor.teamId, user_id: actor.userId, name, description, ...times }
}

/** The id of the default vault, created if needed. */
const ensureDefault = async (ctx: Ctx): Promise<string> => {
  const { db, actor } = ctx
  const known = await store.findDefaultId(db, actor.teamId)
  if (known !== undefined) return known
  await store.insertDefault(db, newVault(ctx, 'default', ''))
  // A concurrent request may have created it first.
  const made = await store.findDefaultId(db, actor.teamId)
  if (made === undefined)
    throw fail('internal_error', { cause: new Error(`Team ${actor.teamId} has no default vault`) })
  return made
}

export const getDefault = async (ctx: Ctx): Promise<Vault> => {
  if (ctx.actor.teamId === '') throw fail('validation_error', 'A default vault needs a workspace, and you have none')
  return get(ctx, await ensureDefault(ctx))
}

export const create = (ctx: Ctx, { name, description = '' }: CreateVault): Promise<Vault> =>
  ctx.tx(async (ctx) => {
    assertMayManage(ctx)
    const row = newVault(ctx, name, description)
    await store.insertVault(ctx.db, row)
    await audit(ctx, 'vault.created', row.id, { name })
    return get(ctx, row.id)
  })

/** Replaces the whole vault. The default flag moves only to the vault that requests it. */
export const replace = (ctx: Ctx, id: string, request: ReplaceVault): Promise<Vault> =>
  ctx.tx(async (ctx) => {
    const { name = '', description = '', is_default: asksForDefault = false } = request
    await store.lockDefaultFlag(ctx.db, ctx.actor.teamId)
    const current = await lockManaged(ctx, id)
    const now = ctx.now().toISOString()
    if (asksForDefault && !current.is_default) await store.clearDefault(ctx.db, current.team_id, now)
    const values = { name, description, is_default: current.is_default || asksForDefault, updated_at: now }
    await store.replaceVault(ctx.db, current.id, values)
    await audit(ctx, 'vault.updated', current.id, { name, is_default: values.is_default })
    return get(ctx, current.id)
  })

export const remove = (ctx: Ctx, id: string): Promise<{ success: boolean }> =>
  ctx.tx(async (ctx) => {
    const current = await lockManaged(ctx, id)
    if (current.is_default) throw fail('validation_error', 'The default vault cannot be deleted')
    await store.deleteSecretLinksOfVault(ctx.db, current.id)
    await store.deleteCredentialLinksOfVault(ctx.db, current.id)
    await store.nameOtherVault(ctx.db, current.team_id, current.id)
    await store.deleteVault(ctx.db, current.id, ctx.now().toISOString())
    await audit(ctx, 'vault.deleted', current.id, { name: current.name })
    return { success: true }
  })

export const linkSecretToDefaultVault = async (ctx: Ctx, secretId: string): Promise<void> => {
  await store.linkSecret(ctx.db, await ensureDefault(ctx), secretId)
}

/** For credentials of scope team and user; returns the vault's id. */
export const linkCredentialToDefaultVault = async (ctx: Ctx, credentialId: string): Promise<string> => {
  const vaultId = await ensureDefault(ctx)
  await store.linkCredential(ctx.db, vaultId, credentialId)
  return vaultId
}

/** Removes a deleted secret from all vaults. */
export const unlinkSecret = (ctx: Ctx<Actor>, secretId: string): Promise<void> =>
  store.deleteLinksOfSecret(ctx.db, secretId)

/** Removes a disconnected credential from all vaults. */
export const unlinkCredential = (ctx: Ctx<Actor>, credentialId: string): Promise<void> =>
  store.deleteLinksOfCredential(ctx.db, credentialId)

export const audit = (ctx: Ctx, action: string, vaultId: string, meta: Record<string, unknown>): Promise<void> =>
  recordAudit(ctx, action, { resourceType: 'vault', resourceId: vaultId, meta })
