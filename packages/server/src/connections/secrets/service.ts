// Rules of secrets, independent of HTTP. Only reveal() returns a value in plain text.
import type { ListRequest, Page } from '@millrace/contract/common'
import { newId } from '@millrace/contract/ids'
import { isProviderSlug } from '@millrace/contract/providers'
import type {
  AttachProvider,
  CreateSecret,
  RevealedSecret,
  Secret,
  SecretVersion,
  UpdateSecret,
} from '@millrace/contract/secrets'
import { teamSubject } from '#platform/bus/subjects.ts'
import { isPlatformAdmin } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import type { ListSpec } from '#platform/tenancy/list/spec.ts'
import { findListedProvider, providerOfSecretName } from '../provider-catalogue/service.ts'
import { find as findVault, linkSecretToDefaultVault, unlinkSecret } from '../vaults/service.ts'
import { secretDto } from './dto.ts'
import { joinProvider, keySaved, leaveProvider, type ProviderLink } from './provider-link.ts'
import {
  type ConnectionScope,
  normaliseWebsite,
  refuseConnectionScope,
  refuseKey,
  refuseValue,
  type SecretRefusal,
} from './rules.ts'
import * as store from './store.ts'
import { addVersion, oldestRetained, openVersion, toVersion } from './versions.ts'

export { deleteSecretsOfCredential, secretsOfCredential } from './credential-values.ts'
export { secretDto } from './dto.ts'
export { type ConnectionScope, normaliseWebsite } from './rules.ts'
export { findSiteIcon } from './site-icon.ts'
export {
  deleteInternalSecret,
  hasSecret,
  internalSecretValue,
  missingSecrets,
  type RunSecrets,
  runSecretsFingerprint,
  secretsForRun,
  secretValue,
  storeInternalSecret,
} from './values.ts'

const listSpec: ListSpec = {
  id: 'secrets.id',
  columns: {
    id: { ref: 'secrets.id', type: 'text' },
    key: { ref: 'secrets.key', type: 'text' },
    description: { ref: 'secrets.description', type: 'text' },
    scope: { ref: 'secrets.scope', type: 'text' },
    credential_id: { ref: 'secrets.credential_id', type: 'text', nullable: true },
    user_id: { ref: 'secrets.user_id', type: 'text' },
    created_at: { ref: 'secrets.created_at', type: 'time' },
    updated_at: { ref: 'secrets.updated_at', type: 'time' },
  },
  search: ['key', 'description'],
}

/** Lists secrets managed by people, unless a scope is requested. */
export const list = async (ctx: Ctx, request: ListRequest): Promise<Page<Partial<Secret>>> => {
  const { db, actor, notice } = ctx
  const all = store.liveSecrets(db).where('secrets.team_id', '=', actor.teamId)
  const filtersByScope = request.filters?.some((filter) => filter.field === 'scope') === true
  const shown = filtersByScope ? all : all.where('secrets.scope', '=', 'team')
  return runOwnedList(shown, { db, spec: listSpec, request, notice, toItem: secretDto })
}

const secretNotFound = (key: string) => fail('not_found', `Secret not found: ${key}`)

export const get = async (ctx: Ctx, key: string): Promise<Secret> => {
  const row = await store.findByKey(ctx.db, ctx.actor.teamId, key)
  if (!row) throw secretNotFound(key)
  return secretDto(row)
}

const assertAllowed = (refusal: SecretRefusal | null): void => {
  if (refusal) throw fail(refusal.code, refusal.detail)
}

/** The validated provider of a request; null without a provider. */
const readJoining = async (
  ctx: Ctx,
  slug: string,
  { provider_name, provider_website, connection_scope }: Omit<AttachProvider, 'provider'>,
): Promise<ProviderLink | null> => {
  if (slug !== '' && !isProviderSlug(slug))
    throw fail(
      'validation_error',
      '`provider` must be lowercase letters, digits and single hyphens, at most 64 characters',
    )
  const scope = connection_scope ? connection_scope : null
  if (scope !== null) await assertMayConnect(ctx, scope)
  if (slug === '') return null
  // Callers cannot change the facts of a listed provider.
  const site = findListedProvider(slug) ? '' : (provider_website ?? '')
  const website = site === '' ? null : normaliseWebsite(site)
  if (site !== '' && website === null)
    throw fail('validation_error', '`provider_website` must be a domain or an https:// address')
  return { slug, name: provider_name, website, scope }
}

/** Whether the caller may connect for this scope; workspace admin rights are checked elsewhere. */
export const assertMayConnect = async (ctx: Ctx, scope: ConnectionScope): Promise<void> => {
  const { actor } = ctx
  const team = await store.findTeamPlace(ctx.db, actor.teamId)
  const place = {
    orgId: actor.orgId,
    isOrgTeam: team?.type === 'org',
    inPlatformTeam: actor.inPlatformTeam,
    orgAdmin: actor.orgAdmin,
    platformAdmin: isPlatformAdmin(actor),
  }
  assertAllowed(refuseConnectionScope(scope, place))
}

export const create = (ctx: Ctx, request: CreateSecret): Promise<Secret> =>
  ctx.tx(async (ctx) => {
    const { actor, db } = ctx
    const { key, value, description = '' } = request
    assertAllowed(refuseKey(key))
    assertAllowed(refuseValue(value))
    const slug = request.provider || (providerOfSecretName(key)?.slug ?? '')
    const joining = await readJoining(ctx, slug, request)
    const id = newId()
    const now = ctx.now().toISOString()
    const row = { id, team_id: actor.teamId, user_id: actor.userId, key, description, created_at: now, updated_at: now }
    if (!(await store.insertSecret(db, { ...row, scope: 'team' })))
      throw fail('already_exists', `The secret ${key} exists; change its provider with PUT /secrets/${key}/provider`)
    await addVersion(ctx, { id, teamId: actor.teamId }, { number: 1, value, userId: actor.userId, showHint: true })
    await linkSecretToDefaultVault(ctx, id)
    const credentialId = joining ? await tryJoinProvider(ctx, id, joining) : null
    const made = secretDto(await store.findById(db, actor.teamId, id))
    await changed(ctx, 'secret.created', made, joining && credentialId ? { provider: joining.slug } : {})
    return made
  })

const join = async (ctx: Ctx, secretId: string, joining: ProviderLink): Promise<string> => {
  const credentialId = await joinProvider(ctx, joining)
  await store.setCredential(ctx.db, secretId, credentialId, ctx.now().toISOString())
  return credentialId
}

/** The caller requested no particular connection, so the value is stored even when linking it fails. */
const tryJoinProvider = async (ctx: Ctx, secretId: string, joining: ProviderLink): Promise<string | null> => {
  try {
    return await ctx.tx((ctx) => join(ctx, secretId, joining))
  } catch (error) {
    if (joining.scope !== null || isFailure(error)) throw error
    ctx.log.warn({ err: error, provider: joining.slug }, 'a new secret could not be linked to its provider')
    ctx.notice({
      level: 'warning',
      code: 'provider_not_linked',
      message: `The secret was saved, but not linked to ${joining.slug}`,
    })
    return null
  }
}

/**
 * The workspace's own secret, locked until the transaction ends. Secrets managed by a credential cannot be changed by
 * people.
 */
const lock = async (ctx: Ctx, key: string): Promise<store.SecretRow> => {
  const locked = await store.lockByScope(ctx.db, ctx.actor.teamId, 'team', key)
  if (!locked) throw secretNotFound(key)
  return store.findById(ctx.db, ctx.actor.teamId, locked.id)
}

const replaceValue = async (ctx: Ctx, current: store.SecretRow, value: string, description?: string): Promise<void> => {
  const number = current.version + 1
  const secret = { id: current.id, teamId: current.team_id }
  await addVersion(ctx, secret, { number, value, userId: ctx.actor.userId, showHint: true })
  const change = { version: number, updated_at: ctx.now().toISOString() }
  await store.setVersion(ctx.db, current.id, description === undefined ? change : { ...change, description })
  await store.deleteVersionsBefore(ctx.db, current.id, oldestRetained(number))
  if (current.credential_id !== null) await keySaved(ctx, current.credential_id)
}

export const update = (ctx: Ctx, key: string, { value, description }: UpdateSecret): Promise<Secret> =>
  ctx.tx(async (ctx) => {
    assertAllowed(refuseValue(value))
    const current = await lock(ctx, key)
    await replaceValue(ctx, current, value, description)
    const saved = secretDto(await store.findById(ctx.db, current.team_id, current.id))
    await changed(ctx, 'secret.updated', saved, { version: saved.version })
    return saved
  })

export const changeProvider = (ctx: Ctx, key: string, request: AttachProvider): Promise<Secret> =>
  ctx.tx(async (ctx) => {
    const joining = await readJoining(ctx, request.provider, request)
    const locked = await store.lockByKey(ctx.db, ctx.actor.teamId, key)
    if (!locked) throw secretNotFound(key)
    const current = await store.findById(ctx.db, ctx.actor.teamId, locked.id)
    if (current.scope !== 'team') throw fail('validation_error', `The secret ${key} is not a workspace secret`)
    const formerCredential = current.credential_id
    if (joining) {
      const joined = await join(ctx, current.id, joining)
      if (formerCredential !== null && formerCredential !== joined) await leaveProvider(ctx, formerCredential)
      await changed(ctx, 'secret.provider_attached', current, { provider: joining.slug })
    } else if (formerCredential !== null) {
      await store.setCredential(ctx.db, current.id, null, ctx.now().toISOString())
      await leaveProvider(ctx, formerCredential)
      await changed(ctx, 'secret.provider_detached', current, {})
    }
    return secretDto(await store.findById(ctx.db, current.team_id, current.id))
  })

/** The operation requires `secrets:reveal`, which no OAuth client holds. */
export const reveal = (ctx: Ctx, key: string): Promise<RevealedSecret> =>
  ctx.tx(async (ctx) => {
    const current = await lock(ctx, key)
    const version = await store.findPresentVersion(ctx.db, current.id)
    if (!version) throw secretNotFound(key)
    const value = await openVersion(ctx, version)
    await audit(ctx, 'secret.revealed', current, { version: current.version })
    return { key, value }
  })

export const remove = (ctx: Ctx, key: string): Promise<{ success: boolean }> =>
  ctx.tx(async (ctx) => {
    const current = await lock(ctx, key)
    await unlinkSecret(ctx, current.id)
    await store.deleteVersions(ctx.db, current.id)
    await store.deleteSecret(ctx.db, current.id, ctx.now().toISOString())
    if (current.credential_id !== null) await leaveProvider(ctx, current.credential_id)
    await changed(ctx, 'secret.deleted', current, {})
    return { success: true }
  })

export const versions = async (ctx: Ctx, key: string): Promise<SecretVersion[]> => {
  const current = await store.findByKey(ctx.db, ctx.actor.teamId, key)
  if (current?.scope !== 'team') throw secretNotFound(key)
  const rows = await store.findVersions(ctx.db, current.id)
  return rows.map((row) => toVersion(row, current.version))
}

/** Restores an earlier value as a new version; the replaced value can be restored in turn. */
export const restore = (ctx: Ctx, key: string, versionId: string): Promise<Secret> =>
  ctx.tx(async (ctx) => {
    const current = await lock(ctx, key)
    const version = await store.findVersion(ctx.db, current.id, versionId)
    if (!version) throw fail('not_found', `Version not found for the secret ${key}`)
    if (version.number !== current.version) {
      await replaceValue(ctx, current, await openVersion(ctx, version))
      await changed(ctx, 'secret.restored', current, { from_version: version.number, version: current.version + 1 })
    }
    return secretDto(await store.findById(ctx.db, current.team_id, current.id))
  })

/** For the list of a vault's members; the caller has checked the vault. */
export const listOfVault = async (ctx: Ctx, vaultId: string): Promise<Secret[]> => {
  const vault = await findVault(ctx, vaultId)
  return (await store.findByVault(ctx.db, ctx.actor.teamId, vault.id)).map(secretDto)
}

/** Must be last in its transaction: the audit log is one chain, and its end stays locked until the commit. */
const audit = (ctx: Ctx, action: string, secret: { id: string; key: string }, meta: Record<string, unknown>) =>
  recordAudit(ctx, action, { resourceType: 'secret', resourceId: secret.id, meta: { key: secret.key, ...meta } })

/** Writes the audit log entry and notifies clients that can read secrets; they request the new lists themselves. */
const changed = (ctx: Ctx, action: string, secret: { id: string; key: string }, meta: Record<string, unknown>) => {
  ctx.emit({
    subject: teamSubject(ctx.actor.teamId),
    data: { name: 'secrets', data: { id: secret.id }, fields: [], needs: 'secrets:read' },
  })
  return audit(ctx, action, secret, meta)
}
