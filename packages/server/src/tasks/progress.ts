// What a running task says while it runs: output so far, deltas, logs; and an engine's refusal to run it at all.
import { taskStatus } from '@millrace/contract/task-status'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { toLogs } from './dto.ts'
import { move, report, reportStatus, statusEvent } from './moves.ts'
import * as store from './store.ts'
import { taskSubject } from './subjects.ts'

export const setProgress = async (ctx: Ctx<Actor>, id: string, attempt: number, output: unknown): Promise<void> => {
  const row = await store.setOutput(ctx.db, id, attempt, output, ctx.now().toISOString())
  if (row) report(ctx, row, { output })
}

/** Deltas are news only: they change no row and are not replayed. */
export const publishDelta = (ctx: Ctx<Actor>, id: string, seq: number, delta: unknown): void => {
  ctx.emit({ subject: taskSubject(id), data: { delta: { delta, seq } } })
}

const requeueDelayMs = 250

export const rejectTask = async (ctx: Ctx<Actor>, id: string, attempt: number, reason: string): Promise<void> => {
  const now = ctx.now()
  await ctx.tx(async (ctx) => {
    const event = statusEvent(taskStatus.queued, now.toISOString())
    const availableAt = new Date(now.getTime() + requeueDelayMs).toISOString()
    const row = await store.requeue(ctx.db, id, attempt, event, availableAt)
    if (!row) return
    // A worker that says it is busy is not free after all; the next heartbeat tells when it is.
    await ctx.db
      .updateTable('workers')
      .set({ status: reason === 'worker_busy' ? 'busy' : 'idle', task_id: null })
      .where('task_id', '=', id)
      .execute()
    reportStatus(ctx, row)
  })
}

const logLimitCharacters = 1024 * 1024
const truncationMark = '\n[log truncated: the limit of 1 MiB is reached]\n'
const logReportMs = 1_000

/** Sizes of logs being written by this process, so that an append needs no count. Dropped when the task ends. */
const logSizes = new Map<string, number>()
const reporting = new Map<string, NodeJS.Timeout>()

export const appendTaskLog = async (
  ctx: Ctx<Actor>,
  id: string,
  attempt: number,
  logType: number,
  text: string,
): Promise<void> => {
  const live = await ctx.db
    .selectFrom('tasks')
    .select('id')
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .executeTakeFirst()
  if (!live || text === '') return
  const sizeKey = `${id}/${logType}`
  const size = logSizes.get(sizeKey) ?? (await store.logSize(ctx.db, id, logType))
  if (size >= logLimitCharacters) return
  // PostgreSQL text cannot hold NUL; a program may print one all the same.
  const clean = text.replaceAll('\0', '\uFFFD').toWellFormed()
  const room = logLimitCharacters - size
  const kept = clean.length <= room ? clean : clean.slice(0, room) + truncationMark
  await store.appendLog(ctx.db, id, logType, kept)
  logSizes.set(sizeKey, size + clean.length)
  scheduleLogReport(ctx, id)
}

/** Streams hear about grown logs at most once a second per task. */
const scheduleLogReport = (ctx: Ctx<Actor>, id: string): void => {
  if (reporting.has(id)) return
  const timer = setTimeout(() => {
    reporting.delete(id)
    reportLogs(ctx, id).catch((error: unknown) => ctx.log.warn({ err: error }, 'logs could not be reported'))
  }, logReportMs)
  timer.unref()
  reporting.set(id, timer)
}

const reportLogs = async (ctx: Ctx<Actor>, id: string): Promise<void> => {
  const seq = await store.bumpSeq(ctx.db, id)
  if (seq === undefined) return
  const logs = toLogs(id, await store.readLogs(ctx.db, id))
  report(ctx, { id, event_seq: seq, flow_run_id: null }, { logs })
}

/** The task ended: nothing about its logs is kept in memory. */
export const forgetLogs = (id: string): void => {
  clearTimeout(reporting.get(id))
  reporting.delete(id)
  for (let logType = 0; logType <= 4; logType += 1) logSizes.delete(`${id}/${logType}`)
}

/** The server's own verdict on a task whose engine cannot give one. */
export const failTask = (ctx: Ctx<Actor>, id: string, attempt: number | null, error: string) =>
  move(ctx, id, { attempt, to: taskStatus.failed, error })
