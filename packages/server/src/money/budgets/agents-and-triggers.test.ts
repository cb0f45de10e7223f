// Guarantees: the budget of an agent applies to everything that its chats start, and that of a trigger to everything
// that its fires start, at any depth: work that would exceed it does not start, work that grows beyond it is stopped,
// and both are visible.
import type { App } from '@millrace/contract/apps'
import type { Budget } from '@millrace/contract/budgets'
import type { SetAppPricing } from '@millrace/contract/pricing'
import { taskStatus } from '@millrace/contract/task-status'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { givenAgent, modelApp } from '#agents/agents/testing/given.ts'
import { answer, callsOf, getChat, messagesOf, modelTask, says, run as talk } from '#agents/chats/testing/given.ts'
import { from, graphOf } from '#automation/flow-runs/engine/testing/flow-builder.ts'
import { oneStep, openApp } from '#automation/flow-runs/testing/given.ts'
import { flowOf } from '#automation/flows/testing/given.ts'
import { createTrigger, firesOf, sendHook } from '#automation/triggers/testing/given.ts'
import { stopOverruns } from '#execution/pricing/overruns.ts'
import { move } from '#execution/tasks/moves.ts'
import { finish, taskOf } from '#execution/tasks/testing/given.ts'
import { createWorld, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
  await world.call('platform', 'POST /billing/grants', { body: { team_id: world.team.id, amount: 1_000_000 } })
})
afterAll(() => world?.close())
beforeEach(() => world.clock.advance(24 * 3600_000))

const ten: SetAppPricing = { prices: { run: 10 }, inference_expression: 'prices.run' }
const perSecond: SetAppPricing = { prices: { second: 10 }, inference_expression: 'prices.second * elapsed_ms / 1000' }

const priced = async (app: App, pricing: SetAppPricing = ten): Promise<App> => {
  const { status, text } = await world.call('platform', `PUT /store/apps/${app.id}/pricing`, { body: pricing })
  if (status !== 200) throw new Error(text)
  return app
}

const limit = async (subject_type: string, subject_id: string, most: number): Promise<string> => {
  const body = { subject_type, subject_id, period: 'day', limit: most }
  const { status, data, text } = await world.call('admin', 'POST /budgets', { body })
  if (status !== 200) throw new Error(text)
  return data.id
}

const stateOf = async (id: string) => {
  const { data } = await world.call('owner', 'POST /budgets/list', { body: { limit: -1 } })
  const { spent, held } = data.items.find((one: Budget) => one.id === id)
  return { spent, held }
}

const agentStep = (id: string) =>
  graphOf({
    in: { type: 'inputNode' },
    ask: { type: 'agentNode', data: { agent_id: id }, inputs: { text: from('in', 'text') } },
    out: { type: 'outputNode', inputs: { said: from('ask') } },
  })

const balance = async (): Promise<number> => (await world.call('owner', 'GET /billing')).data.balance

describe('the budget of an agent', () => {
  it('holds the worst case of a turn, counts it when it is over, and lets no turn begin that does not fit', async () => {
    const model = await priced(await modelApp(world))
    const agent = await givenAgent(world, 'owner', { core_app: { id: model.id } })
    const budget = await limit('agent', agent.id, 15)
    const chat = (await talk(world, { agent_id: agent.id })).user_message.chat_id
    expect(await stateOf(budget)).toEqual({ spent: 0, held: 10 })
    await answer(world, chat, says('hello'))
    expect(await stateOf(budget)).toEqual({ spent: 10, held: 0 })
    const before = await balance()
    await talk(world, { chat_id: chat })
    await expect(modelTask(world, chat)).rejects.toThrow('no model task is active')
    const last = (await messagesOf(world, chat)).at(-1)
    expect(last?.status).toBe('failed')
    expect(JSON.stringify(last?.content)).toContain('The budget of this agent for the day does not cover this')
    expect([await balance(), await stateOf(budget)]).toEqual([before, { spent: 10, held: 0 }])
    // The budget is reset on the next day.
    world.clock.advance(24 * 3600_000)
    await talk(world, { chat_id: chat })
    expect(await stateOf(budget)).toEqual({ spent: 0, held: 10 })
  })

  it('counts what its tools cost, and tells the agent which call was too much', async () => {
    const tool = await priced(await openApp(world))
    const tools = [{ name: 'grind', type: 'app', description: 'Grinds', app: { id: tool.id } }]
    const model = await modelApp(world)
    const agent = await givenAgent(world, 'owner', { core_app: { id: model.id }, tools })
    const budget = await limit('agent', agent.id, 15)
    const chat = (await talk(world, { agent_id: agent.id })).user_message.chat_id
    await answer(world, chat, says('', { name: 'grind', id: 'a' }, { name: 'grind', id: 'b' }))
    expect(await stateOf(budget)).toEqual({ spent: 0, held: 10 })
    const calls = await callsOf(world, chat)
    expect(calls.map(({ status }) => status).sort()).toEqual(['failed', 'in_progress'])
    expect(JSON.stringify(calls.find(({ status }) => status === 'failed'))).toContain('The budget of this agent')
  })

  it('stands over the agents that it asks, and theirs over them', async () => {
    const model = await priced(await modelApp(world))
    const helper = await givenAgent(world, 'owner', { core_app: { id: model.id } })
    const free = await modelApp(world)
    const tools = [{ name: 'helper', type: 'agent', description: 'Helps', agent: { id: helper.id } }]
    const agent = await givenAgent(world, 'owner', { core_app: { id: free.id }, tools })
    const budgets = [await limit('agent', agent.id, 15), await limit('agent', helper.id, 100)]
    const chat = (await talk(world, { agent_id: agent.id })).user_message.chat_id
    await answer(world, chat, says('', { name: 'helper', arguments: { message: 'help' } }))
    expect(await Promise.all(budgets.map(stateOf))).toEqual([
      { spent: 0, held: 10 },
      { spent: 0, held: 10 },
    ])
    // Another chat with the helper does not count against the first agent's budget.
    await talk(world, { agent_id: helper.id })
    expect(await Promise.all(budgets.map(stateOf))).toEqual([
      { spent: 0, held: 10 },
      { spent: 0, held: 20 },
    ])
  })

  it('stops a turn whose price grows over it', async () => {
    const model = await priced(await modelApp(world), perSecond)
    const agent = await givenAgent(world, 'owner', { core_app: { id: model.id } })
    await limit('agent', agent.id, 35)
    const chat = (await talk(world, { agent_id: agent.id })).user_message.chat_id
    const { id } = await modelTask(world, chat)
    await move(world.ctx(), id, { fence: null, to: taskStatus.running })
    world.clock.advance(3000)
    await stopOverruns(world.ctx())
    expect((await taskOf(world, id)).status).toBe(taskStatus.running)
    world.clock.advance(1000)
    await stopOverruns(world.ctx())
    expect(await taskOf(world, id)).toMatchObject({
      status: taskStatus.cancelled,
      error: expect.stringMatching(/^budget_exceeded: The budget of this agent/),
    })
    expect((await getChat(world, chat)).status).not.toBe('busy')
  })
})

describe('the budget of a trigger', () => {
  const hook = (body: object) => createTrigger(world, 'owner', { name: 'Night', type: 'webhook', ...body })

  it('lets the fires run that fit, and logs of the others why not', async () => {
    const app = await priced(await openApp(world))
    const trigger = await hook({ action: 'run_app', app_id: app.id })
    const budget = await limit('trigger', trigger.id, 25)
    for (const n of [1, 2, 3, 4]) await sendHook(world, trigger, { n })
    const fires = await firesOf(world, trigger)
    expect(fires.map(({ status }) => status).sort()).toEqual(['error', 'error', 'success', 'success'])
    expect(fires.find(({ status }) => status === 'error')?.error).toContain('The budget of this trigger')
    expect(await stateOf(budget)).toEqual({ spent: 0, held: 20 })
    const started = fires.find(({ status }) => status === 'success')
    await finish(world, started?.task_id ?? '', { ok: true })
    expect(await stateOf(budget)).toEqual({ spent: 10, held: 10 })
    // A run of the same app by a person does not count against the trigger's budget.
    expect((await world.call('owner', 'POST /run', { body: { app_id: app.id, input: {} } })).status).toBe(200)
    expect(await stateOf(budget)).toEqual({ spent: 10, held: 10 })
  })

  it('reaches the steps of its flows and the turns of its agents', async () => {
    const step = await priced(await openApp(world))
    const flow = await flowOf(world, 'owner', oneStep(step.id))
    const ofFlow = await hook({ action: 'run_flow', flow_id: flow.id })
    const flowBudget = await limit('trigger', ofFlow.id, 10)
    for (const text of ['a', 'b']) await sendHook(world, ofFlow, { text })
    await firesOf(world, ofFlow)
    expect(await stateOf(flowBudget)).toEqual({ spent: 0, held: 10 })
    const model = await priced(await modelApp(world))
    const agent = await givenAgent(world, 'owner', { core_app: { id: model.id } })
    const ofAgent = await hook({ action: 'run_agent', agent_id: agent.id, input: { text: 'hi' } })
    const agentBudget = await limit('trigger', ofAgent.id, 10)
    for (const n of [1, 2]) await sendHook(world, ofAgent, { n })
    await firesOf(world, ofAgent)
    expect(await stateOf(agentBudget)).toEqual({ spent: 0, held: 10 })
    // An agent that is a step of a flow, from its very first turn.
    const ofStep = await hook({ action: 'run_flow', flow_id: (await flowOf(world, 'owner', agentStep(agent.id))).id })
    const stepBudget = await limit('trigger', ofStep.id, 10)
    await sendHook(world, ofStep, { text: 'hi' })
    await firesOf(world, ofStep)
    expect(await stateOf(stepBudget)).toEqual({ spent: 0, held: 10 })
  })

  it('stops a run whose price grows over it', async () => {
    const app = await priced(await openApp(world), perSecond)
    const trigger = await hook({ action: 'run_app', app_id: app.id })
    await limit('trigger', trigger.id, 25)
    await sendHook(world, trigger, {})
    const [fire] = await firesOf(world, trigger)
    const id = fire?.task_id ?? ''
    await move(world.ctx(), id, { fence: null, to: taskStatus.running })
    world.clock.advance(3000)
    await stopOverruns(world.ctx())
    expect(await taskOf(world, id)).toMatchObject({
      status: taskStatus.cancelled,
      error: expect.stringMatching(/^budget_exceeded: The budget of this trigger/),
    })
  })
})
