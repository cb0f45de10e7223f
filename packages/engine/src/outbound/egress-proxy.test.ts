// Guards: the way out of a sandbox holds nothing open for an app that does not wait for it.

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openEgressProxy } from './egress-proxy.ts'

test('a connection that was opened too late is closed again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-egress-'))
  const far = createServer().listen(0, '127.0.0.1')
  await once(far, 'listening')
  const dialled = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  const dial = async (): Promise<Socket> => {
    dialled.resolve()
    await gone.promise
    const socket = connect((far.address() as AddressInfo).port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }
  const server = { apiUrl: 'http://127.0.0.1:1', baseUrl: 'http://127.0.0.1:1' }
  const proxy = await openEgressProxy(join(folder, 'proxy'), { dial, server })
  const app = connect(join(folder, 'proxy'))
  app.write('GET http://slow.example/ HTTP/1.1\r\nhost: slow.example\r\n\r\n')
  await dialled.promise
  app.destroy()
  await sleep(50)
  const arrived = once(far, 'connection')
  gone.resolve()
  const [opened] = (await arrived) as [Socket]
  opened.resume()
  await once(opened, 'close')
  expect(opened.destroyed).toBe(true)
  proxy.close()
  far.close()
  await rm(folder, { recursive: true })
})
