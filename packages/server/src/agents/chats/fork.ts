// A new chat with the transcript of another one.
import type { Chat } from '@millrace/contract/chats'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure, refusalOnly } from '#platform/core/errors.ts'
import { mayRead } from '#platform/tenancy/visibility.ts'
import { findRunnable, loadVersion } from '../agents/service.ts'
import { assertChatReadable } from './access.ts'
import { copyTranscript, findForkPoint } from './fork-store.ts'
import { changedChat } from './reads.ts'
import { saveScene } from './runs/save-scene.ts'
import { changeChat, type Scene } from './runs/scene.ts'
import { newChat } from './start.ts'
import * as store from './store.ts'

/** A deleted chat is `chat_archived` for its readers and `not_found` for others. */
const openChat = async (ctx: Ctx<Member>, id: string): Promise<store.ChatRow | undefined> => {
  const chat = await store.findChat(ctx.db, id)
  if (chat && chat.deleted_at !== null && mayRead(ctx.actor, chat) !== 'no')
    throw fail('chat_archived', 'The chat was deleted')
  return chat
}

/** A new chat of the caller, with the transcript up to a message. */
export const fork = (ctx: Ctx<Member>, id: string, messageId: string): Promise<Chat> =>
  ctx.tx(async (ctx) => {
    const origin = await assertChatReadable(ctx, await openChat(ctx, id))
    const last = await findForkPoint(ctx.db, origin.id, messageId)
    if (!last) throw fail('not_found', 'Message not found')
    const scene = await forkScene(ctx, origin, last.id)
    changeChat(scene, { name: origin.name, next_order: last.order + 2 })
    await saveScene(ctx, scene)
    await copyTranscript(ctx.db, { from: origin.id, to: scene.chat, lastOrder: last.order })
    return changedChat(ctx, scene.chat)
  })

/** Reading a chat of another workspace does not permit using its agent, which could reveal the agent's prompt. */
const assertMayUseAgent = async (
  ctx: Ctx<Member>,
  { team_id, agent_id, agent_version_id }: store.ChatRow,
): Promise<void> => {
  if (team_id === ctx.actor.teamId) return
  const found = agent_id === null ? undefined : await findRunnable(ctx, agent_id, agent_version_id).catch(refusalOnly)
  if (found === undefined || isFailure(found, 'not_found'))
    throw fail('forbidden', 'The agent of this chat is not available to your workspace')
  if (isFailure(found)) throw found
}

const forkScene = async (ctx: Ctx<Member>, origin: store.ChatRow, messageId: string): Promise<Scene> => {
  await assertMayUseAgent(ctx, origin)
  const version = await loadVersion(ctx.db, origin.agent_version_id)
  if (!version) throw fail('internal_error', { cause: new Error(`The version of chat ${origin.id} does not exist`) })
  // Permissions are not copied to a fork.
  const addressee = { agentId: origin.agent_id, agentTeamId: '', version }
  const context = origin.context as Record<string, string>
  return newChat(ctx, addressee, { context, forkedFromMessageId: messageId })
}
