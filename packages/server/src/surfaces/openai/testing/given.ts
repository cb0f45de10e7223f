// A model and an agent for OpenAI clients, and the model's side of a conversation.
import { publishDelta, taskSubject } from '#execution/tasks/service.ts'
import { givenAgent, modelApp, showAgent } from '../../../agents/agents/testing/given.ts'
import { answer, type ModelInput, modelTask } from '../../../agents/chats/testing/given.ts'
import { until } from '../../../testing/until.ts'
import type { World } from '../../../testing/world.ts'

export type GivenModel = { app: string; agent: string; agentId: string }

export const givenModel = async (world: World, version: object = {}): Promise<GivenModel> => {
  const model = await modelApp(world)
  const made = await givenAgent(world, 'owner', { core_app: { id: model.id }, ...version })
  const agent = await showAgent(world, 'owner', made, 'team')
  return { app: `${model.namespace}/${model.name}`, agent: `${agent.namespace}/${agent.name}`, agentId: agent.id }
}

/** The chat whose model is being called. */
export const modelCalled = async (world: World): Promise<string> => {
  const row = await until(() =>
    world.open.platform.db
      .selectFrom('agent_runs')
      .innerJoin('tasks', 'tasks.id', 'agent_runs.model_task_id')
      .select('agent_runs.chat_id')
      .where('agent_runs.finished_at', 'is', null)
      .where('tasks.status', '<', 10)
      .orderBy('agent_runs.created_at', 'desc')
      .executeTakeFirst(),
  )
  return row.chat_id
}

/** Answers the next model call; the deltas come first and need a reader. */
export const modelAnswers = async (
  world: World,
  output: object,
  deltas: readonly string[] = [],
): Promise<{ input: ModelInput; chatId: string }> => {
  const chatId = await modelCalled(world)
  const { id } = await modelTask(world, chatId)
  if (deltas.length > 0) await until(() => world.open.platform.bus.hasListener(taskSubject(id)))
  for (const [index, response] of deltas.entries())
    publishDelta(world.ctx(), id, index + 1, { value: { response }, sizeBytes: 40 })
  return { input: await answer(world, chatId, output), chatId }
}
