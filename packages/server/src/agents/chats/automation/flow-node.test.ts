// Guarantees: an agent is a flow node like any other: its result is the node's output, and the end of the flow ends its
// run.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { from, graphOf } from '#automation/flow-runs/engine/testing/flow-builder.ts'
import { get, runGraph } from '#automation/flow-runs/testing/given.ts'
import { until } from '../../../testing/until.ts'
import { createWorld, type World } from '../../../testing/world.ts'
import { givenAgent, modelApp } from '../../agents/testing/given.ts'
import { answer, getChat, modelTask, says } from '../testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld({ runJobs: true, settings: { CHAT_MIN_BUSY_MS: '0' } })
})
afterAll(() => world?.close())

const flowWith = async (agentId: string, as: 'owner' | 'key:flows:execute,flows:write,flows:read' = 'owner') =>
  runGraph(
    world,
    graphOf({
      in: { type: 'inputNode' },
      ask: {
        type: 'agentNode',
        data: { agent_id: agentId },
        inputs: { text: from('in', 'q'), context: { who: 'Ada' } },
      },
      out: { type: 'outputNode', inputs: { said: from('ask') } },
    }),
    { input: { q: 'why?' } },
    as,
  )

const agentId = async () => {
  const model = await modelApp(world)
  return (await givenAgent(world, 'owner', { core_app: { id: model.id }, system_prompt: '{{context.who}}' })).id
}

it('the node waits for the run and outputs its result', async () => {
  const run = await flowWith(await agentId())
  const chatId = (await get(world, run.id)).node_tasks.ask?.chat_id ?? ''
  const asked = await answer(world, chatId, says('because'))
  expect(asked).toMatchObject({ text: 'why?', system_prompt: 'Ada' })
  expect(await get(world, run.id)).toMatchObject({ status: 3, output: { said: 'because' } })
})

it('needs the scope that running an agent needs', async () => {
  const run = await flowWith(await agentId(), 'key:flows:execute,flows:write,flows:read')
  expect(run).toMatchObject({ status: 4, error: expect.stringContaining('agents:execute') })
})

it('cancelling the flow stops the run', async () => {
  const run = await flowWith(await agentId())
  const chatId = (await get(world, run.id)).node_tasks.ask?.chat_id ?? ''
  await modelTask(world, chatId)
  await world.call('owner', `POST /flowruns/${run.id}/cancel`)
  await until(async () => (await getChat(world, chatId)).status === 'idle')
})
