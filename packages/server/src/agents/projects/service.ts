// Rules of projects: one tree per workspace, without cycles, and moving resources into it.
import type { ListRequest, Page, Visibility } from '@millrace/contract/common'
import { newId } from '@millrace/contract/ids'
import type { CreateProject, MoveToProject, Project, UpdateProject } from '@millrace/contract/projects'
import type { Scope } from '@millrace/contract/scopes'
import { get as getTrigger } from '#automation/triggers/service.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { requireScope } from '#platform/core/scope-checks.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import { columnsOf, type ListSpec } from '#platform/tenancy/list/spec.ts'
import { assertReadable, assertWritable, listedWith, listReach } from '#platform/tenancy/private-access.ts'
import { resourceFields } from '#platform/tenancy/resource.ts'
import { mayRead, readableBy } from '#platform/tenancy/visibility.ts'
import { assertWidening } from '#platform/tenancy/widening.ts'
import { getAgent } from '../agents/service.ts'
import { getChat } from '../chats/service.ts'
import * as store from './store.ts'

const maxChildren = 500

const plainDto = (row: store.ProjectRow) => ({
  ...resourceFields(row),
  visibility: row.visibility,
  name: row.name,
  description: row.description,
  type: row.type,
  ...(row.color === '' ? {} : { color: row.color }),
  ...(row.icon === '' ? {} : { icon: row.icon }),
  parent_id: row.parent_id,
  children: [],
})

/** Includes the parent and the children that the reader may read. */
const projectDetails = async (ctx: Ctx, row: store.ProjectRow): Promise<Project> => {
  const parent = row.parent_id === null ? undefined : await store.findProject(ctx.db, row.parent_id)
  const children = await store.findChildren(ctx.db, row.id, readableBy(ctx.actor, 'projects'), maxChildren)
  return {
    ...plainDto(row),
    ...(parent && mayRead(ctx.actor, parent) === 'yes' ? { parent: plainDto(parent) } : {}),
    children: children.map(plainDto),
  }
}

const audit = (ctx: Ctx, action: string, row: { id: string; team_id: string }, meta: Record<string, unknown> = {}) =>
  recordAudit(ctx, `project.${action}`, { resourceType: 'project', resourceId: row.id, teamId: row.team_id, meta })

const saved = async (ctx: Ctx, id: string): Promise<Project> => {
  const row = await store.findProject(ctx.db, id)
  if (!row) throw fail('internal_error', { cause: new Error('Updated project does not exist') })
  return projectDetails(ctx, row)
}

/** Locks the project tree for the rest of the transaction. Callers outside the workspace take no lock. */
const lockTreeOf = async (ctx: Ctx, id: string): Promise<void> => {
  const row = await store.findProject(ctx.db, id)
  if (row && mayRead(ctx.actor, row) !== 'no') await store.lockTree(ctx.db, row.team_id)
}

/** Reads after the lock, because before it the project may be deleted or moved. */
const lockWritable = async (ctx: Ctx, id: string): Promise<store.ProjectRow> => {
  await lockTreeOf(ctx, id)
  return assertWritable(ctx, await store.findProject(ctx.db, id), 'project')
}

/** A project of the workspace that the caller may read; the error names the field. */
const assertFolder = async (ctx: Ctx, id: string, teamId: string, field: string): Promise<store.ProjectRow> => {
  const row = await store.findProject(ctx.db, id)
  if (!row || row.team_id !== teamId || mayRead(ctx.actor, row) !== 'yes')
    throw fail('validation_error', `${field}: Project not found`)
  return row
}

const column = columnsOf('projects')

const listSpec: ListSpec = {
  id: 'projects.id',
  columns: {
    id: column('id'),
    user_id: column('user_id'),
    team_id: column('team_id'),
    name: column('name'),
    description: column('description'),
    type: column('type'),
    visibility: column('visibility'),
    parent_id: { ...column('parent_id'), nullable: true },
    created_at: column('created_at', 'time'),
    updated_at: column('updated_at', 'time'),
  },
  search: ['name', 'description'],
}

export const list = async (ctx: Ctx, request: ListRequest): Promise<Page<Partial<Project>>> => {
  const reach = await listReach(ctx, request, 'project')
  const seen = store.selectProjects(ctx.db).where(listedWith(ctx.actor, 'projects', reach, request.permissions))
  const toItem = (row: store.ProjectRow): Project => plainDto(row)
  return runOwnedList(seen, { db: ctx.db, spec: listSpec, request, toItem, notice: ctx.notice })
}

export const get = async (ctx: Ctx, id: string): Promise<Project> =>
  projectDetails(ctx, await assertReadable(ctx, await store.findProject(ctx.db, id), 'project'))

export const create = (ctx: Ctx, { parent_id, ...body }: CreateProject): Promise<Project> =>
  ctx.tx(async (ctx) => {
    const { teamId, userId } = ctx.actor
    // Without the lock the parent could be deleted between the check and the write.
    if (parent_id) await store.lockTree(ctx.db, teamId)
    const parent = parent_id ? await assertFolder(ctx, parent_id, teamId, 'parent_id') : undefined
    const id = newId()
    const now = ctx.now().toISOString()
    const owner = { team_id: teamId, user_id: userId }
    await store.insertProject(ctx.db, {
      id,
      ...owner,
      ...body,
      parent_id: parent?.id,
      created_at: now,
      updated_at: now,
    })
    await audit(ctx, 'created', { id, team_id: teamId })
    return saved(ctx, id)
  })

export const update = (ctx: Ctx, id: string, { parent_id, ...body }: UpdateProject): Promise<Project> =>
  ctx.tx(async (ctx) => {
    const row = await lockWritable(ctx, id)
    const parent = parent_id ? await assertFolder(ctx, parent_id, row.team_id, 'parent_id') : undefined
    if (parent && (await store.isBelow(ctx.db, parent.id, row.id)))
      throw fail('validation_error', 'parent_id is inside the project itself')
    const moved = parent_id === undefined ? {} : { parent_id: parent?.id ?? null }
    await store.updateProject(ctx.db, row.id, { ...body, ...moved, updated_at: ctx.now().toISOString() })
    await audit(ctx, 'updated', row)
    return saved(ctx, row.id)
  })

export const setVisibility = (ctx: Ctx, id: string, visibility: Visibility): Promise<Project> =>
  ctx.tx(async (ctx) => {
    const row = await lockWritable(ctx, id)
    if (row.visibility === visibility) return projectDetails(ctx, row)
    assertWidening(ctx, row, visibility)
    await store.updateProject(ctx.db, row.id, { visibility, updated_at: ctx.now().toISOString() })
    await audit(ctx, 'visibility_changed', row, { from: row.visibility, to: visibility })
    return saved(ctx, row.id)
  })

export const remove = (ctx: Ctx, id: string): Promise<{ success: boolean }> =>
  ctx.tx(async (ctx) => {
    const row = await lockWritable(ctx, id)
    await store.deleteProject(ctx.db, row)
    await audit(ctx, 'deleted', row, { name: row.name })
    return { success: true }
  })

type Movable = {
  table: store.MovableTable
  resource: string
  scope: Scope
  show: (ctx: Ctx, id: string) => Promise<Record<string, unknown>>
}

/**
 * The resources that can be moved, with the scope of their change and their wire form. The reply needs no read scope,
 * like the reply of every change.
 */
const movables: Record<'agent_id' | 'trigger_id' | 'chat_id', Movable> = {
  agent_id: { table: 'agents', resource: 'agent', scope: 'agents:write', show: getAgent },
  trigger_id: { table: 'triggers', resource: 'trigger', scope: 'agents:write', show: getTrigger },
  chat_id: { table: 'chats', resource: 'chat', scope: 'conversations:write', show: getChat },
}

const readMove = (body: MoveToProject): { movable: Movable; id: string } => {
  const named = (['agent_id', 'trigger_id', 'chat_id'] as const).filter((key) => body[key])
  const key = named[0]
  const id = key && body[key]
  if (named.length !== 1 || !key || !id)
    throw fail('validation_error', 'Set exactly one of agent_id, trigger_id and chat_id')
  return { movable: movables[key], id }
}

/** Replies with the moved resource in its usual form. */
export const move = async (ctx: Ctx, body: MoveToProject): Promise<Record<string, unknown>> => {
  const { movable, id } = readMove(body)
  requireScope(ctx.actor, movable.scope)
  const moved = await ctx.tx(async (ctx) => {
    // Lock the tree before the row, in the same order as deletion, so that nothing is added to a project being deleted.
    if (body.project_id) await lockTreeOf(ctx, body.project_id)
    const locked = await store.lockMovable(ctx.db, movable.table, id)
    const row = await assertWritable(ctx, locked, movable.resource)
    if (row.deleted_at !== null) throw fail('chat_archived', 'The chat was deleted')
    const project = body.project_id ? await assertFolder(ctx, body.project_id, row.team_id, 'project_id') : null
    await store.setProject(ctx.db, movable.table, row.id, project?.id ?? null, ctx.now().toISOString())
    await recordAudit(ctx, 'project.moved', {
      resourceType: movable.resource,
      resourceId: row.id,
      teamId: row.team_id,
      meta: { project_id: project?.id ?? null },
    })
    return row.id
  })
  return movable.show(ctx, moved)
}
