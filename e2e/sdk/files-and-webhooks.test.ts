// Guarantees: files uploaded with the published client reach apps and come back unchanged; the completion webhook is
// delivered once, signed in both ways.
import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deploy } from './deploy.ts'
import { type Guest, refused, startGuest } from './guest.ts'

type StoredFile = { id: string; uri: string; size: number; content_type: string; filename: string; upload_url: string }
type Task = { id: string; output: Record<string, string> }

const code = `
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { File } from '@inferencesh/app'

export class App {
  async run({ document }) {
    const file = await File.from(document)
    const path = join(tmpdir(), 'reversed.bin')
    writeFileSync(path, readFileSync(file.path).reverse())
    return { document: File.fromPath(path) }
  }
}
`
const manifest = JSON.stringify({ type: 'module', dependencies: { '@inferencesh/app': '^0.1.0' } })
const fileSchema = { type: 'object', properties: { document: { type: 'string', format: 'file' } } }

let guest: Guest
beforeAll(async () => {
  guest = await startGuest()
})
afterAll(() => guest?.remove())

describe('files', () => {
  let app: string
  beforeAll(async () => {
    const run = { name: 'run', input_schema: fileSchema, output_schema: fileSchema }
    const files = { 'inference.js': code, 'package.json': manifest }
    app = (await deploy(guest.client, { name: 'reverse', files, version: { functions: { run } } })).ref
  })

  const bytesOf = async (uri: string) => Buffer.from(await (await fetch(uri)).arrayBuffer())
  const fileOf = async (id: string) => (await guest.client.files.get(id)).data as StoredFile

  it.each([
    ['a blob', (bytes: Buffer) => new Blob([new Uint8Array(bytes)], { type: 'image/png' })],
    ['a data URI', (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`],
  ])('%s goes up and comes down unchanged', async (_name, form) => {
    const bytes = randomBytes(100_001)
    const made = (await guest.client.uploadFile(form(bytes), { filename: 'a.png' })) as unknown as StoredFile
    expect(await bytesOf(made.uri)).toEqual(bytes)
    expect(await fileOf(made.id)).toMatchObject({ size: 100_001, content_type: 'image/png', filename: 'a.png' })
    const { data } = await guest.client.files.list({ limit: 1 })
    expect(data.items[0].id).toBe(made.id)
    await guest.client.files.delete(made.id)
    expect((await fetch(made.uri)).status).toBe(404)
    expect(await refused(guest.client.files.get(made.id))).toEqual({ status: 404, code: 'not_found' })
  })

  it('are passed into an app and returned', async () => {
    const bytes = randomBytes(5_000)
    const document = new Blob([new Uint8Array(bytes)], { type: 'application/octet-stream' })
    const task = (await guest.client.run({ app, input: { document } } as never)) as unknown as Task
    expect(task.output.document).toMatch(/^https?:/)
    expect(await bytesOf(task.output.document ?? '')).toEqual(Buffer.from(bytes).reverse())
  })

  it.each([
    ['a long base64 text, which the client uploads', async (bytes: Buffer) => bytes.toString('base64')],
    [
      'an object that names a stored file',
      async (bytes: Buffer) => {
        const { uri } = (await guest.client.uploadFile(new Blob([new Uint8Array(bytes)]))) as unknown as StoredFile
        return { uri, filename: 'named.bin' }
      },
    ],
  ])('go into an app as %s', async (_name, form) => {
    const bytes = randomBytes(300)
    const task = (await guest.client.run({ app, input: { document: await form(bytes) } } as never)) as unknown as Task
    expect(await bytesOf(task.output.document ?? '')).toEqual(Buffer.from(bytes).reverse())
  })

  it('of a task are listed, and missing after deletion', async () => {
    const document = new Blob([new Uint8Array(randomBytes(100))])
    const task = (await guest.client.run({ app, input: { document } } as never)) as unknown as Task
    const { body } = await guest.call(`GET /tasks/${task.id}/files`)
    expect(body.data).toMatchObject([
      { direction: 'input', field: 'document', size: 100 },
      { direction: 'output', field: 'document', size: 100, uri: task.output.document },
    ])
    expect((await guest.call(`DELETE /tasks/${task.id}/files`)).body.data).toMatchObject({
      deleted: expect.any(Number),
    })
    expect((await fetch(task.output.document ?? '')).status).toBe(404)
    expect((await guest.client.getTask(task.id)).data).toMatchObject({ id: task.id })
  })
})

type Received = { headers: IncomingHttpHeaders; body: string }

describe('completion webhooks', () => {
  const secret = `whsec_${randomBytes(24).toString('base64')}`
  const received: Received[] = []
  /** The receiver's replies, one per delivery; then 200. */
  const answers: number[] = []
  let receiver: Server
  let webhook: string
  beforeAll(async () => {
    receiver = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      received.push({ headers: request.headers, body })
      response.statusCode = answers.shift() ?? 200
      response.end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    await guest.person.secrets.create({ key: 'WEBHOOK_SIGNING_SECRET', value: secret } as never)
  })
  afterAll(() => receiver.close())

  const nextDelivery = async (taskId: string, number = 1): Promise<Received> => {
    for (;;) {
      const own = received.filter(({ headers }) => headers['x-webhook-id'] === taskId)
      const found = own[number - 1]
      if (found) return found
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const run = async (request: object, options: object = { wait: false }) =>
    (await guest.client.run(
      { app: 'millrace/echo', input: {}, webhook, ...request } as never,
      options,
    )) as unknown as Task

  it.each([
    ['task.completed', { input: { a: 1 } }, { status: 10, output: { a: 1 } }],
    [
      'task.failed',
      { function: 'fail', input: { message: 'oh' } },
      { status: 11, error: expect.stringContaining('oh') },
    ],
  ])('%s arrives, signed', async (event, request, data) => {
    const task = await run(request)
    const { headers, body } = await nextDelivery(task.id)
    expect(JSON.parse(body)).toMatchObject({ event, timestamp: expect.any(String), data: { id: task.id, ...data } })
    expect(headers['x-webhook-signature']).toBe(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
    expect(headers['content-type']).toBe('application/json')
    // The standard's library throws if the signature, id or time is invalid.
    new Webhook(secret).verify(body, headers as Record<string, string>)
  })

  it('task.cancelled arrives', async () => {
    const task = await run({ run_at: new Date(Date.now() + 3_600_000).toISOString() })
    await guest.client.cancel(task.id)
    expect(JSON.parse((await nextDelivery(task.id)).body)).toMatchObject({ event: 'task.cancelled' })
  })

  it('is sent again with the same id after the receiver failed', async () => {
    answers.push(503)
    const task = await run({ input: { again: true } })
    const first = await nextDelivery(task.id)
    const second = await nextDelivery(task.id, 2)
    expect(second.body).toBe(first.body)
    expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
  })
})
