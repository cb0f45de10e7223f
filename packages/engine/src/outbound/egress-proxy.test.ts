// Guarantees: the proxy of a sandbox keeps no connection open for an app that has ended, and no response of an upstream
// crashes it.

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openEgressProxy } from './egress-proxy.ts'

test('a connection that opens too late is closed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-egress-'))
  const upstream = createServer().listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  const dialled = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  const dial = async (): Promise<Socket> => {
    dialled.resolve()
    await gone.promise
    const socket = connect((upstream.address() as AddressInfo).port, '127.0.0.1')
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
  const arrived = once(upstream, 'connection')
  gone.resolve()
  const [opened] = (await arrived) as [Socket]
  opened.resume()
  await once(opened, 'close')
  expect(opened.destroyed).toBe(true)
  proxy.close()
  upstream.close()
  await rm(folder, { recursive: true })
})

const badAnswers: { claim: string; answer: string }[] = [
  { claim: 'a status below 100', answer: 'HTTP/1.1 000\r\n\r\n' },
  { claim: 'a status above 999', answer: 'HTTP/1.1 9999 No\r\n\r\n' },
  { claim: 'no HTTP', answer: 'hello\r\n\r\n' },
  { claim: 'an unrequested upgrade', answer: 'HTTP/1.1 101 Go\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n' },
  { claim: 'a header that cannot be forwarded', answer: 'HTTP/1.1 200 OK\r\nx: \x7f\u0001\r\n\r\n' },
]

test.each(badAnswers)('an upstream response with $claim ends only its request', async ({ answer }) => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-egress-'))
  const upstream = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(answer)))
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  const dial = async (): Promise<Socket> => {
    const socket = connect((upstream.address() as AddressInfo).port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }
  const server = { apiUrl: 'http://127.0.0.1:1', baseUrl: 'http://127.0.0.1:1' }
  const proxy = await openEgressProxy(join(folder, 'proxy'), { dial, server })
  const statusOf = async () => {
    const app = connect(join(folder, 'proxy'))
    app.on('error', () => {})
    app.write('GET http://odd.example/ HTTP/1.1\r\nhost: odd.example\r\nconnection: close\r\n\r\n')
    let text = ''
    for await (const chunk of app) text += chunk
    return text.split(' ')[1]
  }
  expect([await statusOf(), await statusOf()]).toEqual(['502', '502'])
  proxy.close()
  upstream.close()
  await rm(folder, { recursive: true })
})
