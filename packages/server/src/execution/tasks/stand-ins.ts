// Tasks that no engine runs: each stands for something else that does the work.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import type { TaskRow } from './row.ts'
import * as store from './store.ts'

/** A task that waits to stand for a flow run; undefined once it does, or is over. */
export const lockStandIn = (ctx: Ctx<Actor>, id: string): Promise<TaskRow | undefined> =>
  store.lockQueuedTask(ctx.db, id)

export const standForFlowRun = (ctx: Ctx<Actor>, id: string, flowRunId: string): Promise<TaskRow> =>
  store.setSubFlowRun(ctx.db, id, flowRunId)

export const standForChat = (ctx: Ctx<Actor>, id: string, chatId: string): Promise<void> =>
  store.setChat(ctx.db, id, chatId)
