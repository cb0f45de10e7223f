// Deployment: registers apps and versions. An existing ref of the own namespace gets a new version; a new ref creates
// an app.
import type { App, AppVisibility, DeployApp } from '@millrace/contract/apps'
import { newId } from '@millrace/contract/ids'
import type { Updateable } from 'kysely'
import { requireWithinLimit } from '#accounts/plans/service.ts'
import { isPlatformAdmin } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { assertDescription } from '#platform/core/description.ts'
import { fail } from '#platform/core/errors.ts'
import type { Database } from '#platform/db/schema.gen.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { getOwnTeam } from '#platform/tenancy/named-rows.ts'
import { assertPublishable, assertWritable } from '#platform/tenancy/private-access.ts'
import { findTeamByUsername, type TeamRef } from '#platform/tenancy/team-refs.ts'
import { assertArtifactUsable } from './artifacts.ts'
import { bundleChecksum } from './bundles.ts'
import { appDto, toVersion, versionDto } from './dto.ts'
import { notifyLists } from './events.ts'
import { withVersion } from './lookup.ts'
import { nameProblem, namespaceProblem } from './names.ts'
import * as store from './store.ts'
import { readTags, tagsOfMetadata } from './tags.ts'
import { artifactOf, type NewVersion, readVersion } from './version-input.ts'

export type DeployOptions = {
  /** The flow that the version runs instead of code. */
  flowVersionId?: string
  /** For a new app; an existing app keeps its visibility. */
  visibility?: AppVisibility
}

type DeployTarget = TeamRef & {
  /** A platform administrator chose a namespace other than the caller's. */
  chosen: boolean
}

export const deployApp = async (ctx: Ctx, input: DeployApp, options: DeployOptions = {}): Promise<App> => {
  const problem = nameProblem(input.name)
  if (problem) throw fail('validation_error', problem)
  const requestedTags = input.tags === undefined ? undefined : checkedTags(input.tags)
  const read = input.version ? readVersion(input.version, options.flowVersionId ?? null) : null
  const checksum = read?.version.repository ? await bundleChecksum(ctx, read.version.repository) : ''

  return ctx.tx(async (ctx) => {
    const target = await findDeployTarget(ctx, input.namespace)
    const { app, isNew } = input.id
      ? { app: await knownApp(ctx, input.id, input.name), isNew: false }
      : await appOfRef(ctx, target, input.name, options.visibility)
    if (input.description !== undefined) assertDescription(input.description, app.description)
    if (read) await assertArtifactUsable(ctx, artifactOf(read.version.metadata), app.visibility)

    const now = ctx.now().toISOString()
    const version = read ? await insertVersion(ctx, app.id, read.version, checksum, now) : null
    const staged = input.preserve_current_version === true && app.version_id !== null
    const promoted = version && !staged ? { version_id: version.id } : {}
    const metadataTags = read ? tagsOfMetadata(read.version.metadata.tags).tags : []
    const tags = requestedTags ?? (metadataTags.length > 0 ? metadataTags : undefined)
    await store.updateApp(ctx.db, app.id, {
      ...editedColumns(input),
      ...(tags === undefined ? {} : { tags }),
      ...promoted,
      updated_at: now,
    })
    await recordAudit(ctx, isNew ? 'app.created' : 'app.deployed', {
      resourceType: 'app',
      resourceId: app.id,
      teamId: app.team_id,
      meta: { ref: `${app.namespace}/${app.name}`, version_id: version?.id ?? '', staged },
    })
    const saved = await store.findApp(ctx.db, app.id)
    if (!saved) throw fail('internal_error', { cause: new Error('The app disappeared after its deployment') })
    notifyLists(ctx, saved)
    // The answer contains the registered version, even if it is not active.
    return version ? appDto(saved, versionDto(toVersion(version), read?.warnings ?? [])) : withVersion(ctx, saved)
  })
}

export const checkedTags = (requested: readonly string[]): string[] => {
  const tags = readTags(requested)
  if (!tags.ok) throw fail('validation_error', tags.problem)
  return tags.tags
}

/** The columns for the fields of the body; omitted fields stay unchanged. */
export const editedColumns = (
  input: Pick<DeployApp, 'title' | 'description' | 'agent_description' | 'category' | 'images'>,
): Updateable<Database['apps']> => ({
  ...(input.title === undefined ? {} : { title: input.title }),
  ...(input.description === undefined ? {} : { description: input.description }),
  ...(input.agent_description === undefined ? {} : { agent_description: input.agent_description }),
  ...(input.category ? { category: input.category } : {}),
  ...(input.images === undefined ? {} : { images: imagesJson(input.images) }),
})

export const imagesJson = ({ card = '', thumbnail = '', banner = '' }: NonNullable<DeployApp['images']>): string =>
  JSON.stringify({ card, thumbnail, banner })

const findDeployTarget = async (ctx: Ctx, namespace: string | undefined): Promise<DeployTarget> => {
  const own = await getOwnTeam(ctx)
  if (!namespace || namespace === own.username || !isPlatformAdmin(ctx.actor)) return { ...own, chosen: false }
  const problem = namespaceProblem(namespace)
  const team = problem ? undefined : await findTeamByUsername(ctx.db, namespace)
  if (!team) throw fail('validation_error', problem ?? `namespace: workspace ${namespace} not found`)
  return { ...team, chosen: true }
}

/** The name of an app never changes: a different name is either a mistake or belongs to another app. */
const knownApp = async (ctx: Ctx, id: string, name: string): Promise<store.AppRow> => {
  const app = await assertWritable(ctx, await store.lockApp(ctx.db, id), 'app')
  if (app.name === name) return app
  if (await store.findAppByRef(ctx.db, app.namespace, name))
    throw fail('name_conflict', `Another app has the name ${app.namespace}/${name}`)
  throw fail('validation_error', `name: this app is called ${app.name}, and names cannot be changed`)
}

const appOfRef = async (
  ctx: Ctx,
  target: DeployTarget,
  name: string,
  visibility: AppVisibility | undefined,
): Promise<{ app: store.AppRow; isNew: boolean }> => {
  const existing = await store.lockAppByRef(ctx.db, target.username, name)
  if (existing) return { app: await assertDeployable(ctx, target, existing), isNew: false }
  if (visibility !== 'public') await requireWithinLimit(ctx, 'private_apps', { teamId: target.id })
  const now = ctx.now().toISOString()
  // If another deployment inserts the same ref first, this statement waits for it and then deploys to that app.
  const isNew = await store.insertApp(ctx.db, {
    id: newId(),
    team_id: target.id,
    user_id: ctx.actor.userId,
    namespace: target.username,
    name,
    ...(visibility === undefined ? {} : { visibility }),
    created_at: now,
    updated_at: now,
  })
  const app = await store.lockAppByRef(ctx.db, target.username, name)
  if (!app) throw fail('name_conflict', `The app ${target.username}/${name} was deleted during the deployment`)
  return { app: isNew ? app : await assertDeployable(ctx, target, app), isNew }
}

const assertDeployable = (ctx: Ctx, target: DeployTarget, app: store.AppRow): store.AppRow | Promise<store.AppRow> =>
  target.chosen && app.team_id === target.id ? app : assertPublishable(ctx, app, 'app')

const insertVersion = (ctx: Ctx, appId: string, version: NewVersion, checksum: string, now: string) =>
  store.insertVersion(ctx.db, {
    id: newId(),
    app_id: appId,
    created_by: ctx.actor.userId,
    created_at: now,
    repository: version.repository,
    checksum,
    kernel: version.kernel,
    default_function: version.default_function,
    flow_version_id: version.flow_version_id,
    metadata: JSON.stringify(version.metadata),
    setup_schema: version.setup_schema === null ? null : JSON.stringify(version.setup_schema),
    functions: JSON.stringify(version.functions),
    variants: JSON.stringify(version.variants),
    env: JSON.stringify(version.env),
    resources: JSON.stringify(version.resources),
    required_secrets: JSON.stringify(version.required_secrets),
    required_credentials: JSON.stringify(version.required_credentials),
  })
