// Guarantees: a caller who starts or reads a task, flow or agent that no connected engine can continue gets a notice
// with the missing requirement: the same text everywhere, once per request, and not when a worker could take it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { givenAgent, modelApp } from '#agents/agents/testing/given.ts'
import { answer, chatWith, says } from '#agents/chats/testing/given.ts'
import { from, graphOf } from '#automation/flow-runs/engine/testing/flow-builder.ts'
import { app, endNode, endTask, oneStep, openApp, runGraph } from '#automation/flow-runs/testing/given.ts'
import { flowOf } from '#automation/flows/testing/given.ts'
import { startEngine } from '#machines/engines/testing/engine-double.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { givenApp } from '../tasks/testing/given.ts'

let world: World
let appId: string
beforeAll(async () => {
  world = await createWorld()
  appId = (await openApp(world)).id
})
afterAll(() => world?.close())

const said = async (route: string, body?: object) => {
  const { status, text, json, data } = await world.call('owner', route, body ? { body } : {})
  if (status !== 200) throw new Error(text)
  return { data, messages: json.messages }
}

const noEngine = [
  { level: 'warning', code: 'no_engine', message: expect.stringMatching(/^The run is queued: neither .*engine start/) },
]

const runFlow = async (graph: ReturnType<typeof graphOf>) =>
  said('POST /flowruns', { flow: (await flowOf(world, 'owner', graph)).id, input: {} })

it('a task has the notice when it is created and when it is read, until it ends', async () => {
  const { data: task, messages } = await said('POST /run', { app_id: appId, input: {} })
  expect(messages).toEqual(noEngine)
  expect((await said(`GET /tasks/${task.id}`)).messages).toEqual(noEngine)
  await endTask(world, task.id, 'cancelled')
  expect((await said(`GET /tasks/${task.id}`)).messages).toEqual([])
})

describe('a flow', () => {
  it('has the notice when it starts and when it is read, until it ends', async () => {
    const { data: run, messages } = await runFlow(oneStep(appId))
    expect(messages).toEqual(noEngine)
    expect((await said(`GET /flowruns/${run.id}`)).messages).toEqual(noEngine)
    await endNode(world, run.id, 'step', { output: {} })
    expect((await said(`GET /flowruns/${run.id}`)).messages).toEqual([])
  })

  it('has the notice once for parallel steps', async () => {
    const steps = Object.fromEntries(Array.from({ length: 3 }, (_, index) => [`s${index}`, app(appId)]))
    expect((await runFlow(graphOf(steps))).messages).toEqual(noEngine)
  })

  it('has the notice when a later step is queued, including a flow or an agent', async () => {
    const inner = await said(`POST /flows/${(await flowOf(world, 'owner', oneStep(appId))).id}/app`)
    const model = await modelApp(world)
    const agent = await givenAgent(world, 'owner', { core_app: { id: model.id } })
    for (const later of [app(inner.data.id), { type: 'agentNode' as const, data: { agent_id: agent.id } }]) {
      const run = await runGraph(
        world,
        graphOf({ first: app(appId), later: { ...later, inputs: { text: from('first', 'text') } } }),
      )
      await endNode(world, run.id, 'first', { output: { text: 'go' } })
      expect((await said(`GET /flowruns/${run.id}`)).messages).toEqual(noEngine)
    }
  })
})

describe('an agent', () => {
  it('has the notice when it starts and when its chat or run is read', async () => {
    const model = await modelApp(world)
    const config = { core_app: { id: model.id } }
    const { data, messages } = await said('POST /agents/run', { agent_config: config, input: { text: 'hi' } })
    expect(messages).toEqual(noEngine)
    const chat = await said(`GET /chats/${data.assistant_message.chat_id}`)
    expect(chat.messages).toEqual(noEngine)
    expect((await said(`GET /agent-runs/${chat.data.active_run.id}`)).messages).toEqual(noEngine)
    await answer(world, chat.data.id, says('done'))
    expect((await said(`GET /chats/${chat.data.id}`)).messages).toEqual([])
    expect((await said(`GET /agent-runs/${chat.data.active_run.id}`)).messages).toEqual([])
  })

  it('has the notice when an agent that it called is queued', async () => {
    const model = await modelApp(world)
    const child = await givenAgent(world, 'owner', { core_app: { id: model.id } })
    const tool = { name: 'child', type: 'agent', agent: { id: child.id } }
    const chatId = await chatWith(world, { tools: [tool], permissions: { allow_all_tools: true } })
    await answer(world, chatId, says('', { name: 'child', arguments: { message: 'go' } }))
    expect((await said(`GET /chats/${chatId}`)).messages).toEqual(noEngine)
  })
})

// Must be the last test of this file: from here on, an engine can run tasks without special requirements.
it('with a connected engine, the notice names only what the engine does not have', async () => {
  await startEngine(world, { cloud: true, cpuWorkers: 1 })
  expect((await runFlow(oneStep(appId))).messages).toEqual([])
  const gpu = await givenApp(world, { resources: { gpu: { count: 1, type: 'nvidia', vram: 2 ** 34 } } })
  const { data, messages } = await runFlow(graphOf({ a: app(gpu.id, { inputs: { text: 'hi' } }), b: app(appId) }))
  const expected = [
    {
      code: 'no_engine',
      message: expect.stringContaining('no connected engine has a GPU of type nvidia.'),
    },
  ]
  expect(messages).toMatchObject(expected)
  expect((await said(`GET /flowruns/${data.id}`)).messages).toMatchObject(expected)
})
