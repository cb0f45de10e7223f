// An npm registry and a pip index with one small package each, `demo`; they count its downloads.

import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { writeZip } from './zip-writer.ts'

export type PackageIndex = {
  /** Environment variables that point an installer to it. */
  env: Record<string, string>
  /** How often the package itself was downloaded. */
  fetched: () => number
  close: () => void
}

const wheelName = 'demo-1.0-py3-none-any.whl'

export const startPackageIndex = async (): Promise<PackageIndex> => {
  const tarball = gzipSync(
    tarOf({
      'package/package.json': JSON.stringify({ name: 'demo', version: '1.0.0', type: 'module', main: 'index.js' }),
      'package/index.js': `export const demo = 'from the index'`,
    }),
  )
  const wheel = writeZip([
    { name: 'demo.py', content: `demo = 'from the index'` },
    { name: 'demo-1.0.dist-info/METADATA', content: 'Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n' },
    {
      name: 'demo-1.0.dist-info/WHEEL',
      content: 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    },
    { name: 'demo-1.0.dist-info/RECORD', content: 'demo.py,,\n' },
  ])
  let fetched = 0
  const server = createServer(({ url = '' }, response) => {
    if (url.endsWith('.tgz') || url.endsWith('.whl')) fetched += 1
    if (url.endsWith('.tgz')) response.end(tarball)
    else if (url.endsWith('.whl')) response.end(wheel)
    else if (url.startsWith('/simple/demo')) response.setHeader('content-type', 'text/html').end(links(wheel))
    else if (url === '/demo') response.setHeader('content-type', 'application/json').end(packument(address, tarball))
    else response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    env: { npm_config_registry: `${address}/`, PIP_INDEX_URL: `${address}/simple`, PIP_NO_CACHE_DIR: '1' },
    fetched: () => fetched,
    close: () => void server.close(),
  }
}

const links = (wheel: Buffer): string =>
  `<a href="/files/${wheelName}#sha256=${createHash('sha256').update(wheel).digest('hex')}">${wheelName}</a>`

const packument = (address: string, tarball: Buffer): string => {
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  const version = { name: 'demo', version: '1.0.0', dist: { tarball: `${address}/demo-1.0.0.tgz`, integrity } }
  return JSON.stringify({ name: 'demo', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } })
}

const blockBytes = 512

export const tarOf = (files: Record<string, string>): Buffer =>
  Buffer.concat([
    ...Object.entries(files).flatMap(([name, content]) => {
      const bytes = Buffer.from(content)
      const padding = Buffer.alloc((blockBytes - (bytes.length % blockBytes)) % blockBytes)
      return [tarHeader(name, bytes.length), bytes, padding]
    }),
    Buffer.alloc(2 * blockBytes),
  ])

const tarHeader = (name: string, sizeBytes: number): Buffer => {
  const header = Buffer.alloc(blockBytes)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  header.write(name, 0)
  header.write(octal(0o644, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(sizeBytes, 11), 124)
  header.write(octal(0, 11), 136)
  header.write(' '.repeat(8), 148)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}
