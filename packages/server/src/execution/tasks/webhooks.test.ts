// Guarantees: the end of a task is delivered once by event name and id, signed with both secrets, retried over days and
// then parked with a reason; every attempt is recorded.
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { wireTime } from '#platform/core/times.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { finish, givenApp, run } from './testing/given.ts'
import { attemptsPerRound } from './webhook-schedule.ts'
import { deliverWebhook } from './webhooks.ts'

let world: World
let receiver: Server
let answers: number[]
let received: { headers: IncomingHttpHeaders; body: string }[]
beforeAll(async () => {
  world = await createWorld()
  receiver = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ headers: request.headers, body })
    response.writeHead(answers.shift() ?? 200).end('private response body of the receiver')
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
})
beforeEach(() => {
  answers = []
  received = []
})
afterAll(async () => {
  receiver.close()
  await world.close()
})

const address = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`

const deliveries = async (id: string) => (await world.call('owner', `GET /tasks/${id}/webhooks`)).data
const ended = async (webhook = address()) => {
  const { id } = await run(world, await givenApp(world), { webhook })
  await finish(world, id, { text: 'done' })
  const [delivery] = await deliveries(id)
  return { id, delivery: delivery.id as string }
}
const attempt = (id: string, number: number) => deliverWebhook(world.open.platform)({ id, attempt: number })

it('sends the event, its id and both signatures', async () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  await world.call('owner', 'POST /secrets', { body: { key: 'WEBHOOK_SIGNING_SECRET', value: secret } })
  const { id, delivery } = await ended()
  await attempt(delivery, 0)
  const [hook] = received
  if (!hook) throw new Error('No webhook was sent')
  const body = JSON.parse(hook.body)
  expect(body).toMatchObject({ event: 'task.completed', data: { id, status: 10, output: { text: 'done' } } })
  expect(body.timestamp).toBe(wireTime(world.clock.now()))
  expect(hook.headers).toMatchObject({ 'content-type': 'application/json', 'x-webhook-id': id, 'webhook-id': id })
  expect(hook.headers['x-webhook-signature']).toBe(
    `sha256=${createHmac('sha256', secret).update(hook.body).digest('hex')}`,
  )
  expect(new Webhook(secret).verify(hook.body, hook.headers as Record<string, string>)).toEqual(body)
  await world.call('owner', 'DELETE /secrets/WEBHOOK_SIGNING_SECRET')
  expect(await deliveries(id)).toMatchObject([{ status: 'delivered', attempts: [{ status_code: 200, error: '' }] }])
})

it('does not sign without a secret and adds a notice to the run', async () => {
  const app = await givenApp(world)
  const accepted = async (body: object) => {
    const { json } = await world.call('owner', 'POST /run', {
      body: { app_id: app.id, input: { text: 'hi' }, ...body },
    })
    return (json.messages as { code: string }[]).map(({ code }) => code).filter((code) => code !== 'no_engine')
  }
  expect(await accepted({ webhook: address() })).toEqual(['webhook_unsigned'])
  expect(await accepted({})).toEqual([])
  await world.call('owner', 'POST /secrets', { body: { key: 'WEBHOOK_SIGNING_SECRET', value: 'a long passphrase' } })
  expect(await accepted({ webhook: address() })).toEqual([])
  await world.call('owner', 'DELETE /secrets/WEBHOOK_SIGNING_SECRET')
  const { delivery } = await ended()
  await attempt(delivery, 0)
  expect(received[0]?.headers).not.toHaveProperty('x-webhook-signature')
  expect(received[0]?.headers).not.toHaveProperty('webhook-signature')
})

/** Makes attempts one after the other and returns the delay after each. */
const attempts = async (delivery: string, count: number): Promise<number[]> => {
  const waits: number[] = []
  const { add } = world.open.platform.jobs
  const jobs = {
    add: async (...args: Parameters<typeof add>) => {
      waits.push((args[3]?.runAt?.getTime() ?? 0) - world.clock.now().getTime())
    },
  }
  for (let number = 0; number < count; number += 1)
    await deliverWebhook({ ...world.open.platform, jobs })({ id: delivery, attempt: number })
  return waits
}

it('retries over days with one id, parks with the reason and can be sent again by hand', async () => {
  answers = [302, 404, ...Array(attemptsPerRound - 2).fill(500)]
  const { id, delivery } = await ended()
  const waits = await attempts(delivery, attemptsPerRound)
  expect(waits.slice(0, 2)).toEqual([5_000, 30_000])
  const days = waits.reduce((sum, wait) => sum + wait, 0) / 86_400_000
  expect(days).toBeGreaterThan(3)
  expect(days).toBeLessThan(4)
  expect(new Set(received.map(({ headers }) => headers['x-webhook-id']))).toEqual(new Set([id]))
  const [record] = await deliveries(id)
  expect(record).toMatchObject({ status: 'parked', next_attempt_at: null })
  expect(record.parked_reason).toBe('11 attempts failed; the last error was: HTTP 500')
  expect(record.attempts.slice(0, 3).map((one: { status_code: number }) => one.status_code)).toEqual([302, 404, 500])
  expect(JSON.stringify(record)).not.toContain('private words')
  const again = await world.call('owner', `POST /tasks/${id}/webhooks/redeliver`)
  expect(again.data).toMatchObject({ status: 'pending', attempts: { length: attemptsPerRound } })
  await attempt(delivery, 0)
  expect(received.at(-1)?.headers['x-webhook-id']).toBe(id)
  const [sent] = await deliveries(id)
  expect(sent).toMatchObject({ status: 'delivered', attempts: { length: attemptsPerRound + 1 } })
  expect(sent).not.toHaveProperty('parked_reason')
})

it('does not retry after 410 Gone', async () => {
  answers = [410]
  const { id, delivery } = await ended()
  expect(await attempts(delivery, 1)).toEqual([])
  expect(await deliveries(id)).toMatchObject([{ status: 'parked', parked_reason: expect.stringContaining('410') }])
})

it('signs with both secrets during a rotation', async () => {
  const [old, fresh] = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD']
  for (const [key, value] of Object.entries({
    WEBHOOK_SIGNING_SECRET: fresh,
    WEBHOOK_SIGNING_SECRET_PREVIOUS: old,
  }))
    await world.call('owner', 'POST /secrets', { body: { key, value } })
  const { delivery } = await ended()
  await attempt(delivery, 0)
  const [hook] = received
  if (!hook) throw new Error('No webhook was sent')
  for (const secret of [old, fresh])
    expect(new Webhook(secret).verify(hook.body, hook.headers as Record<string, string>)).toBeDefined()
  for (const key of ['WEBHOOK_SIGNING_SECRET', 'WEBHOOK_SIGNING_SECRET_PREVIOUS'])
    await world.call('owner', `DELETE /secrets/${key}`)
})

it('does not repeat an attempt when its job runs again', async () => {
  answers = [500]
  const { delivery } = await ended()
  await attempt(delivery, 0)
  await attempt(delivery, 0)
  expect(received).toHaveLength(1)
})

it('records an attempt for an unreachable receiver', async () => {
  const { id, delivery } = await ended('http://127.0.0.1:1/')
  await attempt(delivery, 0)
  expect(await deliveries(id)).toMatchObject([{ status: 'pending', attempts: [{ status_code: 0 }] }])
})

it.each([
  ['task.cancelled', (id: string) => world.call('owner', `POST /tasks/${id}/cancel`)],
  ['task.completed', (id: string) => finish(world, id)],
])('names the event %s', async (event, end) => {
  const { id } = await run(world, await givenApp(world), { webhook: address() })
  await end(id)
  expect(await deliveries(id)).toMatchObject([{ event, status: 'pending' }])
})

it('tasks can be filtered by the presence of a webhook, but not by its address', async () => {
  const { id } = await ended()
  const { id: without } = await run(world, await givenApp(world))
  const listed = (field: string, operator: string, value: unknown) =>
    world.call('owner', 'POST /tasks/list', { body: { fields: ['id'], filters: [{ field, operator, value }] } })
  const idsOf = async (has: boolean) =>
    (await listed('has_webhook', 'eq', has)).data.items.map((task: { id: string }) => task.id)
  expect(await idsOf(true)).toContain(id)
  expect(await idsOf(true)).not.toContain(without)
  expect(await idsOf(false)).toContain(without)
  for (const [field, operator] of [
    ['has_webhook', 'contains'],
    ['webhook', 'contains'],
  ] as const)
    expect((await listed(field, operator, 'http')).status).toBe(400)
})
