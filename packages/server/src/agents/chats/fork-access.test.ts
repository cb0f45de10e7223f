// Guarantees: a public chat can be read but gives no access to a private agent.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { givenAgent, modelApp, showAgent } from '../agents/testing/given.ts'
import { answer, messagesOf, run, says } from './testing/given.ts'

let world: World
let core: { id: string }
beforeAll(async () => {
  world = await createWorld()
  // The model is public, as the platform's models are.
  core = { id: (await modelApp(world)).id }
  await world.call('owner', `POST /apps/${core.id}/visibility`, { body: { visibility: 'public' } })
})
afterAll(() => world?.close())

const prompt = 'The recipe of the house is secret'

/** A chat of the owner that everyone may read, and its last message. */
const publicChat = async (body: object) => {
  const id = (await run(world, body)).assistant_message.chat_id
  await answer(world, id, says('hello'))
  const shown = await world.call('owner', `POST /chats/${id}`, { body: { visibility: 'public' } })
  expect(shown.status, shown.text).toBe(200)
  return { id, message: (await messagesOf(world, id, 'stranger')).at(-1)?.id }
}

const forkOf = ({ id, message }: { id: string; message: string | undefined }, as: 'stranger' | 'member') =>
  world.call(as, `POST /chats/${id}/fork`, { body: { message_id: message } })

it('not with a private agent of another workspace', async () => {
  const agent = await givenAgent(world, 'owner', { core_app: core, system_prompt: prompt })
  const chat = await publicChat({ agent_id: agent.id })
  expect((await forkOf(chat, 'stranger')).code).toBe('forbidden')
  expect((await forkOf(chat, 'member')).status).toBe(200)
})

it('nor with another workspace’s ad-hoc config', async () => {
  const chat = await publicChat({ agent_config: { core_app: core, system_prompt: prompt } })
  expect((await forkOf(chat, 'stranger')).code).toBe('forbidden')
  expect((await forkOf(chat, 'member')).status).toBe(200)
})

it('with an agent that is for everyone', async () => {
  const agent = await givenAgent(world, 'owner', { core_app: core, system_prompt: 'Be kind' })
  await showAgent(world, 'owner', agent, 'public')
  const forked = await forkOf(await publicChat({ agent_id: agent.id }), 'stranger')
  expect(forked.status, forked.text).toBe(200)
})
