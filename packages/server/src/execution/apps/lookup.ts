// Reads of apps: by id, by ref, through aliases, and in lists.
import type { App, AppVersion } from '@millrace/contract/apps'
import type { ListRequest, Page } from '@millrace/contract/common'
import { isId, isShortId } from '@millrace/contract/ids'
import { own } from '@millrace/contract/json'
import { parseRef, type Ref } from '@millrace/contract/refs'
import { type Actor, isMember } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { readerWith } from '#platform/core/scope-checks.ts'
import { runList } from '#platform/tenancy/list/list.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import { columnsOf, type ListSpec, namedColumns, sizeOf } from '#platform/tenancy/list/spec.ts'
import { assertReadable, listedWith, listReach } from '#platform/tenancy/private-access.ts'
import { findTeam } from '#platform/tenancy/team-refs.ts'
import { mayRead } from '#platform/tenancy/visibility.ts'
import { findAlias } from './aliases-store.ts'
import { appDto, toVersion, type Version, versionDto, withoutEnv } from './dto.ts'
import * as store from './store.ts'
import { loadVersion, loadVersions } from './versions.ts'

export const withVersion = async (ctx: Ctx<Actor>, row: store.AppRow): Promise<App> => {
  const version = row.version_id === null ? undefined : await loadVersion(ctx.db, row.version_id)
  return appDto(row, version ? shown(ctx, row, version) : null)
}

const shown = ({ actor }: Ctx<Actor>, app: { team_id: string } | undefined, version: Version): AppVersion =>
  isMember(actor) && actor.teamId === app?.team_id ? versionDto(version) : withoutEnv(versionDto(version))

/** The row, if the caller may read it. */
export const readableApp = async (ctx: Ctx<Actor>, id: string): Promise<store.AppRow> =>
  assertReadable(ctx, await store.findApp(ctx.db, id), 'app')

export const get = async (ctx: Ctx<Actor>, id: string): Promise<App> => withVersion(ctx, await readableApp(ctx, id))

export type AppLookup = {
  row: store.StampedApp | undefined
  version: string | null
  /** The function named in the ref. */
  function: string | null
  /** The function pinned by the alias. */
  aliasFunction: string | null
}

/** An app takes precedence over an alias with the same ref. An alias to a page resolves to no app. */
export const findByRef = async (ctx: Ctx<Actor>, ref: Ref): Promise<AppLookup> => {
  const { name, version, function: named } = ref
  const none = { row: undefined, version, function: named, aliasFunction: null }
  const namespace = ref.namespace ?? (await ownNamespace(ctx))
  if (namespace === null || (ref.type !== null && ref.type !== 'app')) return none
  const row = await store.findAppByRef(ctx.db, namespace, name)
  if (row) return { ...none, row }
  const alias = await findAlias(ctx.db, namespace, name)
  if (!alias || alias.app_id === null) return none
  return { ...none, row: await store.findApp(ctx.db, alias.app_id), aliasFunction: alias.function || null }
}

const ownNamespace = async (ctx: Ctx<Actor>): Promise<string | null> =>
  isMember(ctx.actor) ? ((await findTeam(ctx.db, ctx.actor.teamId))?.username ?? null) : null

/**
 * Resolves the `app` of a run request: a ref or an id. A name in the caller's namespace takes precedence over a short
 * id.
 */
export const findByText = async (ctx: Ctx<Actor>, text: string): Promise<AppLookup> => {
  const byId = async () => ({
    row: await store.findApp(ctx.db, text),
    version: null,
    function: null,
    aliasFunction: null,
  })
  if (isId(text)) return byId()
  const ref = parseRef(text)
  if (ref === null) throw fail('not_found', 'App not found')
  const found = await findByRef(ctx, ref)
  return found.row || !isShortId(text) ? found : byId()
}

export const versionOf = async (
  ctx: Ctx<Actor>,
  app: store.AppRow,
  pin: string | null,
): Promise<Version | undefined> => {
  if (pin === null || pin === '') return app.version_id === null ? undefined : loadVersion(ctx.db, app.version_id)
  if (pin === app.version_id) return loadVersion(ctx.db, pin)
  const row = await store.findVersion(ctx.db, app.id, pin)
  return row ? loadVersion(ctx.db, row.id) : undefined
}

/** If the ref pins a version, the answer contains that version instead of the active one. */
export const getByRef = async (ctx: Ctx<Actor>, namespace: string, name: string): Promise<App> => {
  const ref = parseRef(`${namespace}/${name}`)
  if (ref === null) throw fail('not_found', 'App not found')
  const found = await findByRef(ctx, ref)
  const row = await assertReadable(ctx, found.row, 'app')
  const version = await versionOf(ctx, row, found.version)
  if (found.version !== null && !version) throw fail('not_found', `Version ${found.version} not found`)
  if (found.function !== null && (!version || own(version.functions, found.function) === undefined))
    throw fail('not_found', `Function ${found.function} not found`)
  return {
    ...appDto(row, version ? shown(ctx, row, version) : null),
    version_id: version?.id ?? '',
    resolved_function: found.function ?? found.aliasFunction ?? '',
  }
}

/**
 * The active version of the workspace's app with this name, for a deployment that compares. Does not check access: the
 * deployment does.
 */
export const findOwnVersion = async (ctx: Ctx, name: string): Promise<Version | undefined> => {
  const namespace = await ownNamespace(ctx)
  const row = namespace === null ? undefined : await store.lockAppByRef(ctx.db, namespace, name)
  return row?.version_id ? loadVersion(ctx.db, row.version_id) : undefined
}

/** Condition for the filter by tag. */
export const tagFilter = (operator: string, value: unknown) => {
  if (operator !== 'eq') return null
  if (typeof value !== 'string') throw fail('validation_error', 'The value of filter "tag" must be a string')
  return store.carriesTag(value.trim().toLowerCase())
}

const column = columnsOf('apps')

const listSpec: ListSpec = {
  id: 'apps.id',
  columns: {
    ...namedColumns('apps'),
    description: column('description'),
    agent_description: column('agent_description'),
    category: column('category'),
    tags: column('tags', 'array'),
    version_id: { ...column('version_id'), nullable: true },
    status: column('status'),
  },
  search: ['namespace', 'name', 'title', 'description', 'category', 'agent_description'],
  custom: { tag: tagFilter },
}

export const assertSearchTerm = ({ search }: ListRequest): void => {
  if (search && search.term === undefined) throw fail('validation_error', 'search.term is required')
}

export const list = async (ctx: Ctx<Actor>, request: ListRequest): Promise<Page<Partial<App>>> => {
  assertSearchTerm(request)
  const reach = await listReach(ctx, request, 'app')
  const query = store.selectApps(ctx.db).where(listedWith(ctx.actor, 'apps', reach, request.permissions))
  return runOwnedList(query, {
    db: ctx.db,
    spec: listSpec,
    request,
    toItem: (row) => appDto(row, null),
    besides: sizeOf('app_versions', 'apps.version_id'),
    notice: ctx.notice,
    embed: (rows, items) => embedVersions(ctx, rows, items),
  })
}

const embedVersions = async (ctx: Ctx<Actor>, rows: readonly store.AppRow[], items: readonly Partial<App>[]) => {
  if (!items.some((item) => 'version' in item)) return
  const versions = await loadVersions(
    ctx.db,
    rows.flatMap((row) => row.version_id ?? []),
  )
  for (const [index, item] of items.entries()) {
    const version = versions.get(rows[index]?.version_id ?? '')
    item.version = version ? shown(ctx, rows[index], version) : null
  }
}

const versionsSpec: ListSpec = {
  id: 'app_versions.id',
  columns: {
    id: { ref: 'app_versions.id', type: 'text' },
    kernel: { ref: 'app_versions.kernel', type: 'text' },
    created_at: { ref: 'app_versions.created_at', type: 'time' },
  },
  search: [],
}

export const listVersions = async (
  ctx: Ctx<Actor>,
  appId: string,
  request: ListRequest,
): Promise<Page<Partial<AppVersion>>> => {
  const app = await assertReadable(ctx, await store.findApp(ctx.db, appId), 'app')
  return runList(store.selectVersions(ctx.db, app.id), {
    db: ctx.db,
    spec: versionsSpec,
    request,
    toItem: (row) => shown(ctx, app, toVersion(row)),
    notice: ctx.notice,
  })
}

export const getVersion = async (ctx: Ctx<Actor>, appId: string, versionId: string): Promise<AppVersion> => {
  const app = await assertReadable(ctx, await store.findApp(ctx.db, appId), 'app')
  const version = await versionOf(ctx, app, versionId)
  if (!version) throw fail('not_found', 'Version not found')
  return shown(ctx, app, version)
}

/** The version that a task ran, even if its app was deleted. Access is checked with the app (`appSummaries`). */
export const versionSummary = async (ctx: Ctx<Actor>, versionId: string): Promise<AppVersion | null> => {
  const version = await loadVersion(ctx.db, versionId)
  return version ? withoutEnv(versionDto(version)) : null
}

/**
 * The apps of a page of tasks or of a graph, without their versions, in one query. Apps that the caller may not read
 * are omitted. Administrator access does not count here, because it must be audited per app.
 */
export const appSummaries = async (ctx: Ctx<Actor>, appIds: readonly string[]): Promise<Map<string, App>> => {
  const ids = [...new Set(appIds)].filter((id) => id !== '')
  if (ids.length === 0) return new Map()
  const reader = readerWith(ctx.actor, 'apps:read')
  const rows = await store.findAppsByIds(ctx.db, ids)
  return new Map(rows.filter((row) => mayRead(reader, row) === 'yes').map((row) => [row.id, appDto(row, null)]))
}
