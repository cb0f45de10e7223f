// Guarantees: nothing is done for a client that disconnects during its authentication: no queue is entered, `follow`
// ends, and no stream is opened.
import { once } from 'node:events'
import { request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { guest } from '../core/actor.ts'
import type { Platform } from '../core/ctx.ts'
import { type Operation, operation } from '../core/operation.ts'
import { registerBodyParsers } from './body.ts'
import { endForDisconnectedClients } from './disconnects.ts'
import { type HttpGate, mount } from './mount.ts'
import { endStreamsOnClose } from './streams.ts'

let app: FastifyInstance
beforeEach(() => {
  app = Fastify() as unknown as FastifyInstance
  app.decorateRequest('clientIp', '')
  app.decorateRequest('traceparent', '')
  app.decorateRequest('ctx', null)
})
afterEach(() => app.close())

const platform: Partial<Platform> = {
  settings: { BASE_URL: 'http://here', APP_URL: 'http://here' } as Platform['settings'],
}

const work = (over: object): Operation =>
  operation({
    name: 'work',
    route: 'POST /work',
    summary: 'Work',
    scope: 'optional',
    reply: Type.Unknown(),
    run: () => ({}),
    ...over,
  })

/** Sends a request and disconnects during authentication; ends after the server has noticed. */
const leaveEarly = async (what: Operation): Promise<{ wasToldAtOnce: () => boolean }> => {
  let toldAtOnce = false
  let waiting = () => {}
  const isWaiting = new Promise<void>((resolve) => {
    waiting = resolve
  })
  let left: Promise<unknown> | undefined
  app.addHook('onRequest', (_request, reply, done) => {
    left = once(reply.raw, 'close')
    done()
  })
  const gate: Partial<HttpGate> = {
    authenticate: async () => {
      waiting()
      await left
      return guest
    },
    charge: () => 0,
    turn: async (_actor, work, onDisconnect) => {
      onDisconnect?.(() => {
        toldAtOnce = true
      })
      return work()
    },
    watch: () => () => {},
  }
  mount(app, platform as Platform, gate as HttpGate, what)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const request = send({ port, method: 'POST', path: '/work' })
  request.on('error', () => {})
  request.end()
  await isWaiting
  request.destroy()
  await left
  await new Promise((resolve) => setTimeout(resolve, 50))
  return { wasToldAtOnce: () => toldAtOnce }
}

it('nothing is done', async () => {
  endForDisconnectedClients(app)
  const run = vi.fn(() => ({}))
  await leaveEarly(work({ run }))
  expect(run).not.toHaveBeenCalled()
})

it('the queue and `follow` are notified at once', async () => {
  registerBodyParsers(app, (_request, work) => work())
  const signals: boolean[] = []
  const follow = async ({ signal }: { signal: AbortSignal }) => {
    signals.push(signal.aborted)
    return {}
  }
  const { wasToldAtOnce } = await leaveEarly(work({ follow }))
  await expect.poll(() => signals).toEqual([true])
  expect(wasToldAtOnce()).toBe(true)
})

it('no stream is opened', async () => {
  registerBodyParsers(app, (_request, work) => work())
  endStreamsOnClose(app)
  const open = vi.fn(async function* () {})
  await leaveEarly(work({ stream: true, run: () => ({ single: false, open }) }))
  expect(open).not.toHaveBeenCalled()
  expect(app.openStreams?.size).toBe(0)
})
