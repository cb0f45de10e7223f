// Changing tasks from outside: cancel, delete, visibility, featuring.
import { isTerminal, taskStatus } from '@millrace/contract/task-status'
import type { Task } from '@millrace/contract/tasks'
import type { Member } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import { recordAudit } from '../db/audit.ts'
import { assertMayWiden, assertWritable } from '../db/private-access.ts'
import { cancelRow } from './cancel.ts'
import { move } from './moves.ts'
import { wholeTask } from './reads.ts'
import * as store from './store.ts'

const writable = async (ctx: Ctx<Member>, id: string) => assertWritable(ctx, await store.findTask(ctx.db, id), 'task')

export const cancelTask = async (
  ctx: Ctx<Member>,
  id: string,
  options: { force?: boolean; timeout?: number },
): Promise<Task> => {
  const row = await writable(ctx, id)
  return wholeTask(ctx, await cancelRow(ctx, row.id, { force: options.force, timeoutMs: options.timeout }))
}

export const deleteTask = (ctx: Ctx<Member>, id: string) =>
  ctx.tx(async (ctx) => {
    const row = await writable(ctx, id)
    if (!isTerminal(row.status)) {
      await cancelRow(ctx, row.id, { force: true, timeoutMs: 0 })
      await move(ctx, row.id, { fence: null, to: taskStatus.cancelled })
    }
    await store.softDelete(ctx.db, row.id, ctx.now().toISOString())
    await recordAudit(ctx, 'task.deleted', { resourceType: 'task', resourceId: row.id })
    return { success: true }
  })

export const setTaskVisibility = (ctx: Ctx<Member>, id: string, visibility: string): Promise<Task> =>
  ctx.tx(async (ctx) => {
    const row = await writable(ctx, id)
    assertMayWiden(ctx, row, visibility)
    const saved = await store.setVisibility(ctx.db, row.id, visibility, ctx.now().toISOString())
    await recordAudit(ctx, 'task.visibility', { resourceType: 'task', resourceId: row.id, meta: { visibility } })
    return wholeTask(ctx, saved)
  })

/** Featuring crosses workspaces: platform administrators see every task here. */
export const featureTask = async (ctx: Ctx<Member>, id: string, isFeatured: boolean): Promise<Task> => {
  const row = await store.findTask(ctx.db, id)
  if (!row) throw fail('not_found', 'No such task')
  return wholeTask(ctx, await store.setFeatured(ctx.db, row.id, isFeatured, ctx.now().toISOString()))
}
