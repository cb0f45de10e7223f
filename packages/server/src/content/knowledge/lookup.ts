// Finds entries and skills by id, by ref and in lists, and their versions. Read-only.
import type { ListRequest, Page } from '@millrace/contract/common'
import {
  inlineContentMaxBytes,
  type Knowledge,
  type KnowledgeVersion,
  type Skill,
  type SkillVersion,
} from '@millrace/contract/knowledge'
import { parseRef } from '@millrace/contract/refs'
import { requirePolicy } from '#accounts/usage-policies/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, notFound } from '#platform/core/errors.ts'
import { runList } from '#platform/tenancy/list/list.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import { columnsOf, type ListSpec, namedColumns } from '#platform/tenancy/list/spec.ts'
import { assertReadable, listedWith, listReach } from '#platform/tenancy/private-access.ts'
import { entryDto, filesOf, type Links, skillDto, skillVersionDto, versionDto } from './dto.ts'
import * as store from './store.ts'
import * as versions from './versions-store.ts'

/** An entry with one of its versions. */
export type EntryAtVersion = { row: store.EntryRow; version: versions.VersionRow }

/** How an entry appears on the wire: as knowledge or as a skill. */
export type WireForm<Item, Version> = {
  resource: 'knowledge' | 'skill'
  admits: (row: store.EntryRow) => boolean
  item: (links: Links, row: store.EntryRow, version: versions.VersionRow | undefined) => Item
  version: (links: Links, row: versions.VersionRow, lifecycle: store.EntryRow['lifecycle']) => Version
}

export const asEntry: WireForm<Knowledge, KnowledgeVersion> = {
  resource: 'knowledge',
  admits: () => true,
  item: entryDto,
  version: versionDto,
}

export const asSkill: WireForm<Skill, SkillVersion> = {
  resource: 'skill',
  admits: (row) => row.type === 'skill',
  item: skillDto,
  version: skillVersionDto,
}

export type AnyWireForm = Pick<WireForm<unknown, unknown>, 'resource' | 'admits'>

const readable = async (
  ctx: Ctx<Actor>,
  form: AnyWireForm,
  row: store.EntryRow | undefined,
): Promise<store.EntryRow> => {
  const entry = await assertReadable(ctx, row && form.admits(row) ? row : undefined, form.resource)
  await requirePolicy(ctx, 'knowledge', entry)
  return entry
}

const versionOf = async (ctx: Ctx<Actor>, row: store.EntryRow, pin: string | null): Promise<EntryAtVersion> => {
  const version = await versions.findVersion(ctx.db, row.id, pin ?? row.version_id)
  if (!version) throw fail('not_found', 'Version not found')
  return { row, version }
}

export const findReadable = async (ctx: Ctx<Actor>, form: AnyWireForm, id: string): Promise<store.EntryRow> =>
  readable(ctx, form, await store.findEntry(ctx.db, id))

export const find = async (ctx: Ctx<Actor>, form: AnyWireForm, id: string): Promise<EntryAtVersion> =>
  versionOf(ctx, await findReadable(ctx, form, id), null)

/** `name` may pin a version, as in `name@version`. */
export const findByRef = async (
  ctx: Ctx<Actor>,
  form: AnyWireForm,
  namespace: string,
  name: string,
): Promise<EntryAtVersion> => {
  const ref = parseRef(`${namespace}/${name}`)
  if (!ref || ref.function !== null) throw notFound(form.resource)
  const row = await readable(ctx, form, await store.findEntryByRef(ctx.db, namespace, ref.name))
  return versionOf(ctx, row, ref.version)
}

export const findVersion = async (
  ctx: Ctx<Actor>,
  form: AnyWireForm,
  id: string,
  versionId: string,
): Promise<EntryAtVersion> => versionOf(ctx, await findReadable(ctx, form, id), versionId)

export const findVersionByRef = async (
  ctx: Ctx<Actor>,
  form: AnyWireForm,
  ref: { namespace: string; name: string; versionId: string },
): Promise<EntryAtVersion> => {
  const row = await readable(ctx, form, await store.findEntryByRef(ctx.db, ref.namespace, ref.name))
  return versionOf(ctx, row, ref.versionId)
}

/** The texts of a version by path, main content first. */
export const textsOf = async (ctx: Ctx<Actor>, { version }: EntryAtVersion) => {
  const files = filesOf(version)
  const contents = await versions.findContents(
    ctx.db,
    version.knowledge_id,
    files.map((file) => file.hash),
  )
  return files.map((file) => ({ ...file, content: contents.get(file.hash) ?? '' }))
}

/** Adds the main text to the answer unless it is too long; it is never truncated. */
export const withContent = async (ctx: Ctx<Actor>, found: EntryAtVersion): Promise<Knowledge> => {
  const entry = entryDto(ctx, found.row, found.version)
  const [main] = filesOf(found.version)
  if (main.size > inlineContentMaxBytes) {
    const message = `The content has ${main.size} bytes; read it at version.content.uri`
    ctx.notice({ level: 'warning', code: 'content_too_large', message, meta: { size: main.size } })
    return entry
  }
  const contents = await versions.findContents(ctx.db, found.row.id, [main.hash])
  if (entry.version) entry.version.content.content = contents.get(main.hash) ?? ''
  return entry
}

const column = columnsOf('knowledge')

const listSpec: ListSpec = {
  id: 'knowledge.id',
  columns: {
    ...namedColumns('knowledge'),
    description: column('description'),
    type: column('type'),
    lifecycle: column('lifecycle'),
    category: column('category'),
    uses: column('uses', 'number'),
    installs: column('installs', 'number'),
  },
  search: ['namespace', 'name', 'title', 'description'],
}

type Listed = { id: string; user_id: string; team_id: string; version?: unknown }

export const list = async <Item extends Listed>(
  ctx: Ctx<Actor>,
  form: WireForm<Item, Item['version']>,
  request: ListRequest,
): Promise<Page<Partial<Item>>> => {
  const reach = await listReach(ctx, request, form.resource)
  const seen = store.selectEntries(ctx.db).where(listedWith(ctx.actor, 'knowledge', reach, request.permissions))
  return runOwnedList(form.resource === 'skill' ? seen.where('knowledge.type', '=', 'skill') : seen, {
    db: ctx.db,
    spec: listSpec,
    request,
    toItem: (row) => form.item(ctx, row, undefined),
    notice: ctx.notice,
    embed: async (rows, items) => {
      if (rows.length === 0 || (request.fields?.length && !request.fields.includes('version'))) return
      const found = await versions.findVersions(
        ctx.db,
        rows.map((row) => row.version_id),
      )
      const byId = new Map(found.map((version) => [version.id, version]))
      for (const [index, item] of items.entries()) {
        const row = rows[index]
        const version = row && byId.get(row.version_id)
        if (version) item.version = form.version(ctx, version, row.lifecycle)
      }
    },
  })
}

const versionsSpec: ListSpec = {
  id: 'knowledge_versions.id',
  columns: {
    id: { ref: 'knowledge_versions.id', type: 'text' },
    content_hash: { ref: 'knowledge_versions.content_hash', type: 'text' },
    mutation_type: { ref: 'knowledge_versions.mutation_type', type: 'text' },
    created_at: { ref: 'knowledge_versions.created_at', type: 'time' },
  },
  search: [],
}

export const listVersions = async <Version extends { id: string }>(
  ctx: Ctx<Actor>,
  form: WireForm<unknown, Version>,
  id: string,
  request: ListRequest,
): Promise<Page<Partial<Version>>> => {
  const row = await findReadable(ctx, form, id)
  return runList(versions.selectVersions(ctx.db, row.id), {
    db: ctx.db,
    spec: versionsSpec,
    request,
    toItem: (version) => form.version(ctx, version, row.lifecycle),
    notice: ctx.notice,
  })
}
