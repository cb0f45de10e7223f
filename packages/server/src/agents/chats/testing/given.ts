// Chats for tests, created through the API. The model's tasks are ended with a given output by the same code as in
// production.
import type { Agent } from '@millrace/contract/agents'
import type { App } from '@millrace/contract/apps'
import type { Chat, ChatMessage, ToolInvocation } from '@millrace/contract/chats'
import { taskStatus } from '@millrace/contract/task-status'
import { move } from '#execution/tasks/service.ts'
import type { Scenario } from '../../../testing/scenarios.ts'
import type { As, World } from '../../../testing/world.ts'
import { givenAgent, modelApp, showAgent } from '../../agents/testing/given.ts'

export type TestCall = { name: string; arguments?: unknown; id?: string }

export const says = (response: string, ...calls: TestCall[]) => ({
  response,
  ...(calls.length > 0 && {
    tool_calls: calls.map(({ name, arguments: given = {}, id }, index) => ({
      id: id ?? `call_${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(given) },
    })),
  }),
})

/** The task of the current model turn. */
export const modelTask = async (world: World, chatId: string): Promise<{ id: string; input: ModelInput }> => {
  const row = await world.open.platform.db
    .selectFrom('agent_runs')
    .innerJoin('tasks', 'tasks.id', 'agent_runs.model_task_id')
    .select(['tasks.id', 'tasks.input'])
    .where('agent_runs.chat_id', '=', chatId)
    .where('agent_runs.finished_at', 'is', null)
    .where('tasks.status', '<', taskStatus.completed)
    .executeTakeFirst()
  if (!row) throw new Error('no model task is active')
  return { id: row.id, input: row.input as ModelInput }
}

export type ModelInput = {
  system_prompt: string
  text: string
  role: string
  tool_call_id?: string
  context: { role: string; text?: string; tool_calls?: unknown[]; tool_call_id?: string }[]
  tools?: { function: { name: string; parameters: unknown } }[]
}

/** Answers as the model and returns its input. */
export const answer = async (world: World, chatId: string, output: object): Promise<ModelInput> => {
  const { id, input } = await modelTask(world, chatId)
  await move(world.ctx(), id, { fence: null, to: taskStatus.completed, output })
  return input
}

export const failModel = async (world: World, chatId: string, error: string): Promise<void> => {
  const { id } = await modelTask(world, chatId)
  await move(world.ctx(), id, { fence: null, to: taskStatus.failed, error })
}

export const endTask = async (
  world: World,
  id: string,
  end: { output: unknown } | { error: string },
): Promise<void> => {
  const to = 'output' in end ? taskStatus.completed : taskStatus.failed
  await move(world.ctx(), id, { fence: null, to, ...end })
}

type SentMessages = { user_message: ChatMessage; assistant_message: ChatMessage }

export const run = async (world: World, body: object, as: As = 'owner'): Promise<SentMessages> => {
  const result = await world.call(as, 'POST /agents/run', { body: { input: { text: 'hi' }, ...body } })
  if (result.status !== 200) throw new Error(result.text)
  return result.data
}

/** A new chat with an agent of this config, with one message. */
export const chatWith = async (world: World, config: object = {}, as: As = 'owner'): Promise<string> => {
  const app = await modelApp(world, as === 'stranger' ? 'stranger' : 'owner')
  const sent = await run(world, { agent_config: { core_app: { id: app.id }, ...config } }, as)
  return sent.assistant_message.chat_id
}

export const getChat = async (world: World, id: string, as: As = 'owner'): Promise<Chat> => {
  const result = await world.call(as, `GET /chats/${id}`)
  if (result.status !== 200) throw new Error(result.text)
  return result.data
}

/** Oldest first. */
export const messagesOf = async (world: World, id: string, as: As = 'owner'): Promise<ChatMessage[]> => {
  const result = await world.call(as, `GET /chats/${id}/messages`)
  if (result.status !== 200) throw new Error(result.text)
  return [...result.data.items].reverse()
}

export const callsOf = async (world: World, id: string): Promise<ToolInvocation[]> =>
  (await messagesOf(world, id)).flatMap((message) => message.tool_invocations)

export const client = (name: string, more: object = {}) => ({
  name,
  type: 'client',
  client: { input_schema: { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] } },
  ...more,
})

export type GivenChats = {
  model: App
  agent: Agent
  /** Owned by the owner, visible to the workspace; its model turn is active. */
  live: string
  /** Owned by the owner, private; idle. */
  own: string
  /** Owned by the member, private. */
  hidden: string
  /** Of another workspace, public. */
  foreign: string
}

export const givenChats = async (world: World): Promise<GivenChats> => {
  const model = await modelApp(world)
  const made = await givenAgent(world, 'owner', { core_app: { id: model.id }, tools: [client('look')] })
  const agent = await showAgent(world, 'owner', made, 'team')
  const start = async (as: As) => (await run(world, { agent_id: agent.id }, as)).assistant_message.chat_id
  const live = await start('owner')
  const own = await start('owner')
  const hidden = await start('member')
  const foreign = await chatWith(world, {}, 'stranger')
  await world.call('owner', `POST /chats/${live}`, { body: { visibility: 'team' } })
  await world.call('stranger', `POST /chats/${foreign}`, { body: { visibility: 'public' } })
  await answer(world, own, says('hello'))
  return { model, agent, live, own, hidden, foreign }
}

export const unknownId = '00000000000000000000000000'
export const live = ({ live }: GivenChats) => ({ id: live })
export const own = ({ own }: GivenChats) => ({ id: own })
export const hidden = ({ hidden }: GivenChats) => ({ id: hidden })
export const foreign = ({ foreign }: GivenChats) => ({ id: foreign })

type Row = Scenario<GivenChats>

export const readRefusals: Row[] = [
  { claim: 'signed out', as: null, path: live, status: 404, code: 'not_found' },
  {
    claim: 'without the scope a caller counts as signed out',
    as: 'key:apps:read',
    path: live,
    status: 404,
    code: 'not_found',
  },
  { claim: 'another workspace sees nothing', as: 'stranger', path: live, status: 404, code: 'not_found' },
]

export const writeRefusals = (body?: unknown): Row[] => [
  { claim: 'no credential', as: null, path: live, body, status: 401, code: 'unauthorized' },
  {
    claim: 'a key without the scope',
    as: 'key:conversations:read',
    path: live,
    body,
    status: 403,
    code: 'insufficient_scope',
  },
  { claim: 'another workspace sees nothing', as: 'stranger', path: live, body, status: 404, code: 'not_found' },
]

export const foreignRefusal = (body?: unknown): Row => ({
  claim: 'a public chat of another workspace',
  as: 'owner',
  path: foreign,
  body,
  status: 403,
  code: 'forbidden',
})

/** A chat that was deleted. */
export const archived = (route: string, body?: unknown): Row => ({
  claim: 'a deleted chat',
  as: 'owner',
  status: 409,
  code: 'chat_archived',
  act: async (world, { own }) => {
    await world.call('owner', `DELETE /chats/${own}`)
    return world.call('owner', route.replace(':id', own), { body })
  },
})
