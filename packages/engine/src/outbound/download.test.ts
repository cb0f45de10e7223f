// Guards: a file of the server is fetched although the server that was asked goes meanwhile and another takes its place.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { addressPolicy } from './address-policy.ts'
import { createDownloader } from './download.ts'

it('asks again when the connection breaks, and when nobody is there to answer yet', async () => {
  let asked = 0
  const server = createServer((request, response) => {
    asked += 1
    if (asked === 1) request.socket.destroy()
    else if (asked === 2) response.writeHead(503).end()
    else response.end('the bundle')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const downloader = createDownloader({ server: { apiUrl, baseUrl: apiUrl }, policy: addressPolicy([]) })
  try {
    const { body } = await downloader.open(`${apiUrl}/media/a/b.zip`)
    expect([await text(body), asked]).toEqual(['the bundle', 3])
  } finally {
    await downloader.close()
    server.close()
  }
})
