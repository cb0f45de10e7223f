// Guarantees: a file of the server is downloaded even when the server stops meanwhile and another replaces it.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { addressPolicy } from './address-policy.ts'
import { createDownloader } from './download.ts'

it('retries after a lost connection, and while no server answers yet', async () => {
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
