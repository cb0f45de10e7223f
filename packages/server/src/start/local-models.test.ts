// Guarantees: a local model server is detected by its list of models and shown with the command to use it; other
// programs on its port are ignored and do not delay the start.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, it } from 'vitest'
import { readSettings } from '#platform/settings/settings.ts'
import { findLocalModels, offerOf } from './local-models.ts'

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

const serve = async (answer: RequestListener): Promise<number> => {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const models = (...ids: unknown[]) => JSON.stringify({ object: 'list', data: ids.map((id) => ({ id })) })

it('finds only servers that list models', async () => {
  const asked: string[] = []
  const ollama = await serve((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.end(models('llama3.2:latest', 'odd \u001b[31m name', 7))
  })
  const others: RequestListener[] = [
    (_request, response) => response.end('<html>'),
    (_request, response) => response.writeHead(404).end(models('m')),
    (_request, response) => response.end(models()),
    (_request, response) => response.end('null'),
  ]
  const silent: RequestListener[] = [(_request, response) => void response.write('{"data":['), () => {}]
  const ports = await Promise.all(others.map(serve))
  const closed = await serve(() => {})
  await new Promise((resolve) => servers.at(-1)?.close(resolve))
  const own = await serve((_request, response) => response.end(models('ours')))
  const named = (port: number) => ({ name: `on ${port}`, port })
  const asking = { servers: [ollama, ...ports, closed, own].map(named), waitMs: 60_000 }
  expect(await findLocalModels(own, asking)).toEqual([{ ...named(ollama), models: ['llama3.2:latest'] }])
  const hanging = (await Promise.all(silent.map(serve))).map(named)
  expect(await findLocalModels(own, { servers: hanging, waitMs: 100 })).toEqual([])
  expect(asked).toEqual(['GET /v1/models'])
})

it('the hint omits settings that are already set', () => {
  const one = { name: 'vLLM', port: 8000, models: ['a', 'b', 'c', 'd'] }
  const offered = (env: Record<string, string>) => offerOf(one, readSettings(env, [])).join('\n')
  expect(offered({})).toContain('vLLM on port 8000: a, b, c, and 1 more')
  expect(offered({})).toContain('ALLOW_PRIVATE_HOSTS=127.0.0.1')
  expect(offered({})).toContain('echo http://127.0.0.1:8000/v1 | millrace secret create OPENAI_BASE_URL')
  expect(offered({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })).not.toContain('ALLOW_PRIVATE_HOSTS')
})
