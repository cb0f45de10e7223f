// Guarantees: an error that a frame causes closes the connection of its sender, and no other.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import websocket from '@fastify/websocket'
import Fastify from 'fastify'
import pino from 'pino'
import Type from 'typebox'
import { afterAll, beforeAll, expect, it } from 'vitest'
import WebSocket from 'ws'
import { createMemoryBus } from '../bus/memory.ts'
import type { Member } from '../core/actor.ts'
import type { Platform } from '../core/ctx.ts'
import type { HttpGate } from '../http/mount.ts'
import { machineSockets } from './machine-sockets.ts'

const Frame = Type.Object({ say: Type.String() })
const app = Fastify()
let origin: string
const heard: string[] = []
/** The pause that a caller owes after each frame. */
let pauseMs = 0

const parts = (): { platform: Platform; gate: HttpGate } => {
  const actor: Partial<Member> = { teamId: 'team', grant: { kind: 'everything' }, expiresAtMs: null }
  const platform: Partial<Platform> = { log: pino({ level: 'silent' }), bus: createMemoryBus(() => {}) }
  const gate: Partial<HttpGate> = {
    authenticate: async () => actor as Member,
    watch: () => () => {},
    charge: (_actor, spentMs) => (spentMs > 0 ? pauseMs : 0),
  }
  return { platform: platform as Platform, gate: gate as HttpGate }
}

beforeAll(async () => {
  const { platform, gate } = parts()
  await app.register(websocket)
  const { routes } = machineSockets<{ say: string }>(platform, gate, {
    name: 'machine',
    path: '/ws/machines/:id',
    scope: 'engines:write',
    frames: Frame,
    frameBytesLimit: 1024,
    maxUnprocessedBytes: 1024,
    unreadBytesLimit: 1024,
    costOf: (_frame, sizeBytes) => sizeBytes,
    admit: async (_actor, id) => id,
    connect: async (id, link) => ({
      receive: ({ say }, done) => {
        if (say === 'throw') throw new Error('a frame that nobody foresaw')
        heard.push(`${id} ${say}`)
        link.send({ heard: say })
        done()
      },
      gone: async () => {},
    }),
  })
  routes(app)
  await app.listen({ port: 0, host: '127.0.0.1' })
  origin = `ws://127.0.0.1:${(app.server.address() as AddressInfo).port}`
})
afterAll(() => app.close())

it('a frame that throws closes its own socket and others continue', async () => {
  const [one, other] = ['one', 'other'].map((id) => new WebSocket(`${origin}/ws/machines/${id}`))
  if (!one || !other) throw new Error('two sockets')
  await Promise.all([once(one, 'open'), once(other, 'open')])
  const closed = once(one, 'close')
  one.send(JSON.stringify({ say: 'throw' }))
  expect((await closed)[0]).toBe(1011)
  other.send(JSON.stringify({ say: 'still here' }))
  await once(other, 'message')
  expect(heard).toEqual(['other still here'])
  other.terminate()
})

it('frames of a workspace that owes a pause are read after the pause', async () => {
  heard.length = 0
  pauseMs = 600_000
  const [one, other] = ['one', 'other'].map((id) => new WebSocket(`${origin}/ws/machines/${id}`))
  if (!one || !other) throw new Error('two sockets')
  await Promise.all([once(one, 'open'), once(other, 'open')])
  one.send(JSON.stringify({ say: 'first' }))
  await once(one, 'message')
  pauseMs = 0
  for (let index = 0; index < 50; index += 1) one.send(JSON.stringify({ say: 'later' }))
  for (let index = 0; index < 50; index += 1) {
    other.send(JSON.stringify({ say: `neighbour ${index}` }))
    await once(other, 'message')
  }
  expect(heard.filter((text) => text === 'one later')).toEqual([])
  one.terminate()
  other.terminate()
})
