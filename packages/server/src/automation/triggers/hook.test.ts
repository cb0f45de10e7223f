// Guarantees: the status table of webhook ingestion. A 200 means a durable fire. Each delivery id starts one run, for
// any number of repeated or concurrent deliveries to any replica. Cached triggers never override the database.
import { createHmac, generateKeyPairSync, sign as signBytes } from 'node:crypto'
import type { Trigger } from '@millrace/contract/triggers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openReplica } from '../../testing/replica.ts'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { hookBodyMaxBytes } from './payload.ts'
import { firesOf, givenSecretFor, givenTrigger, sendHook, tasksOf } from './testing/given.ts'

const secret = 'shared-with-the-sender'
const pair = generateKeyPairSync('ed25519')
const publicKey = Buffer.from(pair.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex')
const sign = (body: string): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
const signed = (body: string) => ({ 'x-signature-256': sign(body) })
const githubForm = new URLSearchParams({ payload: '{"n":7}' }).toString()
const fromGithub = (event: string, body: string) => ({
  'content-type': body === githubForm ? 'application/x-www-form-urlencoded' : 'application/json',
  'x-github-event': event,
  'x-github-delivery': event,
  'x-hub-signature-256': sign(body),
})
const ofBytes = (length: number): string => `"${'x'.repeat(length - 2)}"`
const accepted = { ok: true, success: true, data: { ok: true }, messages: [] }

type Given = {
  open: Trigger
  closed: Trigger
  manual: Trigger
  locked: Trigger
  keyless: Trigger
  github: Trigger
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
    github: await givenTrigger(world, { source_id: 'github', config: { secret_ref: key } }),
    slack: await givenTrigger(world, { source_id: 'slack', config: { secret_ref: key } }),
    discord: await givenTrigger(world, {
      source_id: 'discord',
      config: { secret_ref: await givenSecretFor(world, publicKey) },
    }),
  }
}

scenarios('triggers.hook', given, [
  {
    claim: 'an event is accepted and run',
    as: null,
    path: ({ open: { id } }) => ({ id }),
    body: { n: 7 },
    status: 200,
    emits: ['triggers'],
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
    claim: 'a credential and the content type are ignored',
    as: 'stranger',
    path: ({ open: { id } }) => ({ id }),
    body: '{"n":1}',
    headers: { 'content-type': 'text/plain' },
    status: 200,
    emits: ['triggers'],
  },
  {
    claim: 'GitHub’s form: the field payload is the event',
    as: null,
    path: ({ github: { id } }) => ({ id }),
    body: githubForm,
    headers: fromGithub('issues', githubForm),
    status: 200,
    emits: ['triggers'],
    check: async (_answer, { github }, world) =>
      expect(await firesOf(world, github)).toMatchObject([{ status: 'success', payload: { n: 7 } }]),
  },
  {
    claim: 'GitHub’s ping is recorded and starts nothing',
    as: null,
    path: ({ github: { id } }) => ({ id }),
    body: '{"zen":"Keep it logically awesome."}',
    headers: fromGithub('ping', '{"zen":"Keep it logically awesome."}'),
    status: 200,
    emits: ['team/triggers', 'triggers'],
    check: async (_answer, { github }, world) => {
      const payload = { zen: 'Keep it logically awesome.' }
      expect(await firesOf(world, github)).toMatchObject([{ status: 'filtered', payload }])
      expect(await tasksOf(world, github)).toEqual([])
    },
  },
  { claim: 'an empty body', as: null, path: ({ open: { id } }) => ({ id }), status: 200, emits: ['triggers'] },
  {
    claim: 'a good signature',
    as: null,
    path: ({ locked: { id } }) => ({ id }),
    body: '{"n":1}',
    headers: signed('{"n":1}'),
    status: 200,
    emits: ['triggers'],
    check: async (_answer, { locked }, world) =>
      expect(await firesOf(world, locked)).toMatchObject([{ status: 'success' }]),
  },
  {
    claim: 'a signature of other bytes with the same meaning',
    as: null,
    path: ({ locked: { id } }) => ({ id }),
    body: '{"n": 1}',
    headers: signed('{"n":1}'),
    status: 401,
    code: 'unauthorized',
    emits: ['team/triggers'],
    check: async (_answer, { locked }, world) => expect(await firesOf(world, locked)).toEqual([]),
  },
  {
    claim: 'no signature',
    as: null,
    path: ({ locked: { id } }) => ({ id }),
    body: '{}',
    status: 401,
    code: 'unauthorized',
    emits: ['team/triggers'],
  },
  {
    claim: 'the signature is checked before the body is parsed',
    as: null,
    path: ({ locked: { id } }) => ({ id }),
    body: '{',
    status: 401,
    code: 'unauthorized',
    emits: ['team/triggers'],
  },
  {
    claim: 'a signing source without a secret',
    as: null,
    path: ({ keyless: { id } }) => ({ id }),
    body: '{}',
    status: 401,
    code: 'unauthorized',
    emits: ['team/triggers'],
  },
  { claim: 'an unknown trigger', as: null, path: { id: '0'.repeat(26) }, body: {}, status: 404, code: 'not_found' },
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
    emits: ['team/triggers'],
  },
  {
    claim: 'not JSON',
    as: null,
    path: ({ open: { id } }) => ({ id }),
    body: '{',
    status: 400,
    code: 'invalid_request',
    emits: ['team/triggers'],
  },
  {
    claim: 'text that the database cannot store',
    as: null,
    path: ({ open: { id } }) => ({ id }),
    body: '{"a":"\\u0000"}',
    status: 400,
    code: 'invalid_request',
    emits: ['team/triggers'],
  },
  {
    claim: 'a body of 1 MiB; the log stores its size, the run gets all of it',
    as: null,
    path: ({ open: { id } }) => ({ id }),
    body: `{"a":${ofBytes(hookBodyMaxBytes - 6)}}`,
    status: 200,
    emits: ['triggers'],
    check: async (_answer, { open }, world) => {
      const fires = await firesOf(world, open)
      expect(fires.map(({ payload, status }) => ({ payload, status }))).toEqual([
        { status: 'success', payload: { truncated: true, size: hookBodyMaxBytes } },
      ])
      const tasks = await tasksOf(world, open)
      expect(tasks.map(({ input }) => (input as { a: string }).a.length)).toEqual([hookBodyMaxBytes - 8])
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
    claim: 'a ping of the provider is answered without a body and starts nothing',
    as: null,
    act: (world, { discord }) => {
      const body = JSON.stringify({ type: 0 })
      const timestamp = String(Math.floor(world.clock.now().getTime() / 1000))
      const signature = signBytes(null, Buffer.from(`${timestamp}${body}`), pair.privateKey).toString('hex')
      return sendHook(world, discord, body, { 'x-signature-ed25519': signature, 'x-signature-timestamp': timestamp })
    },
    status: 204,
    check: async ({ text }, { discord }, world) => {
      expect(text).toBe('')
      expect(await firesOf(world, discord)).toEqual([])
    },
  },
  {
    claim: 'an address verification of the provider is answered and starts nothing',
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

describe('a delivery', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world.close())

  const once = { 'idempotency-key': 'once' }

  it('that is refused leaves its time and reason on the trigger, at most every five seconds', async () => {
    const key = await givenSecretFor(world, secret)
    const trigger = await givenTrigger(world, { source_id: 'signed', config: { secret_ref: key } })
    const shown = async () => {
      const { data } = await world.call('owner', `GET /triggers/${trigger.id}`)
      return { at: data.last_refused_at, why: data.last_refusal }
    }
    expect(await shown()).toEqual({})
    expect((await sendHook(world, trigger, '{}')).status).toBe(401)
    const first = await shown()
    expect(first).toEqual({
      at: expect.any(String),
      why: 'The signature could not be verified (signature missing)',
    })
    expect((await sendHook(world, trigger, '{', signed('{'))).status).toBe(400)
    expect(await shown()).toEqual(first)
    world.clock.advance(6_000)
    expect((await sendHook(world, trigger, '{', signed('{'))).status).toBe(400)
    expect((await shown()).why).toMatch(/^The payload was refused: /)
    expect(await firesOf(world, trigger)).toEqual([])
  })

  it('takes a turn of the workspace that owns the trigger', async () => {
    const trigger = await givenTrigger(world)
    const turn = vi.spyOn(world.ctx().gate, 'workspaceTurn')
    await sendHook(world, trigger, { n: 1 })
    expect(turn.mock.calls.map(([teamId]) => teamId)).toEqual([trigger.team_id])
    turn.mockRestore()
  })

  it('many concurrent deliveries start one run', async () => {
    const trigger = await givenTrigger(world)
    const answers = await Promise.all(Array.from({ length: 40 }, () => sendHook(world, trigger, { n: 1 }, once)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    await sendHook(world, trigger, { n: 2 }, once)
    const fires = await firesOf(world, trigger)
    expect(fires).toMatchObject([{ status: 'success', payload: { n: 1 }, duplicates: 40 }])
    expect(await tasksOf(world, trigger)).toHaveLength(1)
    const { data } = await world.call('owner', `GET /triggers/${trigger.id}`)
    expect(data.fire_count).toBe(1)
  })

  it('is the same on every replica', async () => {
    const trigger = await givenTrigger(world)
    const replica = await openReplica(world)
    try {
      const elsewhere = (key: number) =>
        replica.app.inject({
          method: 'POST',
          url: `/triggers/${trigger.id}/hook`,
          headers: { 'content-type': 'application/json', 'idempotency-key': `key-${key}` },
          payload: JSON.stringify({ n: key }),
        })
      const keys = Array.from({ length: 60 }, (_, at) => at)
      const here = keys.map((key) => sendHook(world, trigger, { n: key }, { 'idempotency-key': `key-${key}` }))
      const there = [...keys].reverse().map(elsewhere)
      for (const { status } of await Promise.all(here)) expect(status).toBe(200)
      for (const { statusCode } of await Promise.all(there)) expect(statusCode).toBe(200)
      const fires = await firesOf(world, trigger)
      expect(fires.map(({ status, duplicates }) => ({ status, duplicates }))).toEqual(
        keys.map(() => ({ status: 'success', duplicates: 1 })),
      )
      const inputs = (await tasksOf(world, trigger)).map(({ input }) => (input as { n: number }).n)
      expect(inputs.sort((a, b) => a - b)).toEqual(keys)
    } finally {
      await replica.close()
    }
  })

  it('differs for another trigger, without an id, and a day later', async () => {
    const [first, second] = [await givenTrigger(world), await givenTrigger(world)]
    for (const trigger of [first, second]) await sendHook(world, trigger, {}, once)
    await sendHook(world, second)
    await sendHook(world, second)
    expect(await firesOf(world, first)).toMatchObject([{ duplicates: 0 }])
    expect(await firesOf(world, second)).toHaveLength(3)
    world.clock.advance(24 * 3_600_000 - 1)
    await sendHook(world, first, {}, once)
    expect(await firesOf(world, first)).toMatchObject([{ duplicates: 1 }])
    world.clock.advance(1)
    await sendHook(world, first, {}, once)
    await sendHook(world, first, {}, once)
    expect(await firesOf(world, first)).toMatchObject([{ duplicates: 1 }, { duplicates: 1 }])
  })

  it('rejected by the filters is logged so and starts nothing', async () => {
    const trigger = await givenTrigger(world, { filters: [{ field: 'ref', operator: 'eq', value: 'main' }] })
    expect((await sendHook(world, trigger, { ref: 'other' })).json).toEqual(accepted)
    await sendHook(world, trigger, { ref: 'main' })
    const fires = await firesOf(world, trigger)
    expect(fires.map(({ status }) => status)).toEqual(expect.arrayContaining(['filtered', 'success']))
    expect(fires.find(({ status }) => status === 'filtered')).toMatchObject({ payload: { ref: 'other' } })
    expect(await tasksOf(world, trigger)).toHaveLength(1)
  })

  it('with an input the app refuses is accepted, and its row tells why', async () => {
    const trigger = await givenTrigger(world)
    expect((await sendHook(world, trigger, { n: 'seven' })).json).toEqual(accepted)
    const [fire] = await firesOf(world, trigger)
    expect(fire).toMatchObject({ status: 'error', error: expect.stringContaining('n') })
    expect(fire).not.toHaveProperty('task_id')
    const { data } = await world.call('owner', `GET /triggers/${trigger.id}`)
    expect(data).toMatchObject({ fire_count: 0 })
    expect(data).not.toHaveProperty('last_fired_at')
  })
})

describe('the cache of triggers', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world.close())

  const change = (trigger: Trigger, body: object) =>
    world.call('owner', `POST /triggers/${trigger.id}`, { body }).then(({ status }) => expect(status).toBe(200))
  const send = async (trigger: Trigger, headers: Record<string, string> = {}) =>
    (await sendHook(world, trigger, '{"n":1}', headers)).status

  it('does not survive a change of enabled or a deletion', async () => {
    const trigger = await givenTrigger(world)
    expect(await send(trigger)).toBe(200)
    await change(trigger, { enabled: false })
    expect(await send(trigger)).toBe(410)
    await change(trigger, { enabled: true })
    expect(await send(trigger)).toBe(200)
    await world.call('owner', `DELETE /triggers/${trigger.id}`)
    expect(await send(trigger)).toBe(404)
  })

  it('does not survive new filters', async () => {
    const trigger = await givenTrigger(world)
    expect(await send(trigger)).toBe(200)
    await change(trigger, { filters: [{ field: 'n', operator: 'eq', value: '2' }] })
    expect(await send(trigger)).toBe(200)
    expect((await firesOf(world, trigger)).map(({ status }) => status).sort()).toEqual(['filtered', 'success'])
  })

  it('does not survive a change of the secret, nor its creation', async () => {
    const key = await givenSecretFor(world, secret)
    const trigger = await givenTrigger(world, { source_id: 'signed', config: { secret_ref: key } })
    const old = signed('{"n":1}')
    const renewed = { 'x-signature-256': `sha256=${createHmac('sha256', 'new').update('{"n":1}').digest('hex')}` }
    expect(await send(trigger, old)).toBe(200)
    expect(await send(trigger, renewed)).toBe(401)
    await world.call('owner', `PUT /secrets/${key}`, { body: { value: 'new' } })
    expect(await send(trigger, old)).toBe(401)
    expect(await send(trigger, renewed)).toBe(200)
    await world.call('owner', `DELETE /secrets/${key}`)
    expect(await send(trigger, renewed)).toBe(401)
    await world.call('owner', 'POST /secrets', { body: { key, value: secret } })
    expect(await send(trigger, old)).toBe(200)
    expect(await firesOf(world, trigger)).toHaveLength(3)
  })

  it('does not accept a delivery that arrives together with the change', async () => {
    const trigger = await givenTrigger(world)
    await send(trigger)
    const disabled = change(trigger, { enabled: false })
    const statuses = await Promise.all(Array.from({ length: 30 }, () => send(trigger)))
    await disabled
    expect(await send(trigger)).toBe(410)
    const accepted = statuses.filter((status) => status === 200).length
    expect(statuses.every((status) => status === 200 || status === 410)).toBe(true)
    expect(await firesOf(world, trigger)).toHaveLength(accepted + 1)
  })
})
