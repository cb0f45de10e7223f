// Reads of tasks: single tasks, lists, logs, timings and streams.

import type { ListRequest, Page } from '@millrace/contract/common'
import { taskStatus } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import type { EventStream } from '#platform/core/event-stream.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import type { ListSpec } from '#platform/tenancy/list/spec.ts'
import { assertReadable, listedWith, listReach } from '#platform/tenancy/private-access.ts'
import { appSummaries, versionSummary } from '../apps/service.ts'
import { eventsOf, logsDto, shownTo, taskDto } from './dto.ts'
import { queuedTaskRead } from './extension-points.ts'
import { listSamples } from './history-store.ts'
import { engineSummary, mayReadMachine, workerSummary } from './machine.ts'
import { queueReason } from './queue-reasons.ts'
import type { StatusEvent, TaskRow } from './row.ts'
import * as store from './store.ts'
import { taskStream } from './stream.ts'
import { timingsOf } from './timings.ts'
import { usageOf } from './usage.ts'
import { listDeliveries, webhookFilter } from './webhook-store.ts'
import { deliveryDto } from './webhooks.ts'

const textColumns = ['app_id', 'app_version_id', 'function', 'infra', 'visibility', 'user_id'] as const
const nullableColumns = [
  'session_id',
  'flow_run_id',
  'flow_node_id',
  'chat_id',
  'agent_id',
  'engine_id',
  'worker_id',
] as const

const taskList: ListSpec = {
  id: 'tasks.id',
  columns: {
    id: { ref: 'tasks.id', type: 'text' },
    status: { ref: 'tasks.status', type: 'number' },
    flow_item: { ref: 'tasks.flow_item', type: 'number', nullable: true },
    is_featured: { ref: 'tasks.is_featured', type: 'boolean' },
    created_at: { ref: 'tasks.created_at', type: 'time' },
    updated_at: { ref: 'tasks.updated_at', type: 'time' },
    ...Object.fromEntries(textColumns.map((name) => [name, { ref: `tasks.${name}`, type: 'text' as const }])),
    ...Object.fromEntries(
      nullableColumns.map((name) => [name, { ref: `tasks.${name}`, type: 'text' as const, nullable: true as const }]),
    ),
  },
  search: ['function', 'infra'],
  custom: { has_webhook: webhookFilter },
}

const readable = async (ctx: Ctx<Actor>, id: string) => assertReadable(ctx, await store.findTask(ctx.db, id), 'task')

const readableStatus = async (ctx: Ctx<Actor>, id: string) =>
  assertReadable(ctx, await store.findStatus(ctx.db, id), 'task')

export const listTasks = async (ctx: Ctx<Actor>, request: ListRequest): Promise<Page<Partial<Task>>> => {
  const seen = listedWith(ctx.actor, 'tasks', await listReach(ctx, request, 'task'), request.permissions)
  return pageOf(ctx, store.selectTasks(ctx.db).where(seen), request)
}

export const listFeatured = (ctx: Ctx<Actor>, request: ListRequest): Promise<Page<Partial<Task>>> =>
  pageOf(ctx, store.selectFeatured(ctx.db), request)

/** Preloads the app by the row, because a caller may request the field `app` without `app_id`. */
const pageOf = (ctx: Ctx<Actor>, query: ReturnType<typeof store.selectTasks>, request: ListRequest) =>
  runOwnedList(query, {
    db: ctx.db,
    spec: taskList,
    request,
    toItem: (row) => shownTo(ctx.actor, taskDto(row)),
    notice: ctx.notice,
    embed: async (rows, items) => {
      if (!items.some((item) => 'app' in item)) return
      const apps = await appSummaries(
        ctx,
        rows.map((row) => row.app_id),
      )
      for (const [index, item] of items.entries()) item.app = apps.get(rows[index]?.app_id ?? '') ?? null
    },
  })

export const getTask = async (ctx: Ctx<Actor>, id: string): Promise<Task> => {
  const row = await readable(ctx, id)
  if (row.status === taskStatus.queued)
    for (const listener of ctx.extensions.listenersOf(queuedTaskRead)) await listener(ctx, row.id)
  const [task, reason] = await Promise.all([taskDetails(ctx, row), queueReason(ctx, row)])
  return reason === null ? task : { ...task, queue_reason: reason }
}

/** With logs, app, machine and session. */
export const taskDetails = async (ctx: Ctx<Actor>, row: TaskRow): Promise<Task> => {
  const [apps, logs, machine] = await Promise.all([
    appSummaries(ctx, [row.app_id]),
    store.readLogs(ctx.db, row.id),
    row.engine_id === null ? undefined : store.findMachine(ctx.db, row.engine_id, row.worker_id),
  ])
  const app = apps.get(row.app_id) ?? null
  const seen = machine && mayReadMachine(ctx.actor, machine) ? machine : undefined
  const task = taskDto(row, {
    app,
    app_version: app && row.app_version_id !== '' ? await versionSummary(ctx, row.app_version_id) : null,
    logs: logsDto(row.id, logs),
    engine: seen ? engineSummary(seen, row) : null,
    worker: seen?.worker_id ? workerSummary(seen, row) : null,
    usage_events: machine ? usageOf(row, machine.infra) : [],
  })
  return shownTo(ctx.actor, task)
}

export const getStatus = async (ctx: Ctx<Actor>, id: string) => {
  const row = await readableStatus(ctx, id)
  return { id: row.id, status: row.status, updated_at: row.updated_at }
}

export const streamTask = async (ctx: Ctx<Actor>, id: string, lastSeen: number | null): Promise<EventStream> =>
  taskStream(ctx, await readable(ctx, id), lastSeen)

export const getLogs = async (ctx: Ctx<Actor>, id: string) => {
  const row = await readable(ctx, id)
  const logs = await store.readLogs(ctx.db, row.id)
  return { task_id: row.id, status: row.status, events: eventsOf(row), logs: logsDto(row.id, logs) }
}

export const getTimings = async (ctx: Ctx<Actor>, id: string) => {
  const row = await readable(ctx, id)
  return timingsOf(row.id, row.status, row.events as StatusEvent[], ctx.now().toISOString())
}

export const getTelemetry = async (ctx: Ctx<Actor>, id: string) => {
  const row = await readableStatus(ctx, id)
  return listSamples(ctx.db, row.id)
}

/** Engine, worker, attempt and status of tasks, to compare them with the report of an engine. */
export const assignmentsOf = (ctx: Ctx<Actor>, ids: readonly string[]) => store.listAssignments(ctx.db, ids)

export const getCost = async (ctx: Ctx<Actor>, id: string) => {
  const row = await readableStatus(ctx, id)
  return { total: row.cost, discount: 0, charged: row.cost }
}

/** The address of a webhook often contains a token, so only the workspace sees it, even if the task is public. */
export const getWebhooks = async (ctx: Ctx<Member>, id: string) => {
  const row = await readableStatus(ctx, id)
  if (row.team_id !== ctx.actor.teamId) throw fail('not_found', 'Task not found')
  return (await listDeliveries(ctx.db, row.id)).map(deliveryDto)
}
