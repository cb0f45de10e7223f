// Every change of a flow except the actions on its graph.
import type { CreateFlow, Flow, FlowGraph, flowVisibilities, PatchFlow, ReplaceFlow } from '@millrace/contract/flows'
import { newId, shortId } from '@millrace/contract/ids'
import { hasRole } from '#platform/core/actor.ts'
import { underFreeName } from '#platform/core/copies.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import { assertDescription } from '#platform/core/description.ts'
import { fail } from '#platform/core/errors.ts'
import { readerWith } from '#platform/core/scope-checks.ts'
import { isDuplicate } from '#platform/db/violations.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { getOwnTeam, transferTo } from '#platform/tenancy/named-rows.ts'
import { assertReadable, assertWritable } from '#platform/tenancy/private-access.ts'
import type { TeamRef } from '#platform/tenancy/team-refs.ts'
import { isTooLarge, lockedDraft, saveDraft, tooLarge } from './edit.ts'
import { emptyGraph } from './graph/graph.ts'
import { readGraph } from './graph/whole-graph.ts'
import { flowDetails } from './lookup.ts'
import { nameProblem } from './names.ts'
import * as store from './store.ts'
import { flowSubject, notifyLists } from './subjects.ts'

export type FlowVisibility = (typeof flowVisibilities)[number]
type FlowChange = Parameters<typeof store.updateFlow>[2]

const audit = (ctx: Ctx, action: string, flow: { id: string; team_id: string }, meta: Record<string, unknown> = {}) =>
  recordAudit(ctx, action, { resourceType: 'flow', resourceId: flow.id, teamId: flow.team_id, meta })

const saved = async (ctx: Ctx, id: string): Promise<Flow> => {
  const row = await store.findFlow(ctx.db, id)
  if (!row) throw fail('internal_error', { cause: new Error('A changed flow does not exist') })
  notifyLists(ctx, row)
  return flowDetails(ctx, row)
}

/** Notifies the streams of the flow that something other than its graph has changed. */
const announce = (ctx: Ctx, id: string): void => ctx.emit({ subject: flowSubject(id), data: { changed: true } })

const checkedName = (name: string): string => {
  const problem = nameProblem(name)
  if (problem) throw fail('validation_error', problem)
  return name
}

type NewFlow = { title?: string; description?: string; images?: Images; graph: FlowGraph }
type Images = Pick<store.FlowRow, 'card_image' | 'thumbnail' | 'banner_image'>

/** Returns false if the ref is taken. */
const insertFlow = async (ctx: Ctx, team: TeamRef, id: string, name: string, flow: NewFlow): Promise<boolean> => {
  const now = ctx.now().toISOString()
  const draftId = newId()
  const inserted = await store.insertFlow(ctx.db, {
    id,
    team_id: team.id,
    user_id: ctx.actor.userId,
    namespace: team.username,
    name,
    title: flow.title ?? '',
    description: flow.description ?? '',
    ...flow.images,
    draft_version_id: draftId,
    created_at: now,
    updated_at: now,
  })
  if (!inserted) return false
  await store.insertVersion(ctx.db, {
    id: draftId,
    flow_id: id,
    graph_version: 0,
    graph: flow.graph,
    created_by: ctx.actor.userId,
    created_at: now,
    updated_at: now,
  })
  return true
}

export const create = (ctx: Ctx, { name, title, description = '' }: CreateFlow): Promise<Flow> =>
  ctx.tx(async (ctx) => {
    assertDescription(description)
    const id = newId()
    const team = await getOwnTeam(ctx)
    const chosen = name ? checkedName(name) : `flow-${shortId(id)}`
    if (!(await insertFlow(ctx, team, id, chosen, { title, description, graph: emptyGraph() })))
      throw fail('name_conflict', `Another flow has the name ${team.username}/${chosen}`)
    await audit(ctx, 'flow.created', { id, team_id: team.id }, { ref: `${team.username}/${chosen}` })
    return saved(ctx, id)
  })

/** Creates a flow in the caller's workspace with a name derived from another flow. */
export const createCopy = (ctx: Ctx, name: string, flow: NewFlow, from: Record<string, string>): Promise<Flow> =>
  ctx.tx(async (ctx) => {
    const team = await getOwnTeam(ctx)
    const id = newId()
    await underFreeName(
      name,
      (names) => store.takenNames(ctx.db, team.username, names),
      async (name) => ((await insertFlow(ctx, team, id, name, flow)) ? name : null),
    )
    await audit(ctx, 'flow.duplicated', { id, team_id: team.id }, from)
    return saved(ctx, id)
  })

export const duplicate = async (ctx: Ctx, id: string): Promise<Flow> => {
  const reader = ctx.as(readerWith(ctx.actor, 'flows:read'))
  const row = await assertReadable<store.FlowRow>(reader, await store.findFlow(ctx.db, id), 'flow')
  const draft = (await store.findVersions(ctx.db, [row.draft_version_id])).get(row.draft_version_id)
  const { title, description, card_image, thumbnail, banner_image } = row
  const images = { card_image, thumbnail, banner_image }
  const graph = draft?.graph ?? emptyGraph()
  return createCopy(ctx, row.name, { title, description, images, graph }, { from: row.id })
}

const textKeys = ['name', 'title', 'description', 'card_image', 'thumbnail', 'banner_image'] as const
const graphKeys = [
  ...['nodes', 'edges', 'node_data', 'input', 'output_mappings'],
  ...['input_schema', 'output_schema', 'viewport'],
] as const

const isGiven = (body: Readonly<Record<string, unknown>>, key: string): boolean => body[key] !== undefined

/** Protected and unknown keys are ignored; a body without others is refused. */
const assertRequests = (ctx: Ctx, body: Readonly<Record<string, unknown>>, keys: readonly string[]): void => {
  if (!keys.some((key) => isGiven(body, key)))
    throw fail('invalid_request', 'The body contains no field that can be changed')
  if (isGiven(body, 'visibility'))
    ctx.notice({
      level: 'warning',
      code: 'ignored_field',
      message: 'visibility has an operation of its own and was not changed',
      meta: { field: 'visibility' },
    })
}

const saveTexts = async (ctx: Ctx, flow: store.FlowRow, texts: FlowChange): Promise<void> => {
  if (typeof texts.name === 'string') checkedName(texts.name)
  if (typeof texts.description === 'string') assertDescription(texts.description, flow.description)
  await store.updateFlow(ctx.db, flow.id, { ...texts, updated_at: ctx.now().toISOString() }).catch((error: unknown) => {
    throw isDuplicate(error, 'flows_ref')
      ? fail('name_conflict', `Another flow has the name ${flow.namespace}/${texts.name}`)
      : error
  })
}

/** PATCH: omitted fields stay. */
export const patch = (ctx: Ctx, id: string, body: PatchFlow): Promise<Flow> => {
  assertRequests(ctx, body, textKeys)
  return ctx.tx(async (ctx) => {
    const flow = await assertWritable(ctx, await store.lockFlow(ctx.db, id), 'flow')
    const given = textKeys.filter((key) => isGiven(body, key))
    await saveTexts(ctx, flow, Object.fromEntries(given.map((key) => [key, body[key]])))
    await audit(ctx, 'flow.updated', flow, { fields: given })
    announce(ctx, flow.id)
    return saved(ctx, flow.id)
  })
}

/** POST: omitted texts are emptied, except the name; the graph is replaced if given. */
export const replace = (ctx: Ctx, id: string, body: ReplaceFlow): Promise<Flow> => {
  assertRequests(ctx, body, [...textKeys, ...graphKeys])
  const given = graphKeys.filter((key) => isGiven(body, key))
  const read = readGraph(Object.fromEntries(given.map((key) => [key, body[key as keyof ReplaceFlow]])))
  if ('error' in read) throw fail('validation_error', read.error)
  if (isTooLarge(read.graph)) throw fail('validation_error', tooLarge)
  return ctx.tx(async (ctx) => {
    const flow = await assertWritable(ctx, await store.lockFlow(ctx.db, id), 'flow')
    const { name = flow.name, title = '', description = '', card_image = '', thumbnail = '', banner_image = '' } = body
    await saveTexts(ctx, flow, { name, title, description, card_image, thumbnail, banner_image })
    if (given.length > 0) {
      const draft = await lockedDraft(ctx, flow.id)
      // A new viewport alone does not count as a change of the graph.
      const graph = given.join() === 'viewport' ? { ...draft.graph, viewport: body.viewport } : { ...read.graph }
      // A replaced graph clears the undo history.
      await saveDraft(ctx, draft, { graph, history: [], graphVersion: draft.graph_version + 1 })
    }
    await audit(ctx, 'flow.updated', flow, { fields: [...textKeys, ...given] })
    announce(ctx, flow.id)
    return saved(ctx, flow.id)
  })
}

/** Only the creator, or an owner of the workspace through the bypass, changes the visibility. */
export const setVisibility = (ctx: Ctx, id: string, visibility: FlowVisibility): Promise<Flow> =>
  ctx.tx(async (ctx) => {
    const flow = await assertWritable(ctx, await store.lockFlow(ctx.db, id), 'flow')
    const isCreator = flow.user_id === ctx.actor.userId
    if (!isCreator && !hasRole(ctx.actor, 'owner'))
      throw fail('team_role_required', 'Only its creator or a workspace owner may change the visibility of a flow')
    if (!isCreator && flow.visibility !== 'private')
      await audit(ctx, 'team_admin.permission_bypass', flow, { access: 'write' })
    if (flow.visibility === visibility) return flowDetails(ctx, flow)
    await store.updateFlow(ctx.db, flow.id, { visibility, updated_at: ctx.now().toISOString() })
    await audit(ctx, 'flow.visibility_changed', flow, { from: flow.visibility, to: visibility })
    announce(ctx, flow.id)
    // Also notify users who just lost access.
    notifyLists(ctx, flow)
    return saved(ctx, flow.id)
  })

/** Deletes permanently; runs and apps keep the versions that they use. */
export const remove = (ctx: Ctx, id: string): Promise<{ success: boolean }> =>
  ctx.tx(async (ctx) => {
    const flow = await assertWritable(ctx, await store.lockFlow(ctx.db, id), 'flow')
    await store.deleteFlow(ctx.db, flow.id)
    // A run may be starting from one of the versions; the sweep deletes them later.
    await store.touchVersions(ctx.db, flow.id, ctx.now().toISOString())
    await audit(ctx, 'flow.deleted', flow, { ref: `${flow.namespace}/${flow.name}` })
    announce(ctx, flow.id)
    notifyLists(ctx, flow)
    return { success: true }
  })

const retainedAfterDeleteMs = 3600_000

/** Deletes versions of deleted flows that no run or app needs. */
export const sweepVersions = async (platform: Platform): Promise<void> => {
  const before = new Date(platform.now().getTime() - retainedAfterDeleteMs).toISOString()
  await store.deleteOrphanedVersions(platform.db, before)
}

/**
 * The flow keeps its id, name and versions and moves to the namespace of the new workspace. Its app is not transferred.
 */
export const transfer = (ctx: Ctx, id: string, teamId: string): Promise<Flow> =>
  ctx.tx(async (ctx) => {
    const flow = await assertWritable(ctx, await store.lockFlow(ctx.db, id), 'flow')
    const target = await transferTo(ctx, 'flows', {
      row: flow,
      teamId,
      move: (to) => store.moveFlow(ctx.db, flow.id, to),
    })
    if (!target) return flowDetails(ctx, flow)
    await audit(ctx, 'flow.transferred', flow, { from: flow.team_id, to: target.id })
    announce(ctx, flow.id)
    notifyLists(ctx, flow)
    return saved(ctx, flow.id)
  })
