// Logs of running tasks: appended as they arrive, truncated at a limit, and published to streams at most once per
// second and task.
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

export type LogWriter = {
  /** False when the task does not belong to this engine. */
  append(ctx: Ctx<Actor>, taskId: string, fence: Fence, logType: number, text: string): Promise<boolean>
  /** The task ended: frees the memory of its logs. */
  forget(taskId: string): void
}

export const createLogWriter = (): LogWriter => {
  /** Written bytes per task and log type, so that an append does not have to count. */
  const sizes = new Map<string, Map<number, number>>()
  const reports = new Map<string, NodeJS.Timeout>()

  const sizeOf = async (ctx: Ctx<Actor>, taskId: string, logType: number): Promise<number> =>
    sizes.get(taskId)?.get(logType) ?? (await store.logSize(ctx.db, taskId, logType))

  const setSize = (taskId: string, logType: number, size: number): void => {
    const ofTask = sizes.get(taskId) ?? new Map<number, number>()
    sizes.set(taskId, ofTask.set(logType, size))
  }

  const scheduleReport = (ctx: Ctx<Actor>, taskId: string): void => {
    if (reports.has(taskId)) return
    const timer = setTimeout(() => {
      reports.delete(taskId)
      reportLogs(ctx, taskId).catch((error: unknown) => ctx.log.warn({ err: error }, 'could not publish logs'))
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
      const available = logLimitCharacters - size
      const truncated = clean.length <= available ? clean : clean.slice(0, available).toWellFormed() + truncationMark
      if (!(await store.appendLog(ctx.db, taskId, fence, logType, truncated))) return false
      setSize(taskId, logType, size + clean.length)
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
