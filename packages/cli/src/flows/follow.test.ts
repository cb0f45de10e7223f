// Guarantees: following a flow run survives lost connections and a busy server, and ends with the ended run; a refusal is
// final.
import { afterEach, expect, it } from 'vitest'
import { createApi } from '../api/client.ts'
import { exitCodes } from '../exit-codes.ts'
import { serve, type TestServer } from '../testing/http-server.ts'
import { followFlowRun } from './follow.ts'

let server: TestServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

const line = (value: object) => `${JSON.stringify(value)}\n`
const ended = { id: 'abc', status: 3, output: { said: 'hello' } }

const follow = async (url: string) => {
  const statuses: number[] = []
  const updates = followFlowRun(createApi(url, null), 'abc')
  for (;;) {
    const { done, value } = await updates.next()
    if (done) return { statuses, run: value }
    statuses.push(value)
  }
}

it('opens the stream again after a lost connection', async () => {
  let streams = 0
  server = await serve((request, response) => {
    if (!request.url?.endsWith('/stream')) {
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.end(line({ data: ended, messages: [] }))
    }
    streams += 1
    if (streams === 2) return void response.writeHead(503).end()
    response.writeHead(200)
    if (streams === 3) return void response.end(line({ type: 'heartbeat' }) + line({ data: ended }))
    response.write(`${line({ id: 'abc', status: 2 })}{"data":{"id":"abc","sta`, () => response.destroy())
  })
  expect(await follow(server.url)).toMatchObject({ statuses: [2, 3], run: ended })
  expect(streams).toBe(3)
})

it('does not retry a refusal', async () => {
  server = await serve((_request, response) => void response.writeHead(404).end('{"detail":"Flow run not found"}'))
  await expect(follow(server.url)).rejects.toMatchObject({
    message: 'Flow run not found',
    exitCode: exitCodes.failed,
  })
  expect(server.requests).toHaveLength(1)
})
