// Creates chats and sends messages: validates the content and whether the agent can receive it now.

import {
  type ChatMessage,
  type ContentItem,
  type CreateChat,
  type FileRef,
  isRunOver,
  type MessageInput,
  type RunAgent,
  type RunAgentReply,
} from '@millrace/contract/chats'
import { runAs } from '@millrace/contract/scopes'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { findRunnable, loadVersion, requireAgentWithin } from '../agents/service.ts'
import { assertMayAct } from './access.ts'
import { type Addressee, addresseeOf, assertCanRun, findAddressee, namedAgent } from './addressee.ts'
import { insertable, newChatRow } from './chat-row.ts'
import { contextFor } from './context.ts'
import { messageDto } from './dto.ts'
import { harness } from './extension-points.ts'
import { beginRun } from './runs/drive.ts'
import { saveScene } from './runs/save-scene.ts'
import { changeChat, newMessage, openScene, queuedIn, type Scene, sceneOf } from './runs/scene.ts'
import * as store from './store.ts'
import type { ModelRequest } from './tools/requested.ts'

type Ctxm = Ctx<Member>

/**
 * The content of a message. The older `images` and `files` are used if there are no attachments. `field`: the name of
 * the text in the operation's body.
 */
export const contentOfInput = (
  { text = '', attachments = [], images = [], files = [] }: MessageInput,
  field = 'input.text',
): ContentItem[] => {
  const isImage = ({ content_type = '' }: FileRef) => content_type.startsWith('image/')
  const described = ({ filename, content_type }: FileRef) => ({
    ...(filename !== undefined && { filename }),
    ...(content_type !== undefined && { content_type }),
  })
  const attached =
    attachments.length > 0
      ? attachments.map(
          (file): ContentItem =>
            isImage(file)
              ? { type: 'image', image: file.uri, ...described(file) }
              : { type: 'file', file: file.uri, ...described(file) },
        )
      : [
          ...images.map((image): ContentItem => ({ type: 'image', image })),
          ...files.map((file): ContentItem => ({ type: 'file', file })),
        ]
  if (text.trim() === '' && attached.length === 0)
    throw fail('validation_error', {
      detail: `${field} is required without attachments`,
      meta: { field },
    })
  return [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...attached]
}

export type ChatOptions = { name?: string; context?: Record<string, string>; forkedFromMessageId?: string }

/** A new chat with an agent, as a scene that accepts a message at once. */
export const newChat = (ctx: Ctxm, addressee: Addressee, options: ChatOptions): Scene => {
  const { version, agentId } = addressee
  const isOwnAgent = addressee.agentTeamId === ctx.actor.teamId
  const chat = newChatRow(ctx, {
    teamId: ctx.actor.teamId,
    userId: ctx.actor.userId,
    name: options.name ?? '',
    isNamed: Boolean(options.name),
    agentId,
    versionId: version.id,
    context: contextFor(version.config.context, options.context ?? {}),
    agentData: isOwnAgent && version.config.permissions.allow_all_tools === true ? { allow_all_tools: true } : {},
    ...(addressee.driver && { driver: addressee.driver }),
    ...(options.forkedFromMessageId !== undefined && { forkedFromMessageId: options.forkedFromMessageId }),
  })
  return sceneOf(chat, version)
}

/** Opens the session of a new chat that a machine runs. The chat's row must exist by then. */
export const openDriven = async (ctx: Ctxm, chat: store.ChatRow): Promise<void> => {
  if (chat.profile_id !== null) for (const { begin } of ctx.extensions.listenersOf(harness)) await begin(ctx, chat)
}

export const createChat = (ctx: Ctxm, body: CreateChat): Promise<store.ChatRow> => {
  if (!body.agent) throw fail('invalid_request', 'agent is required')
  const text = body.agent
  return ctx.tx(async (ctx) => {
    const { chat } = newChat(ctx, await findAddressee(ctx, text), body)
    await store.insertChat(ctx.db, insertable(chat))
    await openDriven(ctx, chat)
    return chat
  })
}

const maxNameLength = 80

/** The default title of a chat, from its first message. */
export const nameAfter = (content: readonly ContentItem[]): string => {
  const text = (content.find(({ type }) => type === 'text')?.text ?? '').replace(/\s+/g, ' ').trim()
  return [...text].slice(0, maxNameLength).join('')
}

export type MessageOrigin = {
  triggerId?: string | null
  flowRunId?: string | null
  taskId?: string | null
  traceparent?: string
  modelRequest?: ModelRequest
}

/** Queued messages per chat: every step of the chat reads all of them. */
const maxQueued = 100
const maxQueuedLength = 8 * 1024 * 1024

const assertQueueCapacity = async (ctx: Ctxm, chatId: string): Promise<void> => {
  const { count, length } = await store.sizeOfQueue(ctx.db, chatId)
  if (count >= maxQueued || length >= maxQueuedLength)
    throw fail('invalid_state', 'The agent is busy and its message queue is full')
}

/** Sends a message in a locked chat: starts a run, or queues the message for the active one. */
export const addMessage = async (ctx: Ctxm, scene: Scene, content: ContentItem[], origin: MessageOrigin = {}) => {
  const isBusy = scene.run !== null && !isRunOver(scene.run.state)
  const { actor } = ctx
  if (isBusy && (await isSteered(ctx, scene))) return sendToBusyAgent(ctx, scene, content)
  if (isBusy) await assertQueueCapacity(ctx, scene.chat.id)
  // Reserves the position of the summary of earlier messages.
  if (!isBusy && scene.chat.run_count > 0) scene.chat.next_order += 1
  if (!isBusy) await placeQueued(ctx, scene)
  const sender = { runAs: runAs(actor.grant), startedBy: { kind: actor.kind, id: actor.credentialId } }
  const message = newMessage(ctx, scene, {
    role: 'user',
    status: isBusy ? 'queued' : 'ready',
    content,
    userId: actor.userId,
    runId: null,
    ...(isBusy && { sentAs: sender }),
  })
  if (!scene.chat.is_named && scene.chat.name === '') changeChat(scene, { name: nameAfter(content) })
  if (isBusy) {
    await saveScene(ctx, scene)
    return { message, run: null }
  }
  const run = await beginRun(ctx, scene, {
    userId: actor.userId,
    ...sender,
    userMessageId: message.id,
    ...origin,
  })
  return { message, run }
}

const isSteered = async (ctx: Ctxm, { chat }: Scene): Promise<boolean> => {
  if (chat.remote_id === null) return false
  const answers = await Promise.all(ctx.extensions.listenersOf(harness).map(({ steers }) => steers(ctx, chat)))
  return answers.includes(true)
}

/** The agent receives the message while it works. */
const sendToBusyAgent = async (ctx: Ctxm, scene: Scene, content: ContentItem[]) => {
  const runId = scene.run?.id ?? null
  const message = newMessage(ctx, scene, { role: 'user', status: 'ready', content, userId: ctx.actor.userId, runId })
  await saveScene(ctx, scene)
  return { message, run: null }
}

/** Messages that a stop left queued come before the new message. */
const placeQueued = async (ctx: Ctxm, scene: Scene): Promise<void> => {
  for (const queued of await queuedIn(ctx, scene)) {
    scene.messages.set(queued.id, { ...queued, status: 'ready', order: scene.chat.next_order })
    scene.touched.messages.add(queued.id)
    scene.chat.next_order += 1
  }
}

const replyOf = (scene: Scene, sent: Awaited<ReturnType<typeof addMessage>>): RunAgentReply => {
  const { message, run } = sent
  const answer = run && firstAnswer(scene, run.id)
  return {
    user_message: messageDto(message, [], scene.chat),
    ...(answer && { assistant_message: messageDto(answer, [], scene.chat) }),
  }
}

const firstAnswer = (scene: Scene, runId: string): store.MessageRow | undefined =>
  [...scene.messages.values()]
    .filter((message) => message.role === 'assistant' && message.agent_run_id === runId)
    .sort((a, b) => a.order - b.order)[0]

export const lockForSending = async (ctx: Ctxm, chatId: string): Promise<Scene> => {
  const found = assertMayAct(ctx, await store.findChat(ctx.db, chatId))
  const scene = await openScene(ctx, found.id)
  if (!scene) throw fail('not_found', 'Chat not found')
  assertMayAct(ctx, scene.chat)
  if (found.agent_id !== null) await requireAgentWithin(ctx, found.agent_id)
  // Throws if the version of the app may no longer be run.
  if (scene.chat.remote_id === null)
    assertCanRun({ version: (await loadVersion(ctx.db, scene.chat.agent_version_id)) ?? scene.version })
  else for (const { assertReachable } of ctx.extensions.listenersOf(harness)) await assertReachable(ctx, scene.chat)
  return scene
}

export const runAgent = (ctx: Ctxm, body: RunAgent): Promise<RunAgentReply> =>
  ctx.tx(async (ctx) => {
    const addressee = await namedAgent(ctx, body)
    const content = contentOfInput(body.input)
    if (addressee) assertCanRun(addressee)
    const scene = addressee
      ? newChat(ctx, addressee, { context: body.context ?? {} })
      : await lockForSending(ctx, body.chat_id ?? '')
    if (!addressee && body.context && Object.keys(scene.chat.context as object).length === 0)
      changeChat(scene, { context: contextFor(scene.version.config.context, body.context) })
    const sent = await addMessage(ctx, scene, content)
    if (addressee) await openDriven(ctx, scene.chat)
    return replyOf(scene, sent)
  })

export const sendMessage = (ctx: Ctxm, chatId: string, input: MessageInput): Promise<ChatMessage> =>
  ctx.tx(async (ctx) => {
    const content = contentOfInput(input, 'message')
    const scene = await lockForSending(ctx, chatId)
    return replyOf(scene, await addMessage(ctx, scene, content)).user_message
  })

export type StartAgent = {
  agentId: string
  versionId?: string | null
  name?: string
  input: MessageInput
  context: Record<string, string>
  origin: MessageOrigin
}

/** Starts a run for a trigger or a flow node. */
export const startAgentRun = (ctx: Ctxm, start: StartAgent): Promise<{ chatId: string; runId: string }> =>
  ctx.tx(async (ctx) => {
    const addressee = addresseeOf(await findRunnable(ctx, start.agentId, start.versionId ?? null))
    assertCanRun(addressee)
    const content = contentOfInput(start.input)
    const scene = newChat(ctx, addressee, { context: start.context, ...(start.name && { name: start.name }) })
    const { run } = await addMessage(ctx, scene, content, start.origin)
    await openDriven(ctx, scene.chat)
    return { chatId: scene.chat.id, runId: run?.id ?? '' }
  })
