// Versions of agents. A version never changes, so recently used versions are cached, up to a limit in bytes.
import { createHash } from 'node:crypto'
import type { AgentConfig } from '@millrace/contract/agents'
import { newId } from '@millrace/contract/ids'
import { canonicalJson } from '@millrace/contract/warm-key'
import { LRUCache } from 'lru-cache'
import { assertMayApprove } from '#accounts/approvals/service.ts'
import { secretValue } from '#connections/secrets/service.ts'
import { resolveForRun } from '#execution/apps/service.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { hasScope } from '#platform/core/scope-checks.ts'
import type { Db } from '#platform/db/database.ts'
import { type SealedColumn, sealBinding } from '#platform/keyring/sealed-columns.ts'
import { mayRun } from '#platform/tenancy/visibility.ts'
import { destinationOf, type FullConfig, readConfig, secretsIn, withSecrets } from './config.ts'
import { findByText } from './find.ts'
import * as store from './store.ts'

export type Version = Omit<store.VersionRow, 'config' | 'content_hash'> & { config: FullConfig }

export const toVersion = ({ content_hash: _hash, ...row }: store.VersionRow): Version => ({
  ...row,
  config: row.config as FullConfig,
})

const maxBytes = 32 * 1024 * 1024
/** Least recently used first. */
const cached = new Map<string, { version: Version; bytes: number }>()
let cachedBytes = 0

const cache = (version: Version): Version => {
  const known = cached.get(version.id)
  const bytes = known?.bytes ?? JSON.stringify(version.config).length
  if (known) cached.delete(version.id)
  else cachedBytes += bytes
  cached.set(version.id, { version: known?.version ?? version, bytes })
  for (const [id, entry] of cached) {
    if (cachedBytes <= maxBytes || id === version.id) break
    cached.delete(id)
    cachedBytes -= entry.bytes
  }
  return known?.version ?? version
}

export const loadVersions = async (db: Db, ids: readonly string[]): Promise<Map<string, Version>> => {
  const wanted = [...new Set(ids)].filter((id) => id !== '')
  const missing = wanted.filter((id) => !cached.has(id))
  const rows = missing.length === 0 ? [] : await store.findVersionsByIds(db, missing)
  const read = new Map(rows.map((row) => [row.id, toVersion(row)]))
  return new Map(
    wanted.flatMap((id) => {
      const version = cached.get(id)?.version ?? read.get(id)
      return version ? [[id, cache(version)] as const] : []
    }),
  )
}

export const loadVersion = async (db: Db, id: string | null): Promise<Version | undefined> =>
  id === null ? undefined : (await loadVersions(db, [id])).get(id)

/** Wider permissions need a signed-in person. Permissions of the version before do not count as wider. */
export const assertMayPermit = (ctx: Ctx, { permissions }: FullConfig, before: FullConfig | undefined): void => {
  const had = new Set((before?.permissions.rules ?? []).map((rule) => canonicalJson(rule)))
  const widens =
    (permissions.allow_all_tools === true && before?.permissions.allow_all_tools !== true) ||
    (permissions.rules ?? []).some((rule) => rule.effect === 'allow' && !had.has(canonicalJson(rule)))
  const now = new Set((permissions.rules ?? []).map((rule) => canonicalJson(rule)))
  const lifts = (before?.permissions.rules ?? []).some(
    (rule) => rule.effect !== 'allow' && !now.has(canonicalJson(rule)),
  )
  if (widens || lifts) assertMayApprove(ctx)
}

const refused = (field: string) => (error: unknown) => {
  if (!isFailure(error)) throw error
  throw fail('validation_error', { detail: `${field}: ${error.message}`, meta: { field } })
}

/** Everything that the config names must exist for the caller. */
const assertReferencesExist = async (ctx: Ctx, config: FullConfig): Promise<void> => {
  const { core_app: core } = config
  if (core)
    await resolveForRun(ctx, {
      ...(core.ref ? { app: core.ref } : { app_id: core.id }),
      version_id: core.version_id,
    }).catch(refused('core_app'))
  for (const { name, app, agent } of config.tools) {
    if (app) {
      const target = app.ref ? { app: app.ref } : { app_id: app.id }
      const pinned = { version_id: app.version_id, function: app.function }
      await resolveForRun(ctx, { ...target, ...pinned }).catch(refused(`tools.${name}`))
    }
    if (agent) {
      const { row, version } = await findByText(ctx, agent.ref || agent.id || '')
      const pin = agent.version_id || version
      const isThere = row && mayRun(ctx.actor, row) && (!pin || (await store.findVersionOfAgent(ctx.db, row.id, pin)))
      if (!isThere)
        throw fail('validation_error', { detail: `tools.${name}: Agent not found`, meta: { field: `tools.${name}` } })
    }
  }
}

export const sealedToolSecrets: SealedColumn = {
  table: 'agent_version_secrets',
  column: 'value_sealed',
  teamColumn: 'team_id',
}

const binding = (id: string): string => sealBinding('agent_version_secrets', id, 'value_sealed')

const maskOf = (value: string): string => `****${value.length >= 12 ? value.slice(-4) : ''}`

type SealedKey = { tool: string; value: string }

/**
 * The key behind a mask that was sent back. The editor has not seen the key, so it is retained only if its destination
 * is unchanged and it stays in its workspace.
 */
const retainedKey = async (
  ctx: Ctx,
  config: FullConfig,
  before: Version,
  tool: string,
): Promise<string | undefined> => {
  const key = await toolSecret(ctx, before.id, tool)
  const from = destinationOf(before.config, tool)
  if (key === undefined || (from === destinationOf(config, tool) && from !== undefined && isOwnWorkspace(ctx, before)))
    return key
  throw fail('validation_error', {
    detail: `tools.${tool}: the key was written for another address or workspace; write it again`,
    meta: { field: `tools.${tool}` },
  })
}

const isOwnWorkspace = ({ actor }: Ctx, { team_id }: Version): boolean => team_id === actor.teamId

/** Splits raw keys from names of secrets; the returned config shows only the masks of the keys. */
const separateKeys = async (ctx: Ctx, config: FullConfig, before: Version | undefined) => {
  const keys: SealedKey[] = []
  const masks = new Map<string, string>()
  const shownPrevious = before ? secretsIn(before.config) : new Map<string, string>()
  for (const [tool, value] of secretsIn(config)) {
    const isShown = value.startsWith('****') && shownPrevious.get(tool) === value
    const retained = isShown && before ? await retainedKey(ctx, config, before, tool) : undefined
    if (retained === undefined && (await secretValue(ctx, ctx.actor.teamId, value)) !== null) continue
    keys.push({ tool, value: retained ?? value })
    masks.set(tool, maskOf(retained ?? value))
  }
  return { keys, config: withSecrets(config, masks) }
}

const sealKeys = async (ctx: Ctx, versionId: string, keys: readonly SealedKey[]): Promise<void> => {
  const rows = []
  for (const { tool, value } of keys) {
    const id = newId()
    const sealed = await ctx.keyring.seal(ctx.db, ctx.actor.teamId, value, binding(id))
    rows.push({ id, version_id: versionId, team_id: ctx.actor.teamId, tool, value_sealed: sealed })
  }
  await store.insertSecrets(ctx.db, rows)
}

/** The raw key in a tool's settings; undefined if the settings name a secret. */
export const toolSecret = async (
  { db, keyring }: Pick<Platform, 'db' | 'keyring'>,
  versionId: string,
  tool: string,
): Promise<string | undefined> => {
  const row = await store.findSecret(db, versionId, tool)
  return row && (await keyring.open(db, row.value_sealed, binding(row.id))).toString()
}

const validated = async (ctx: Ctx, input: AgentConfig, before: Version | undefined) => {
  const config = readConfig(input, before?.config.description)
  assertMayPermit(ctx, config, before?.config)
  await assertReferencesExist(ctx, config)
  return separateKeys(ctx, config, before)
}

const versionRow = (ctx: Ctx, id: string, config: FullConfig) => ({
  id,
  team_id: ctx.actor.teamId,
  user_id: ctx.actor.userId,
  name: config.name,
  description: config.description,
  config: JSON.stringify(config),
  created_at: ctx.now().toISOString(),
})

/** The caller activates the version. */
export const addVersion = async (
  ctx: Ctx,
  agentId: string,
  input: AgentConfig,
  before: Version | undefined,
): Promise<Version> => {
  const { keys, config } = await validated(ctx, input, before)
  const id = newId()
  const row = await store.insertVersion(ctx.db, { ...versionRow(ctx, id, config), agent_id: agentId })
  await sealKeys(ctx, id, keys)
  return toVersion(row)
}

/** Ids of ad-hoc versions by workspace and content. */
const adHocIds = new LRUCache<string, string>({ max: 10_000 })
/** Transactions that inserted an ad-hoc version: they may roll back, so versions found in them are not cached. */
const uncommitted = new WeakSet<Db>()

const findAdHoc = async (ctx: Ctx, name: string, hash: string): Promise<Version | undefined> => {
  const key = `${ctx.actor.teamId}/${hash}`
  const cachedVersion = cached.get(adHocIds.get(key) ?? '')?.version
  if (cachedVersion) return cache(cachedVersion)
  const row = await store.findAdHocVersion(ctx.db, ctx.actor.teamId, name, hash)
  if (!row || uncommitted.has(ctx.db)) return row && toVersion(row)
  adHocIds.set(key, row.id)
  return cache(toVersion(row))
}

/** The same config under the same name always yields the same version. */
export const adHocVersion = async (ctx: Ctx, name: string, input: AgentConfig): Promise<Version> => {
  const text = canonicalJson({ ...input, name })
  const hash = createHash('sha256').update(text).digest('hex')
  const known = await findAdHoc(ctx, name, hash)
  if (known) {
    // A colleague's permission to store this config does not extend to every caller.
    assertMayPermit(ctx, known.config, undefined)
    return known
  }
  const { keys, config } = await validated(ctx, { ...input, name }, undefined)
  const id = newId()
  const row = await store.insertAdHocVersion(ctx.db, { ...versionRow(ctx, id, config), content_hash: hash })
  if (!row) return adHocVersion(ctx, name, input)
  uncommitted.add(ctx.db)
  await sealKeys(ctx, id, keys)
  return toVersion(row)
}

/** A copy for another agent, including the raw keys of its tools. */
export const copyVersion = async (ctx: Ctx, agentId: string, from: Version): Promise<Version> => {
  const id = newId()
  const keys: SealedKey[] = []
  // Keys never leave their workspace.
  if (from.team_id === ctx.actor.teamId)
    for (const tool of secretsIn(from.config).keys()) {
      const value = await toolSecret(ctx, from.id, tool)
      if (value !== undefined) keys.push({ tool, value })
    }
  const config = { ...from.config, permissions: permissionsToCopy(ctx, from.config) }
  const row = await store.insertVersion(ctx.db, { ...versionRow(ctx, id, config), agent_id: agentId })
  await sealKeys(ctx, id, keys)
  return toVersion(row)
}

/** Copying must not grant permissions that the caller could not have set. */
const permissionsToCopy = (ctx: Ctx, { permissions }: FullConfig): FullConfig['permissions'] => {
  if (hasScope(ctx.actor, 'approvals:write')) return permissions
  return { rules: (permissions.rules ?? []).filter((rule) => rule.effect !== 'allow') }
}
