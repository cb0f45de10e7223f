// Access rules of chats. Reading follows visibility. Sending and answering never use the administrators' bypass. A
// deleted chat is missing for readers and read-only for its writers.
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, notFound } from '#platform/core/errors.ts'
import { requireScope } from '#platform/core/scope-checks.ts'
import { assertReadable, assertWritable } from '#platform/tenancy/private-access.ts'
import { mayRead, mayWrite, type OwnedRow } from '#platform/tenancy/visibility.ts'
import type * as store from './store.ts'

/** The columns that decide who may read a chat. */
export type ChatAccess = OwnedRow & Pick<store.ChatRow, 'id' | 'deleted_at'>

export const accessOf = (chat: ChatAccess): ChatAccess => {
  const { id, team_id, user_id, visibility, team_org_id, deleted_at } = chat
  return { id, team_id, user_id, visibility, team_org_id, deleted_at }
}

export const assertChatReadable = async <C extends ChatAccess>(ctx: Ctx<Actor>, chat: C | undefined): Promise<C> => {
  if (!chat || chat.deleted_at !== null) throw notFound('chat')
  return assertReadable(ctx, chat, 'chat')
}

/** Throws `not_found` as soon as the reader may no longer read the chat. */
export type ReadCheck = (chat: ChatAccess | undefined) => Promise<void>

/**
 * The access check of a long-lived reader. Runs again only if columns that decide access changed, so that an
 * administrator's access is audited once. `known`: the chat when the reader was admitted.
 */
export const createReadCheck = (ctx: Ctx<Actor>, known?: ChatAccess): ReadCheck => {
  const key = (chat: ChatAccess): string =>
    JSON.stringify([chat.team_id, chat.user_id, chat.visibility, chat.deleted_at])
  let checked = known && key(known)
  return async (chat) => {
    if (chat && key(chat) === checked) return
    checked = key(await assertChatReadable(ctx, chat))
  }
}

const assertOpen = (chat: store.ChatRow): store.ChatRow => {
  if (chat.deleted_at !== null) throw fail('chat_archived', 'The chat was deleted')
  return chat
}

/** For changes to the chat itself. */
export const assertChatWritable = async (ctx: Ctx<Member>, chat: store.ChatRow | undefined): Promise<store.ChatRow> =>
  assertOpen(await assertWritable(ctx, chat, 'chat'))

/**
 * For everything that makes an agent act; the administrators' bypass does not apply. `resource` is what the caller
 * named: a caller who may not read the chat gets the same answer as for a missing one.
 */
export const assertMayAct = (ctx: Ctx<Member>, chat: store.ChatRow | undefined, resource = 'chat'): store.ChatRow => {
  if (!chat || mayRead(ctx.actor, chat) !== 'yes') throw notFound(resource)
  if (mayWrite(ctx.actor, chat) !== 'yes') throw fail('forbidden', 'You have no write access to this chat')
  assertOwnsMachine(ctx, chat)
  return assertOpen(chat)
}

/** Messages in such a chat run commands on the owner's machine, with the owner's rights. */
const assertOwnsMachine = ({ actor }: Ctx<Member>, chat: store.ChatRow): void => {
  if (chat.remote_id === null) return
  if (actor.userId !== chat.user_id)
    throw fail('forbidden', 'Only the owner can write in a chat that runs on a machine')
  requireScope(actor, 'remotes:write')
}
