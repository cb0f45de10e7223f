// Whether an engine is there, and what that means for its workers and tasks. A dropped socket retires nothing by
// itself: the engine keeps working and may come back.
import type { EngineToServer, WorkerStatus } from '@millrace/contract/engine-frames'
import { engineMoves } from '@millrace/contract/engine-status'
import { newId } from '@millrace/contract/ids'
import { taskStatus } from '@millrace/contract/task-status'
import { sql } from 'kysely'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { queueNews } from '../tasks/service.ts'
import { finalize } from './liveness.ts'
import { reportEngine } from './reports.ts'
import * as store from './store.ts'
import { keptInfo } from './system-info.ts'

type DataOf<T extends EngineToServer['type']> = Extract<EngineToServer, { type: T }>['data']

/** The number of this connection, or null when the engine was stopped for good and must register first. */
export const connectEngine = (ctx: Ctx<Actor>, engineId: string): Promise<number | null> =>
  ctx.tx(async (ctx) => {
    const engine = await store.lockEngine(ctx.db, engineId)
    if (!engine) return null
    // Only a stop that was a mere disconnection ends by reconnecting.
    if (engine.status === 'stopping') return null
    if (engine.status === 'stopped' && engine.stop_reason !== 'disconnected') return null
    const now = ctx.now().toISOString()
    const number = engine.connection_number + 1
    await ctx.db
      .updateTable('engines')
      .set({
        status: engine.status === 'draining' ? 'draining' : 'running',
        own_drain: false,
        stop_reason: '',
        connected: true,
        server_id: ctx.server.id,
        connection_number: number,
        disconnected_at: null,
        last_seen_at: now,
        updated_at: now,
        event_seq: sql`event_seq + 1`,
      })
      .where('id', '=', engineId)
      .execute()
    // Workers without a task are free; those with one tell by their first heartbeat.
    await ctx.db
      .updateTable('workers')
      .set({
        status: sql`case when task_id is null then 'idle' else 'busy' end`,
        last_seen_at: now,
        idle_since: now,
        updated_at: now,
      })
      .where('engine_id', '=', engineId)
      .where('deleted_at', 'is', null)
      .execute()
    await reportEngine(ctx, engineId)
    ctx.emit(queueNews('free'))
    return number
  })

/** One that restarts or is on its way out keeps saying so. */
const lostStatus = sql<'disconnected'>`case when status = any(${engineMoves.lost.from}::text[]) then ${engineMoves.lost.to}
  else status end`

export const disconnectEngine = async (ctx: Ctx<Actor>, engineId: string, connection: number): Promise<void> => {
  const now = ctx.now().toISOString()
  await ctx.tx(async (ctx) => {
    const changed = await ctx.db
      .updateTable('engines')
      .set({
        connected: false,
        disconnected_at: now,
        updated_at: now,
        status: lostStatus,
        event_seq: sql`event_seq + 1`,
      })
      .where('id', '=', engineId)
      .where('connection_number', '=', connection)
      .returning(['status', 'stop_reason'])
      .executeTakeFirst()
    // One that was on its way out is gone now.
    if (changed?.status === 'stopping') await finalize(ctx, engineId, changed.stop_reason)
    else if (changed) await reportEngine(ctx, engineId)
  })
}

/** Of a server that is gone nobody holds a socket, whatever the rows say; its engines dial again. */
export const forgetConnections = async (ctx: Ctx<Actor>): Promise<void> => {
  const now = ctx.now().toISOString()
  const lost = await ctx.db
    .updateTable('engines')
    .set({
      connected: false,
      disconnected_at: now,
      updated_at: now,
      status: lostStatus,
      event_seq: sql`event_seq + 1`,
    })
    .where('connected', '=', true)
    .where(sql<boolean>`not exists (select from servers where servers.id = engines.server_id)`)
    .returning('id')
    .execute()
  for (const { id } of lost) await reportEngine(ctx, id)
}

/** What an engine's word about a worker means here: one it has reserved for something works, as far as we can tell. */
const takenAs: Record<WorkerStatus, 'idle' | 'busy' | 'inactive'> = {
  idle: 'idle',
  busy: 'busy',
  reserved: 'busy',
  inactive: 'inactive',
}

export const engineHeartbeat = async (
  ctx: Ctx<Actor>,
  engineId: string,
  data: DataOf<'engine_heartbeat'>,
): Promise<void> => {
  const now = ctx.now().toISOString()
  await ctx.db.updateTable('engines').set({ last_seen_at: now }).where('id', '=', engineId).execute()
  const reported = Object.entries(data.worker_statuses).map(([id, status]) => [id, takenAs[status]] as const)
  // A worker the engine calls idle is freed only when the server has given it nothing: an assignment may be on its way.
  // One it calls busy may have told since that it is done, and that has overtaken this: the later word counts.
  // Locked in one order, whatever order the engine names them in: two reports at once must not wait for each other.
  const { rows } = await sql<{ freed: boolean }>`
    with before as materialized (
      select id, status from workers where engine_id = ${engineId} and deleted_at is null order by id for update)
    update workers set last_seen_at = ${now}::timestamptz,
      status = case when workers.task_id is null and workers.status <> 'reserved' and r.status = 'idle' then 'idle'
                    when workers.task_id is null and r.status <> 'idle'
                      and coalesce(workers.idle_since < ${now}::timestamptz, true) then r.status else workers.status end,
      idle_since = case when workers.status = 'idle' then workers.idle_since else ${now}::timestamptz end
    from unnest(${reported.map(([id]) => id)}::text[], ${reported.map(([, status]) => status)}::text[]) as r (id, status)
      join before on before.id = r.id
    where workers.id = r.id and workers.engine_id = ${engineId} and workers.deleted_at is null
    returning (workers.status = 'idle' and before.status <> 'idle') as freed`.execute(ctx.db)
  if (rows.some((row) => row.freed)) ctx.emit(queueNews('free'))
  if (data.engine_status === 'stopping') await followStop(ctx, engineId)
  else if (data.engine_status === 'running') await followReturn(ctx, engineId)
  else if (data.engine_status) await followStatus(ctx, engineId, data.engine_status)
}

/** The engine reports a finer state than the server has recorded. It is remembered that this was its own doing. */
const followStatus = async (ctx: Ctx<Actor>, engineId: string, status: 'draining' | 'restarting'): Promise<void> => {
  const changed = await ctx.db
    .updateTable('engines')
    .set({
      status,
      own_drain: sql`status = 'running' or own_drain`,
      event_seq: sql`event_seq + 1`,
      updated_at: ctx.now().toISOString(),
    })
    .where('id', '=', engineId)
    .where('status', 'in', engineMoves[status === 'draining' ? 'drainReported' : 'restartReported'].from)
    .returning('id')
    .executeTakeFirst()
  if (changed) await reportEngine(ctx, engineId)
}

/** It takes work again: that ends what the engine itself had begun, and never what somebody asked for here. */
const followReturn = async (ctx: Ctx<Actor>, engineId: string): Promise<void> => {
  const changed = await ctx.db
    .updateTable('engines')
    .set({ status: 'running', own_drain: false, event_seq: sql`event_seq + 1`, updated_at: ctx.now().toISOString() })
    .where('id', '=', engineId)
    .where('own_drain', '=', true)
    .where('status', 'in', engineMoves.returnReported.from)
    .returning('id')
    .executeTakeFirst()
  if (!changed) return
  await reportEngine(ctx, engineId)
  ctx.emit(queueNews('free'))
}

/** An engine that ends by itself, after a drain or at once, says so before it closes its socket. */
const followStop = async (ctx: Ctx<Actor>, engineId: string): Promise<void> => {
  const changed = await ctx.db
    .updateTable('engines')
    .set({
      status: 'stopping',
      stop_reason: sql`case when status = 'draining' then 'drained' else 'stopped' end`,
      event_seq: sql`event_seq + 1`,
      updated_at: ctx.now().toISOString(),
    })
    .where('id', '=', engineId)
    .where('status', 'in', engineMoves.stopReported.from)
    .returning('id')
    .executeTakeFirst()
  if (changed) await reportEngine(ctx, engineId)
}

type Send = (frame: object) => void

/** What a report leaves out stays as it was. */
const engineFacts = ({ engine_version: version, system_info: told }: DataOf<'engine_telemetry'>) => {
  const named = version ?? told?.engine_version
  const info = keptInfo(told)
  return { ...(named ? { engine_version: named } : {}), ...(info ? { system_info: JSON.stringify(info) } : {}) }
}

export const engineTelemetry = async (
  ctx: Ctx<Actor>,
  engineId: string,
  data: DataOf<'engine_telemetry'>,
  send: Send,
): Promise<void> => {
  const now = ctx.now().toISOString()
  await ctx.db
    .updateTable('engines')
    .set({
      last_seen_at: now,
      ...engineFacts(data),
      event_seq: sql`event_seq + 1`,
    })
    .where('id', '=', engineId)
    .execute()
  for (const worker of data.workers)
    await ctx.db
      .updateTable('workers')
      .set({
        last_seen_at: now,
        warm_apps: worker.warm_apps ?? [],
        ...(worker.system_info ? { system_info: JSON.stringify(worker.system_info) } : {}),
      })
      .where('id', '=', worker.id)
      .where('engine_id', '=', engineId)
      .execute()
  await cancelStale(ctx, engineId, data, send)
  await recordSamples(ctx, engineId, data, now)
  await reportEngine(ctx, engineId)
}

/** A worker still running what the platform ended elsewhere is told to drop it; a completed task is never stale. */
const cancelStale = async (
  ctx: Ctx<Actor>,
  engineId: string,
  data: DataOf<'engine_telemetry'>,
  send: Send,
): Promise<void> => {
  const running = data.workers.flatMap((worker) =>
    worker.task_id ? [{ taskId: worker.task_id, workerId: worker.id }] : [],
  )
  if (running.length === 0) return
  const rows = await ctx.db
    .selectFrom('tasks')
    .select(['id', 'status', 'worker_id', 'engine_id'])
    .where(
      'id',
      'in',
      running.map((one) => one.taskId),
    )
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  for (const { taskId, workerId } of running) {
    const row = byId.get(taskId)
    const ended = row && (row.status === taskStatus.failed || row.status === taskStatus.cancelled)
    const elsewhere =
      row && row.status < taskStatus.completed && (row.engine_id !== engineId || row.worker_id !== workerId)
    if (!row || ended || elsewhere) send({ type: 'task_force_cancel', data: { task: { id: taskId } } })
  }
}

/** One sample per running task of this engine; what it says about anybody else's task is not written down. */
const recordSamples = async (
  ctx: Ctx<Actor>,
  engineId: string,
  data: DataOf<'engine_telemetry'>,
  now: string,
): Promise<void> => {
  const { cpus, ram, gpus, volumes } = data.system_info ?? {}
  const resources = JSON.stringify({ cpus, ram, gpus, volumes })
  for (const worker of data.workers) {
    if (!worker.task_id) continue
    await sql`
      insert into task_telemetry (id, task_id, task_seq, app_id, app_version_id, engine_id, worker_id, engine_resources, system_info, created_at)
      select ${newId()}, t.id, (select count(*) + 1 from task_telemetry s where s.task_id = t.id), t.app_id, t.app_version_id,
        ${engineId}, ${worker.id}, ${resources}::jsonb, ${JSON.stringify(worker.system_info ?? {})}::jsonb, ${now}::timestamptz
      from tasks t where t.id = ${worker.task_id} and t.engine_id = ${engineId} and t.worker_id = ${worker.id}`.execute(
      ctx.db,
    )
  }
}
