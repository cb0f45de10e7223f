// Creates runnable versions: published versions, the app that is deployed from a flow, and drafts that are frozen
// because they run before anything was published.
import type { App } from '@millrace/contract/apps'
import type { DeployFlow, Flow } from '@millrace/contract/flows'
import { newId } from '@millrace/contract/ids'
import { deployApp, getApp } from '#execution/apps/service.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { requireScope } from '#platform/core/scope-checks.ts'
import { wireTime } from '#platform/core/times.ts'
import type { Db } from '#platform/db/database.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { assertWritable } from '#platform/tenancy/private-access.ts'
import { lockedDraft } from './edit.ts'
import { flowDetails } from './lookup.ts'
import * as store from './store.ts'
import { flowSubject, notifyLists } from './subjects.ts'

/** An immutable copy of the draft. */
const publishDraft = async (ctx: Ctx, flow: store.FlowRow): Promise<store.VersionRow> => {
  const draft = await lockedDraft(ctx, flow.id)
  const now = wireTime(ctx.now())
  const version = {
    id: newId(),
    flow_id: flow.id,
    graph_version: draft.graph_version,
    graph: draft.graph,
    frozen: true,
    created_at: now,
    updated_at: now,
  }
  await store.insertVersion(ctx.db, { ...version, created_by: ctx.actor.userId })
  await store.updateFlow(ctx.db, flow.id, { published_version_id: version.id, updated_at: now })
  await recordAudit(ctx, 'flow.published', {
    resourceType: 'flow',
    resourceId: flow.id,
    teamId: flow.team_id,
    meta: { version_id: version.id },
  })
  ctx.emit({ subject: flowSubject(flow.id), data: { changed: true } })
  notifyLists(ctx, flow)
  return version
}

export const publish = (ctx: Ctx, id: string): Promise<Flow> =>
  ctx.tx(async (ctx) => {
    const flow = await assertWritable(ctx, await store.lockFlow(ctx.db, id), 'flow')
    const version = await publishDraft(ctx, flow)
    return flowDetails(ctx, { ...flow, published_version_id: version.id, updated_at: version.updated_at })
  })

/** The app runs the version that is published here; each deployment adds a version to the app. */
export const deploy = (ctx: Ctx, id: string, body: DeployFlow): Promise<App> =>
  ctx.tx(async (ctx) => {
    requireScope(ctx.actor, 'apps:write')
    const flow = await assertWritable(ctx, await store.lockFlow(ctx.db, id), 'flow')
    if (flow.team_id !== ctx.actor.teamId) throw fail('forbidden', 'A flow can only be deployed from its own workspace')
    const version = await publishDraft(ctx, flow)
    const found = await deployedApp(ctx, flow)
    const { input_schema, output_schema } = version.graph
    const description = body.description ?? (found ? undefined : flow.description)
    const app = await deployApp(
      ctx,
      {
        ...(found && { id: found.id }),
        name: body.name || found?.name || flow.name,
        ...(found ? {} : { title: flow.title }),
        ...(description === undefined ? {} : { description }),
        ...(body.category || !found ? { category: body.category || 'flow' } : {}),
        preserve_current_version: body.preserve_current_version ?? false,
        version: { functions: { run: { input_schema, output_schema } } },
      },
      { flowVersionId: version.id },
    )
    if (app.id !== flow.app_id) await store.updateFlow(ctx.db, flow.id, { app_id: app.id })
    return app
  })

/** Null if the flow was never deployed or its app is deleted. */
const deployedApp = async (ctx: Ctx, flow: store.FlowRow): Promise<App | null> => {
  if (flow.app_id === null) return null
  try {
    return await getApp(ctx, flow.app_id)
  } catch (error) {
    if (isFailure(error, 'not_found')) return null
    throw error
  }
}

/** An immutable version and the number of its graph. */
export type RunVersion = { id: string; graphVersion: number }

/** The version for a run of this flow: the pinned one, else the published one, else the draft. */
export const versionForRun = async (db: Db, flow: store.FlowRow, pin: string | undefined): Promise<RunVersion> => {
  const pinned = pin ? await store.findVersionOfFlow(db, flow.id, pin) : undefined
  if (pin && !pinned) throw fail('not_found', 'Version not found')
  return frozenVersion(db, pinned?.id ?? flow.published_version_id ?? flow.draft_version_id)
}

export const frozenVersion = async (db: Db, id: string): Promise<RunVersion> => {
  const found = await store.findGraphVersion(db, id)
  if (!found) throw fail('not_found', 'Version not found')
  if (found.frozen) return { id, graphVersion: found.graph_version }
  const graphVersion = await store.freezeVersion(db, id)
  // Another transaction froze it meanwhile.
  return graphVersion === undefined ? frozenVersion(db, id) : { id, graphVersion }
}
