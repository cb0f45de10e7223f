// All changes of an app except deployments.
import type { App, AppVisibility, SetAppStatus, UpdateApp } from '@millrace/contract/apps'
import { newId } from '@millrace/contract/ids'
import { requireWithinLimit } from '#accounts/plans/service.ts'
import { underFreeName } from '#platform/core/copies.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { assertDescription } from '#platform/core/description.ts'
import { fail } from '#platform/core/errors.ts'
import { readerWith } from '#platform/core/scope-checks.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { getOwnTeam, takenNames, transferTo } from '#platform/tenancy/named-rows.ts'
import { assertMayWiden, assertReadable, assertWritable } from '#platform/tenancy/private-access.ts'
import type { TeamRef } from '#platform/tenancy/team-refs.ts'
import { assertArtifactUsable } from './artifacts.ts'
import { checkedTags, editedColumns, imagesJson } from './deploy.ts'
import { notifyLists } from './events.ts'
import { withVersion } from './lookup.ts'
import * as store from './store.ts'
import { sortUpdateKeys } from './update-keys.ts'
import { artifactOf } from './version-input.ts'
import { loadVersion } from './versions.ts'

type Change = Parameters<typeof store.updateApp>[2]

/**
 * Locks the app, applies the change returned by `decide` and writes an audit event. Null means that nothing changes.
 */
const change = (
  ctx: Ctx,
  id: string,
  decide: (
    ctx: Ctx,
    app: store.AppRow,
  ) => Promise<{ set: Change; action: string; meta?: Record<string, unknown> } | null>,
): Promise<App> =>
  ctx.tx(async (ctx) => {
    const app = await assertWritable(ctx, await store.lockApp(ctx.db, id), 'app')
    const decided = await decide(ctx, app)
    if (!decided) return withVersion(ctx, app)
    await store.updateApp(ctx.db, app.id, { ...decided.set, updated_at: ctx.now().toISOString() })
    await audit(ctx, decided.action, app, decided.meta)
    // Also notify users who just lost access.
    if (decided.set.visibility) notifyLists(ctx, app)
    return saved(ctx, app.id)
  })

const audit = (ctx: Ctx, action: string, app: store.AppRow, meta: Record<string, unknown> = {}) =>
  recordAudit(ctx, action, { resourceType: 'app', resourceId: app.id, teamId: app.team_id, meta })

const saved = async (ctx: Ctx, id: string): Promise<App> => {
  const row = await store.findApp(ctx.db, id)
  if (!row) throw fail('internal_error', { cause: new Error('The app disappeared after its update') })
  notifyLists(ctx, row)
  return withVersion(ctx, row)
}

const assertKeys = (ctx: Ctx, body: UpdateApp, unknownAllowed: boolean): void => {
  const keys = sortUpdateKeys(body)
  if (!unknownAllowed && keys.unknown.length > 0)
    throw fail('validation_error', `Unknown field: ${keys.unknown.slice(0, 10).join(', ')}`)
  if (keys.editable.length === 0) throw fail('invalid_request', 'The body contains no field that can be changed')
  for (const field of keys.ignored)
    ctx.notice({
      level: 'warning',
      code: 'ignored_field',
      message: `${field} was not changed: it has its own endpoint`,
      meta: { field },
    })
}

/** PATCH: omitted fields stay unchanged. */
export const patch = (ctx: Ctx, id: string, body: UpdateApp): Promise<App> => {
  assertKeys(ctx, body, false)
  return change(ctx, id, async (_ctx, app) => {
    if (body.description !== undefined) assertDescription(body.description, app.description)
    const tags = body.tags === undefined ? {} : { tags: checkedTags(body.tags) }
    return { set: { ...editedColumns(body), ...tags }, action: 'app.updated' }
  })
}

/** POST: omitted fields are cleared, except tags. */
export const replace = (ctx: Ctx, id: string, body: UpdateApp): Promise<App> => {
  assertKeys(ctx, body, true)
  return change(ctx, id, async (_ctx, app) => {
    const { title = '', description = '', agent_description = '', images = {} } = body
    assertDescription(description, app.description)
    const tags = body.tags === undefined ? {} : { tags: checkedTags(body.tags) }
    const set = { title, description, agent_description, category: body.category || ('other' as const), ...tags }
    return { set: { ...set, images: imagesJson(images) }, action: 'app.updated' }
  })
}

export const promote = (ctx: Ctx, id: string, versionId: string): Promise<App> =>
  change(ctx, id, async (ctx, app) => {
    const version = await store.findVersion(ctx.db, app.id, versionId)
    if (!version) throw fail('not_found', 'Version not found')
    if (version.id === app.version_id) return null
    return {
      set: { version_id: version.id },
      action: 'app.version_promoted',
      meta: { from: app.version_id ?? '', to: version.id },
    }
  })

export const setStatus = (ctx: Ctx, id: string, { status, message = '' }: SetAppStatus): Promise<App> =>
  change(ctx, id, async (ctx, app) => ({
    set: {
      status,
      status_message: message,
      ...(status === app.status ? {} : { status_changed_at: ctx.now().toISOString() }),
    },
    action: 'app.status_changed',
    meta: { from: app.status, to: status },
  }))

export const setVisibility = (ctx: Ctx, id: string, visibility: AppVisibility): Promise<App> =>
  change(ctx, id, async (ctx, app) => {
    if (app.visibility === visibility) return null
    assertMayWiden(ctx, app, visibility)
    if (app.visibility === 'public') await requireWithinLimit(ctx, 'private_apps', { teamId: app.team_id })
    const version = app.version_id === null ? undefined : await loadVersion(ctx.db, app.version_id)
    if (version) await assertArtifactUsable(ctx, artifactOf(version.metadata), visibility)
    return { set: { visibility }, action: 'app.visibility_changed', meta: { from: app.visibility, to: visibility } }
  })

export const remove = (ctx: Ctx, id: string): Promise<{ success: boolean }> =>
  ctx.tx(async (ctx) => {
    const app = await assertWritable(ctx, await store.lockApp(ctx.db, id), 'app')
    const now = ctx.now().toISOString()
    await store.updateApp(ctx.db, app.id, { deleted_at: now, updated_at: now })
    await audit(ctx, 'app.deleted', app, { ref: `${app.namespace}/${app.name}` })
    notifyLists(ctx, app)
    return { success: true }
  })

/** The app keeps its id, name and versions; its namespace becomes that of the new workspace. */
export const transfer = (ctx: Ctx, id: string, teamId: string): Promise<App> =>
  ctx.tx(async (ctx) => {
    const app = await assertWritable(ctx, await store.lockApp(ctx.db, id), 'app')
    const target = await transferTo(ctx, 'apps', {
      row: app,
      teamId,
      assertRoom: async ({ id }) => {
        if (app.visibility !== 'public') await requireWithinLimit(ctx, 'private_apps', { teamId: id })
      },
      move: (to) => store.moveApp(ctx.db, app.id, to),
    })
    if (!target) return withVersion(ctx, app)
    await audit(ctx, 'app.transferred', app, { from: app.team_id, to: target.id })
    notifyLists(ctx, app)
    return saved(ctx, app.id)
  })

/**
 * Creates a private app in the caller's workspace with a copy of the active version. The environment is not copied from
 * another workspace, because the caller may not read it there.
 */
export const duplicate = (ctx: Ctx, id: string): Promise<App> =>
  ctx.tx(async (ctx) => {
    const reader = ctx.as(readerWith(ctx.actor, 'apps:read'))
    const source = await assertReadable(reader, await store.findApp(ctx.db, id), 'app')
    const team = await getOwnTeam(ctx)
    await requireWithinLimit(ctx, 'private_apps')
    const copyId = await insertCopy(ctx, source, team)
    if (source.version_id !== null) {
      const now = ctx.now().toISOString()
      const copied = { from: source.version_id, id: newId(), appId: copyId, createdBy: ctx.actor.userId, now }
      const version = await store.copyVersion(ctx.db, { ...copied, withEnv: source.team_id === team.id })
      await store.updateApp(ctx.db, copyId, { version_id: version.id })
    }
    await recordAudit(ctx, 'app.duplicated', { resourceType: 'app', resourceId: copyId, meta: { from: source.id } })
    return saved(ctx, copyId)
  })

const insertCopy = (ctx: Ctx, source: store.AppRow, team: TeamRef): Promise<string> => {
  const now = ctx.now().toISOString()
  const copy = {
    id: newId(),
    team_id: team.id,
    user_id: ctx.actor.userId,
    namespace: team.username,
    title: source.title,
    description: source.description,
    agent_description: source.agent_description,
    category: source.category,
    tags: source.tags,
    images: JSON.stringify(source.images),
    created_at: now,
    updated_at: now,
  }
  return underFreeName(
    source.name,
    (names) => takenNames(ctx.db, 'apps', team.username, names),
    async (name) => ((await store.insertApp(ctx.db, { ...copy, name })) ? copy.id : null),
  )
}
