// Guarantees: entry points other than HTTP apply the same checks as HTTP (access, limits, validation, idempotency), and
// streams end when the caller loses access.
import { Type } from 'typebox'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessSubject } from '#accounts/access/credential-cache.ts'
import { startAccess } from '#accounts/access/service.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { type Actor, guest, isMember } from './actor.ts'
import { isEventStream, type StreamEvent } from './event-stream.ts'
import type { Gate } from './gate.ts'
import { type Invocation, invoke } from './invoke.ts'
import { type Operation, operation } from './operation.ts'

let world: World
let member: Actor
beforeAll(async () => {
  world = await createWorld({ settings: { RATE_LIMIT_RUN: '2' } })
  const { gate } = startAccess(world.open.platform, new Set())
  member = await gate.authenticate({
    method: 'GET',
    clientIp: '127.0.0.1',
    headers: { authorization: `Bearer ${world.people.member.token}`, 'x-team-id': world.team.id },
  } as never)
})
afterAll(() => world?.close())

const echo = (over: object = {}): Operation =>
  operation({
    name: 'echo',
    route: 'POST /echo/:id',
    summary: 'Echo',
    scope: 'secrets:read',
    path: Type.Object({ id: Type.String() }),
    query: Type.Object({ limit: Type.Optional(Type.Integer()), ids: Type.Optional(Type.Array(Type.String())) }),
    body: Type.Object({ text: Type.String(), note: Type.Optional(Type.String()) }),
    reply: Type.Unknown(),
    run: (ctx, input) => {
      ctx.notice({ level: 'info', code: 'heard', message: 'Heard' })
      return { ...input, who: ctx.actor.userId, ip: ctx.origin.ip }
    },
    ...over,
  })

const call = (what: Operation, given: Partial<Invocation> = {}) =>
  invoke(world.open.platform, what, {
    actor: member,
    input: { path: { id: 'a' }, body: { text: 'hello' } },
    ...given,
  })

it('runs as the caller with parsed values', async () => {
  const origin = { requestId: 'r', ip: '192.0.2.1', userAgent: 'agent', traceparent: '' }
  const input = { path: { id: 'a' }, query: { limit: 3, ids: ['x'] }, body: { text: 'hello', note: null } }
  const outcome = await call(echo(), { input, origin })
  expect(outcome).toEqual({
    data: {
      path: { id: 'a' },
      query: { limit: 3, ids: ['x'] },
      body: { text: 'hello' },
      who: world.people.member.userId,
      ip: '192.0.2.1',
    },
    notices: [{ level: 'info', code: 'heard', message: 'Heard' }],
    replayed: false,
  })
  expect(input.body.note, 'the caller’s own values are left alone').toBeNull()
})

it.each<{ claim: string; over?: object; given: Partial<Invocation>; code: string }>([
  { claim: 'a guest', given: { actor: guest }, code: 'unauthorized' },
  { claim: 'a member where an admin is required', over: { role: 'admin' }, given: {}, code: 'team_role_required' },
  { claim: 'a missing field', given: { input: { path: { id: 'a' } } }, code: 'validation_error' },
  {
    claim: 'a number written as text',
    given: { input: { path: { id: 'a' }, query: { limit: '3' }, body: { text: '' } } },
    code: 'validation_error',
  },
  {
    claim: 'text that cannot be stored',
    given: { input: { path: { id: 'a' }, body: { text: 'a\0b' } } },
    code: 'invalid_request',
  },
])('refuses $claim', async ({ over, given, code }) => {
  await expect(call(echo(over), given)).rejects.toMatchObject({ code })
})

it('rejects a credential without the scope', async () => {
  if (member.kind === 'guest') throw new Error('The member is a member')
  const narrow: Actor = { ...member, grant: { kind: 'listed', bearer: 'key', scopes: ['apps:read'] } }
  await expect(call(echo(), { actor: narrow })).rejects.toMatchObject({ code: 'insufficient_scope' })
})

it('counts against the limit of the workspace', async () => {
  const limited = echo({ rateLimit: 'run' })
  await call(limited)
  await call(limited)
  await expect(call(limited)).rejects.toMatchObject({ code: 'rate_limited' })
})

it('a repeated key returns the first answer and rejects other input', async () => {
  let runs = 0
  const counting = echo({
    run: () => {
      runs += 1
      return { runs }
    },
  })
  const first = await call(counting, { idempotencyKey: 'k' })
  const second = await call(counting, { idempotencyKey: 'k' })
  expect([first.replayed, second.replayed, runs]).toEqual([false, true, 1])
  expect(second.data).toEqual(first.data)
  const other = call(counting, { idempotencyKey: 'k', input: { path: { id: 'b' }, body: { text: 'hello' } } })
  await expect(other).rejects.toMatchObject({ code: 'idempotency_conflict' })
})

it.each([undefined, 'its-turn'])(
  'works in its turn, and follows up outside of it, with the key %s',
  async (idempotencyKey) => {
    const { platform } = world.open
    const order: string[] = []
    const gate: Gate = {
      ...platform.gate,
      turn: async (actor, work) => {
        order.push('waits')
        const done = await platform.gate.turn(actor, work)
        order.push('leaves')
        return done
      },
    }
    const told = echo({
      run: () => void order.push('works'),
      follow: () => void order.push('follows'),
    })
    const input = { path: { id: 'a' }, body: { text: 'hello' } }
    await invoke({ ...platform, gate }, told, { actor: member, input, ...(idempotencyKey ? { idempotencyKey } : {}) })
    expect(order).toEqual(['waits', 'works', 'leaves', 'follows'])
  },
)

it('a redirect is rejected without a browser', async () => {
  const leading = echo({
    run: (_ctx: unknown, _input: unknown, wire: { redirect(url: string): void }) => wire.redirect('/'),
  })
  await expect(call(leading)).rejects.toMatchObject({ code: 'forbidden' })
})

it('a stream ends when the credential of its reader is revoked', async () => {
  const endless = echo({
    follow: async () => ({
      single: false,
      async *open(signal: AbortSignal): AsyncGenerator<StreamEvent> {
        for (let id = 0; !signal.aborted; id += 1) yield { type: 'update', id, data: { id } }
      },
    }),
  })
  const { data } = await call(endless)
  if (!isEventStream(data) || !isMember(member)) throw new Error('It is a stream')
  const seen: StreamEvent[] = []
  for await (const event of data.open(new AbortController().signal)) {
    seen.push(event)
    if (seen.length === 3) world.open.platform.bus.publish(accessSubject, member.userId)
    if (seen.length > 10) break
  }
  expect(seen).toHaveLength(3)
})
