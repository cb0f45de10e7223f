// Guarantees: an app from an OpenAPI document calls the service as the document says, on a real engine: parameters, bodies,
// files, authentication and errors. It never calls another host. The description of this server works too.
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Guest, startGuest } from './sdk/guest.ts'

type ReceivedRequest = { method?: string; url?: string; headers: IncomingMessage['headers']; body: string }

const requests: ReceivedRequest[] = []

const answer = (request: IncomingMessage, response: ServerResponse): void => {
  const json = (status: number, body: unknown) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  if (request.url?.startsWith('/v1/photo')) response.writeHead(200, { 'content-type': 'image/png' }).end('png')
  else if (request.url?.startsWith('/v1/away'))
    response.writeHead(302, { location: `http://localhost:${(service.address() as AddressInfo).port}/v1/pets` }).end()
  else if (request.url?.startsWith('/v1/broken')) json(422, { error: 'no such color' })
  else json(200, { ok: true })
}

const service: Server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { method, url, headers } = request
  requests.push({ method: method ?? '', url: url ?? '', headers, body: Buffer.concat(chunks).toString() })
  answer(request, response)
})

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port
const listen = (server: { listen(port: number, host: string, done: () => void): unknown }): Promise<void> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))

const document = (port: number) => ({
  openapi: '3.1.0',
  info: { title: 'Pet Shop' },
  servers: [{ url: `http://127.0.0.1:${port}/v1` }],
  security: [{ key: [], login: [] }],
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'key' }, login: { type: 'http', scheme: 'bearer' } },
  },
  paths: {
    '/pets/{id}': {
      post: {
        operationId: 'savePet',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'colors', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
        ],
        requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
      },
    },
    '/photo': { get: { operationId: 'getPhoto' } },
    '/away': { get: { operationId: 'goAway' } },
    '/broken': { get: { operationId: 'breakIt' } },
  },
})

let guest: Guest
/** Another port of the server: engines never call the server's own port for an app. */
const forward = createTcpServer((socket) => {
  const far = connect(Number(new URL(guest.server.url).port), '127.0.0.1')
  for (const end of [socket, far]) end.on('error', () => [socket, far].forEach((one) => void one.destroy()))
  socket.pipe(far).pipe(socket)
})

beforeAll(async () => {
  await listen(service)
  await listen(forward)
  guest = await startGuest({ env: { ALLOW_PRIVATE_HOSTS: '127.0.0.1' } })
  for (const [key, value] of [
    ['PET_SHOP_KEY', 'k1'],
    ['PET_SHOP_LOGIN', 't1'],
    ['MINE_BEARER', guest.apiKey],
  ])
    await guest.call('POST /secrets', { key, value })
  const made = await guest.call('POST /connectors', {
    openapi: { document: JSON.stringify(document(portOf(service))) },
  })
  expect(made.status, JSON.stringify(made.body)).toBe(200)
})
afterAll(async () => {
  service.close()
  forward.close()
  await guest?.remove()
})

type Ran = { output: Record<string, unknown>; error?: string }
const run = async (app: string, input: object): Promise<Ran> =>
  (await guest.client.run({ app, input } as never)) as never

it('sends parameters, the body and the secrets', async () => {
  const input = { id: 'a/b?', colors: ['red', 'blue'], 'X-Trace': 'x1', body: { name: 'Tom' } }
  const { output } = await run('guests/pet-shop:savePet', input)
  expect(output).toEqual({ status: 200, body: { ok: true } })
  const last = requests.at(-1)
  expect(last).toMatchObject({ method: 'POST', url: '/v1/pets/a%2Fb%3F?colors=red&colors=blue&key=k1' })
  expect(last?.headers).toMatchObject({
    authorization: 'Bearer t1',
    'x-trace': 'x1',
    'content-type': 'application/json',
  })
  expect(JSON.parse(last?.body ?? '')).toEqual({ name: 'Tom' })
})

it('returns a binary answer as a file', async () => {
  const { output } = await run('guests/pet-shop:getPhoto', {})
  expect(await (await fetch(String(output.file))).text()).toBe('png')
})

const failureOf = async (app: string, input: object): Promise<string> => {
  const ended = await run(app, input).catch((error: unknown) => ({ error: (error as Error).message }))
  return JSON.stringify(ended)
}

it('fails with the status and the text of the service, on a redirect to another host, and on a path that leaves', async () => {
  expect(await failureOf('guests/pet-shop:breakIt', {})).toContain('answered 422')
  const before = requests.length
  expect(await failureOf('guests/pet-shop:goAway', {})).toContain('which this connector must not call')
  expect(requests.length).toBe(before + 1)
  expect(await failureOf('guests/pet-shop:savePet', { id: '..' })).toContain('must not be')
  expect(requests.length).toBe(before + 1)
})

it('lists the runs of this workspace through the description of this server', async () => {
  const own = await readFile(new URL('../docs/openapi.json', import.meta.url), 'utf8')
  const made = await guest.call('POST /connectors', {
    name: 'mine',
    openapi: { document: own, tags: ['tasks'], server_url: `http://127.0.0.1:${portOf(forward)}` },
  })
  expect(made.status, JSON.stringify(made.body)).toBe(200)
  const { output } = await run('guests/mine:tasks_list_post_tasks', { body: { limit: 5 } })
  const { items } = (output.body as { data: { items: { app: { name: string } }[] } }).data
  expect(items.some(({ app }) => app.name === 'mine')).toBe(true)
})

it('needs its secrets before it runs', async () => {
  const made = await guest.call('POST /connectors', {
    name: 'other',
    openapi: { document: JSON.stringify(document(portOf(service))) },
  })
  expect(made.status).toBe(200)
  await expect(run('guests/other:getPhoto', {})).rejects.toThrow('The secret OTHER_KEY is missing')
})
