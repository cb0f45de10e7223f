// Guarantees: an app in a sandbox reaches public addresses and those that the operator allows, through the engine's
// proxy, and nothing else: not the server, not other services of this machine, not the cloud's metadata.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer as createTcpServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLimitWatch } from '../machine/limit-watch.ts'
import { upstreamFor } from '../outbound/dial.ts'
import { refusedAddress, targetOf } from '../outbound/egress-proxy.ts'
import { startWorld, type World } from '../testing/world.ts'
import { chooseRuntime, findProgram } from './choose.ts'

const hostEnv = { PATH: process.env.PATH ?? '' }

const hasBubblewrap = (() => {
  try {
    chooseRuntime({ setting: 'bubblewrap', limitWatch: createLimitWatch(), readOnly: [], hostEnv })
    return true
  } catch {
    return false
  }
})()
const hasPython = findProgram('python3', hostEnv) !== undefined

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port

describe.skipIf(!hasBubblewrap)('the network of apps in bubblewrap', () => {
  let closed: World
  let open: World
  let service: Server
  let reached: string[] = []
  beforeAll(async () => {
    service = createServer((request, response) => {
      reached.push(request.url ?? '')
      response.end('a service of this machine')
    })
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    closed = await startWorld({ settings: { runtime: 'bubblewrap' } })
    open = await startWorld({ settings: { runtime: 'bubblewrap', allow_private_hosts: ['localhost', '127.0.0.1'] } })
  })
  afterAll(async () => {
    await Promise.all([closed.close(), open.close()])
    service.close()
  })

  const node = (world: World) =>
    world.app({
      'inference.js': `
        import { connect } from 'node:net'
        import { get } from 'node:http'
        const words = (work) => work.catch((error) => 'failed: ' + (error.cause?.message ?? error.message))
        const raw = (host, port) => new Promise((resolve, reject) => {
          const socket = connect({ host, port, timeout: 2000 }, () => { socket.destroy(); resolve('connected') })
          socket.on('error', reject).on('timeout', () => reject(new Error('silence')))
        })
        export class App {
          fetch({ url, method }) { return words(fetch(url, { method }).then(async (r) => r.status + ' ' + (await r.text()).trim())) }
          get({ url }) {
            return words(new Promise((resolve, reject) => get(url, (r) => resolve(r.statusCode + ' ' + r.statusMessage)).on('error', reject)))
          }
          connect({ host, port }) { return words(raw(host, port)) }
        }`,
    })
  const call = async (world: World, name: string, input: object) =>
    String((await world.run(node(world), { function: name, input }).end).output)

  test('[E49] a service of this machine is unreachable by any name, directly and through the proxy', async () => {
    const port = portOf(service)
    const app = node(closed)
    const ask = async (name: string, input: object) =>
      String((await closed.run(app, { function: name, input }).end).output)
    reached = []
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '127.1', '[::ffff:127.0.0.1]', '2130706433'])
      expect(await ask('fetch', { url: `http://${host}:${port}/x` }), host).toMatch(/^(failed|403)/)
    expect(await ask('connect', { host: '127.0.0.1', port })).toMatch(/^failed/)
    for (const host of ['169.254.169.254', '10.0.0.1', '192.168.0.1', '168.63.129.16', 'metadata.google.internal']) {
      expect(await ask('connect', { host, port: 80 }), host).toMatch(/^failed/)
      expect(await ask('fetch', { url: `http://${host}/` }), host).toMatch(/^(failed|403|502)/)
      expect(await ask('get', { url: `http://${host}/` }), host).toMatch(/^(failed|403|502)/)
    }
    expect(reached).toEqual([])
  })

  test('[E49] only stored files of the server can be read', async () => {
    const app = node(closed)
    const ask = async (input: object) => String((await closed.run(app, { function: 'fetch', input }).end).output)
    const { repository } = closed.server.bundle(Buffer.from('a stored file'))
    expect(await ask({ url: repository })).toBe('200 a stored file')
    const seen = closed.server.requests.length
    for (const url of [
      `${closed.server.url}/engines`,
      `${closed.server.url}/media/../engines`,
      `${closed.server.url}/`,
    ])
      expect(await ask({ url })).toBe('403 private address')
    expect(await ask({ url: repository, method: 'PUT' })).toBe('403 private address')
    expect(closed.server.requests.length).toBe(seen)
  })

  test('[E49] a refusal contains the setting that allows the address', async () => {
    expect(await call(closed, 'get', { url: 'http://10.0.0.1/' })).toBe(`403 ${refusedAddress}`)
  })

  test('[E49] a failed fetch gives its reason', async () => {
    const app = closed.app({
      'inference.js': `export class App {
        run({ url }) { return fetch(url) }
        code({ url }) { return fetch(url).catch((error) => error.cause?.code) }
      }`,
    })
    const failure = async (url: string) => (await closed.run(app, { input: { url } }).end).error?.split('\n')[0]
    expect(await failure('https://10.0.0.1/')).toBe(`TypeError: fetch failed: 10.0.0.1: ${refusedAddress}`)
    expect(await failure('https://nowhere.invalid/x')).toBe('TypeError: fetch failed: unknown host nowhere.invalid')
    const code = await closed.run(app, { function: 'code', input: { url: 'https://nowhere.invalid/' } }).end
    expect(code.output).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/)
  })

  test('[E49] allowed hosts are reachable, and so are the app’s own servers', async () => {
    reached = []
    const url = `http://127.0.0.1:${portOf(service)}/named`
    expect(await call(open, 'fetch', { url })).toBe('200 a service of this machine')
    expect(await call(open, 'fetch', { url: url.replace('127.0.0.1', 'localhost') })).toMatch(/^200/)
    expect(reached).toEqual(['/named', '/named'])
    expect(await call(open, 'fetch', { url: `${open.server.url}/engines` })).toBe('403 private address')
    const own = closed.app({
      'inference.js': `import { createServer } from 'node:http'
        export class App { async run() {
          const server = createServer((_, response) => response.end('mine'))
          await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
          return (await fetch('http://127.0.0.1:' + server.address().port)).text()
        } }`,
    })
    expect((await closed.run(own).end).output).toBe('mine')
  })

  test.skipIf(!hasPython)('[E49] Python programs use the same egress', async () => {
    const python = (world: World) =>
      world.app(
        {
          'inference.py': `import urllib.request
class App:
    async def run(self, input):
        try:
            with urllib.request.urlopen(input["url"], timeout=10) as answer:
                return answer.read().decode()
        except Exception as error:
            return "failed: " + str(error)
`,
        },
        'python-3.11',
      )
    const url = `http://127.0.0.1:${portOf(service)}/from-python`
    reached = []
    expect((await open.run(python(open), { input: { url } }).end).output).toBe('a service of this machine')
    expect((await closed.run(python(closed), { input: { url } }).end).output).toMatch(/^failed/)
    expect(reached).toEqual(['/from-python'])
  })

  test('[E49] a tunnel carries bytes in both directions, and the guarded client of apps keeps its error message', async () => {
    const echo = createTcpServer((socket) => socket.pipe(socket))
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
    const app = (world: World) =>
      world.app({
        'package.json': JSON.stringify({ type: 'module', dependencies: { '@millrace/app': '*' } }),
        'inference.js': `
          import { request } from 'node:http'
          import { guardedFetch } from '@millrace/app'
          export class App {
            guarded({ url }) { return guardedFetch(url).then((r) => r.text(), (error) => error.message) }
            tunnel({ port }) {
              return new Promise((resolve, reject) => {
                const [, host, at] = /\\/\\/(.*):(\\d+)/.exec(process.env.HTTP_PROXY)
                request({ host, port: at, method: 'CONNECT', path: '127.0.0.1:' + port, agent: false })
                  .on('connect', (answer, socket) => {
                    if (answer.statusCode !== 200) return resolve(answer.statusCode)
                    socket.on('data', (data) => { resolve(data.toString()); socket.destroy() })
                    socket.write('there and back')
                  }).on('error', reject).end()
              })
            }
          }`,
      })
    const input = { port: portOf(echo), url: `http://127.0.0.1:${portOf(service)}/guarded` }
    const [openApp, closedApp] = [app(open), app(closed)]
    expect((await open.run(openApp, { function: 'tunnel', input }).end).output).toBe('there and back')
    expect((await closed.run(closedApp, { function: 'tunnel', input }).end).output).toBe(403)
    expect((await open.run(openApp, { function: 'guarded', input }).end).output).toBe('a service of this machine')
    expect((await closed.run(closedApp, { function: 'guarded', input }).end).output).toBe(
      '127.0.0.1 has a private address, which this engine does not fetch',
    )
    echo.close()
  })
})

test('targets of tunnels', () => {
  expect(targetOf('example.com:443')).toEqual({ host: 'example.com', port: 443 })
  expect(targetOf('[::1]:80')).toEqual({ host: '::1', port: 80 })
  expect(targetOf('0x7f.1:80')).toEqual({ host: '127.0.0.1', port: 80 })
  for (const odd of ['example.com', 'a@b:80', 'a:0', 'a:99999', '/x:80', '']) expect(targetOf(odd), odd).toBeUndefined()
})

test('the operator’s own proxy is used, except for excluded hosts', () => {
  const env = { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'internal, .corp,10.0.0.1' }
  expect(upstreamFor('example.com', env)?.host).toBe('proxy:3128')
  for (const host of ['internal', 'a.internal', 'x.corp', '10.0.0.1']) expect(upstreamFor(host, env)).toBeUndefined()
  expect(upstreamFor('example.com', {})).toBeUndefined()
})
