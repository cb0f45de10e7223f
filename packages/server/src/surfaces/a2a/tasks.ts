// A run of an agent as a task of the Agent2Agent protocol. Only tasks that the same caller started through this
// protocol exist here, so that the scope to run agents does not permit reading other chats.
import { type Artifact, type Message, Role, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk'
import { TaskNotFoundError } from '@a2a-js/sdk/errors'
import type { ChatMessage, RunState } from '@millrace/contract/chats'
import { messagesOfAnswer, type RunAnswer, readableRun } from '#agents/chats/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { isFailure } from '#platform/core/errors.ts'
import { paragraphBreak, textIn } from '../answers/service.ts'

type Ctxm = Ctx<Member>

export const channelType = 'a2a'

const states: Record<RunState, TaskState> = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  working: TaskState.TASK_STATE_WORKING,
  input_required: TaskState.TASK_STATE_INPUT_REQUIRED,
  auth_required: TaskState.TASK_STATE_AUTH_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  failed: TaskState.TASK_STATE_FAILED,
  canceled: TaskState.TASK_STATE_CANCELED,
  rejected: TaskState.TASK_STATE_REJECTED,
}

export const isOwnChat = ({ actor }: Ctxm, agentId: string, chat: RunAnswer['chat']): boolean =>
  chat.agent_id === agentId &&
  chat.team_id === actor.teamId &&
  chat.user_id === actor.userId &&
  (chat.channel_context as { channel_type?: string } | null)?.channel_type === channelType

/** Throws the protocol's error unless the caller started the task with this agent. */
export const getTaskRun = async (ctx: Ctxm, agentId: string, id: string): Promise<RunAnswer> => {
  const found = await readableRun(ctx, id).catch((error: unknown) => {
    if (isFailure(error, 'not_found')) return undefined
    throw error
  })
  if (!found || !isOwnChat(ctx, agentId, found.chat)) throw new TaskNotFoundError()
  return { id: found.run.id, chat: found.chat, run: found.run, fromOrder: 0 }
}

const textPart = (value: string): Message['parts'][number] => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
})

export const artifactOf = (text: string): Artifact => ({
  artifactId: 'answer',
  name: 'answer',
  description: '',
  parts: [textPart(text)],
  metadata: undefined,
  extensions: [],
})

const statusMessage = ({ run, chat }: RunAnswer, text: string): Message => ({
  messageId: `${run.id}-status`,
  contextId: chat.id,
  taskId: run.id,
  role: Role.ROLE_AGENT,
  parts: [textPart(text)],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
})

/** The reason of a failure, or where a person can answer what the run waits for. */
const reasonOf = (ctx: Ctxm, { run, chat }: RunAnswer): string => {
  if (run.state === 'input_required' || run.state === 'auth_required')
    return `The agent waits for a person. Answer it here: ${ctx.settings.APP_URL}/console/chats/${chat.id}`
  return run.error
}

/** `words`: the exact text of the question to a person, if the caller knows it. */
export const statusOf = (ctx: Ctxm, answer: RunAnswer, words = ''): TaskStatus => {
  const text = words || reasonOf(ctx, answer)
  return {
    state: states[answer.run.state as RunState],
    message: text === '' ? undefined : statusMessage(answer, text),
    timestamp: answer.run.updated_at,
  }
}

const textOf = (messages: readonly ChatMessage[]): string =>
  messages
    .filter(({ status }) => status === 'ready')
    .map((message) => textIn(message, 'text'))
    .filter((text) => text !== '')
    .join(paragraphBreak)

const outputOf = ({ run: { output } }: RunAnswer): string => {
  if (output === null || output === undefined) return ''
  return typeof output === 'string' ? output : JSON.stringify(output)
}

/** The task without its text. */
export const emptyTask = (ctx: Ctxm, answer: RunAnswer): Task => ({
  id: answer.run.id,
  contextId: answer.chat.id,
  status: statusOf(ctx, answer),
  artifacts: [],
  history: [],
  metadata: undefined,
})

export const taskOf = async (ctx: Ctxm, answer: RunAnswer): Promise<Task> => {
  const text = textOf(await messagesOfAnswer(ctx, answer)) || outputOf(answer)
  return { ...emptyTask(ctx, answer), artifacts: text === '' ? [] : [artifactOf(text)] }
}
