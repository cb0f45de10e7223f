// An npm registry with one package: an MCP server that speaks the protocol on its standard streams without other packages.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { tarOf } from '../../packages/engine/src/testing/package-index.ts'

/** `{more}`: the additional tools of the second version. */
const serverCode = (tools: string) => `#!/usr/bin/env node
const { createInterface } = require('node:readline')
const { writeFileSync, existsSync } = require('node:fs')
const tools = ${tools}
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
let calls = 0
const call = ({ name, arguments: given }) => {
  calls += 1
  if (name === 'fail') return { isError: true, content: [{ type: 'text', text: 'no such city' }] }
  if (name === 'photo') return { content: [{ type: 'image', mimeType: 'image/png', data: Buffer.from('png').toString('base64') }] }
  return { content: [{ type: 'text', text: given.city + ' ' + calls }], structuredContent: { token: process.env.WEATHER_TOKEN, unit: process.env.UNIT, args: process.argv.slice(2), scripts: existsSync(__dirname + '/installed') } }
}
if (process.argv[2] === 'wait') { process.stderr.write('open a browser to sign in\\n'); process.exit(3) }
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'weather', version: '1' } })
  if (method === 'tools/list') answer(id, params.cursor ? { tools: tools.slice(1) } : { tools: tools.slice(0, 1), nextCursor: 'rest' })
  if (method === 'tools/call') answer(id, call(params))
})
`

const cityInput = {
  type: 'object',
  properties: { city: { $ref: '#/$defs/City' } },
  required: ['city'],
  $defs: { City: { type: 'string', description: 'Name of a city' } },
}
const first = [
  {
    name: 'weather.now',
    description: 'The weather',
    inputSchema: cityInput,
    annotations: { readOnlyHint: true, title: 'x' },
  },
  { name: 'fail', inputSchema: { type: 'object' } },
]
const second = [
  { ...first[0], inputSchema: { type: 'object' } },
  { name: 'photo', inputSchema: { type: 'object' } },
]

const packed = (version: string, tools: object[]): Buffer =>
  gzipSync(
    tarOf({
      'package/package.json': JSON.stringify({
        name: '@acme/weather-mcp',
        version,
        bin: { 'weather-mcp': 'server.cjs' },
        scripts: { postinstall: 'touch installed' },
        ...(version === '1.0.0' ? { license: 'MIT' } : {}),
      }),
      'package/server.cjs': serverCode(JSON.stringify(tools)),
    }),
  )

export type PackageRegistry = { url: string; close(): void }

export const startRegistry = async (): Promise<PackageRegistry> => {
  const tarballs = new Map([
    ['1.0.0', packed('1.0.0', first)],
    ['2.0.0', packed('2.0.0', second)],
  ])
  const server = createServer(({ url = '' }, response) => {
    const tarball = tarballs.get(/-(\d\.0\.0)\.tgz$/.exec(url)?.[1] ?? '')
    if (tarball) response.end(tarball)
    else if (decodeURIComponent(url) === '/@acme/weather-mcp')
      response.setHeader('content-type', 'application/json').end(packument(address, tarballs))
    else response.writeHead(404).end('{}')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: `${address}/`, close: () => void server.close() }
}

const packument = (address: string, tarballs: ReadonlyMap<string, Buffer>): string => {
  const name = '@acme/weather-mcp'
  const versions = [...tarballs].map(([version, tarball]) => {
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
    const dist = { tarball: `${address}/weather-mcp-${version}.tgz`, integrity }
    return [version, { name, version, bin: { 'weather-mcp': 'server.cjs' }, hasInstallScript: true, dist }]
  })
  return JSON.stringify({ name, 'dist-tags': { latest: '1.0.0' }, versions: Object.fromEntries(versions) })
}
