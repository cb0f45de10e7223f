// Finds flows by id, by ref and in lists, and their versions. Read-only.
import type { ListRequest, Page } from '@millrace/contract/common'
import type { Flow, FlowVersion } from '@millrace/contract/flows'
import { parseRef } from '@millrace/contract/refs'
import { appSummaries } from '#execution/apps/service.ts'
import { type Actor, isMember } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import type { EventStream } from '#platform/core/event-stream.ts'
import type { Db } from '#platform/db/database.ts'
import { runList } from '#platform/tenancy/list/list.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import { columnsOf, type ListSpec, namedColumns, sizeOf } from '#platform/tenancy/list/spec.ts'
import { assertReadable, assertRunnable, listedWith, listReach } from '#platform/tenancy/private-access.ts'
import { findTeam } from '#platform/tenancy/team-refs.ts'
import { mayRead } from '#platform/tenancy/visibility.ts'
import { appIdsOf, flowDto, flowFields, graphDto, versionDto, withApps } from './dto.ts'
import * as store from './store.ts'
import { flowEvents } from './stream.ts'
import { flowSubject } from './subjects.ts'

/** The flow with its graphs and the apps of their nodes. */
export const flowDetails = async (ctx: Ctx<Actor>, row: store.FlowRow): Promise<Flow> => {
  const ids = [row.draft_version_id, ...(row.published_version_id ? [row.published_version_id] : [])]
  const versions = await store.findVersions(ctx.db, ids)
  const apps = await appSummaries(
    ctx,
    [...versions.values()].flatMap((version) => appIdsOf(version.graph)),
  )
  const shown = (id: string | null): FlowVersion | null => {
    const version = versions.get(id ?? '')
    return version ? versionDto(version, withApps(version.graph, apps)) : null
  }
  const draft = shown(row.draft_version_id)
  if (!draft) throw fail('internal_error', { cause: new Error(`The draft of flow ${row.id} does not exist`) })
  return flowDto(row, draft, shown(row.published_version_id))
}

export const get = async (ctx: Ctx<Actor>, id: string): Promise<Flow> =>
  flowDetails(ctx, await assertReadable(ctx, await store.findFlow(ctx.db, id), 'flow'))

export const getByRef = async (ctx: Ctx<Actor>, namespace: string, name: string): Promise<Flow> =>
  flowDetails(ctx, await assertReadable(ctx, await store.findFlowByRef(ctx.db, namespace, name), 'flow'))

const findByText = async (ctx: Ctx<Actor>, text: string): Promise<store.FlowRow | undefined> => {
  const byId = await store.findFlow(ctx.db, text)
  if (byId) return byId
  const ref = parseRef(text)
  if (!ref || ref.type !== null || ref.version !== null || ref.function !== null) return undefined
  const own = isMember(ctx.actor) ? await findTeam(ctx.db, ctx.actor.teamId) : undefined
  const namespace = ref.namespace ?? own?.username
  return namespace === undefined ? undefined : store.findFlowByRef(ctx.db, namespace, ref.name)
}

/** The flow of a run or trigger by id, short id or ref; throws `not_found` unless the caller may run it. */
export const findFlowForTarget = async (ctx: Ctx<Actor>, text: string): Promise<store.FlowRow> =>
  assertRunnable(ctx, await findByText(ctx, text), 'flow')

const column = columnsOf('flows')

const listSpec: ListSpec = {
  id: 'flows.id',
  columns: {
    ...namedColumns('flows'),
    description: column('description'),
    published_version_id: { ...column('published_version_id'), nullable: true },
  },
  search: ['namespace', 'name', 'title', 'description'],
}

const graphKeys = ['nodes', 'edges', 'node_data', 'input', 'input_schema', 'output_schema', 'output_mappings'] as const

/** Items include the draft graph only if the caller's `fields` need it, and never versions. */
export const list = async (ctx: Ctx<Actor>, request: ListRequest): Promise<Page<Partial<Flow>>> => {
  const reach = await listReach(ctx, request, 'flow')
  const query = store.selectFlows(ctx.db).where(listedWith(ctx.actor, 'flows', reach, request.permissions))
  const wanted = graphKeys.filter((key) => !request.fields?.length || request.fields.includes(key))
  return runOwnedList(query, {
    db: ctx.db,
    spec: listSpec,
    request,
    toItem: (row) => flowFields(row) as Flow,
    ...(wanted.length > 0 && { besides: sizeOf('flow_versions', 'flows.draft_version_id') }),
    notice: ctx.notice,
    embed: async (rows, items) => {
      if (wanted.length === 0 || rows.length === 0) return
      const versions = await store.findVersions(
        ctx.db,
        rows.map((row) => row.draft_version_id),
      )
      for (const [index, item] of items.entries()) {
        const version = versions.get(rows[index]?.draft_version_id ?? '')
        const graph = version && graphDto(version.graph)
        if (graph) Object.assign(item, Object.fromEntries(wanted.map((key) => [key, graph[key]])))
      }
    },
  })
}

const versionsSpec: ListSpec = {
  id: 'flow_versions.id',
  columns: {
    id: { ref: 'flow_versions.id', type: 'text' },
    graph_version: { ref: 'flow_versions.graph_version', type: 'number' },
    created_at: { ref: 'flow_versions.created_at', type: 'time' },
    updated_at: { ref: 'flow_versions.updated_at', type: 'time' },
  },
  search: [],
}

export const listVersions = async (
  ctx: Ctx<Actor>,
  flowId: string,
  request: ListRequest,
): Promise<Page<Partial<FlowVersion>>> => {
  const flow = await assertReadable(ctx, await store.findFlow(ctx.db, flowId), 'flow')
  return runList(store.selectVersions(ctx.db, flow.id), {
    db: ctx.db,
    spec: versionsSpec,
    request,
    toItem: (row) => versionDto(store.typedVersion(row)),
    notice: ctx.notice,
  })
}

/** Checks the visibility for every snapshot, because it may have changed. */
export const stream = async (ctx: Ctx<Actor>, id: string): Promise<EventStream> => {
  const { id: flowId } = await assertReadable(ctx, await store.findFlow(ctx.db, id), 'flow')
  const load = async () => {
    const row = await store.findFlow(ctx.db, flowId)
    if (!row || mayRead(ctx.actor, row) === 'no') throw fail('not_found', 'Flow not found')
    const flow = await flowDetails(ctx, row)
    return { version: flow.draft_version?.graph_version ?? 0, data: flow }
  }
  return { single: false, open: (signal) => flowEvents(ctx.bus, flowSubject(flowId), load, signal) }
}

/** The flow of a run, without a visibility check: the run decides who may see it. Undefined once deleted. */
export const flowOfRun = (db: Db, run: { flow_id: string }): Promise<store.FlowRow | undefined> =>
  store.findFlow(db, run.flow_id)

/** The version that a run or trigger has pinned, even if its flow is deleted. */
export const pinnedVersion = async (db: Db, id: string): Promise<store.VersionRow | undefined> =>
  (await store.findVersions(db, [id])).get(id)
