// Guards: the status table of webhook ingestion; a 200 means a durable fire; one run per delivery id, however often,
// however concurrently and to whichever replica it is sent; what was remembered about a trigger is never believed
// against the truth.
import { createHmac } from 'node:crypto'
import type { Trigger } from '@millrace/contract/triggers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openReplica } from '../testing/replica.ts'
import { scenarios } from '../testing/scenarios.ts'
import { createWorld, type World } from '../testing/world.ts'
import { hookBodyMaxBytes } from './payload.ts'
import { firesOf, givenSecretFor, givenTrigger, sendHook, tasksOf } from './testing/given.ts'

const secret = 'shared-with-the-sender'
const sign = (body: string): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
const signed = (body: string) => ({ 'x-signature-256': sign(body) })
const ofBytes = (length: number): string => `"${'x'.repeat(length - 2)}"`
const accepted = { ok: true, data: { ok: true }, messages: [] }

type Given = {
  open: Trigger
  closed: Trigger
  manual: Trigger
  locked: Trigger
  keyless: Trigger
  slack: Trigger
  discord: Trigger
}

const given = async (world: World): Promise<Given> => {
  const key = await givenSecretFor(world, secret)
  return {
    open: await givenTrigger(world),
    closed: await givenTrigger(world, { enabled: false }),
    manual: await givenTrigger(world, { type: 'manual' }),
    locked: await givenTrigger(world, { source_id: 'signed', config: { secret_ref: key } }),
    keyless: await givenTrigger(world, { source_id: 'github' }),
    slack: await givenTrigger(world, { source_id: 'slack', config: { secret_ref: key } }),
    discord: await givenTrigger(world, { source_id: 'discord', config: { secret_ref: key } }),
  }
}

scenarios('triggers.hook', given, [
  {
    claim: 'an event is accepted and run',
    as: null,
    path: ({ open: { id } }) => ({ id }),
    body: { n: 7 },
    status: 200,
    check: async ({ json }, { open }, world) => {
      expect(json).toEqual(accepted)
      const [fire, ...others] = await firesOf(world, open)
      expect(others).toEqual([])
      expect(fire).toMatchObject({ trigger_id: open.id, status: 'success', payload: { n: 7 }, duplicates: 0 })
      const tasks = await tasksOf(world, open)
      expect(tasks).toMatchObject([
        { id: fire?.task_id, input: { n: 7 }, user_id: world.people.owner.userId, team_id: world.team.id },
      ])
      const { data } = await world.call('owner', `GET /triggers/${open.id}`)
      expect(data).toMatchObject({ fire_count: 1, last_fired_at: expect.any(String) })
    },
  },
  {
    claim: 'a credential changes nothing, nor does the content type',
    as: 'stranger',
    path: ({ open: { id } }) => ({ id }),
    body: '{"n":1}',
    headers: { 'content-type': 'text/plain' },
    status: 200,
  },
  { claim: 'no body at all', as: null, path: ({ open: { id } }) => ({ id }), status: 200 },
  {
    claim: 'a good signature',
    as: null,
    path: ({ locked: { id } }) => ({ id }),
    body: '{"n":1}',
    headers: signed('{"n":1}'),
    status: 200,
    check: async (_answer, { locked }, world) =>
      expect(await firesOf(world, locked)).toMatchObject([{ status: 'success' }]),
  },
  {
    claim: 'a signature of other bytes that mean the same',
    as: null,
    path: ({ locked: { id } }) => ({ id }),
    body: '{"n": 1}',
    headers: signed('{"n":1}'),
    status: 401,
    code: 'unauthorized',
    check: async (_answer, { locked }, world) => expect(await firesOf(world, locked)).toEqual([]),
  },
  {
    claim: 'no signature',
    as: null,
    path: ({ locked: { id } }) => ({ id }),
    body: '{}',
    status: 401,
    code: 'unauthorized',
  },
  {
    claim: 'the signature is asked for before the body is read',
    as: null,
    path: ({ locked: { id } }) => ({ id }),
    body: '{',
    status: 401,
    code: 'unauthorized',
  },
  {
    claim: 'a source that signs, and no secret',
    as: null,
    path: ({ keyless: { id } }) => ({ id }),
    body: '{}',
    status: 401,
    code: 'unauthorized',
  },
  { claim: 'no such trigger', as: null, path: { id: '0'.repeat(26) }, body: {}, status: 404, code: 'not_found' },
  {
    claim: 'not a webhook trigger',
    as: null,
    path: ({ manual: { id } }) => ({ id }),
    body: {},
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'a disabled trigger',
    as: null,
    path: ({ closed: { id } }) => ({ id }),
    body: {},
    status: 410,
    code: 'trigger_disabled',
  },
  {
    claim: 'not JSON',
    as: null,
    path: ({ open: { id } }) => ({ id }),
    body: '{',
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'text that cannot be stored',
    as: null,
    path: ({ open: { id } }) => ({ id }),
    body: '{"a":"\\u0000"}',
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'a body of 1 MiB; the log keeps its size, the run gets all of it',
    as: null,
    path: ({ open: { id } }) => ({ id }),
    body: `{"a":${ofBytes(hookBodyMaxBytes - 6)}}`,
    status: 200,
    check: async (_answer, { open }, world) => {
      const fires = await firesOf(world, open)
      expect(fires.map(({ payload, status }) => ({ payload, status }))).toEqual([
        { status: 'success', payload: { truncated: true, size: hookBodyMaxBytes } },
      ])
      const [task] = await tasksOf(world, open)
      expect((task?.input as { a: string }).a.length).toBe(hookBodyMaxBytes - 8)
    },
  },
  {
    claim: 'one byte more',
    as: null,
    path: ({ open: { id } }) => ({ id }),
    body: `{"a":${ofBytes(hookBodyMaxBytes - 5)}}`,
    status: 400,
    code: 'invalid_request',
  },
  {
    claim: 'a provider’s test of the address is answered and starts nothing',
    as: null,
    act: (world, { slack }) => {
      const body = JSON.stringify({ type: 'url_verification', challenge: 'c4' })
      const timestamp = String(Math.floor(world.clock.now().getTime() / 1000))
      const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')
      return sendHook(world, slack, body, {
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${signature}`,
      })
    },
    status: 200,
    check: async ({ json }, { slack }, world) => {
      expect(json).toEqual({ challenge: 'c4' })
      expect(await firesOf(world, slack)).toEqual([])
    },
  },
])
