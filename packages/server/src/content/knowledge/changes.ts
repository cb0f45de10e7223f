// Every change of an entry, as knowledge or as a skill.
import type { Visibility } from '@millrace/contract/common'
import { newId } from '@millrace/contract/ids'
import type { CreateKnowledge, KnowledgeType, UpdateKnowledge } from '@millrace/contract/knowledge'
import { requireWithinLimit } from '#accounts/plans/service.ts'
import { requirePolicy } from '#accounts/usage-policies/service.ts'
import { rowUpdate, teamSubject } from '#platform/bus/subjects.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { assertDescription, descriptionLimit, skillDescriptionLimit } from '#platform/core/description.ts'
import { fail } from '#platform/core/errors.ts'
import { assertUnchanged } from '#platform/core/etags.ts'
import { readerWith } from '#platform/core/scope-checks.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { getOwnTeam, transferTo } from '#platform/tenancy/named-rows.ts'
import { assertWritable } from '#platform/tenancy/private-access.ts'
import type { TeamRef } from '#platform/tenancy/team-refs.ts'
import { mayRead } from '#platform/tenancy/visibility.ts'
import { assertWidening } from '#platform/tenancy/widening.ts'
import { type AnyWireForm, asEntry, asSkill, type EntryAtVersion } from './lookup.ts'
import { nameProblem, namespaceProblem } from './names.ts'
import { type VersionInput, writeVersion } from './new-version.ts'
import * as store from './store.ts'
import * as versions from './versions-store.ts'

type IfMatch = string | string[] | undefined

export const audit = (
  ctx: Ctx,
  action: string,
  entry: { id: string; team_id: string },
  meta: Record<string, unknown> = {},
) =>
  recordAudit(ctx, `knowledge.${action}`, {
    resourceType: 'knowledge',
    resourceId: entry.id,
    teamId: entry.team_id,
    meta,
  })

/** Notifies the readers of the entry in its workspace that their lists have changed. */
const notifyLists = (ctx: Ctx, entry: store.EntryRow): void =>
  ctx.emit({ subject: teamSubject(entry.team_id), data: rowUpdate('knowledge', entry, {}, 'knowledge:read') })

/** The entry in its current state. No visibility check, because a caller who may write may read. */
const current = async (ctx: Ctx, id: string): Promise<EntryAtVersion> => {
  const row = await store.findEntry(ctx.db, id)
  const version = row && (await versions.findVersion(ctx.db, row.id, row.version_id))
  if (!row || !version) throw fail('internal_error', { cause: new Error('A changed entry does not exist') })
  return { row, version }
}

/** Returns the written entry and notifies the readers of lists. */
export const saved = async (ctx: Ctx, id: string): Promise<EntryAtVersion> => {
  const found = await current(ctx, id)
  notifyLists(ctx, found.row)
  return found
}

const writable = async (ctx: Ctx, form: AnyWireForm, id: string): Promise<store.EntryRow> => {
  const row = await store.lockEntry(ctx.db, id)
  return assertWritable(ctx, row && form.admits(row) ? row : undefined, form.resource)
}

const assertTexts = (type: KnowledgeType, description: string, stored?: string): void => {
  if (description.trim() === '') throw fail('validation_error', 'description must not be empty')
  assertDescription(description, stored, type === 'skill' ? skillDescriptionLimit : descriptionLimit)
}

export type NewEntry = {
  name: string
  description: string
  title?: string
  repo_url?: string
  category?: string
  type: KnowledgeType
  lifecycle?: store.EntryRow['lifecycle']
  parent?: { id: string; versionId: string }
  version: VersionInput
}

/** Throws `name_conflict` if an entry that is not deleted has the name. Must run in a transaction. */
export const insertNew = async (ctx: Ctx, team: TeamRef, entry: NewEntry): Promise<string> => {
  const id = newId()
  const version = await writeVersion(ctx, { id, description: entry.description }, entry.version)
  const now = ctx.now().toISOString()
  const inserted = await store.insertEntry(ctx.db, {
    id,
    team_id: team.id,
    user_id: ctx.actor.userId,
    namespace: team.username,
    name: entry.name,
    title: entry.title ?? '',
    description: entry.description,
    type: entry.type,
    lifecycle: entry.lifecycle ?? 'permanent',
    version_id: version.id,
    content_hash: version.content_hash,
    repo_url: entry.repo_url ?? '',
    category: entry.category ?? '',
    parent_id: entry.parent?.id ?? null,
    parent_version_id: entry.parent?.versionId ?? null,
    created_at: now,
    updated_at: now,
  })
  if (!inserted) throw fail('name_conflict', `Another entry has the name ${team.username}/${entry.name}`)
  await version.link(ctx)
  return id
}

/** Must run in a transaction. */
export const createEntry = async (ctx: Ctx, team: TeamRef, entry: NewEntry): Promise<EntryAtVersion> => {
  const problem = nameProblem(entry.name) ?? namespaceProblem(team.username)
  if (problem) throw fail('validation_error', problem)
  assertTexts(entry.type, entry.description)
  await requireWithinLimit(ctx, 'knowledge_bases')
  const id = await insertNew(ctx, team, entry)
  await audit(ctx, 'created', { id, team_id: team.id }, { ref: `${team.username}/${entry.name}`, type: entry.type })
  return saved(ctx, id)
}

/** The version fields of a body. Others are ignored: fields of skills have operations of their own. */
const versionIn = (version: NonNullable<UpdateKnowledge['version']>): VersionInput => ({
  content: version.content,
  files: version.files,
  description: version.description,
  tags: version.tags,
  scope: version.scope,
  metadata: version.metadata,
  origin: version.origin,
  generated_by: version.generated_by,
  source_url: version.source_url,
  mutation_type: version.mutation_type,
  version_notes: version.version_notes,
})

export const create = (
  ctx: Ctx,
  { type = 'observation', version, ...body }: CreateKnowledge,
): Promise<EntryAtVersion> =>
  ctx.tx(async (ctx) => createEntry(ctx, await getOwnTeam(ctx), { ...body, type, version: versionIn(version) }))

export const changeIn = ({ version, ...body }: UpdateKnowledge): EntryChange => ({
  ...body,
  version: version && versionIn(version),
})

export type EntryChange = Omit<UpdateKnowledge, 'version'> & {
  category?: string
  parent?: { id: string; versionId: string }
  version?: VersionInput
}

/**
 * Must run in a transaction that has locked the entry. Every update creates a version; omitted fields keep their
 * values.
 */
export const changeEntry = async (ctx: Ctx, entry: store.EntryRow, change: EntryChange): Promise<EntryAtVersion> => {
  const { title, repo_url, category, lifecycle, type = entry.type, description = entry.description } = change
  assertTexts(type, description, entry.description)
  const previous = await versions.findVersion(ctx.db, entry.id, entry.version_id)
  const version = await writeVersion(ctx, { id: entry.id, description }, change.version ?? {}, previous)
  await store.updateEntry(ctx.db, entry.id, {
    description,
    type,
    title,
    repo_url,
    category,
    lifecycle,
    ...(change.parent ? { parent_id: change.parent.id, parent_version_id: change.parent.versionId } : {}),
    version_id: version.id,
    content_hash: version.content_hash,
    updated_at: ctx.now().toISOString(),
  })
  await version.link(ctx)
  await audit(ctx, 'updated', entry, { version_id: version.id })
  return saved(ctx, entry.id)
}

/** `toChange` reads the body after the permission check. */
export const update = (
  ctx: Ctx,
  form: AnyWireForm,
  id: string,
  toChange: (ctx: Ctx, entry: store.EntryRow) => Promise<EntryChange> | EntryChange,
  ifMatch: IfMatch,
): Promise<EntryAtVersion> =>
  ctx.tx(async (ctx) => {
    const entry = await writable(ctx, form, id)
    // Reads answer with the hash of the content; the version id also distinguishes versions with equal content.
    assertUnchanged(ifMatch, [entry.content_hash, entry.version_id])
    return changeEntry(ctx, entry, await toChange(ctx, entry))
  })

/** Resets the age of a decaying entry without a new version. */
export const confirm = (ctx: Ctx, id: string): Promise<EntryAtVersion> =>
  ctx.tx(async (ctx) => {
    const entry = await writable(ctx, asEntry, id)
    if (entry.lifecycle !== 'decay') throw fail('invalid_state', 'Only an entry with lifecycle decay can be confirmed')
    const now = ctx.now().toISOString()
    await versions.confirmVersion(ctx.db, entry.version_id, now)
    await store.updateEntry(ctx.db, entry.id, { updated_at: now })
    await audit(ctx, 'confirmed', entry)
    return saved(ctx, entry.id)
  })

export const remove = (ctx: Ctx, form: AnyWireForm, id: string): Promise<{ success: boolean }> =>
  ctx.tx(async (ctx) => {
    const entry = await writable(ctx, form, id)
    const now = ctx.now().toISOString()
    await store.updateEntry(ctx.db, entry.id, { deleted_at: now, updated_at: now })
    await audit(ctx, 'deleted', entry, { ref: `${entry.namespace}/${entry.name}` })
    notifyLists(ctx, entry)
    return { success: true }
  })

export const setVisibility = (
  ctx: Ctx,
  form: AnyWireForm,
  id: string,
  visibility: Visibility,
): Promise<EntryAtVersion> =>
  ctx.tx(async (ctx) => {
    const entry = await writable(ctx, form, id)
    if (entry.visibility === visibility) return current(ctx, entry.id)
    assertWidening(ctx, entry, visibility)
    await store.updateEntry(ctx.db, entry.id, { visibility, updated_at: ctx.now().toISOString() })
    await audit(ctx, 'visibility_changed', entry, { from: entry.visibility, to: visibility })
    // Also notify users who just lost access.
    notifyLists(ctx, entry)
    return saved(ctx, entry.id)
  })

/** The entry keeps its id, name and versions and moves to the namespace of the new workspace. */
export const transfer = (ctx: Ctx, form: AnyWireForm, id: string, teamId: string): Promise<EntryAtVersion> =>
  ctx.tx(async (ctx) => {
    const entry = await writable(ctx, form, id)
    const target = await transferTo(ctx, 'knowledge', {
      row: entry,
      teamId,
      assertRoom: ({ id }) => requireWithinLimit(ctx, 'knowledge_bases', { teamId: id }),
      move: (to) => store.moveEntry(ctx.db, entry.id, to),
    })
    if (!target) return current(ctx, entry.id)
    await audit(ctx, 'transferred', entry, { from: entry.team_id, to: target.id })
    notifyLists(ctx, entry)
    return saved(ctx, entry.id)
  })

/** Checks the parent of a fork: a skill that the caller may read with the skill scopes, and one of its versions. */
export const assertParent = async (
  ctx: Ctx,
  { parent_skill_id, parent_version_id }: { parent_skill_id?: string; parent_version_id?: string },
): Promise<{ id: string; versionId: string } | undefined> => {
  if (!parent_skill_id) return undefined
  const row = await store.findEntry(ctx.db, parent_skill_id)
  const isReadable = row && asSkill.admits(row) && mayRead(readerWith(ctx.actor, 'knowledge:read'), row) === 'yes'
  if (!isReadable) throw fail('validation_error', 'parent_skill_id is not a skill that you may read')
  await requirePolicy(ctx, 'knowledge', row)
  const version = await versions.findVersion(ctx.db, row.id, parent_version_id || row.version_id)
  if (!version) throw fail('validation_error', 'parent_version_id is not a version of the parent')
  return { id: row.id, versionId: version.id }
}
