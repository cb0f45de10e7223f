// Narrows the visibility of what belongs to a chat: its tasks and the chats of its sub-agents, at every depth.
// Visibility is never widened this way: a task may contain more than its chat shows, and is shared separately.
import { lockTasksOfChats, narrowTasksOfChats } from '#execution/tasks/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { widerThan } from '#platform/tenancy/visibility.ts'
import { accessOf } from './access.ts'
import { findBelow, lockChats, narrowChats } from './family-store.ts'
import type * as store from './store.ts'
import { chatSubject } from './streams/subjects.ts'

/**
 * Must be awaited before the chat itself is locked. The end of a task locks the task, then its chat, then the parent
 * chat; the opposite order would deadlock.
 */
export const lockBelow = async (ctx: Ctx<Actor>, chatId: string): Promise<void> => {
  const below = await findBelow(ctx.db, chatId)
  await lockTasksOfChats(ctx, [chatId, ...below])
  await lockChats(ctx.db, below)
}

/** Runs in the transaction that narrows the chat and holds its lock, so no descendant is added meanwhile. */
export const narrowBelow = async (ctx: Ctx<Actor>, chat: store.ChatRow, to: string): Promise<void> => {
  const change = { from: widerThan(to), to }
  const below = await findBelow(ctx.db, chat.id)
  const narrowed = await narrowChats(ctx.db, below, { ...change, now: ctx.now().toISOString() })
  // Sends no events: each reader that still has access reloads.
  for (const row of narrowed)
    ctx.emit({ subject: chatSubject(row.id), data: { seq: row.event_seq, of: accessOf(row) } })
  await narrowTasksOfChats(ctx, [chat.id, ...below], change)
}
