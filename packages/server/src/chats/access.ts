// Who may do what with a chat. Reading follows visibility; sending and answering never go through the administrators'
// bypass; a deleted chat is gone for readers and closed for writers.
import type { Actor, Member } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { fail } from '../core/errors.ts'
import { assertReadable, assertWritable } from '../db/private-access.ts'
import { mayRead, mayWrite } from '../db/visibility.ts'
import type * as store from './store.ts'

const noSuchChat = () => fail('not_found', 'No such chat')

export const assertChatReadable = async (ctx: Ctx<Actor>, chat: store.ChatRow | undefined): Promise<store.ChatRow> => {
  if (!chat || chat.deleted_at !== null) throw noSuchChat()
  return assertReadable(ctx, chat, 'chat')
}

const assertOpen = (chat: store.ChatRow): store.ChatRow => {
  if (chat.deleted_at !== null) throw fail('chat_archived', 'The chat was deleted')
  return chat
}

/** For changes of the chat itself. */
export const assertChatWritable = async (ctx: Ctx<Member>, chat: store.ChatRow | undefined): Promise<store.ChatRow> =>
  assertOpen(await assertWritable(ctx, chat, 'chat'))

/** For what makes an agent act: not even an administrator speaks in somebody's place. */
export const assertMayAct = (ctx: Ctx<Member>, chat: store.ChatRow | undefined): store.ChatRow => {
  if (!chat || mayRead(ctx.actor, chat) !== 'yes') throw noSuchChat()
  if (mayWrite(ctx.actor, chat) !== 'yes') throw fail('forbidden', 'You have no write access to this chat')
  return assertOpen(chat)
}
