// Guarantees: the whole workspace sees a trigger that answers an interrupt, but only members who may answer in the chat
// can use it: no one else for a private chat, no administrator, and no member who has lost access since.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../../testing/world.ts'
import { chatWith, getChat } from '../testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const hooks = [{ event: 'agent.turn_start', type: 'gate', timeout: 60, default_resolution: 'deny' }]

const show = async (chatId: string, visibility: string) => {
  const answer = await world.call('owner', `POST /chats/${chatId}/settings`, { body: { visibility } })
  expect(answer.status, answer.text).toBe(200)
}

/** A gate in a chat of the owner. */
const gated = async (visibility: string) => {
  const chatId = await chatWith(world, { hooks })
  await show(chatId, visibility)
  const [gate] = (await getChat(world, chatId)).pending_interrupts
  return { chatId, gate: gate?.id ?? '' }
}

const clockOf = async (gate: string): Promise<string> => {
  const body = { filters: [{ field: 'interrupt_id', operator: 'eq', value: gate }] }
  return (await world.call('member', 'POST /triggers/list', { body })).data.items[0].id
}

const statusOf = async (gate: string) => (await world.call('owner', `GET /interrupts/${gate}`)).data.status

describe('the timeout of a gate in a private chat', () => {
  it.each(['member', 'admin'] as const)('cannot be fired, changed or deleted by a colleague: %s', async (as) => {
    const { gate } = await gated('private')
    const clock = await clockOf(gate)
    const tries = [
      await world.call(as, `POST /triggers/${clock}/fire`, { body: { resolution: 'allow' } }),
      await world.call(as, `POST /triggers/${clock}`, { body: { input: { resolution: 'allow' } } }),
      await world.call(as, `POST /triggers/${clock}`, { body: { enabled: false } }),
      await world.call(as, `DELETE /triggers/${clock}`),
    ]
    expect(tries.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    expect(await statusOf(gate)).toBe('pending')
    expect((await world.call('owner', `GET /triggers/${clock}`)).data.input).toEqual({ resolution: 'deny' })
  })

  it('members can use it in a chat of the workspace', async () => {
    const { gate } = await gated('team')
    const fired = await world.call('member', `POST /triggers/${await clockOf(gate)}/fire`)
    expect(fired.data).toMatchObject({ fired: true })
  })
})

describe('a trigger created by a colleague', () => {
  const trigger = (gate: string) => ({
    name: 'yes',
    type: 'manual',
    action: 'resolve_interrupt',
    interrupt_id: gate,
  })

  it('stops answering once the colleague loses access, for every caller that fires it', async () => {
    const { chatId, gate } = await gated('team')
    const made = await world.call('member', 'POST /triggers', { body: trigger(gate) })
    await show(chatId, 'private')
    for (const as of ['member', 'owner'] as const)
      expect((await world.call(as, `POST /triggers/${made.data.id}/fire`)).status).not.toBe(200)
    expect(await statusOf(gate)).toBe('pending')
  })

  it('cannot pose as a timeout', async () => {
    const { gate } = await gated('team')
    const forged = { ...trigger(gate), type: 'scheduled', scheduled_at: '2031-01-01T00:00:00Z' }
    const named = await world.call('member', 'POST /triggers', {
      body: { ...forged, name: `expire-interrupt:${gate}` },
    })
    expect(named).toMatchObject({ status: 400, code: 'validation_error' })
    const made = await world.call('member', 'POST /triggers', { body: forged })
    const body = { name: `expire-interrupt:${gate}` }
    expect(await world.call('member', `POST /triggers/${made.data.id}`, { body })).toMatchObject({ status: 400 })
  })
})
