// Guarantees: a body counts while it is read, queued and processed, but not while its response continues.
import { once } from 'node:events'
import { request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Member } from '../core/actor.ts'
import { createCtx, type Platform } from '../core/ctx.ts'
import { type Operation, operation } from '../core/operation.ts'
import { jsonBodyLimitBytes, registerBodyParsers } from './body.ts'
import { type HttpGate, mount } from './mount.ts'
import { openBytesOfOne } from './open-bodies.ts'
import { sendProblem } from './problem.ts'
import { endStreamsOnClose } from './streams.ts'

let app: FastifyInstance
let turns = 0
beforeEach(() => {
  app = Fastify({ bodyLimit: jsonBodyLimitBytes }) as unknown as FastifyInstance
  app.decorateRequest('clientIp', '192.0.2.1')
  app.decorateRequest('traceparent', '')
  app.decorateRequest('ctx', null)
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, 'http://here'))
  registerBodyParsers(app, (_request, work) => {
    turns += 1
    return work()
  })
  endStreamsOnClose(app)
})
afterEach(async () => {
  app.server.closeAllConnections()
  await app.close()
})

const platform: Partial<Platform> = {
  settings: { BASE_URL: 'http://here', APP_URL: 'http://here' } as Platform['settings'],
}
const member: Partial<Member> = { kind: 'session', userId: 'person', teamId: 'workspace', inPlatformTeam: false }
const gate: Partial<HttpGate> = {
  authenticate: async () => member as Member,
  turn: (_actor, work) => work(),
  charge: () => 0,
  watch: () => () => {},
}

const work = (over: object): Operation =>
  operation({
    name: 'work',
    route: 'POST /work',
    summary: 'Work',
    scope: 'optional',
    body: Type.Object({ text: Type.String() }),
    reply: Type.Unknown(),
    run: () => ({}),
    ...over,
  })

const body = JSON.stringify({ text: 'x'.repeat(9_000_000) })
/** More calls than the limit of open bytes permits. */
const calls = Math.ceil(openBytesOfOne / body.length) + 5

/** Called when an endless operation has begun. */
let tellBegun = () => {}
const beginEndless = () => {
  tellBegun()
  return endless()
}

/** Sends requests one after another, each after the previous response or endless work has begun. */
const sendAll = async (
  type = 'application/json',
  size: object = { 'content-length': body.length },
): Promise<(number | undefined)[]> => {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const statuses: (number | undefined)[] = []
  for (let index = 0; index < calls; index += 1) {
    const headers = { 'content-type': type, ...size }
    const request = send({ port, method: 'POST', path: '/work', headers })
    request.on('error', () => {})
    const begun = new Promise<undefined>((resolve) => {
      tellBegun = () => resolve(undefined)
    })
    const answered = once(request, 'response').then(([response]) => response.statusCode)
    request.end(body)
    statuses.push(await Promise.race([answered, begun]))
    // Nothing awaits this promise after the connections are closed.
    answered.catch(() => {})
  }
  return statuses
}

const endless = () => new Promise<never>(() => {})
const stream = {
  single: false,
  open: async function* () {
    yield { type: 'update', data: {} } as const
    await endless()
  },
}

describe('a body is no longer counted', () => {
  it.each<[string, Operation]>([
    ['when the response is a stream', work({ stream: true, run: () => stream })],
    ['when a stream follows', work({ follow: async () => stream })],
  ])('%s', async (_, what) => {
    mount(app, platform as Platform, gate as HttpGate, what)
    expect(new Set(await sendAll())).toEqual(new Set([200]))
  })

  it('on a raw route once its response has begun', async () => {
    const bytes = async function* () {
      yield 'x'
      await endless()
    }
    const onRequest = async (request: FastifyRequest) => {
      request.ctx = createCtx(platform as Platform, member as Member)
    }
    app.post('/work', { onRequest }, (_request, reply) => reply.send(Readable.from(bytes())))
    expect(new Set(await sendAll())).toEqual(new Set([200]))
  })

  it('while `follow` waits for a result', async () => {
    mount(app, platform as Platform, gate as HttpGate, work({ follow: beginEndless }))
    expect(new Set(await sendAll())).toEqual(new Set([undefined]))
  })
})

const chunked = { 'transfer-encoding': 'chunked' }
const bytes = { bytes: true, body: undefined }

it.each<[string, object, number, object?]>([
  ['application/json', {}, 429],
  ['Application/JSON', {}, 429],
  ['text/plain', bytes, 429],
  ['text/plain', bytes, 429, chunked],
])('a body of %s counts while it is worked on', async (type, route, refused, size) => {
  mount(app, platform as Platform, gate as HttpGate, work({ ...route, run: beginEndless }))
  expect(new Set(await sendAll(type, size))).toEqual(new Set([undefined, refused]))
})

it.each([
  ['a large body is parsed in the turn of its caller', 100_000, 1],
  ['a small body is parsed at once', 1_000, 0],
])('%s', async (_, size, expected) => {
  mount(app, platform as Platform, gate as HttpGate, work({}))
  turns = 0
  const answer = await app.inject({ method: 'POST', url: '/work', payload: { text: 'x'.repeat(size) } })
  expect([answer.statusCode, turns]).toEqual([200, expected])
})
