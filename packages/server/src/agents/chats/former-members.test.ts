// Guarantees: a member who left a workspace has no active runs there.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { givenAgent, modelApp } from '../agents/testing/given.ts'
import { answer, callsOf, client, getChat, modelTask, says } from './testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld({ runJobs: true })
})
afterAll(() => world?.close())

it('runs of a member who leaves stop and accept no answers; other runs continue', async () => {
  const model = await modelApp(world)
  const agent = await givenAgent(world, 'owner', { core_app: { id: model.id }, tools: [client('look')] })
  await world.call('owner', `POST /agents/${agent.id}/visibility`, { body: { visibility: 'team' } })
  const begin = async (as: 'member' | 'owner') => {
    const said = await world.call(as, 'POST /agents/run', { body: { agent_id: agent.id, input: { text: 'Go' } } })
    expect(said.status, said.text).toBe(200)
    const chatId = said.data.user_message.chat_id as string
    await world.call(as, `POST /chats/${chatId}/settings`, { body: { visibility: 'team' } })
    await answer(world, chatId, says('', { name: 'look', arguments: { x: 1 } }))
    return chatId
  }
  const theirs = await begin('member')
  const mine = await begin('owner')
  const left = await world.call('owner', `DELETE /teams/${world.team.id}/members/${world.people.member.userId}`)
  expect(left.status, left.text).toBeLessThan(300)
  await until(async () => (await getChat(world, theirs)).status === 'idle')
  const [call] = await callsOf(world, theirs)
  const late = await world.call('owner', `POST /tools/${call?.id}`, { body: { result: 'go on' } })
  expect(late).toMatchObject({ code: 'tool_not_pending' })
  await expect(modelTask(world, theirs)).rejects.toThrow('no model task is active')
  expect((await callsOf(world, mine))[0]?.status).toBe('awaiting_input')
})
