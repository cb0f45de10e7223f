// Guarantees: sockets and parsers survive hostile input while other callers are served.
import { once } from 'node:events'
import { UntrustedInputError } from '@millrace/contract/parse-untrusted'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type WebSocket from 'ws'
import { answerOfAgent } from '#agents/chats/hooks/hooks.ts'
import { dataOfAnswer } from '#agents/chats/loop/answer-text.ts'
import { readAnswer } from '#agents/chats/loop/model-answer.ts'
import { startRemote } from '#agents/remotes/testing/remote-double.ts'
import { readPayload } from '#automation/triggers/payload.ts'
import { givenTrigger } from '#automation/triggers/testing/given.ts'
import { readTokenAnswer } from '#connections/auth-providers/token-responses.ts'
import { unpackReturn } from '#connections/credentials/oauth-return.ts'
import { readOutput } from '#machines/engines/frames.ts'
import { startEngine } from '#machines/engines/testing/engine-double.ts'
import { boundedAnswer } from '#platform/outbound/bounded-answer.ts'
import { decodeCursor } from '#platform/tenancy/list/cursor.ts'
import { longestPiece } from '../testing/event-loop.ts'
import { createWorld, type World } from '../testing/world.ts'

/** Maximum processor time that any input may use without a pause. */
const maxPieceMs = 200

const mebibyte = 1024 * 1024

const shapes: Readonly<Record<string, string>> = {
  deep: `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  'deep objects': `${'{"a":'.repeat(100_000)}0${'}'.repeat(100_000)}`,
  wide: `[${'{},'.repeat(700_000)}{}]`,
  'different names': `{${Array.from({ length: 200_000 }, (_, n) => `"n${n}":0`).join(',')}}`,
  'long names': `{"${'n'.repeat(mebibyte)}":0}`,
  'long numbers': `[${'9'.repeat(mebibyte)},0.${'1'.repeat(mebibyte)}]`,
  surrogates: `"${'\\ud800'.repeat(100_000)}"`,
  NUL: `"${'\\u0000'.repeat(100_000)}"`,
  escapes: `"${'\\"'.repeat(mebibyte)}`,
  truncated: '{"a":[{"b":"',
  huge: `"${'x'.repeat(9 * mebibyte)}"`,
}

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const othersAreAnswered = async (): Promise<void> => {
  expect((await world.call('stranger', 'GET /me')).status).toBe(200)
}

type Connected = { socket: WebSocket }

/** Resolves when the server has processed all frames so far, or has closed the connection. */
const handled = async ({ socket }: Connected): Promise<void> => {
  if (socket.readyState !== socket.OPEN) return
  const stop = new AbortController()
  socket.ping()
  await Promise.race([once(socket, 'pong', stop), once(socket, 'close', stop)]).finally(() => stop.abort())
}

type SocketKind = { connect: () => Promise<Connected>; frames: (json: string) => string[] }

const session = (json: string): string =>
  `{"type":"remote_session_event","data":{"chat_id":"c","seq":1,"event":{"type":"t","payload":{"a":${json}}}}}`

const socketKinds: Readonly<Record<string, SocketKind>> = {
  remote: {
    connect: () => startRemote(world),
    frames: (json) => [json, session(json), `{"type":"remote_heartbeat","data":{"status":${json}}}`],
  },
  engine: {
    connect: () => startEngine(world),
    frames: (json) => [
      json,
      `{"type":"engine_heartbeat","data":${json}}`,
      `{"type":"task_completed","data":{"task_id":"t","output":"${Buffer.from(json).toString('base64')}"}}`,
      `{"type":"task_progress","data":{"task_id":"t","is_delta":true,"output":"${Buffer.from(json).toString('base64')}"}}`,
    ],
  },
}

describe.each(Object.keys(socketKinds))('hostile-frames: the socket of a %s', (name) => {
  const kind = socketKinds[name] as SocketKind
  let line: Connected | undefined
  it.each(Object.keys(shapes))('%s', async (shape) => {
    for (const frame of kind.frames(shapes[shape] ?? '')) {
      const ms = await longestPiece(async () => {
        if (line?.socket.readyState !== line?.socket.OPEN) line = undefined
        line ??= await kind.connect()
        line.socket.send(frame)
        await handled(line)
        await othersAreAnswered()
      }, maxPieceMs)
      expect(ms).toBeLessThan(maxPieceMs)
    }
  })
})

type Call = { route: () => Promise<string> | string; as: 'member' | null; type: string; body: (json: string) => string }

const calls: Readonly<Record<string, Call>> = {
  'a JSON body': {
    route: () => 'POST /apps/list',
    as: 'member',
    type: 'application/json',
    body: (json) => `{"limit":1,"filters":${json}}`,
  },
  'a form of a guest': {
    route: () => 'POST /oauth/token',
    as: null,
    type: 'application/x-www-form-urlencoded',
    body: (json) => `grant_type=${encodeURIComponent(json)}`,
  },
  'a form where none is accepted': {
    route: () => 'POST /apps/list',
    as: 'member',
    type: 'application/x-www-form-urlencoded',
    body: (json) => `limit=${encodeURIComponent(json)}`,
  },
  'a webhook': {
    route: async () => `POST /hooks/${(await givenTrigger(world)).id}`,
    as: null,
    type: 'application/json',
    body: (json) => json,
  },
  'a call of the MCP server': {
    route: () => 'POST /mcp',
    as: 'member',
    type: 'application/json',
    body: (json) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${json}}`,
  },
}

describe.each(Object.keys(calls))('hostile-frames: %s', (name) => {
  const call = calls[name] as Call
  it.each(Object.keys(shapes))('%s', async (shape) => {
    const route = await call.route()
    const body = call.body(shapes[shape] ?? '')
    const headers = { 'content-type': call.type, accept: 'application/json, text/event-stream' }
    const ms = await longestPiece(async () => {
      expect((await world.call(call.as, route, { body, headers })).status).toBeLessThan(500)
      await othersAreAnswered()
    }, maxPieceMs)
    expect(ms).toBeLessThan(maxPieceMs)
  })
})

const base64 = (json: string): string => Buffer.from(json).toString('base64')
const base64url = (json: string): string => Buffer.from(json).toString('base64url')

const answerOf = async (type: string, body: string): Promise<string> => {
  const answer = await boundedAnswer(new Response(body, { headers: { 'content-type': type } }))
  return answer.text()
}

const parsers: Readonly<Record<string, (json: string) => unknown>> = {
  'a cursor': (json) => decodeCursor([], base64url(json)),
  'an OAuth return': (json) => unpackReturn(base64url(json), 'slug'),
  'a token answer': (text) =>
    readTokenAnswer(undefined, { status: 200, sentAtMs: null, contentType: 'application/json', text }),
  'an answer of another server': (json) => answerOf('application/json', json),
  'an event of another server': (json) => answerOf('text/event-stream', `data: ${json}\n\n`),
  'an answer of a hook handler': (json) => answerOfAgent(json, false),
  'an answer of a client tool': (json) => dataOfAnswer(json),
  'the arguments of a model': (json) =>
    readAnswer({ tool_calls: [{ id: 'a', function: { name: 'a', arguments: json } }] }),
  'the body of a webhook': (json) => readPayload(Buffer.from(json), 'application/json'),
  'an output of an engine': (json) => readOutput(base64(json)),
}

describe.each(Object.keys(parsers))('hostile-frames: %s', (name) => {
  it.each(Object.keys(shapes))('%s', async (shape) => {
    const parse = async (): Promise<unknown> => parsers[name]?.(shapes[shape] ?? '')
    const ms = await longestPiece(async () => {
      // A refusal is an error of this class; any other error would be an internal error of a request.
      await parse().catch((error: unknown) => expect(error).toBeInstanceOf(UntrustedInputError))
    }, maxPieceMs)
    expect(ms).toBeLessThan(maxPieceMs)
  })
})

describe('a form of separators', () => {
  it.each(['POST /oauth/token', 'POST /apps/list', 'POST /sign-in', 'POST /nowhere'])('%s', async (route) => {
    const body = 'a&'.repeat(mebibyte / 4)
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      origin: world.open.platform.settings.APP_URL,
    }
    const ms = await longestPiece(async () => {
      expect((await world.call(null, route, { body, headers })).status).toBeLessThan(500)
    }, maxPieceMs)
    expect(ms).toBeLessThan(maxPieceMs)
  })
})
