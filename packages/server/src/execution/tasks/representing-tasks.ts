// Tasks that no engine runs: each represents a flow run or a chat that does the work.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { TaskRow } from './row.ts'
import * as store from './store.ts'

/** Locks a queued task before its flow run starts; undefined once the run has started or the task has ended. */
export const lockRepresentingTask = (ctx: Ctx<Actor>, id: string): Promise<TaskRow | undefined> =>
  store.lockQueuedTask(ctx.db, id)

export const representFlowRun = (ctx: Ctx<Actor>, id: string, flowRunId: string): Promise<TaskRow> =>
  store.setSubFlowRun(ctx.db, id, flowRunId)

export const representChat = (ctx: Ctx<Actor>, id: string, chatId: string): Promise<void> =>
  store.setChat(ctx.db, id, chatId)
