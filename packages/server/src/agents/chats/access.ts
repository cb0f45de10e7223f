// Who may do what with a chat. Reading follows visibility; sending and answering never go through the administrators'
// bypass; a deleted chat is gone for readers and closed for writers.
import { refuseScope } from '@millrace/contract/scopes'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, notFound } from '#platform/core/errors.ts'
import { assertReadable, assertWritable } from '#platform/tenancy/private-access.ts'
import { mayRead, mayWrite, type OwnedRow } from '#platform/tenancy/visibility.ts'
import type * as store from './store.ts'

/** What decides who may read a chat. */
export type Standing = OwnedRow & Pick<store.ChatRow, 'id' | 'deleted_at'>

export const standingOf = (chat: Standing): Standing => {
  const { id, team_id, user_id, visibility, team_org_id, deleted_at } = chat
  return { id, team_id, user_id, visibility, team_org_id, deleted_at }
}

export const assertChatReadable = async <C extends Standing>(ctx: Ctx<Actor>, chat: C | undefined): Promise<C> => {
  if (!chat || chat.deleted_at !== null) throw notFound('chat')
  return assertReadable(ctx, chat, 'chat')
}

/** Throws `not_found` once the chat is not the reader's to read any more. */
export type StillReads = (chat: Standing | undefined) => Promise<void>

/**
 * For whoever goes on reading: judged again only where the chat says something else about who may read it, so that what an
 * administrator reads is audited once. `known`: the chat that the reader was let in by.
 */
export const readerOf = (ctx: Ctx<Actor>, known?: Standing): StillReads => {
  const key = (chat: Standing): string => JSON.stringify([chat.team_id, chat.user_id, chat.visibility, chat.deleted_at])
  let judged = known && key(known)
  return async (chat) => {
    if (chat && key(chat) === judged) return
    judged = key(await assertChatReadable(ctx, chat))
  }
}

const assertOpen = (chat: store.ChatRow): store.ChatRow => {
  if (chat.deleted_at !== null) throw fail('chat_archived', 'The chat was deleted')
  return chat
}

/** For changes of the chat itself. */
export const assertChatWritable = async (ctx: Ctx<Member>, chat: store.ChatRow | undefined): Promise<store.ChatRow> =>
  assertOpen(await assertWritable(ctx, chat, 'chat'))

/**
 * For what makes an agent act: not even an administrator speaks in somebody's place. `resource` is what the caller named: a caller who may not see
 * the chat gets the same answer as for a missing one.
 */
export const assertMayAct = (ctx: Ctx<Member>, chat: store.ChatRow | undefined, resource = 'chat'): store.ChatRow => {
  if (!chat || mayRead(ctx.actor, chat) !== 'yes') throw notFound(resource)
  if (mayWrite(ctx.actor, chat) !== 'yes') throw fail('forbidden', 'You have no write access to this chat')
  assertMayDrive(ctx, chat)
  return assertOpen(chat)
}

/** What is said in such a chat is done on a machine of its owner, as its owner. */
const assertMayDrive = ({ actor }: Ctx<Member>, chat: store.ChatRow): void => {
  if (chat.remote_id === null) return
  if (actor.userId !== chat.user_id) throw fail('forbidden', 'Only its owner speaks in a chat that drives a machine')
  const refusal = refuseScope(actor.grant, 'remotes:write', actor)
  if (refusal) throw fail(refusal.code, refusal.detail)
}
