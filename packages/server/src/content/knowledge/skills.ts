// Skills: publishing, resolving and installing knowledge of type `skill`.
import type { UpdateSkillListing } from '@millrace/contract/apps'
import type { ListRequest, Page } from '@millrace/contract/common'
import type {
  PublishSkill,
  ResolvedSkill,
  SkillDownload,
  SkillOnly,
  StoreSkill,
  UpdateSkill,
} from '@millrace/contract/knowledge'
import { parseRef } from '@millrace/contract/refs'
import { type Actor, isMember } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { runList } from '#platform/tenancy/list/list.ts'
import type { ListSpec } from '#platform/tenancy/list/spec.ts'
import { getOwnTeam } from '#platform/tenancy/named-rows.ts'
import { assertPublishable } from '#platform/tenancy/private-access.ts'
import { findTeam } from '#platform/tenancy/team-refs.ts'
import { assertParent, audit, changeEntry, createEntry, type EntryChange, update } from './changes.ts'
import { listingDto } from './dto.ts'
import { parentsOf } from './lineage.ts'
import { isBelow } from './lineage-store.ts'
import { asSkill, type EntryAtVersion, findByRef, textsOf } from './lookup.ts'
import type { VersionInput } from './new-version.ts'
import * as store from './store.ts'

export const instructionsPath = 'SKILL.md'

const skillKeys = [
  'allowed_tools',
  'compatibility',
  'license',
  'context',
  'disable_model_invocation',
  'user_invocable',
] as const

const skillOnly = (body: UpdateSkill): SkillOnly =>
  Object.fromEntries(skillKeys.flatMap((key) => (body[key] === undefined ? [] : [[key, body[key]]])))

/** Instructions are a text, a file, or the file named SKILL.md in `files`. */
const splitInstructions = (body: UpdateSkill): Pick<VersionInput, 'content' | 'files'> => {
  const { instructions, files } = body
  if (typeof instructions === 'string') return { content: { path: instructionsPath, content: instructions }, files }
  if (instructions)
    return { content: { path: instructions.path ?? instructionsPath, content: instructions.content }, files }
  const main = files?.find((file) => file.path === instructionsPath)
  return main ? { content: main, files: files?.filter((file) => file !== main) } : { files }
}

const versionInput = (body: UpdateSkill): VersionInput => ({
  ...splitInstructions(body),
  tags: body.tags,
  metadata: body.metadata,
  source_url: body.source_url,
  version_notes: body.version_notes,
  skill: skillOnly(body),
})

const changeOf = async (ctx: Ctx, body: UpdateSkill, entry: store.EntryRow): Promise<EntryChange> => {
  const parent = await assertParent(ctx, body)
  if (parent && (await isBelow(ctx.db, parent.id, entry.id)))
    throw fail('validation_error', 'parent_skill_id is the skill itself or one of its descendants')
  const { description, repo_url, category } = body
  return { description, repo_url, category, parent, version: versionInput(body) }
}

/** If the workspace already has a skill of this name, the skill gets a new version. */
export const publish = (ctx: Ctx, body: PublishSkill): Promise<EntryAtVersion> =>
  ctx.tx(async (ctx) => {
    const team = await getOwnTeam(ctx)
    const existing = await store.lockEntryByRef(ctx.db, team.username, body.name)
    if (existing) {
      const entry = await assertPublishable(ctx, existing, 'skill')
      if (entry.type !== 'skill') throw fail('name_conflict', `${team.username}/${body.name} is not a skill`)
      return changeEntry(ctx, entry, await changeOf(ctx, body, entry))
    }
    const parent = await assertParent(ctx, body)
    const version = versionInput(body)
    if (!version.content) throw fail('invalid_request', 'instructions is required')
    const { name, description, repo_url, category } = body
    return createEntry(ctx, team, {
      name,
      description,
      repo_url,
      category,
      type: 'skill',
      parent,
      version: { ...version, mutation_type: parent ? 'fork' : 'create' },
    })
  })

export const updateSkill = (ctx: Ctx, id: string, body: UpdateSkill, ifMatch: string | string[] | undefined) =>
  update(ctx, asSkill, id, (ctx, entry) => changeOf(ctx, body, entry), ifMatch)

/** By `ns/name[@version]`, by a bare name in the caller's workspace, or by namespace and name. */
export const resolve = async (ctx: Ctx<Actor>, text: string, skill = ''): Promise<ResolvedSkill> => {
  const ref = parseRef(skill !== '' && !text.includes('/') ? `${text}/${skill}` : text)
  const named = ref && (ref.type === null || ref.type === 'skill' || ref.type === 'knowledge') ? ref : null
  const own = isMember(ctx.actor) ? await findTeam(ctx.db, ctx.actor.teamId) : undefined
  const namespace = named?.namespace ?? own?.username
  if (!named || namespace === undefined) throw fail('not_found', 'Skill not found')
  const found = await findByRef(ctx, asSkill, namespace, named.version ? `${named.name}@${named.version}` : named.name)
  const [main, ...files] = await textsOf(ctx, found)
  return {
    source: 'store',
    namespace: found.row.namespace,
    name: found.row.name,
    content: main?.content ?? '',
    ...(files.length > 0 ? { files } : {}),
  }
}

/** The complete skill, for installation. Counts as an install. */
export const download = async (ctx: Ctx<Actor>, namespace: string, name: string): Promise<SkillDownload> => {
  const found = await findByRef(ctx, asSkill, namespace, name)
  const { row, version } = found
  const files = await textsOf(ctx, found)
  const parents = await parentsOf(ctx, row)
  await store.countUse(ctx.db, row.id, 'installs')
  return {
    namespace: row.namespace,
    name: row.name,
    version: version.id,
    description: row.description,
    files,
    ...(version.source_url ? { source_url: version.source_url } : {}),
    mutation_type: version.mutation_type,
    ...(version.version_notes ? { version_notes: version.version_notes } : {}),
    ...(parents.length > 0 ? { parents } : {}),
  }
}

/** Only the instructions. Counts as a use. */
export const content = async (ctx: Ctx<Actor>, namespace: string, name: string): Promise<{ content: string }> => {
  const found = await findByRef(ctx, asSkill, namespace, name)
  const [main] = await textsOf(ctx, found)
  await store.countUse(ctx.db, found.row.id, 'uses')
  return { content: main?.content ?? '' }
}

const listingSpec: ListSpec = {
  id: 'knowledge.id',
  columns: {
    category: { ref: 'knowledge.category', type: 'text' },
    is_featured: { ref: 'knowledge.is_featured', type: 'boolean' },
    rank: { ref: 'knowledge.rank', type: 'number' },
    namespace: { ref: 'knowledge.namespace', type: 'text' },
    name: { ref: 'knowledge.name', type: 'text' },
    description: { ref: 'knowledge.description', type: 'text' },
    created_at: { ref: 'knowledge.created_at', type: 'time' },
  },
  search: ['namespace', 'name', 'description', 'category'],
  defaultSort: [
    { field: 'rank', dir: 'desc' },
    { field: 'created_at', dir: 'desc' },
  ],
}

/** The store: every public skill that has not been removed from it. */
export const listStore = (ctx: Ctx<Actor>, request: ListRequest): Promise<Page<Partial<StoreSkill>>> =>
  runList(store.selectListings(ctx.db), {
    db: ctx.db,
    spec: listingSpec,
    request,
    toItem: listingDto,
    notice: ctx.notice,
  })

/** Changes how the store shows a skill; for operators. A removed skill is found only by its own workspace. */
export const setListing = (ctx: Ctx, id: string, listing: UpdateSkillListing): Promise<StoreSkill> =>
  ctx.tx(async (ctx) => {
    const row = await store.lockEntry(ctx.db, id)
    if (!row || !asSkill.admits(row)) throw fail('not_found', 'Skill not found')
    const { is_featured, rank, delisted } = listing
    await store.updateEntry(ctx.db, row.id, { is_featured, rank, delisted, updated_at: ctx.now().toISOString() })
    await audit(ctx, 'listing_changed', row, listing)
    return listingDto(await store.findListing(ctx.db, row.id))
  })
