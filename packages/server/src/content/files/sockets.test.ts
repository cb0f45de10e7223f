// Guarantees over real sockets: a refused sender can read the reason, an interrupted or silent upload leaves nothing
// behind, and a reader that disconnects leaves no open file.
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { fileRoutes, uploadIdleMs } from './routes.ts'
import { announce, blobKeys, fetchMedia, local } from './testing/given.ts'

let world: World
let app: FastifyInstance
let origin: string
beforeAll(async () => {
  world = await createWorld()
  app = Fastify()
  app.decorateRequest('clientIp', '')
  await app.register(fileRoutes(world.open.platform))
  await app.listen({ host: '127.0.0.1', port: 0 })
  origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await app.close()
  await world.close()
})
afterEach(() => void vi.useRealTimers())

const temporaries = (): Promise<string[]> => readdir(`${world.open.platform.settings.DATA_DIR}/blobs/tmp`)

/** Waits until nothing of an upload is left, up to the time limit of the test. */
const untilNothingIsLeft = () => until(async () => (await temporaries()).length === 0)

const begin = async (url: string, head: string[]) => {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.on('error', () => undefined)
  socket.write(`PUT ${local(url)} HTTP/1.1\r\nhost: x\r\n${head.join('\r\n')}\r\n\r\n`)
  return socket
}

it('a sender of far too many bytes can read the 413', async () => {
  const file = await announce(world, 'owner', { size: 10 })
  for (const body of [new Uint8Array(8_000_000), endless()]) {
    const answer = await fetch(`${origin}${local(file.upload_url)}`, {
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

it('an interrupted upload leaves nothing and can be retried', async () => {
  const file = await announce(world, 'owner')
  const socket = await begin(file.upload_url, ['content-length: 1000000'])
  socket.write(Buffer.alloc(600_000))
  await until(async () => (await temporaries()).length > 0)
  socket.destroy()
  await untilNothingIsLeft()
  expect(await blobKeys(world)).toEqual([])
  expect((await fetchMedia(world, file.uri)).code).toBe('not_found')
  const answer = await fetch(`${origin}${local(file.upload_url)}`, { method: 'PUT', body: 'whole' })
  expect(answer.status).toBe(200)
  expect(await (await fetch(`${origin}${local(file.uri)}`)).text()).toBe('whole')
})

/** An upload whose idle timer runs on the test's own clock, and the server's end of its connection. */
const beginWatched = async (url: string, head: string[]) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const arrived = once(app.server, 'connection') as Promise<[Socket]>
  const socket = await begin(url, head)
  const [far] = await arrived
  await until(() => vi.getTimerCount() > 0)
  return { socket, far }
}

it('a silent upload is aborted', async () => {
  const file = await announce(world, 'owner')
  const { socket } = await beginWatched(file.upload_url, ['content-length: 1000'])
  socket.write('a few bytes')
  socket.resume()
  const closed = new Promise((resolve) => socket.once('close', resolve))
  vi.advanceTimersByTime(2 * uploadIdleMs)
  await closed
  await untilNothingIsLeft()
  expect((await fetchMedia(world, file.uri)).code).toBe('not_found')
})

it('a slow upload is not aborted', async () => {
  const file = await announce(world, 'owner')
  const { socket, far } = await beginWatched(file.upload_url, ['content-length: 10000'])
  const answered = once(socket, 'data')
  for (const letter of 'abcdefghij') {
    const before = far.bytesRead
    socket.write(letter.repeat(1_000))
    await until(() => far.bytesRead === before + 1_000)
    vi.advanceTimersByTime(uploadIdleMs)
  }
  const [answer] = (await answered) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200/)
  socket.destroy()
  expect((await fetchMedia(world, file.uri)).text).toHaveLength(10_000)
})

it('a reader that disconnects leaves no file open', async () => {
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
