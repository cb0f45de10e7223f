// The floor of upload and download: node:http streaming to and from one folder, without names, permissions or
// checksums. `?sync` flushes the file before it answers, as a durable server must.
import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const [folder = '.'] = process.argv.slice(2)

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const path = join(folder, pathname.replace(/\W/g, '_'))
  if (request.method !== 'PUT') return pipeline(createReadStream(path), response)
  await pipeline(request, createWriteStream(path))
  if (searchParams.has('sync')) {
    const handle = await open(path, 'r+')
    await handle.datasync()
    await handle.close()
  }
  response.end()
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy())
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
