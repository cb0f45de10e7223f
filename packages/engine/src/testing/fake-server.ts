// A fake server for engine tests: registration, the engine connection, bundles, files and a live-socket relay. It uses
// the real protocol over real sockets and records every frame.

import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { EngineToServer, type RegisterRequest, type ServerToEngine } from '@millrace/contract/engine-frames'
import { Compile } from 'typebox/compile'
import { type WebSocket, WebSocketServer } from 'ws'
import type { StandInCard } from './nvidia-smi.ts'
import { writeZip } from './zip-writer.ts'

const checkFrame = Compile(EngineToServer)

export type Received = EngineToServer
export type StoredFile = { content: Buffer; contentType: string; authorization?: string }

export type FakeServer = {
  url: string
  apiKey: string
  engineId: string
  registrations: RegisterRequest[]
  frames: Received[]
  // Frames that the protocol does not allow.
  invalid: unknown[]
  files: Map<string, StoredFile>
  requests: { path: string; authorization?: string }[]
  send: (frame: ServerToEngine) => void
  connections: () => number
  connected: () => Promise<void>
  // Closes the connection without a close frame.
  cut: () => void
  // While true, nothing listens at the server's address.
  refuse: (refusing: boolean) => void
  acknowledge: (acknowledging: boolean) => void
  // Delays the responses to uploads until the returned function is called.
  delayUploads: () => () => void
  closeSocket: (code: number) => void
  // Answers every connection attempt with this status.
  answerDials: (status: number) => void
  // Stops reading, like a broken network: the connection stays open but nothing is answered.
  mute: () => void
  sendRaw: (text: string) => void
  bundle: (archive: Buffer) => { repository: string; checksum: string }
  bundleOf: (files: Record<string, string>) => { repository: string; checksum: string }
  onFrame: (listener: (frame: Received) => void) => () => void
  relay: (onConnect: (socket: WebSocket) => void) => { url: string; token: string }
  close: () => Promise<void>
}

// `publicUrl`: the base of returned URLs, if it differs from the listening address.
export type FakeServerOptions = {
  workers?: number
  /** The cards of each GPU worker. */
  gpuWorkers?: readonly (readonly StandInCard[])[]
  registerStatus?: () => number
  publicUrl?: string
}

export const startFakeServer = async (options: FakeServerOptions = {}): Promise<FakeServer> => {
  const apiKey = `key-${randomUUID()}`
  // Unique, because an engine kills all processes with its own id.
  const engineId = `engine-${randomUUID()}`
  const state = {
    registrations: [] as RegisterRequest[],
    frames: [] as Received[],
    invalid: [] as unknown[],
    files: new Map<string, StoredFile>(),
    requests: [] as { path: string; authorization?: string }[],
  }
  const blobs = new Map<string, Buffer>()
  const listeners = new Set<(frame: Received) => void>()
  const relays = new Map<string, (socket: WebSocket) => void>()
  const waiters = new Set<() => void>()
  let live: WebSocket | undefined
  let connections = 0
  let refusing = false
  let dialStatus: number | undefined
  let acknowledging = true
  let uploadsGo = Promise.resolve()
  let base = ''
  const publicUrl = () => options.publicUrl ?? base

  const http = createServer((request, response) => void answer(request, response))
  const sockets = new WebSocketServer({ noServer: true })

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? ''
    const body = await readBody(request)
    const authorization = request.headers.authorization
    state.requests.push({ path, ...(authorization !== undefined && { authorization }) })
    const json = (status: number, data: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(status < 300 ? { data, messages: [] } : data))
    }
    if (path.startsWith('/media/')) return sendBlob(response, blobs.get(path))
    if (request.method === 'PUT' && path.startsWith('/uploads/')) {
      const id = path.slice('/uploads/'.length)
      state.files.set(`${publicUrl()}/media/${id}`, {
        content: body,
        contentType: request.headers['content-type'] ?? '',
        ...(authorization !== undefined && { authorization }),
      })
      await uploadsGo
      return response.writeHead(200).end()
    }
    if (authorization !== `Bearer ${apiKey}`) return json(401, { detail: 'invalid key' })
    if (path === '/engines/register') {
      const status = options.registerStatus?.() ?? 200
      if (status !== 200) return json(status, { detail: 'unavailable' })
      state.registrations.push(JSON.parse(body.toString()))
      const workers = [...gpuWorkersOf(options.gpuWorkers ?? []), ...registeredWorkers(options.workers ?? 2)]
      return json(200, { engine_id: engineId, workers, base_url: publicUrl() })
    }
    if (path === '/files') {
      const { files } = JSON.parse(body.toString()) as { files: { filename: string }[] }
      const records = files.map(({ filename }) => {
        const name = `${randomUUID()}-${filename}`
        return { uri: `${publicUrl()}/media/${name}`, upload_url: `${publicUrl()}/uploads/${name}` }
      })
      return json(200, records)
    }
    return json(404, { detail: 'route not found' })
  }

  http.on('upgrade', (request, socket, head) => {
    const path = request.url ?? ''
    const authorization = request.headers.authorization
    const relay = relays.get(path)
    if (relay) return sockets.handleUpgrade(request, socket, head, relay)
    if (refusing || path !== `/ws/engines/${engineId}`) return void socket.destroy()
    const status = dialStatus ?? (authorization === `Bearer ${apiKey}` ? 101 : 401)
    if (status !== 101) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
    sockets.handleUpgrade(request, socket, head, (made) => {
      live = made
      connections++
      made.on('message', (data) => receive(data.toString()))
      for (const wake of waiters) wake()
      waiters.clear()
    })
  })

  const receive = (text: string) => {
    const frame: unknown = JSON.parse(text)
    if (!checkFrame.Check(frame)) return void state.invalid.push(frame)
    state.frames.push(frame)
    for (const listener of listeners) listener(frame)
    const terminal = frame.type === 'task_completed' || frame.type === 'task_failed' || frame.type === 'task_cancelled'
    if (terminal && acknowledging) {
      send({ type: 'task_ack', data: { task_id: frame.data.task_id, attempt: frame.data.attempt } })
    }
  }

  const send = (frame: ServerToEngine) => live?.send(JSON.stringify(frame))

  const bundle = (archive: Buffer) => {
    const path = `/media/${randomUUID()}.zip`
    blobs.set(path, archive)
    return { repository: `${publicUrl()}${path}`, checksum: createHash('sha256').update(archive).digest('hex') }
  }

  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(http.address() as AddressInfo).port}`

  return {
    ...state,
    url: base,
    apiKey,
    engineId,
    send,
    connections: () => connections,
    connected: () => {
      if (live?.readyState === 1) return Promise.resolve()
      return new Promise((resolve) => void waiters.add(resolve))
    },
    cut: () => live?.terminate(),
    refuse: (next) => {
      refusing = next
    },
    delayUploads: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      uploadsGo = promise
      return resolve
    },
    acknowledge: (next) => {
      acknowledging = next
    },
    closeSocket: (code) => live?.close(code),
    answerDials: (status) => {
      dialStatus = status
    },
    mute: () => live?.pause(),
    sendRaw: (text) => live?.send(text),
    bundle,
    bundleOf: (files) => bundle(writeZip(Object.entries(files).map(([name, content]) => ({ name, content })))),
    onFrame: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    relay: (onConnect) => {
      const path = `/ws/sockets/${randomUUID()}`
      relays.set(path, onConnect)
      return { url: `${publicUrl().replace('http', 'ws')}${path}`, token: 'relay-token' }
    },
    close: async () => {
      for (const client of sockets.clients) client.terminate()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

const registeredWorkers = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `worker-${index}`, gpus: [], cpus: [], rams: [] }))

const gpuWorkersOf = (workers: readonly (readonly StandInCard[])[]) =>
  workers.map((cards, index) => ({
    id: `gpu-worker-${index}`,
    gpus: cards.map(({ id, name, mebibytes }) => ({ gpu_id: id, type: 'nvidia', name, vram: mebibytes * 2 ** 20 })),
    cpus: [],
    rams: [],
  }))

const sendBlob = (response: ServerResponse, content: Buffer | undefined) => {
  if (!content) return response.writeHead(404).end()
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': content.length }).end(content)
}

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}
