// A provider behind the broker protocol that counts its machines, and randomly answers late, twice or not at all.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export type Provider = {
  readonly url: string
  /** Ids of the running machines. */
  readonly running: ReadonlySet<string>
  /** Number of machines ever started. */
  started(): number
  close(): Promise<void>
}

export const startProvider = async (random: () => number): Promise<Provider> => {
  const running = new Set<string>()
  let started = 0
  const answer = (reply: ServerResponse, status: number, body: object = {}): void => {
    reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  const start = (id: string): void => {
    if (running.has(id)) return
    running.add(id)
    started += 1
  }
  const server = createServer(async (request, reply) => {
    const id = /^\/instances\/(\w+)$/.exec(request.url ?? '')?.[1]
    request.resume()
    if (id === undefined) return answer(reply, 404)
    const mood = random()
    await sleep(random() * 200)
    if (request.method === 'GET') return running.has(id) ? answer(reply, 200, { status: 'active' }) : answer(reply, 404)
    if (request.method === 'DELETE') {
      // One request in five is lost, one in five is executed without a reply.
      if (mood < 0.2) return answer(reply, 503)
      running.delete(id)
      return answer(reply, mood < 0.4 ? 500 : 200)
    }
    if (mood < 0.1) return answer(reply, 500)
    start(id)
    if (mood < 0.2) return answer(reply, 500)
    return answer(reply, 200, { cloud_assigned_id: `vm-${id}`, status: 'active' })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    running,
    started: () => started,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
