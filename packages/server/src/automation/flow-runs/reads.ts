// Reads flow runs: single runs, lists, logs and streams.
import type { ListRequest, Page } from '@millrace/contract/common'
import type {
  FlowRun,
  FlowRunEvent,
  FlowRunEventRow,
  FlowRunEventsQuery,
  LoopProgress,
} from '@millrace/contract/flow-runs'
import { addUnmetNoticesWithin } from '#execution/dispatch/service.ts'
import { findStreamedTask, flowRunTasksSubject, taskDto } from '#execution/tasks/service.ts'
import { resourceStream } from '#platform/bus/resource-stream.ts'
import { type Actor, isMember } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import type { EventStream } from '#platform/core/event-stream.ts'
import { hasScope } from '#platform/core/scope-checks.ts'
import { readSnapshot } from '#platform/db/read-snapshot.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import { columnsOf, type ListSpec } from '#platform/tenancy/list/spec.ts'
import { assertReadable, listedWith, listReach } from '#platform/tenancy/private-access.ts'
import { mayRead, mayWrite } from '#platform/tenancy/visibility.ts'
import { flowOfRun, flowVersionDto, pinnedVersion } from '../flows/service.ts'
import { flowRunDto, nodeParts, nodeWaits } from './dto.ts'
import { type EngineStatus, isRunOver, runStatusName, shownStatus } from './engine/statuses.ts'
import { findLoops } from './loop-store.ts'
import { findShownNodes, sizeOfNodes } from './node-store.ts'
import { loadPlan } from './plans.ts'
import { resumeUrl } from './resume-url.ts'
import * as store from './store.ts'
import { countChanges, runTaskEvents } from './stream.ts'
import { flowRunSubject } from './subjects.ts'

export const readable = async (ctx: Ctx<Actor>, id: string) =>
  assertReadable(ctx, await store.findRun(ctx.db, id), 'flow run')

/**
 * True if the caller may see the graph of the run: its owner, and everyone who sees the flow. A colleague's private
 * flow stays private although its runs are visible. If the flow belongs to another workspace or is deleted, the graph
 * that ran belongs to the workspace that ran it.
 */
export const maySeeGraph = async (ctx: Ctx<Actor>, run: store.RunRow): Promise<boolean> => {
  const isOwnRun = isMember(ctx.actor) && ctx.actor.teamId === run.team_id
  if (isOwnRun && ctx.actor.userId === run.user_id) return true
  const flow = await flowOfRun(ctx.db, run)
  if (flow !== undefined && mayRead(ctx.actor, flow) === 'yes') return true
  return isOwnRun && flow?.team_id !== run.team_id
}

/** The run, its nodes and their tasks at one moment. */
const findShownRun = (ctx: Ctx<Actor>, id: string) =>
  readSnapshot(ctx.db, async (db) => {
    const run = await store.findRun(db, id)
    const nodes = run ? await findShownNodes(db, [run.id]) : []
    const taskIds = nodes.flatMap(({ task_id }) => task_id ?? [])
    return { run, nodes, tasks: taskIds.length === 0 ? [] : await store.findTasks(db, taskIds) }
  })

export const getRun = async (ctx: Ctx<Actor>, id: string): Promise<FlowRun> => {
  const { nodes, tasks, ...found } = await findShownRun(ctx, id)
  const run = await assertReadable(ctx, found.run, 'flow run')
  const { plan } = await loadPlan(ctx.db, run.flow_version_id, run.graph_version)
  if (!isOver(run)) await addUnmetNoticesWithin(ctx, run.id)
  const statuses = new Map(nodes.map((node) => [node.node_id, node.status]))
  const version = (await maySeeGraph(ctx, run)) ? await pinnedVersion(ctx.db, run.flow_version_id) : undefined
  const waits = isOver(run)
    ? undefined
    : nodeWaits(nodes, mayResume(ctx, run) ? (id) => resumeUrl(ctx, run.id, id) : undefined)
  return {
    ...withTasks(ctx, flowRunDto(run, nodes), tasks),
    ...(waits && { node_waits: waits }),
    ...(plan.loops && { node_loops: await loopsOf(ctx, run.id) }),
    ...(version && { flow_version: flowVersionDto(version) }),
    node_statuses: Object.fromEntries(
      Array.from(plan.nodes.keys(), (nodeId) => [
        nodeId,
        shownStatus((statuses.get(nodeId) ?? 'pending') as EngineStatus),
      ]),
    ) as FlowRun['node_statuses'],
  }
}

const loopsOf = async (ctx: Ctx<Actor>, runId: string): Promise<Record<string, LoopProgress>> =>
  Object.fromEntries((await findLoops(ctx.db, runId)).map(({ node_id, ...progress }) => [node_id, progress]))

/** A resume URL continues the run, so it needs the scope to run flows. */
const mayResume = ({ actor }: Ctx<Actor>, run: store.OwnedRunRow): boolean =>
  mayWrite(actor, run) === 'yes' && hasScope(actor, 'flows:execute')

/** Tasks that the caller may not read remain ids. */
const withTasks = (ctx: Ctx<Actor>, run: FlowRun, found: Awaited<ReturnType<typeof store.findTasks>>): FlowRun => {
  const tasks = new Map(found.map((task) => [task.id, task]))
  const shown = (taskId: string) => {
    const task = tasks.get(taskId)
    return task && mayRead(ctx.actor, task) === 'yes' ? taskDto(task) : null
  }
  return {
    ...run,
    node_tasks: Object.fromEntries(
      Object.entries(run.node_tasks).map(([nodeId, { task_id }]) => [
        nodeId,
        { task_id, task: shown(task_id), ...chatOf(tasks.get(task_id)) },
      ]),
    ),
  }
}

/** An agent node names the chat in which the agent worked. */
const chatOf = (task: { chat_id: string | null } | undefined) =>
  task && task.chat_id !== null ? { chat_id: task.chat_id } : {}

const column = columnsOf('flow_runs')

const listSpec: ListSpec = {
  id: 'flow_runs.id',
  columns: {
    id: column('id'),
    team_id: column('team_id'),
    user_id: column('user_id'),
    flow_id: column('flow_id'),
    flow_version_id: column('flow_version_id'),
    task_id: column('task_id'),
    status: column('status', 'number'),
    visibility: column('visibility'),
    error: column('error'),
    fail_on_error: column('fail_on_error', 'boolean'),
    origin_run_id: { ...column('origin_run_id'), nullable: true },
    trigger_id: { ...column('trigger_id'), nullable: true },
    flow_run_started: { ...column('started_at', 'time'), nullable: true },
    flow_run_finished: { ...column('finished_at', 'time'), nullable: true },
    created_at: column('created_at', 'time'),
    updated_at: column('updated_at', 'time'),
  },
  search: ['error'],
}

export const listRuns = async (ctx: Ctx<Actor>, request: ListRequest): Promise<Page<Partial<FlowRun>>> => {
  const reach = await listReach(ctx, request, 'flow run')
  const query = store.selectRuns(ctx.db).where(listedWith(ctx.actor, 'flow_runs', reach, request.permissions))
  return runOwnedList(query, {
    db: ctx.db,
    spec: listSpec,
    request,
    toItem: (row) => flowRunDto(row, []),
    besides: sizeOfNodes,
    notice: ctx.notice,
    embed: (_rows, items) => embedNodes(ctx, items),
  })
}

const embedNodes = async (ctx: Ctx<Actor>, items: readonly Partial<FlowRun>[]): Promise<void> => {
  const wanted = items.filter((item) => 'node_tasks' in item || 'node_outputs' in item)
  if (wanted.length === 0) return
  const nodes = await findShownNodes(
    ctx.db,
    wanted.flatMap((item) => item.id ?? []),
  )
  const byRun = Map.groupBy(nodes, (node) => node.run_id)
  for (const item of wanted) {
    const parts = nodeParts(byRun.get(item.id ?? '') ?? [])
    if ('node_tasks' in item) item.node_tasks = parts.node_tasks
    if ('node_outputs' in item) item.node_outputs = parts.node_outputs
  }
}

const defaultEvents = 1_000

export const listEvents = async (
  ctx: Ctx<Actor>,
  id: string,
  { after = 0, limit = defaultEvents }: FlowRunEventsQuery,
): Promise<FlowRunEventRow[]> => {
  const run = await readable(ctx, id)
  const rows = await store.findEvents(ctx.db, run.id, after, limit)
  return rows.map((row) => ({ ...row, event: row.event as FlowRunEvent }))
}

const isOver = (run: store.RunRow): boolean => isRunOver(runStatusName(run.status))

/** `lastSeen`: the event number after which to continue. */
export const streamRun = async (ctx: Ctx<Actor>, id: string, lastSeen: number | null): Promise<EventStream> => {
  const run = await readable(ctx, id)
  const load = async () => {
    const { row, nodes } = await readSnapshot(ctx.db, async (db) => ({
      row: await store.findRun(db, run.id),
      nodes: await findShownNodes(db, [run.id]),
    }))
    if (!row || mayRead(ctx.actor, row) === 'no') throw fail('not_found', 'Flow run not found')
    return { seq: row.event_seq, data: flowRunDto(row, nodes), terminal: isOver(row) }
  }
  // Notifications have only numbers: every reader loads the run with its own permissions.
  const source = { subject: flowRunSubject(run.id), load, isTerminal: () => false }
  return {
    single: true,
    finished: isOver(run) && lastSeen !== null && lastSeen >= run.event_seq,
    open: (signal) => resourceStream(ctx.bus, source, signal),
  }
}

/** The tasks of the run that the caller may see, with the number of the latest change. */
const numbersOfTasks = async (ctx: Ctx<Actor>, runId: string) =>
  (await store.findTaskNumbers(ctx.db, runId))
    .filter((task) => mayRead(ctx.actor, task) === 'yes')
    .map((task) => ({ id: task.id, seq: task.event_seq }))

/** `lastSeen` as above; here, a number counts the changes of all tasks together. */
export const streamRunTasks = async (ctx: Ctx<Actor>, id: string, lastSeen: number | null): Promise<EventStream> => {
  const run = await readable(ctx, id)
  const list = async () => {
    const row = await store.findRun(ctx.db, run.id)
    if (!row || mayRead(ctx.actor, row) === 'no') throw fail('not_found', 'Flow run not found')
    return { over: isOver(row), tasks: await numbersOfTasks(ctx, run.id) }
  }
  const source = {
    tasksSubject: flowRunTasksSubject(run.id),
    runSubject: flowRunSubject(run.id),
    list,
    since: lastSeen ?? 0,
    load: (taskId: string) => findStreamedTask(ctx, taskId),
  }
  const mayHaveAll = isOver(run) && lastSeen !== null
  return {
    single: true,
    finished: mayHaveAll && lastSeen >= countChanges(await numbersOfTasks(ctx, run.id)),
    open: (signal) => runTaskEvents(ctx.bus, source, signal),
  }
}
