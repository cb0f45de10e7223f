// Guarantees: a failed fetch of a Node app without a sandbox gives its reason and keeps the cause; other errors of
// fetch stay as they are. network.test.ts covers sandboxed apps.

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type World } from '../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

const failureOf = async (url: string) => {
  const app = world.app({
    'inference.js': `export class App {
      async run({ url }) {
        const error = await fetch(url).catch((error) => error)
        return { name: error.name, message: error.message, code: error.cause?.code }
      }
    }`,
  })
  return (await world.run(app, { input: { url } }).end).output
}

/** A port that was free a moment ago. */
const closedPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('an unknown host is named', async () => {
  expect(await failureOf('https://nowhere.invalid/x')).toEqual({
    name: 'TypeError',
    message: 'fetch failed: unknown host nowhere.invalid',
    code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
  })
})

test('a closed port is named', async () => {
  const port = await closedPort()
  expect(await failureOf(`http://127.0.0.1:${port}/`)).toEqual({
    name: 'TypeError',
    message: `fetch failed: connect ECONNREFUSED 127.0.0.1:${port}`,
    code: 'ECONNREFUSED',
  })
})

test('an invalid address is the error of fetch', async () => {
  expect(await failureOf('no address')).toMatchObject({ name: 'TypeError', message: expect.stringContaining('URL') })
})
