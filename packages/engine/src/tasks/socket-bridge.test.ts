// Guarantees: an app that sends much on a live socket before the other end is connected is slowed down and loses
// nothing.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { openBridge } from './socket-bridge.ts'

const count = 32
const piece = 1024 ** 2

test('early frames of an app wait in the app, not in the engine', async () => {
  const apps = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  const relays = new WebSocketServer({ noServer: true })
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const knocked = once(listener, 'upgrade')
  const url = (port: number) => `ws://127.0.0.1:${port}`
  const bridge = openBridge(
    { url: url((listener.address() as AddressInfo).port), token: 't' },
    { url: url((apps.address() as AddressInfo).port), headers: {} },
  )
  const [app] = (await once(apps, 'connection')) as [WebSocket]
  for (let number = 0; number < count; number += 1) app.send(Buffer.alloc(piece, number))
  const [request, socket, head] = await knocked
  await sleep(300)
  expect(app.bufferedAmount).toBeGreaterThan(0)
  const heard: number[] = []
  const all = Promise.withResolvers<void>()
  relays.handleUpgrade(request, socket, head, (relay) => {
    relay.on('message', (data: Buffer) => {
      heard.push(data[0] ?? -1)
      if (heard.length === count) all.resolve()
    })
  })
  await all.promise
  expect(heard).toEqual(Array.from({ length: count }, (_, number) => number))
  bridge.close()
  apps.close()
  listener.close()
})
