// Guarantees: an administrator who reads a member's private chat can neither answer there nor allow tools to run
// without approval.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../../testing/world.ts'
import { chatWith } from '../testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

describe('in a member’s private chat', () => {
  const rule = (effect: string) => ({ effect, kind: 'Tool', selector: 'send' })
  const privateChat = async () => {
    const chatId = await chatWith(world, {}, 'member')
    await world.call('member', `POST /chats/${chatId}/settings`, { body: { visibility: 'private' } })
    return chatId
  }

  it.each([
    [
      'every tool',
      (id: string) => world.call('admin', `POST /chats/${id}/settings`, { body: { allow_all_tools: true } }),
    ],
    ['no hooks', (id: string) => world.call('admin', `POST /chats/${id}/settings`, { body: { disable_hooks: true } })],
    ['one tool', (id: string) => world.call('admin', `POST /chats/${id}/rules`, { body: rule('allow') })],
    [
      'a denied tool',
      async (id: string) => {
        const made = await world.call('member', `POST /chats/${id}/rules`, { body: rule('deny') })
        expect(made.status, made.text).toBe(200)
        return world.call('admin', `DELETE /chats/${id}/rules/${made.data.id}`)
      },
    ],
  ])('an administrator cannot allow %s', async (_claim, attempt) => {
    const tried = await attempt(await privateChat())
    expect(tried, tried.text).toMatchObject({ status: 403, code: 'forbidden' })
  })

  it('an administrator can deny, and remove allow rules', async () => {
    const chatId = await privateChat()
    const body = rule('deny')
    expect((await world.call('admin', `POST /chats/${chatId}/rules`, { body })).status).toBe(200)
    await world.call('member', `POST /chats/${chatId}/settings`, { body: { allow_all_tools: true } })
    const narrowed = await world.call('admin', `POST /chats/${chatId}/settings`, { body: { allow_all_tools: false } })
    expect(narrowed.data).toMatchObject({ allow_all_tools: false })
  })
})
