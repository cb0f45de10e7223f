// Guards: over real sockets, a refused sender reads why, a sender that breaks off or falls silent leaves nothing, and a
// reader that goes away leaves nothing open.
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../testing/world.ts'
import { fileRoutes } from './routes.ts'
import { announce, blobKeys, fetchMedia, local } from './testing/given.ts'

let world: World
/** Cuts silent senders off soon. */
let app: FastifyInstance
let origin: string
/** As patient as the product: a sender on a busy machine is silent for a moment too. */
let patient: FastifyInstance
beforeAll(async () => {
  world = await createWorld()
  app = await listen({ uploadIdleMs: 150 })
  patient = await listen({})
  origin = originOf(app)
})
afterAll(async () => {
  await Promise.all([app.close(), patient.close()])
  await world.close()
})

const listen = async (limits: Parameters<typeof fileRoutes>[1]): Promise<FastifyInstance> => {
  const made = Fastify()
  made.decorateRequest('clientIp', '')
  await made.register(fileRoutes(world.open.platform, limits))
  await made.listen({ host: '127.0.0.1', port: 0 })
  return made
}
const originOf = ({ server }: FastifyInstance): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const temporaries = (): Promise<string[]> => readdir(`${world.open.platform.settings.DATA_DIR}/blobs/tmp`)

/** Waits until nothing of an upload is left, for as long as the test may take. */
const untilNothingIsLeft = async (): Promise<void> => {
  while ((await temporaries()).length > 0) await sleep(10)
}

const begin = async (url: string, head: string[]) => {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  socket.write(`PUT ${local(url)} HTTP/1.1\r\nhost: x\r\n${head.join('\r\n')}\r\n\r\n`)
  return socket
}

it('a sender of far too much gets to read the 413', async () => {
  const file = await announce(world, 'owner', { size: 10 })
  for (const body of [new Uint8Array(8_000_000), endless()]) {
    const answer = await fetch(`${originOf(patient)}${local(file.upload_url)}`, {
      method: 'PUT',
      body: body as never,
      duplex: 'half',
    } as RequestInit)
    expect(answer.status).toBe(413)
    expect(answer.headers.get('connection')).toBe('close')
    expect(((await answer.json()) as { type: string }).type).toMatch(/upload_too_large$/)
  }
  await untilNothingIsLeft()
  expect(await blobKeys(world)).toEqual([])
})

/** 20 MB without an announced length. */
const endless = () => {
  let left = 200
  return new ReadableStream({
    pull(controller) {
      if (left === 0) controller.close()
      else controller.enqueue(new Uint8Array(100_000))
      left -= 1
    },
  })
}

it('a sender that breaks off leaves nothing, and may try again', async () => {
  const file = await announce(world, 'owner')
  const socket = await begin(file.upload_url, ['content-length: 1000000'])
  socket.write(Buffer.alloc(600_000))
  while ((await temporaries()).length === 0) await sleep(5)
  socket.destroy()
  await untilNothingIsLeft()
  expect(await blobKeys(world)).toEqual([])
  expect((await fetchMedia(world, file.uri)).code).toBe('not_found')
  const answer = await fetch(`${origin}${local(file.upload_url)}`, { method: 'PUT', body: 'whole' })
  expect(answer.status).toBe(200)
  expect(await (await fetch(`${origin}${local(file.uri)}`)).text()).toBe('whole')
})

it('a sender that falls silent is cut off', async () => {
  const file = await announce(world, 'owner')
  const socket = await begin(file.upload_url, ['content-length: 1000'])
  socket.write('a few bytes')
  socket.resume()
  await once(socket, 'close')
  await untilNothingIsLeft()
  expect((await fetchMedia(world, file.uri)).code).toBe('not_found')
})

it('a slow sender is not', async () => {
  const file = await announce(world, 'owner')
  const socket = await begin(file.upload_url, ['content-length: 10'])
  for (const letter of 'abcdefghij') {
    socket.write(letter)
    await sleep(60)
  }
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200/)
  socket.destroy()
  expect((await fetchMedia(world, file.uri)).text).toBe('abcdefghij')
})

it('a reader that goes away leaves no file open', async () => {
  const origin = await world.listen()
  const file = await announce(world, 'owner')
  await fetch(`${origin}${local(file.upload_url)}`, { method: 'PUT', body: new Uint8Array(20_000_000) })
  const { platform } = world.open
  const { read } = platform.blobs
  let closed: Promise<void> | undefined
  platform.blobs.read = async (...args) => {
    const found = await read(...args)
    if (found && found.kind !== 'unsatisfiable') {
      const { stream } = found
      closed = new Promise((resolve) => stream.on('close', resolve))
    }
    return found
  }
  const reading = httpRequest(`${origin}${local(file.uri)}`)
  reading.on('error', () => undefined)
  reading.end()
  const [answer] = await once(reading, 'response')
  await once(answer, 'data')
  reading.destroy()
  platform.blobs.read = read
  expect(closed).toBeDefined()
  await closed
})
