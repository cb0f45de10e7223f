// Guarantees: of several concurrent answers to one interrupt (approval, rejection, always-allow, a trigger, the
// timeout, a stop), exactly one counts and the others get an error. The same holds for deleting a chat. APPROVAL_RACES
// sets the rounds (`npm run prove -- approval-races --size large`: 10,000).
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../../testing/world.ts'
import { givenAgent, modelApp } from '../../agents/testing/given.ts'
import { answer, callsOf, client, getChat, run, says } from '../testing/given.ts'

const rounds = Number(process.env.APPROVAL_RACES ?? 12)
/** Concurrent races, each on its own interrupt. */
const lanes = 6

let world: World
let asking = ''
let gated = ''
beforeAll(async () => {
  world = await createWorld({ settings: { CHAT_MIN_BUSY_MS: '0', RATE_LIMIT_RUN: '0' } })
  const core_app = { id: (await modelApp(world)).id }
  const hooks = [{ event: 'agent.turn_start', type: 'gate', timeout: 60, default_resolution: 'deny' }]
  const tools = [client('look', { require_approval: true })]
  asking = (await givenAgent(world, 'owner', { core_app, tools })).id
  gated = (await givenAgent(world, 'owner', { core_app, hooks })).id
})
afterAll(() => world?.close())

const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)

const chatOf = async (agentId: string): Promise<string> =>
  (await run(world, { agent_id: agentId })).assistant_message.chat_id

/** Runs every round once, a few concurrently. */
const inLanes = async (round: (number: number) => Promise<void>): Promise<void> => {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < rounds) {
      next += 1
      await round(next)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

type Answered = { by: string; status: number; code: string | undefined }

/** All at once, in random order. */
const race = (routes: Record<string, [route: string, body?: object]>): Promise<Answered[]> =>
  Promise.all(
    shuffled(Object.entries(routes)).map(async ([by, [route, body]]) => {
      const { status, code } = await world.call('owner', route, { body })
      return { by, status, code }
    }),
  )

/** A stop always succeeds, so it only wins if no other answer did. */
const winnersOf = (answered: readonly Answered[]): string[] =>
  answered.filter(({ by, status }) => by !== 'stop' && status === 200).map(({ by }) => by)

const statusOf = async (interrupt: string) => (await world.call('owner', `GET /interrupts/${interrupt}`)).data

it(`an approval is decided once (${rounds} rounds)`, async () => {
  const won = new Set<string>()
  await inLanes(async (round) => {
    const chatId = await chatOf(asking)
    await answer(world, chatId, says('', { name: 'look', arguments: { x: 1 } }))
    const [question] = (await getChat(world, chatId)).pending_interrupts
    const [id, call] = [question?.id ?? '', question?.resource_id ?? '']
    const trigger = { name: 'no', type: 'manual', action: 'resolve_interrupt', interrupt_id: id }
    const made = await world.call('owner', 'POST /triggers', { body: { ...trigger, input: { resolution: 'deny' } } })
    const answered = await race({
      invoke: [`POST /tools/${call}/invoke`],
      reject: [`POST /tools/${call}/reject`],
      allow: [`POST /interrupts/${id}/resolve`, { decision: 'allow' }],
      deny: [`POST /interrupts/${id}/resolve`, { decision: 'deny' }],
      always: [`POST /chats/${chatId}/tools/${call}/always-allow`, {}],
      trigger: [`POST /triggers/${made.data.id}/fire`],
      ...(round % 2 === 0 && { stop: [`POST /chats/${chatId}/stop`] as [string] }),
    })
    const winners = winnersOf(answered)
    expect(winners.length).toBeLessThanOrEqual(1)
    for (const { by, status } of answered)
      if (by !== 'stop' && !winners.includes(by)) expect([by, [409, 500].includes(status)]).toEqual([by, true])
    const { status, resolution } = await statusOf(id)
    const [winner] = winners
    const allows = winner === 'invoke' || winner === 'allow' || winner === 'always'
    if (winner === undefined) expect({ round, status }).toEqual({ round, status: 'cancelled' })
    else expect({ status, resolution }).toEqual({ status: 'resolved', resolution: allows ? 'allow' : 'deny' })
    const rules = (await world.call('owner', `GET /chats/${chatId}/rules`)).data
    expect(rules).toHaveLength(winner === 'always' ? 1 : 0)
    const [made_] = (await callsOf(world, chatId)).filter(({ id }) => id === call)
    if (!allows) expect(made_?.status).toBe('cancelled')
    won.add(winner ?? 'stop')
    await world.call('owner', `DELETE /triggers/${made.data.id}`)
    await world.call('owner', `POST /chats/${chatId}/stop`)
  })
  // The order is shuffled: if only one kind of answer ever wins, the test is not a race.
  expect(won.size).toBeGreaterThan(1)
})

it(`a gate is decided once, with its timeout as one of the contenders (${rounds} rounds)`, async () => {
  await inLanes(async (round) => {
    const chatId = await chatOf(gated)
    const [gate] = (await getChat(world, chatId)).pending_interrupts
    const id = gate?.id ?? ''
    const { data } = await world.call('owner', 'GET /triggers')
    const clock = data.items.find((item: { interrupt_id?: string }) => item.interrupt_id === id)
    const answered = await race({
      allow: [`POST /interrupts/${id}/resolve`, { decision: 'allow' }],
      deny: [`POST /interrupts/${id}/resolve`, { decision: 'deny' }],
      clock: [`POST /triggers/${clock.id}/fire`],
      ...(round % 2 === 0 && { stop: [`POST /chats/${chatId}/stop`] as [string] }),
    })
    const winners = winnersOf(answered)
    expect(winners.length).toBeLessThanOrEqual(1)
    const { status, resolution } = await statusOf(id)
    const [winner] = winners
    const ends = {
      allow: { status: 'resolved', resolution: 'allow' },
      deny: { status: 'resolved', resolution: 'deny' },
      clock: { status: 'expired', resolution: 'deny' },
    } as const
    if (winner === undefined) expect(status).toBe('cancelled')
    else expect({ status, resolution }).toEqual(ends[winner as keyof typeof ends])
    await world.call('owner', `POST /chats/${chatId}/stop`)
  })
})

it('of several concurrent deletions of a chat one succeeds and the others find nothing', () =>
  inLanes(async () => {
    const route = `DELETE /chats/${await chatOf(asking)}`
    const answered = await race({ one: [route], two: [route], three: [route] })
    expect(answered.map(({ code }) => code ?? '').sort()).toEqual(['', 'not_found', 'not_found'])
  }))
