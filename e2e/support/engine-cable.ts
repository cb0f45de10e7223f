// A proxy between an engine and the server: forwards requests and frames unchanged, records which frame of which task
// was sent, and can be cut.
import { request as ask, createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import WebSocket, { WebSocketServer } from 'ws'

export type SeenFrame = { from: 'engine' | 'server'; type: string; taskId: string }

export type EngineCable = {
  readonly url: string
  readonly frames: readonly SeenFrame[]
  /** Breaks the socket; the engine may reconnect. */
  cut(): void
  close(): Promise<void>
}

export const startEngineCable = async (serverUrl: string): Promise<EngineCable> => {
  const frames: SeenFrame[] = []
  const open = new Set<WebSocket>()
  const { hostname, port } = new URL(serverUrl)
  const http = createServer((request, response) => {
    const passed = ask(
      { hostname, port, path: request.url, method: request.method, headers: request.headers, agent: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  // Idle connections must not be closed just as their client reuses them.
  http.keepAliveTimeout = 0
  // Pings are forwarded and never answered here, so that a frozen engine appears frozen.
  const sockets = new WebSocketServer({ noServer: true, autoPong: false })

  const join = (near: WebSocket, request: IncomingMessage): void => {
    const { authorization = '', 'x-team-id': team } = request.headers
    const headers = { authorization, ...(typeof team === 'string' ? { 'x-team-id': team } : {}) }
    const far = new WebSocket(`${serverUrl.replace(/^http/, 'ws')}${request.url}`, { headers, autoPong: false })
    const held: string[] = []
    far.on('open', () => {
      for (const text of held.splice(0)) far.send(text)
    })
    near.on('message', (data) => {
      const text = data.toString()
      frames.push(seen('engine', text))
      if (far.readyState === WebSocket.OPEN) far.send(text)
      else held.push(text)
    })
    far.on('message', (data) => {
      const text = data.toString()
      frames.push(seen('server', text))
      near.send(text)
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.on('ping', (data) => other.readyState === WebSocket.OPEN && other.ping(data))
      one.on('pong', (data) => other.readyState === WebSocket.OPEN && other.pong(data))
      one.on('error', () => other.terminate())
      one.on('close', () => {
        open.delete(one)
        other.terminate()
      })
    }
  }
  http.on('upgrade', (request, socket, head) => {
    sockets.handleUpgrade(request, socket, head, (near) => join(near, request))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))

  const cut = () => {
    for (const socket of open) socket.terminate()
  }
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    frames,
    cut,
    close: () =>
      new Promise((resolve) => {
        cut()
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
}

const seen = (from: SeenFrame['from'], text: string): SeenFrame => {
  const { type, data } = JSON.parse(text) as { type: string; data: { task_id?: string; task?: { id: string } } }
  return { from, type, taskId: data.task_id ?? data.task?.id ?? '' }
}
