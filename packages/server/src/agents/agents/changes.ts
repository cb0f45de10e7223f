// Creates, updates, transfers and deletes agents.
import type { Agent, CreateAgent, Rule, RuleInput, UpdateAgent } from '@millrace/contract/agents'
import type { Visibility } from '@millrace/contract/common'
import { newId } from '@millrace/contract/ids'
import { addRule, listRules, moveRules, type RuleOwner, removeRule } from '#accounts/approvals/service.ts'
import { rowUpdate, teamSubject } from '#platform/bus/subjects.ts'
import { isPlatformAdmin } from '#platform/core/actor.ts'
import { underFreeName } from '#platform/core/copies.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { readerWith } from '#platform/core/scope-checks.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { getOwnTeam, takenNames, transferTo } from '#platform/tenancy/named-rows.ts'
import { assertMayWiden, assertReadable, assertWritable } from '#platform/tenancy/private-access.ts'
import { isProjectFor } from '#platform/tenancy/project-refs.ts'
import { findTeamByUsername, type TeamRef } from '#platform/tenancy/team-refs.ts'
import { withVersion } from './lookup.ts'
import { nameProblem } from './names.ts'
import * as store from './store.ts'
import { addVersion, assertMayPermit, copyVersion, loadVersion, toVersion } from './versions.ts'

const audit = (ctx: Ctx, action: string, agent: { id: string; team_id: string }, meta: Record<string, unknown> = {}) =>
  recordAudit(ctx, action, { resourceType: 'agent', resourceId: agent.id, teamId: agent.team_id, meta })

/**
 * Notifies the members who may read the agent that their list of agents changed. The event has no content: they query
 * it again.
 */
const notifyLists = (ctx: Ctx, agent: store.AgentRow): void =>
  ctx.emit({ subject: teamSubject(agent.team_id), data: rowUpdate('agents', agent, {}, 'agents:read') })

const saved = async (ctx: Ctx, id: string): Promise<Agent> => {
  const row = await store.findAgent(ctx.db, id)
  if (!row) throw fail('internal_error', { cause: new Error('Updated agent does not exist') })
  notifyLists(ctx, row)
  return withVersion(ctx, row)
}

const writable = async (ctx: Ctx, id: string) => assertWritable(ctx, await store.lockAgent(ctx.db, id), 'agent')

const namespaceOwner = async (ctx: Ctx, namespace: string | undefined): Promise<TeamRef> => {
  const own = await getOwnTeam(ctx)
  if (!namespace || namespace === own.username || !isPlatformAdmin(ctx.actor)) return own
  const team = await findTeamByUsername(ctx.db, namespace)
  if (!team) throw fail('validation_error', `namespace: Workspace ${namespace} not found`)
  return team
}

const imagesJson = ({ card = '', thumbnail = '', banner = '' }: NonNullable<CreateAgent['images']>): string =>
  JSON.stringify({ card, thumbnail, banner })

const insert = async (
  ctx: Ctx,
  homeTeam: TeamRef,
  id: string,
  name: string,
  agent: { title: string; images: string },
) => {
  const now = ctx.now().toISOString()
  return store.insertAgent(ctx.db, {
    id,
    team_id: homeTeam.id,
    user_id: ctx.actor.userId,
    namespace: homeTeam.username,
    name,
    ...agent,
    created_at: now,
    updated_at: now,
  })
}

export const create = (ctx: Ctx, body: CreateAgent): Promise<Agent> => {
  if (body.id) return update(ctx, body.id, body)
  const problem = nameProblem(body.name)
  if (problem) throw fail('validation_error', problem)
  return ctx.tx(async (ctx) => {
    const homeTeam = await namespaceOwner(ctx, body.namespace)
    const id = newId()
    const texts = { title: body.title ?? '', images: imagesJson(body.images ?? {}) }
    if (!(await insert(ctx, homeTeam, id, body.name, texts)))
      throw fail('name_conflict', `An agent named ${homeTeam.username}/${body.name} already exists`)
    const version = await addVersion(ctx, id, body.version ?? {}, undefined)
    await store.updateAgent(ctx.db, id, { version_id: version.id })
    await audit(ctx, 'agent.created', { id, team_id: homeTeam.id }, { ref: `${homeTeam.username}/${body.name}` })
    return saved(ctx, id)
  })
}

const changedColumns = (body: UpdateAgent) => ({
  ...(body.title !== undefined && { title: body.title }),
  ...(body.images && { images: imagesJson(body.images) }),
  ...(body.project_id !== undefined && { project_id: body.project_id || null }),
})

/** An agent may only reference the caller's own resources. Other people's resources are reported as missing. */
const assertOwnProject = async (ctx: Ctx, teamId: string, { project_id }: UpdateAgent): Promise<void> => {
  const member = { teamId, userId: ctx.actor.userId }
  if (project_id && !(await isProjectFor(ctx.db, project_id, member)))
    throw fail('validation_error', 'project_id: Project not found')
}

/** The machine of the agent and the coding agent on it. A new machine resets the profile. */
const resolveDriver = async (ctx: Ctx, agent: store.AgentRow, { remote_id, profile_id }: UpdateAgent) => {
  if (remote_id === undefined && profile_id === undefined) return {}
  const remoteId = remote_id === undefined ? agent.remote_id : remote_id || null
  const profileId = profile_id ?? (remoteId === agent.remote_id ? agent.profile_id : null)
  const isNamed = Boolean(remote_id || profile_id)
  const member = { teamId: agent.team_id, userId: ctx.actor.userId }
  if (isNamed && remoteId !== null && !(await store.isRemoteOf(ctx.db, remoteId, member)))
    throw fail('validation_error', 'remote_id: Remote not found')
  const harness = profileId && (await store.findHarness(ctx.db, remoteId ?? '', profileId))
  if (profile_id && !harness) throw fail('validation_error', 'profile_id: Profile not found on the agent’s remote')
  return { remote_id: remoteId, profile_id: harness ? profileId : null, harness: harness || store.ownLoop }
}

/** Changes the fields in the body. A `version` in it becomes a new active version. */
export const update = (ctx: Ctx, id: string, body: UpdateAgent): Promise<Agent> =>
  ctx.tx(async (ctx) => {
    const agent = await writable(ctx, id)
    const columns = { ...changedColumns(body), ...(await resolveDriver(ctx, agent, body)) }
    if (Object.keys(columns).length === 0 && !body.version)
      throw fail('invalid_request', 'The body contains no field that can be changed')
    await assertOwnProject(ctx, agent.team_id, body)
    const before = body.version ? await loadVersion(ctx.db, agent.version_id) : undefined
    const version = body.version ? await addVersion(ctx, agent.id, body.version, before) : undefined
    const now = ctx.now().toISOString()
    await store.updateAgent(ctx.db, agent.id, {
      ...columns,
      ...(version && { version_id: version.id }),
      updated_at: now,
    })
    await audit(ctx, 'agent.updated', agent, {
      fields: Object.keys(columns),
      ...(version && { version_id: version.id }),
    })
    return saved(ctx, agent.id)
  })

export const remove = (ctx: Ctx, id: string): Promise<{ success: boolean }> =>
  ctx.tx(async (ctx) => {
    const agent = await writable(ctx, id)
    await store.updateAgent(ctx.db, agent.id, { deleted_at: ctx.now().toISOString() })
    await audit(ctx, 'agent.deleted', agent, { ref: `${agent.namespace}/${agent.name}` })
    notifyLists(ctx, agent)
    return { success: true }
  })

export const setVisibility = (ctx: Ctx, id: string, visibility: Visibility): Promise<Agent> =>
  ctx.tx(async (ctx) => {
    const agent = await writable(ctx, id)
    assertMayWiden(ctx, agent, visibility)
    await store.updateAgent(ctx.db, agent.id, { visibility, updated_at: ctx.now().toISOString() })
    await audit(ctx, 'agent.visibility_changed', agent, { from: agent.visibility, to: visibility })
    // Also notify members who just lost access.
    notifyLists(ctx, agent)
    return saved(ctx, agent.id)
  })

export const promote = (ctx: Ctx, id: string, versionId: string): Promise<Agent> =>
  ctx.tx(async (ctx) => {
    const agent = await writable(ctx, id)
    const version = await store.findVersionOfAgent(ctx.db, agent.id, versionId)
    if (!version) throw fail('not_found', `Version ${versionId} not found`)
    if (version.id === agent.version_id) return withVersion(ctx, agent)
    const before = await loadVersion(ctx.db, agent.version_id)
    assertMayPermit(ctx, toVersion(version).config, before?.config)
    await store.updateAgent(ctx.db, agent.id, { version_id: version.id, updated_at: ctx.now().toISOString() })
    await audit(ctx, 'agent.version_promoted', agent, { version_id: version.id })
    return saved(ctx, agent.id)
  })

export const duplicate = (ctx: Ctx, id: string): Promise<Agent> =>
  ctx.tx(async (ctx) => {
    const reader = ctx.as(readerWith(ctx.actor, 'agents:read'))
    const source = await assertReadable(reader, await store.findAgent(ctx.db, id), 'agent')
    const version = await loadVersion(ctx.db, source.version_id)
    const homeTeam = await namespaceOwner(ctx, undefined)
    const texts = { title: source.title, images: JSON.stringify(source.images) }
    const copyId = newId()
    await underFreeName(
      source.name,
      (names) => takenNames(ctx.db, 'agents', homeTeam.username, names),
      async (name) => ((await insert(ctx, homeTeam, copyId, name, texts)) ? name : null),
    )
    const copy = version && (await copyVersion(ctx, copyId, version))
    if (copy) await store.updateAgent(ctx.db, copyId, { version_id: copy.id })
    await audit(ctx, 'agent.duplicated', { id: copyId, team_id: homeTeam.id }, { from: source.id })
    return saved(ctx, copyId)
  })

/** The agent retains its id, name and versions; its namespace becomes that of the new workspace. */
export const transfer = (ctx: Ctx, id: string, teamId: string): Promise<Agent> =>
  ctx.tx(async (ctx) => {
    const agent = await writable(ctx, id)
    const target = await transferTo(ctx, 'agents', {
      row: agent,
      teamId,
      move: (to) => store.moveAgent(ctx.db, agent.id, to),
    })
    if (!target) return withVersion(ctx, agent)
    await moveRules(ctx, ownerOf(agent), target.id)
    await audit(ctx, 'agent.transferred', agent, { from: agent.team_id, to: target.id })
    notifyLists(ctx, agent)
    return saved(ctx, agent.id)
  })

const ownerOf = (agent: store.AgentRow): RuleOwner => ({ level: 'agent', id: agent.id, teamId: agent.team_id })

export const rules = async (ctx: Ctx, id: string): Promise<Rule[]> => {
  const agent = await assertReadable(ctx, await store.findAgent(ctx.db, id), 'agent')
  if (agent.team_id !== ctx.actor.teamId) throw fail('not_found', 'Agent not found')
  return listRules(ctx, ownerOf(agent))
}

export const createRule = (ctx: Ctx, id: string, input: RuleInput): Promise<Rule> =>
  ctx.tx(async (ctx) => addRule(ctx, ownerOf(await writable(ctx, id)), input))

export const deleteRule = (ctx: Ctx, id: string, ruleId: string): Promise<{ success: boolean }> =>
  ctx.tx(async (ctx) => removeRule(ctx, ownerOf(await writable(ctx, id)), ruleId))

/** Runs in the transaction that deletes the machine. */
export const forgetRemote = (ctx: Ctx, remoteId: string): Promise<void> =>
  store.forgetRemote(ctx.db, remoteId, ctx.now().toISOString())
