// Guards: the end of a task is told once by name and id, signed both ways, tried three times, and every attempt is on record.
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createWorld, type World } from '../testing/world.ts'
import { finish, givenApp, run } from './testing/given.ts'
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
    response.writeHead(answers.shift() ?? 200).end('private words of the receiver')
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

it('the event, its id and both signatures', async () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
  await world.call('owner', 'POST /secrets', { body: { key: 'WEBHOOK_SIGNING_SECRET', value: secret } })
  const { id, delivery } = await ended()
  await attempt(delivery, 0)
  const [hook] = received
  if (!hook) throw new Error('Nothing was sent')
  const body = JSON.parse(hook.body)
  expect(body).toMatchObject({ event: 'task.completed', data: { id, status: 10, output: { text: 'done' } } })
  expect(Date.parse(body.timestamp)).toBe(world.clock.now().getTime())
  expect(hook.headers).toMatchObject({ 'content-type': 'application/json', 'x-webhook-id': id, 'webhook-id': id })
  expect(hook.headers['x-webhook-signature']).toBe(
    `sha256=${createHmac('sha256', secret).update(hook.body).digest('hex')}`,
  )
  expect(new Webhook(secret).verify(hook.body, hook.headers as Record<string, string>)).toEqual(body)
  await world.call('owner', 'DELETE /secrets/WEBHOOK_SIGNING_SECRET')
  expect(await deliveries(id)).toMatchObject([{ status: 'delivered', attempts: [{ status_code: 200, error: '' }] }])
})

it('without a secret nothing is signed', async () => {
  const { delivery } = await ended()
  await attempt(delivery, 0)
  expect(received[0]?.headers).not.toHaveProperty('x-webhook-signature')
  expect(received[0]?.headers).not.toHaveProperty('webhook-signature')
})

it('three attempts at 0, 5 and 30 seconds with one id, then it has failed', async () => {
  answers = [500, 302, 404]
  const { id, delivery } = await ended()
  const waits: number[] = []
  const { add } = world.open.platform.jobs
  const jobs = {
    add: async (...args: Parameters<typeof add>) => {
      waits.push((args[3]?.runAt?.getTime() ?? 0) - world.clock.now().getTime())
    },
  }
  for (const number of [0, 1, 2])
    await deliverWebhook({ ...world.open.platform, jobs })({ id: delivery, attempt: number })
  expect(waits).toEqual([5_000, 30_000])
  expect(received.map(({ headers }) => headers['x-webhook-id'])).toEqual([id, id, id])
  const [record] = await deliveries(id)
  expect(record.status).toBe('failed')
  expect(record.attempts.map((one: { status_code: number }) => one.status_code)).toEqual([500, 302, 404])
  expect(JSON.stringify(record)).not.toContain('private words')
})

it('an attempt that is repeated is not sent again', async () => {
  answers = [500]
  const { delivery } = await ended()
  await attempt(delivery, 0)
  await attempt(delivery, 0)
  expect(received).toHaveLength(1)
})

it('a receiver that cannot be reached is an attempt too', async () => {
  const { id, delivery } = await ended('http://127.0.0.1:1/')
  await attempt(delivery, 0)
  expect(await deliveries(id)).toMatchObject([{ status: 'pending', attempts: [{ status_code: 0 }] }])
})

it.each([
  ['task.cancelled', (id: string) => world.call('owner', `POST /tasks/${id}/cancel`)],
  ['task.completed', (id: string) => finish(world, id)],
])('%s has its name', async (event, end) => {
  const { id } = await run(world, await givenApp(world), { webhook: address() })
  await end(id)
  expect(await deliveries(id)).toMatchObject([{ event, status: 'pending' }])
})
