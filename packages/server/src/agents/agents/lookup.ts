// Queries of agents by id, by ref and in lists, with their versions. Read-only.
import type { AgentCard } from '@millrace/contract/agent-card'
import type { Agent, AgentVersion } from '@millrace/contract/agents'
import type { ListRequest, Page } from '@millrace/contract/common'
import { requirePolicy } from '#accounts/usage-policies/service.ts'
import { type Actor, guest } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { readerWith } from '#platform/core/scope-checks.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import { columnsOf, type ListSpec, namedColumns, nullable, sizeOf } from '#platform/tenancy/list/spec.ts'
import { assertReadable, assertRunnable, listedWith, listReach } from '#platform/tenancy/private-access.ts'
import { mayRead } from '#platform/tenancy/visibility.ts'
import { agentDto, cardOf, versionDto } from './dto.ts'
import { findByText } from './find.ts'
import * as store from './store.ts'
import { loadVersion, loadVersions, toVersion, type Version } from './versions.ts'

export const withVersion = async (ctx: Ctx<Actor>, row: store.AgentRow): Promise<Agent> =>
  agentDto(row, await loadVersion(ctx.db, row.version_id))

const readable = async (ctx: Ctx<Actor>, id: string) => assertReadable(ctx, await store.findAgent(ctx.db, id), 'agent')

export const get = async (ctx: Ctx<Actor>, id: string): Promise<Agent> => withVersion(ctx, await readable(ctx, id))

const pinnedVersion = async (ctx: Ctx<Actor>, agent: store.AgentRow, pin: string): Promise<Version> => {
  const row = await store.findVersionOfAgent(ctx.db, agent.id, pin)
  if (!row) throw fail('not_found', `Version ${pin} not found`)
  return toVersion(row)
}

export const getByRef = async (ctx: Ctx<Actor>, namespace: string, name: string): Promise<Agent> => {
  const found = await findByText(ctx, `${namespace}/${name}`)
  const row = await assertReadable(ctx, found.row, 'agent')
  return found.version === null ? withVersion(ctx, row) : agentDto(row, await pinnedVersion(ctx, row, found.version))
}

export const getCard = async (ctx: Ctx<Actor>, id: string): Promise<AgentCard> => {
  const row = await readable(ctx, id)
  return cardOf(row, await loadVersion(ctx.db, row.version_id), ctx.settings.BASE_URL)
}

const column = columnsOf('agents')

const listSpec: ListSpec = {
  id: 'agents.id',
  columns: {
    ...namedColumns('agents'),
    project_id: { ...column('project_id'), ...nullable },
    harness: column('harness'),
    version_id: { ...column('version_id'), ...nullable },
  },
  search: ['namespace', 'name', 'title'],
}

export const list = async (ctx: Ctx<Actor>, request: ListRequest): Promise<Page<Partial<Agent>>> => {
  const reach = await listReach(ctx, request, 'agent')
  const query = store.selectAgents(ctx.db).where(listedWith(ctx.actor, 'agents', reach, request.permissions))
  return runOwnedList(query, {
    db: ctx.db,
    spec: listSpec,
    request,
    toItem: (row) => agentDto(row, undefined),
    besides: sizeOf('agent_versions', 'agents.version_id'),
    notice: ctx.notice,
    embed: async (rows, items) => {
      if (!items.some((item) => 'version' in item)) return
      const versions = await loadVersions(
        ctx.db,
        rows.map((row) => row.version_id ?? ''),
      )
      for (const [index, item] of items.entries()) {
        const version = versions.get(rows[index]?.version_id ?? '')
        item.version = version ? versionDto(version, rows[index]?.visibility ?? 'private') : null
      }
    },
  })
}

const versionsSpec: ListSpec = {
  id: 'agent_versions.id',
  columns: {
    id: { ref: 'agent_versions.id', type: 'text' },
    description: { ref: 'agent_versions.description', type: 'text' },
    created_at: { ref: 'agent_versions.created_at', type: 'time' },
  },
  search: ['description'],
}

export const listVersions = async (
  ctx: Ctx<Actor>,
  id: string,
  request: ListRequest,
): Promise<Page<Partial<AgentVersion>>> => {
  const agent = await readable(ctx, id)
  return runOwnedList(store.selectVersions(ctx.db, agent.id), {
    db: ctx.db,
    spec: versionsSpec,
    request,
    toItem: (row) => versionDto(toVersion(row), agent.visibility),
    notice: ctx.notice,
  })
}

export const getVersion = async (ctx: Ctx<Actor>, id: string, versionId: string): Promise<AgentVersion> => {
  const agent = await readable(ctx, id)
  return versionDto(await pinnedVersion(ctx, agent, versionId), agent.visibility)
}

export type RunnableAgent = { agent: store.AgentRow; version: Version }

/**
 * The agent that a run, a tool or a trigger names, with the requested version. `not_found` unless the caller may run
 * it; an agent that is not public also needs the scope `agents:read`.
 */
export const findRunnable = async (
  ctx: Ctx<Actor>,
  text: string,
  pin: string | null = null,
): Promise<RunnableAgent> => {
  const found = await findByText(ctx, text)
  const agent = assertRunnable(ctx, found.row, 'agent')
  if (readerWith(ctx.actor, 'agents:read') === guest && agent.visibility !== 'public')
    throw fail('not_found', 'Agent not found')
  await requirePolicy(ctx, 'agents', agent)
  const wanted = pin || found.version
  const version = wanted ? await pinnedVersion(ctx, agent, wanted) : await loadVersion(ctx.db, agent.version_id)
  if (!version) throw fail('validation_error', 'The agent has no version to run')
  return { agent, version }
}

/** Checks the agent of an existing chat again, because the usage policies of the workspace can have changed. */
export const requireAgentWithin = async (ctx: Ctx<Actor>, id: string): Promise<void> => {
  const agent = await store.findAgent(ctx.db, id)
  if (agent) await requirePolicy(ctx, 'agents', agent)
}

/**
 * The agents of a page of chats, in one query. Leaves out agents that the caller may not read. An administrator's reach
 * does not apply here: it is audited, and therefore needs a request for the agent itself.
 */
export const agentSummaries = async (ctx: Ctx<Actor>, ids: readonly string[]): Promise<Map<string, Agent>> => {
  const wanted = [...new Set(ids)].filter((id) => id !== '')
  if (wanted.length === 0) return new Map()
  const reader = readerWith(ctx.actor, 'agents:read')
  const rows = await store.findAgentsByIds(ctx.db, wanted)
  return new Map(rows.filter((row) => mayRead(reader, row) === 'yes').map((row) => [row.id, agentDto(row, undefined)]))
}
