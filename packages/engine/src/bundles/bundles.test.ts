// Guarantees: only published code runs, and an archive can never write outside its own folder.

import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressPolicy } from '../outbound/address-policy.ts'
import { createDownloader } from '../outbound/download.ts'
import { startWorld, type World } from '../testing/world.ts'
import { writeZip, type ZipEntry } from '../testing/zip-writer.ts'
import { extractBundle } from './extract.ts'

// The cache identifies bundles by content, so each test needs its own.
const fresh = () => `export class App { run(input) { return input } } // ${randomUUID()}`

describe('fetching', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world.close())

  test('[E35] a bundle that does not match its checksum is not run', async () => {
    const app = { ...world.app({ 'inference.js': fresh() }), checksum: 'a'.repeat(64) }
    const { type, error } = await world.run(app).end
    expect(type).toBe('task_failed')
    expect(error).toMatch(/^the bundle does not match its checksum/)
    expect(await readdir(join(world.config.cachePath, 'bundles'))).toEqual([])
  })

  test('[E35] a bundle is downloaded once, even by two workers at the same time', async () => {
    const app = world.app({ 'inference.js': fresh() })
    const ends = ['worker-0', 'worker-1'].map((worker) => world.run(app, { worker_id: worker }).end)
    expect((await Promise.all(ends)).map(({ type }) => type)).toEqual(['task_completed', 'task_completed'])
    const path = new URL(app.repository).pathname
    expect(world.server.requests.filter((request) => request.path === path)).toHaveLength(1)
  })

  test('[E37] a stored file is downloaded without the key', async () => {
    const app = world.app({ 'inference.js': fresh() })
    expect((await world.run(app).end).type).toBe('task_completed')
    const path = new URL(app.repository).pathname
    const asked = world.server.requests.filter((request) => request.path === path)
    expect(asked).toEqual([{ path }])
  })

  test.each(['/engines/register', '/tasks', '/media/../tasks', '/mediation/x'])(
    '[E37] no task reads %s of the server through its engine',
    async (path) => {
      const app = { ...world.app({ 'inference.js': fresh() }), repository: `${world.server.url}${path}` }
      const before = world.server.requests.length
      expect((await world.run(app).end).error).toMatch(/private address/)
      expect(world.server.requests.slice(before)).toEqual([])
    },
  )

  test('[E37] another private address is rejected', async () => {
    const app = { ...world.app({ 'inference.js': fresh() }), repository: 'http://127.0.0.1:9/secret.zip' }
    expect((await world.run(app).end).error).toMatch(/has a private address, which this engine does not fetch/)
  })

  test('a bundle without code and one that is not an archive are reported', async () => {
    expect((await world.run(world.app({ 'readme.txt': 'x' })).end).error).toMatch(
      /^the app could not be loaded: the bundle has no inference.js/,
    )
    const broken = { ...world.app({ a: '' }), ...world.server.bundle(Buffer.from('no zip')) }
    expect((await world.run(broken).end).error).toMatch(/^the bundle is not a readable zip archive/)
  })
})

test('[E37] a redirect of the server cannot lead to a private address', async () => {
  const seen: (string | undefined)[] = []
  const foreign = createServer((request, response) => {
    seen.push(request.headers.authorization)
    response.end('bytes')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => foreign.once('listening', resolve))
  const foreignUrl = `http://127.0.0.1:${(foreign.address() as AddressInfo).port}/file`
  const api = createServer((request, response) => {
    seen.push(request.headers.authorization)
    response.writeHead(302, { location: foreignUrl }).end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => api.once('listening', resolve))
  const apiUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}`

  const server = { apiUrl, baseUrl: apiUrl }
  const strict = createDownloader({ server, policy: addressPolicy([]) })
  await expect(strict.open(`${apiUrl}/media/a/bundle`)).rejects.toThrow(/private address/)
  const open = createDownloader({ server, policy: addressPolicy(['127.0.0.0/8']) })
  await (await open.open(`${apiUrl}/media/a/bundle`)).body.resume()
  expect(seen).toEqual([undefined, undefined, undefined])
  await Promise.all([strict.close(), open.close()])
  api.close()
  foreign.close()
})

describe('extraction', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-zip-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const extract = async (entries: ZipEntry[], limits = { archiveBytes: 1e6, extractedBytes: 1e6, entries: 10 }) => {
    const { writeFile, mkdir } = await import('node:fs/promises')
    const own = await mkdtemp(join(folder, 'case-'))
    await writeFile(join(own, 'a.zip'), writeZip(entries))
    await mkdir(join(own, 'out'))
    await extractBundle(join(own, 'a.zip'), join(own, 'out'), limits)
    return readdir(join(own, 'out'), { recursive: true })
  }

  test('[E36] regular files are unpacked to their paths', async () => {
    const entries = [
      { name: 'inference.js', content: 'x' },
      { name: 'src/deep/b.txt', content: 'y', deflate: true },
    ]
    expect((await extract(entries)).sort()).toEqual(['inference.js', 'src', 'src/deep', 'src/deep/b.txt'])
  })

  const hostile: { claim: string; entries: ZipEntry[] }[] = [
    { claim: 'a path upwards', entries: [{ name: '../outside.txt', content: 'x' }] },
    { claim: 'a path upwards from within', entries: [{ name: 'a/../../outside.txt', content: 'x' }] },
    { claim: 'an absolute path', entries: [{ name: '/tmp/outside.txt', content: 'x' }] },
    { claim: 'a drive letter', entries: [{ name: 'C:/outside.txt', content: 'x' }] },
    { claim: 'a backslash', entries: [{ name: '..\\outside.txt', content: 'x' }] },
    { claim: 'a symbolic link', entries: [{ name: 'link', content: '/etc/passwd', mode: 0o120777 }] },
    { claim: 'a device', entries: [{ name: 'device', content: '', mode: 0o060666 }] },
    {
      claim: 'a duplicate name',
      entries: [
        { name: 'a', content: '1' },
        { name: 'a', content: '2' },
      ],
    },
    { claim: 'a huge unpacked size', entries: [{ name: 'bomb', content: Buffer.alloc(4e6), deflate: true }] },
    { claim: 'too many entries', entries: Array.from({ length: 11 }, (_, i) => ({ name: `f${i}`, content: '' })) },
  ]
  test.each(hostile)('[E36] an archive with $claim is rejected', async ({ entries }) => {
    await expect(extract(entries)).rejects.toThrow(
      /^the bundle (is rejected|contains more|could not be unpacked|is not a readable)/,
    )
    expect(await readdir(folder)).not.toContain('outside.txt')
  })
})
