// Guarantees: following a task survives broken connections and a restarting server, and ends with the terminal update;
// a refusal is final.
import { afterEach, expect, it } from 'vitest'
import { createApi } from '../api/client.ts'
import { exitCodes } from '../exit-codes.ts'
import { serve, type TestServer } from '../testing/http-server.ts'
import { followRun, followTask } from './follow.ts'

let server: TestServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const statuses = async (url: string): Promise<number[]> => {
  const seen: number[] = []
  for await (const update of followTask(createApi(url, null), 'abc'))
    if (update.kind === 'task') seen.push(update.task.status)
  return seen
}
const line = (value: object) => `${JSON.stringify(value)}\n`

it('reconnects after a break in the middle of a line', async () => {
  let calls = 0
  server = await serve((_request, response) => {
    calls += 1
    response.writeHead(200)
    if (calls > 1) return void response.end(line({ id: 'abc', status: 10 }))
    response.write(`${line({ id: 'abc', status: 7 })}{"data":{"id":"abc","sta`, () => response.destroy())
  })
  expect(await statuses(server.url)).toEqual([7, 10])
  expect(server.requests.map(({ url, headers }) => [url, headers.accept])).toEqual([
    ['/tasks/abc/stream', 'application/x-ndjson, application/json'],
    ['/tasks/abc/stream', 'application/x-ndjson, application/json'],
  ])
})

it('reconnects when the stream ends early or the server is busy', async () => {
  let calls = 0
  server = await serve((_request, response) => {
    calls += 1
    if (calls === 1) return void response.writeHead(503).end()
    response.writeHead(200).end(line({ id: 'abc', status: calls === 2 ? 2 : 12 }))
  })
  expect(await statuses(server.url)).toEqual([2, 12])
})

it('stops reading after the terminal update, even when more comes', async () => {
  server = await serve((_request, response) => {
    response.writeHead(200)
    response.write(line({ id: 'abc', status: 11, error: 'x' }))
  })
  expect(await statuses(server.url)).toEqual([11])
})

it('does not retry a refusal', async () => {
  server = await serve((_request, response) => void response.writeHead(404).end('{"detail":"Task not found"}'))
  await expect(statuses(server.url)).rejects.toMatchObject({ message: 'Task not found', exitCode: exitCodes.failed })
  expect(server.requests).toHaveLength(1)
})

const statusesOfRun = async (url: string): Promise<number[]> => {
  const seen: number[] = []
  for await (const update of followRun(createApi(url, null), { app: 'a/b', input: {} }))
    if (update.kind === 'task') seen.push(update.task.status)
  return seen
}

it('starts a run and follows it in one response', async () => {
  server = await serve((_request, response) => {
    response.writeHead(200)
    response.end(line({ id: 'abc', status: 2 }) + line({ data: { id: 'abc', status: 10 }, fields: ['status'] }))
  })
  expect(await statusesOfRun(server.url)).toEqual([2, 10])
  expect(server.requests.map(({ method, url, headers }) => [method, url, headers.accept])).toEqual([
    ['POST', '/apps/run', 'application/x-ndjson, application/json'],
  ])
})

it('a run whose response broke is followed by its id, and never started again', async () => {
  server = await serve((request, response) => {
    response.writeHead(200)
    if (request.method === 'GET') return void response.end(line({ id: 'abc', status: 10 }))
    response.write(line({ id: 'abc', status: 7 }), () => response.destroy())
  })
  expect(await statusesOfRun(server.url)).toEqual([7, 10])
  expect(server.requests.map(({ method, url }) => [method, url])).toEqual([
    ['POST', '/apps/run'],
    ['GET', '/tasks/abc/stream'],
  ])
})

it('a run without a response is not retried', async () => {
  server = await serve((_request, response) => void response.destroy())
  await expect(statusesOfRun(server.url)).rejects.toMatchObject({ exitCode: exitCodes.unavailable })
  expect(server.requests).toHaveLength(1)
})

it('a refused run is refused', async () => {
  server = await serve((_request, response) => void response.writeHead(404).end('{"detail":"App not found"}'))
  await expect(statusesOfRun(server.url)).rejects.toMatchObject({
    message: 'App not found',
    exitCode: exitCodes.failed,
  })
})
