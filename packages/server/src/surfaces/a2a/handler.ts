// The methods of the Agent2Agent protocol for one agent.
import type { AgentCard, StreamResponse } from '@a2a-js/sdk'
import {
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import type { A2ARequestHandler } from '@a2a-js/sdk/server'
import { isRunOver } from '@millrace/contract/chats'
import { type RunAnswer, stopChat } from '#agents/chats/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { isFailure } from '#platform/core/errors.ts'
import { piecesOf } from '../answers/service.ts'
import { sendMessage } from './messages.ts'
import { artifactOf, emptyTask, getTaskRun, statusOf, taskOf } from './tasks.ts'

type Ctxm = Ctx<Member>

export type HandlerParts = {
  agentId: string
  /** The task of a message that is already sent. Undefined: the message is sent, and its task returned at once. */
  begun: string | undefined
  signal: AbortSignal
}

/** The text of the answer as it is written, then the final status, or the question that the task waits for. */
async function* follow(
  ctx: Ctxm,
  { agentId, signal }: HandlerParts,
  answer: RunAnswer,
): AsyncGenerator<StreamResponse> {
  const ids = { taskId: answer.run.id, contextId: answer.chat.id, metadata: undefined }
  let isFirst = true
  let words = ''
  try {
    for await (const piece of piecesOf(ctx, answer, { waits: false }, signal)) {
      if (piece.type !== 'text' || piece.text === '') continue
      if (piece.isQuestion) {
        words = [words, piece.text.trim()].filter((text) => text !== '').join('\n')
        continue
      }
      const value = { ...ids, artifact: artifactOf(piece.text), append: !isFirst, lastChunk: false }
      isFirst = false
      yield { payload: { $case: 'artifactUpdate', value } }
    }
  } catch (error) {
    // The failure of the run is its status.
    if (signal.aborted || !isFailure(error)) throw error
    words = error.message
  }
  if (signal.aborted) return
  const ended = await getTaskRun(ctx, agentId, answer.run.id)
  yield { payload: { $case: 'statusUpdate', value: { ...ids, status: statusOf(ctx, ended, words) } } }
}

/** Waits until the run ends or waits for a person. */
const settle = async (ctx: Ctxm, parts: HandlerParts, answer: RunAnswer): Promise<void> => {
  for await (const _event of follow(ctx, parts, answer));
}

/** The task without its text, which follows from the start. */
async function* streamOf(ctx: Ctxm, parts: HandlerParts, answer: RunAnswer): AsyncGenerator<StreamResponse> {
  yield { payload: { $case: 'task', value: emptyTask(ctx, answer) } }
  yield* follow(ctx, parts, answer)
}

const noPush = (): never => {
  throw new PushNotificationNotSupportedError()
}

const noCard = (): never => {
  throw new ExtendedAgentCardNotConfiguredError('The card is at GET /agents/{id}/card')
}

/** Version 0.3 of the library asks for it before each stream. */
const capabilities = { capabilities: { streaming: true } } as AgentCard

export const createHandler = (ctx: Ctxm, parts: HandlerParts): A2ARequestHandler => {
  const { agentId, begun } = parts
  const named = (id: string): Promise<RunAnswer> => getTaskRun(ctx, agentId, id)
  return {
    getAgentCard: async () => capabilities,
    getAuthenticatedExtendedAgentCard: noCard,
    sendMessage: async (params) => {
      if (params.configuration?.taskPushNotificationConfig) noPush()
      if (begun === undefined) return taskOf(ctx, await sendMessage(ctx, agentId, params))
      if (!params.configuration?.returnImmediately) await settle(ctx, parts, await named(begun))
      return taskOf(ctx, await named(begun))
    },
    sendMessageStream: async function* () {
      yield* streamOf(ctx, parts, await named(begun ?? ''))
    },
    getTask: async ({ id }) => taskOf(ctx, await named(id)),
    cancelTask: async ({ id }) => {
      const { run, chat } = await named(id)
      if (isRunOver(run.state)) throw new TaskNotCancelableError()
      await stopChat(ctx, chat.id)
      return taskOf(ctx, await named(id))
    },
    resubscribe: async function* ({ id }) {
      const answer = await named(id)
      if (isRunOver(answer.run.state)) throw new UnsupportedOperationError('The task is over; read it instead')
      yield* streamOf(ctx, parts, answer)
    },
    listTasks: async () => {
      throw new UnsupportedOperationError('Tasks are not listed; read them by their id')
    },
    createTaskPushNotificationConfig: noPush,
    getTaskPushNotificationConfig: noPush,
    listTaskPushNotificationConfigs: noPush,
    deleteTaskPushNotificationConfig: noPush,
  }
}
