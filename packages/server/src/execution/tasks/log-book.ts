// Logs of running tasks: appended as they come, cut at a limit, and told to streams at most once a second per task.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { logsDto } from './dto.ts'
import { report } from './moves.ts'
import type { Fence } from './row.ts'
import { storableText } from './storable.ts'
import * as store from './store.ts'

export const logLimitCharacters = 1024 * 1024
const truncationMark = '\n[log truncated: the limit of 1 MiB is reached]\n'
const reportMs = 1_000

export type LogBook = {
  /** False when the task is not this engine's. */
  append(ctx: Ctx<Actor>, taskId: string, fence: Fence, logType: number, text: string): Promise<boolean>
  /** The task ended: nothing about its logs is kept in memory. */
  forget(taskId: string): void
}

export const createLogBook = (): LogBook => {
  /** Sizes per task and log type of what has been written, so that an append needs no count. */
  const sizes = new Map<string, Map<number, number>>()
  const reports = new Map<string, NodeJS.Timeout>()

  const sizeOf = async (ctx: Ctx<Actor>, taskId: string, logType: number): Promise<number> =>
    sizes.get(taskId)?.get(logType) ?? (await store.logSize(ctx.db, taskId, logType))

  const keepSize = (taskId: string, logType: number, size: number): void => {
    const ofTask = sizes.get(taskId) ?? new Map<number, number>()
    sizes.set(taskId, ofTask.set(logType, size))
  }

  const scheduleReport = (ctx: Ctx<Actor>, taskId: string): void => {
    if (reports.has(taskId)) return
    const timer = setTimeout(() => {
      reports.delete(taskId)
      reportLogs(ctx, taskId).catch((error: unknown) => ctx.log.warn({ err: error }, 'logs could not be reported'))
    }, reportMs)
    timer.unref()
    reports.set(taskId, timer)
  }

  return {
    append: async (ctx, taskId, fence, logType, text) => {
      if (text === '') return true
      const size = await sizeOf(ctx, taskId, logType)
      if (size >= logLimitCharacters) return true
      const clean = storableText(text)
      const room = logLimitCharacters - size
      const kept = clean.length <= room ? clean : clean.slice(0, room).toWellFormed() + truncationMark
      if (!(await store.appendLog(ctx.db, taskId, fence, logType, kept))) return false
      keepSize(taskId, logType, size + clean.length)
      scheduleReport(ctx, taskId)
      return true
    },
    forget: (taskId) => {
      clearTimeout(reports.get(taskId))
      reports.delete(taskId)
      sizes.delete(taskId)
    },
  }
}

const reportLogs = async (ctx: Ctx<Actor>, taskId: string): Promise<void> => {
  const numbered = await store.bumpSeq(ctx.db, taskId)
  if (!numbered) return
  const logs = logsDto(taskId, await store.readLogs(ctx.db, taskId))
  const weightBytes = logs.reduce((sum, { content }) => sum + content.length, 0)
  report(ctx, numbered, { logs }, { weightBytes })
}
