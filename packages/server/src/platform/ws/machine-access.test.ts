// Guarantees: a machine is disconnected when its credential is no longer valid or the machine was deleted, on whichever
// servers both happen.
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { register as registerRemote } from '#agents/remotes/testing/remote-double.ts'
import { register as registerEngine } from '#machines/engines/testing/engine-double.ts'
import { openReplica, type Replica } from '../../testing/replica.ts'
import { createWorld, type World } from '../../testing/world.ts'

let world: World
let replica: Replica
let origins: string[]
beforeAll(async () => {
  world = await createWorld()
  replica = await openReplica(world)
  origins = [await world.listen(), await replica.listen()]
})
afterAll(async () => {
  await replica?.close()
  await world?.close()
})

const kinds = {
  engines: async () => (await registerEngine(world)).id,
  remotes: async () => (await registerRemote(world, {}, 'owner')).id,
}
type Kind = keyof typeof kinds

const keyFor = async (kind: Kind, body: object = {}): Promise<{ id: string; key: string }> => {
  const made = await world.call('owner', 'POST /apikeys', { body: { name: 'm', scopes: [`${kind}:write`], ...body } })
  if (made.status !== 200) throw new Error(made.text)
  return made.data
}

/** Connects; the promise in the list resolves with the code with which the server closes the socket. */
const connect = async (kind: Kind, id: string, key: string, origin = origins[0] ?? ''): Promise<Promise<number>[]> => {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/ws/${kind}/${id}`, {
    headers: { authorization: `Bearer ${key}`, 'x-team-id': world.team.id },
  })
  await once(socket, 'open')
  return [once(socket, 'close').then(([code]) => code as number)]
}

describe.each(['engines', 'remotes'] as const)('%s', (kind) => {
  it('are disconnected when their key is revoked on this or another server', async () => {
    const machine = await kinds[kind]()
    for (const origin of origins) {
      const { id, key } = await keyFor(kind)
      const [closed] = await connect(kind, machine, key, origin)
      await world.call('owner', `DELETE /apikeys/${id}`)
      expect(await closed).toBe(1008)
    }
  })

  it('are disconnected when their key is rotated or expires', async () => {
    const machine = await kinds[kind]()
    const rotated = await keyFor(kind)
    const [first] = await connect(kind, machine, rotated.key)
    await world.call('owner', `POST /apikeys/${rotated.id}/rotate`, { body: { grace_seconds: 0 } })
    expect(await first).toBe(1008)
    const inGrace = await keyFor(kind)
    const [second] = await connect(kind, machine, inGrace.key)
    await world.call('owner', `POST /apikeys/${inGrace.id}/rotate`, { body: { grace_seconds: 60 } })
    world.clock.advance(61_000)
    expect(await second).toBe(1008)
    const short = await keyFor(kind, { expires_at: new Date(world.clock.now().getTime() + 3600_000).toISOString() })
    const [third] = await connect(kind, machine, short.key)
    world.clock.advance(3601_000)
    expect(await third).toBe(1008)
  })

  it('are disconnected when deleted, and stay connected when another key is revoked', async () => {
    const machine = await kinds[kind]()
    const mine = await keyFor(kind)
    const [closed] = await connect(kind, machine, mine.key)
    let isOpen = true
    void closed?.then(() => {
      isOpen = false
    })
    const other = await keyFor(kind)
    const [gone] = await connect(kind, await kinds[kind](), other.key)
    await world.call('owner', `DELETE /apikeys/${other.id}`)
    expect(await gone).toBe(1008)
    expect(isOpen).toBe(true)
    await world.call('owner', `DELETE /${kind}/${machine}`)
    expect(await closed).toBe(1008)
  })
})
