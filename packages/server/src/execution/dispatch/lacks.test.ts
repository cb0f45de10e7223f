// Guards: whoever runs or looks at a task, a flow or an agent that no engine can go on with is told what is missing, in the
// same words; once, however much waits, and not when somebody could take it.
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

const said = async (door: string, body?: object) => {
  const { status, text, json, data } = await world.call('owner', door, body ? { body } : {})
  if (status !== 200) throw new Error(text)
  return { data, messages: json.messages }
}

const noEngine = [
  { level: 'warning', code: 'no_engine', message: expect.stringMatching(/^The run waits: neither .*engine start/) },
]

const runFlow = async (graph: ReturnType<typeof graphOf>) =>
  said('POST /flowruns', { flow: (await flowOf(world, 'owner', graph)).id, input: {} })

it('a task says so when it begins, and when it is read until it is over', async () => {
  const { data: task, messages } = await said('POST /run', { app_id: appId, input: {} })
  expect(messages).toEqual(noEngine)
  expect((await said(`GET /tasks/${task.id}`)).messages).toEqual(noEngine)
  await endTask(world, task.id, 'cancelled')
  expect((await said(`GET /tasks/${task.id}`)).messages).toEqual([])
})

describe('a flow', () => {
  it('says so when it begins and when it is read, until it is over', async () => {
    const { data: run, messages } = await runFlow(oneStep(appId))
    expect(messages).toEqual(noEngine)
    expect((await said(`GET /flowruns/${run.id}`)).messages).toEqual(noEngine)
    await endNode(world, run.id, 'step', { output: {} })
    expect((await said(`GET /flowruns/${run.id}`)).messages).toEqual([])
  })

  it('says so once for a fan of steps', async () => {
    const steps = Object.fromEntries(Array.from({ length: 3 }, (_, index) => [`s${index}`, app(appId)]))
    expect((await runFlow(graphOf(steps))).messages).toEqual(noEngine)
  })

  it('says so when a later step is what waits, also one that is a flow or an agent', async () => {
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
  it('says so when it is asked, and when its chat or its run is read', async () => {
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

  it('says so when an agent that it asked is what waits', async () => {
    const model = await modelApp(world)
    const child = await givenAgent(world, 'owner', { core_app: { id: model.id } })
    const tool = { name: 'child', type: 'agent', agent: { id: child.id } }
    const chatId = await chatWith(world, { tools: [tool], permissions: { allow_all_tools: true } })
    await answer(world, chatId, says('', { name: 'child', arguments: { message: 'go' } }))
    expect((await said(`GET /chats/${chatId}`)).messages).toEqual(noEngine)
  })
})

// The last of this file: from here on somebody can take what asks for nothing special.
it('with an engine there, only what it does not have is missed', async () => {
  await startEngine(world, { cloud: true, cpuWorkers: 1 })
  expect((await runFlow(oneStep(appId))).messages).toEqual([])
  const gpu = await givenApp(world, { resources: { gpu: { count: 1, type: 'nvidia', vram: 2 ** 34 } } })
  const { data, messages } = await runFlow(graphOf({ a: app(gpu.id, { inputs: { text: 'hi' } }), b: app(appId) }))
  const lacking = [{ code: 'no_engine', message: expect.stringContaining('a worker with 1 nvidia GPU of 16 GiB.') }]
  expect(messages).toMatchObject(lacking)
  expect((await said(`GET /flowruns/${data.id}`)).messages).toMatchObject(lacking)
})
