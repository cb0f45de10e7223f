// Who may no longer see a chat may no longer see what belongs to it: its tasks, the chats of its sub-agents, and theirs. What
// was shown to fewer than the chat stays as it is, and so does everything where a chat is shown to more: a task may hold
// what its chat does not show, and is shown to others by itself.
import { visibilities } from '@millrace/contract/common'
import { lockTasksOfChats, narrowTasksOfChats } from '#execution/tasks/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { standingOf } from './access.ts'
import { findBelow, lockChats, narrowChats } from './family-store.ts'
import type * as store from './store.ts'
import { chatSubject } from './subjects.ts'

/** All that show a row to more people than this one does; they stand in that order. */
const widerThan = (visibility: string): readonly string[] =>
  visibilities.slice((visibilities as readonly string[]).indexOf(visibility) + 1)

export const narrows = (from: string, to: string): boolean => widerThan(to).includes(from)

/**
 * To be awaited before the chat itself is locked: the end of a task takes the task, then its chat, then the chat above. Whoever
 * goes the other way waits for somebody who waits for him.
 */
export const lockBelow = async (ctx: Ctx<Actor>, chatId: string): Promise<void> => {
  const below = await findBelow(ctx.db, chatId)
  await lockTasksOfChats(ctx, [chatId, ...below])
  await lockChats(ctx.db, below)
}

/** In the transaction that narrows the chat, which is locked: nothing is added below it meanwhile. */
export const narrowBelow = async (ctx: Ctx<Actor>, chat: store.ChatRow, to: string): Promise<void> => {
  const change = { from: widerThan(to), to }
  const below = await findBelow(ctx.db, chat.id)
  const narrowed = await narrowChats(ctx.db, below, { ...change, now: ctx.now().toISOString() })
  // Without what changed: each reader looks for itself, unless it is refused already.
  for (const row of narrowed)
    ctx.emit({ subject: chatSubject(row.id), data: { seq: row.event_seq, of: standingOf(row) } })
  await narrowTasksOfChats(ctx, [chat.id, ...below], change)
}
