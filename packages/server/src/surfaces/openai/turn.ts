// Begins the answer to a request: delivers results of tools to the run that waits for them, continues a chat, or starts
// a new one.
import { createHash } from 'node:crypto'
import type { ContentItem } from '@millrace/contract/chats'
import { canonicalJson } from '@millrace/contract/warm-key'
import {
  type Addressee,
  answerTool,
  continueConversation,
  findAnswer,
  findModel,
  type RunAnswer,
  readableChat,
  startConversation,
} from '#agents/chats/service.ts'
import { getFile } from '#content/files/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { readerWith } from '#platform/core/scope-checks.ts'
import { ofCall, ofFile, ofResponse } from './answer-ids.ts'
import { fileIdPrefix, type OpenAiTurn, textOf } from './conversation.ts'
import * as store from './store.ts'

type Ctxm = Ctx<Member>

const isGone = (error: unknown): boolean =>
  isFailure(error, 'not_found') || isFailure(error, 'tool_not_pending') || isFailure(error, 'chat_archived')

/** The id of the first call that a result was delivered to; null if no call waits for one. */
const deliverResults = async (ctx: Ctxm, { results }: OpenAiTurn): Promise<string | null> => {
  let first: string | null = null
  for (const { callId, text } of results) {
    const id = ofCall(callId)
    try {
      await ctx.tx((ctx) => answerTool(ctx, id, { result: text }, undefined))
      first ??= id
    } catch (error) {
      if (!isGone(error)) throw error
    }
  }
  return first
}

const fileOf = async (ctx: Ctxm, item: ContentItem): Promise<ContentItem> => {
  if (!item.file?.startsWith(fileIdPrefix)) return item
  const id = ofFile(item.file.slice(fileIdPrefix.length))
  const { uri, filename, content_type } = await getFile(ctx.as(readerWith(ctx.actor, 'files:read')), id)
  const named = { filename, content_type }
  return content_type.startsWith('image/')
    ? { type: 'image', image: uri, ...named }
    : { type: 'file', file: uri, ...named }
}

const withFiles = (ctx: Ctxm, content: readonly ContentItem[]): Promise<ContentItem[]> =>
  Promise.all(content.map((item) => fileOf(ctx, item)))

/** The parts of a message that a client sends back: its text and its files. */
const shownOf = (content: readonly ContentItem[]) => [
  textOf(content).trim(),
  ...content.flatMap(({ image, file }) => image ?? file ?? []),
]

/**
 * Identifies a conversation as the client knows it after an answer. A request with the same earlier messages continues
 * the chat of that answer, so that the agent keeps its own record and the conversation is not stored again.
 */
const digestOf = (turn: OpenAiTurn, more: readonly unknown[]): string => {
  const { model, user, metadata, instructions, past } = turn
  const earlierMessages = past.map(({ role, content, calls }) => [
    role,
    shownOf(content),
    calls.map(({ callId }) => callId),
  ])
  return createHash('sha256')
    .update(canonicalJson({ model, user, metadata, instructions, spoken: [...earlierMessages, ...more] }))
    .digest('hex')
}

/** Remembers the conversation with the complete answer. */
export const rememberConversation = async (
  ctx: Ctxm,
  turn: OpenAiTurn,
  answer: RunAnswer,
  text: string,
): Promise<void> => {
  const newMessage = turn.content === null ? [] : [['user', shownOf(turn.content), []]]
  const digest = digestOf(turn, [...newMessage, ['assistant', [text.trim()], []]])
  const { teamId, userId } = ctx.actor
  await store.upsertConversation(ctx.db, { chatId: answer.chat.id, teamId, userId, digest, runId: answer.run.id })
}

const knownChat = async (ctx: Ctxm, turn: OpenAiTurn): Promise<string | undefined> => {
  const { past, content, isStored } = turn
  if (content === null || !isStored || past.at(-1)?.role !== 'assistant') return undefined
  const { teamId, userId } = ctx.actor
  return store.findConversation(ctx.db, { teamId, userId, digest: digestOf(turn, []) })
}

const otherModel = (field: string) =>
  fail('validation_error', { detail: `The chat of ${field} uses another model`, meta: { field: 'model' } })

const assertSameModel = (addressee: Addressee, chat: RunAnswer['chat'], field: string): void => {
  const isSame =
    addressee.agentId === null ? addressee.version.id === chat.agent_version_id : addressee.agentId === chat.agent_id
  if (!isSame) throw otherModel(field)
}

/** The chat that the request names; undefined if it names none. */
const namedChat = async (ctx: Ctxm, turn: OpenAiTurn, addressee: Addressee): Promise<string | undefined> => {
  const { previousId, metadata } = turn
  const [field = '', chat] =
    previousId !== ''
      ? (['previous_response_id', (await findAnswer(ctx, ofResponse(previousId))).chat] as const)
      : metadata.chat_id
        ? (['metadata.chat_id', await readableChat(ctx, metadata.chat_id)] as const)
        : []
  if (!chat) return undefined
  assertSameModel(addressee, chat, field)
  return chat.id
}

const contextOf = ({ version }: Addressee, { metadata }: OpenAiTurn): Record<string, string> => {
  const declared = new Set(version.config.context.map(({ name }) => name))
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => declared.has(name)))
}

/** The id of the answer. */
export const beginAnswer = async (ctx: Ctxm, turn: OpenAiTurn): Promise<string> => {
  const delivered = turn.results.length > 0 ? await deliverResults(ctx, turn) : null
  if (delivered !== null) return delivered
  const content = turn.content && (await withFiles(ctx, turn.content))
  const { request } = turn
  const addressee = await findModel(ctx, turn.model)
  const named = await namedChat(ctx, turn, addressee)
  if (named !== undefined && content === null)
    throw fail('tool_not_pending', 'No tool call of this response waits for a result')
  const chatId = named ?? (await knownChat(ctx, turn))
  if (chatId !== undefined && content) return (await continueConversation(ctx, chatId, { content, request })).answerId
  const past = await Promise.all(
    turn.past.map(async (message) => ({ ...message, content: await withFiles(ctx, message.content) })),
  )
  const { channelType, model, user, metadata } = turn
  const channel = { channel_type: channelType, channel_metadata: { model, user, metadata } }
  const context = contextOf(addressee, turn)
  return (await startConversation(ctx, { addressee, past, content, request, context, channel })).answerId
}
