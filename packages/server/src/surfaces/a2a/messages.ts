// A message of the Agent2Agent protocol as a message of a chat: it starts a chat, or continues that of its context.
import type { Message, SendMessageRequest } from '@a2a-js/sdk'
import { RequestMalformedError, UnsupportedOperationError } from '@a2a-js/sdk/errors'
import type { ContentItem } from '@millrace/contract/chats'
import {
  continueConversation,
  findAnswer,
  findModel,
  type RunAnswer,
  readableChat,
  startConversation,
} from '#agents/chats/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { isFailure } from '#platform/core/errors.ts'
import { uriOf } from '../answers/service.ts'
import { channelType, getTaskRun, isOwnChat } from './tasks.ts'

type Ctxm = Ctx<Member>

const itemOf = ({ content, filename, mediaType }: Message['parts'][number]): ContentItem => {
  if (content?.$case === 'text') return { type: 'text', text: content.value }
  if (content?.$case === 'data') return { type: 'text', text: JSON.stringify(content.value) }
  if (content === undefined) throw new RequestMalformedError('A part of the message is empty')
  const uri =
    content.$case === 'url'
      ? content.value
      : `data:${mediaType || 'application/octet-stream'};base64,${content.value.toString('base64')}`
  const file = uriOf(uri, 'POST /files')
  const named = { ...(filename !== '' && { filename }), ...(mediaType !== '' && { content_type: mediaType }) }
  return mediaType.startsWith('image/') ? { type: 'image', image: file, ...named } : { type: 'file', file, ...named }
}

const contentOf = ({ message }: SendMessageRequest): ContentItem[] => {
  const content = (message?.parts ?? []).map(itemOf).filter(({ type, text }) => type !== 'text' || text !== '')
  if (content.length === 0) throw new RequestMalformedError('The message is empty')
  return content
}

const ownChat = async (ctx: Ctxm, agentId: string, contextId: string): Promise<RunAnswer['chat']> => {
  const chat = await readableChat(ctx, contextId).catch((error: unknown) => {
    if (isFailure(error, 'not_found')) return undefined
    throw error
  })
  if (!chat || !isOwnChat(ctx, agentId, chat))
    throw new RequestMalformedError('The contextId is unknown; send the first message without one')
  return chat
}

/** Sends the message and returns without waiting for the answer. */
export const sendMessage = async (ctx: Ctxm, agentId: string, params: SendMessageRequest): Promise<RunAnswer> => {
  const content = contentOf(params)
  const { contextId = '', taskId = '' } = params.message ?? {}
  if (taskId !== '') {
    await getTaskRun(ctx, agentId, taskId)
    throw new UnsupportedOperationError('A task takes no further messages; send the message with its contextId only')
  }
  if (contextId !== '') {
    const chat = await ownChat(ctx, agentId, contextId)
    return findAnswer(ctx, (await continueConversation(ctx, chat.id, { content, request: {} })).answerId)
  }
  const addressee = await findModel(ctx, agentId)
  const channel = { channel_type: channelType, channel_metadata: {} }
  const begun = await startConversation(ctx, { addressee, past: [], content, request: {}, context: {}, channel })
  return findAnswer(ctx, begun.answerId)
}
