// Guarantees: a killed server leaves no readable partial files, its remains are swept, and memory use is constant.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDiskStore } from './disk.ts'
import { tempName } from './disk-paths.ts'
import { openBlobStore } from './open-blob-store.ts'
import { bodyOf, brokenBody, contentOf, keysUnder, mib, sha256, someBytes } from './testing/bodies.ts'

const childScript = join(import.meta.dirname, 'testing/upload-child.ts')

const upload = (plan: Record<string, unknown>): ChildProcess & { stdout: NodeJS.ReadableStream } => {
  const child = spawn(process.execPath, [childScript, JSON.stringify(plan)], { stdio: ['ignore', 'pipe', 'inherit'] })
  return Object.assign(child, { stdout: child.stdout })
}
const firstLine = async (child: { stdout: NodeJS.ReadableStream }): Promise<string> => {
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  return line
}

let dataDir: string
let tmp: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'millrace-disk-'))
  tmp = join(dataDir, 'blobs/tmp')
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

describe('a killed upload', () => {
  test('is not visible, keeps the previous content, and is swept at the next start', async () => {
    const before = await openBlobStore({ dataDir })
    await before.put('team/held.bin', bodyOf(Buffer.from('before')), { maxBytes: 100 })
    for (const key of ['team/fresh.bin', 'team/held.bin']) {
      const child = upload({ blobs: { dataDir }, key, sizeBytes: 64 * mib, stallAtBytes: 32 * mib })
      expect(await firstLine(child)).toBe('stalled')
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    expect(await readdir(tmp)).toHaveLength(2)

    const store = await openBlobStore({ dataDir })
    expect(await store.stat('team/fresh.bin')).toBeNull()
    expect(String(await contentOf(store, 'team/held.bin'))).toBe('before')
    expect(await keysUnder(store, 'team/')).toEqual(['team/held.bin', 'team/warm-up.bin'])
    expect(await store.sweepUnfinished({ idleMs: 3_600_000 })).toBe(2)
    expect(await readdir(tmp)).toEqual([])
  })

  test('by a client that hangs up leaves no temporary file', async () => {
    const store = await openBlobStore({ dataDir })
    const outcome = Promise.withResolvers<unknown>()
    const server = createServer((req) => {
      store.put('team/cut.bin', req, { maxBytes: 64 * mib }).then(outcome.resolve, outcome.resolve)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const client = request({ port, method: 'PUT', headers: { 'content-length': 10 * mib } })
    client.on('error', () => undefined)
    client.write(someBytes(4 * mib), () => client.destroy())
    expect(await outcome.promise).toBeInstanceOf(Error)
    expect(await readdir(tmp)).toEqual([])
    expect(await store.stat('team/cut.bin')).toBeNull()
    server.close()
  })

  test('by a refusal or a broken stream leaves no temporary file', async () => {
    const store = await openBlobStore({ dataDir })
    const tooLarge = store.put('team/a.bin', bodyOf(someBytes(mib)), { maxBytes: 1000 })
    await expect(tooLarge).rejects.toMatchObject({ code: 'upload_too_large' })
    await expect(store.put('team/a.bin', brokenBody(someBytes(mib)), { maxBytes: 2 * mib })).rejects.toThrow()
    expect(await readdir(tmp)).toEqual([])
  })

  test('by a failing rename leaves no temporary file', async () => {
    const store = await openDiskStore(join(dataDir, 'blobs'))
    await store.put('team/a.bin', bodyOf(Buffer.from('x')), { maxBytes: 10 })
    const [shard = ''] = await readdir(join(dataDir, 'blobs/objects'))
    // A folder at the path of the file makes the rename fail.
    await rm(join(dataDir, 'blobs/objects', shard, 'team,a.bin'))
    await mkdir(join(dataDir, 'blobs/objects', shard, 'team,a.bin'))
    await expect(store.put('team/a.bin', bodyOf(Buffer.from('y')), { maxBytes: 10 })).rejects.toThrow()
    expect(await readdir(tmp)).toEqual([])
  })
})

test('the sweep removes abandoned files at once and others only when they are old', async () => {
  const store = await openBlobStore({ dataDir })
  const dead = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })
  await once(dead, 'exit')
  const { hostname } = await import('node:os')
  const files = {
    abandoned: tempName({ host: hostname(), pid: dead.pid ?? 0, boot: 'b' }, 'u'),
    foreign: tempName({ host: 'another-machine', pid: 1, boot: 'b' }, 'u'),
    oldForeign: tempName({ host: 'another-machine', pid: 1, boot: 'b' }, 'old'),
  }
  for (const name of Object.values(files)) await writeFile(join(tmp, name), 'left over')
  const longAgo = new Date(Date.now() - 7_200_000)
  await utimes(join(tmp, files.oldForeign), longAgo, longAgo)
  expect(await store.sweepUnfinished({ idleMs: 3_600_000 })).toBe(2)
  expect(await readdir(tmp)).toEqual([files.foreign])
})

test('a symbolic link or a stray file in the store is never listed or read as a blob', async () => {
  const store = await openBlobStore({ dataDir })
  await store.put('team/real.bin', bodyOf(Buffer.from('x')), { maxBytes: 10 })
  const objects = join(dataDir, 'blobs/objects')
  await mkdir(join(objects, 'zz'), { recursive: true })
  await mkdir(join(objects, '00'), { recursive: true })
  await writeFile(join(objects, 'zz/team,stray.bin'), 'x')
  await writeFile(join(objects, '00/NOT-OURS'), 'x')
  await symlink('/etc/passwd', join(objects, '00/team,link.bin'))
  expect(await keysUnder(store, '')).toEqual(['team/real.bin'])
})

test('blobs are readable only by their owner and are stored under objects/', async () => {
  const store = await openBlobStore({ dataDir })
  await store.put('Team/secret.bin', bodyOf(Buffer.from('x')), { maxBytes: 10 })
  const [shard = ''] = await readdir(join(dataDir, 'blobs/objects'))
  const path = join(dataDir, 'blobs/objects', shard, '+team,secret.bin')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect((await stat(join(dataDir, 'blobs/objects'))).mode & 0o777).toBe(0o700)
  expect(String(await readFile(path))).toBe('x')
})

test('check fails for a folder that no longer exists', async () => {
  const store = await openBlobStore({ dataDir })
  await rm(join(dataDir, 'blobs'), { recursive: true })
  await expect(store.check()).rejects.toThrow('ENOENT')
})

test('1 GiB passes through with less than 64 MiB of memory', async () => {
  const sizeBytes = 1024 * mib
  const child = upload({ blobs: { dataDir }, key: 'team/large.bin', sizeBytes })
  const report = JSON.parse(await firstLine(child))
  expect(report.sizeBytes).toBe(sizeBytes)
  expect(report.grownBytes).toBeLessThan(64 * mib)
})

test('the S3 library is not loaded while files are on disk', async () => {
  const program = `
    const { registerHooks } = require('node:module')
    const seen = []
    registerHooks({ resolve(name, context, next) { if (name.startsWith('@aws-sdk')) seen.push(name); return next(name, context) } })
    import(process.argv[1]).then(({ openBlobStore }) => openBlobStore(JSON.parse(process.argv[2])))
      .then((store) => console.log(JSON.stringify([store.kind, [...new Set(seen)]])))`
  const load = (settings: object) => {
    const script = join(import.meta.dirname, 'open-blob-store.ts')
    const args = ['-e', program, script, JSON.stringify(settings)]
    return firstLine(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }))
  }
  expect(JSON.parse(await load({ dataDir }))).toEqual(['disk', []])
  // The same probe detects the library when S3 is used.
  const s3 = { bucket: 'b', region: 'r', accessKeyId: 'i', secretAccessKey: 's', forcePathStyle: true }
  expect(JSON.parse(await load({ dataDir, s3 }))).toEqual(['s3', expect.arrayContaining(['@aws-sdk/client-s3'])])
})

test('an owned body is hashed on the thread and freed, and shared memory is not touched', async () => {
  const store = await openBlobStore({ dataDir })
  const own = Array.from({ length: 40 }, () => someBytes(64 * 1024))
  const shared = someBytes(64 * 1024).subarray(0, 1000)
  const expected = Buffer.concat([...own, shared])
  const options = { maxBytes: 10 * mib }
  const kept = own.map((chunk) => Buffer.from(chunk))
  await store.put('team/lent', Readable.from(kept), options)
  expect(kept.every((chunk) => chunk.length === 64 * 1024)).toBe(true)
  const stored = await store.put('team/owned', Readable.from([...own, shared]), { ...options, ownsChunks: true })
  expect(stored).toEqual({ sizeBytes: expected.length, sha256: sha256(expected) })
  expect(await contentOf(store, 'team/owned')).toEqual(expected)
  expect(own.every((chunk) => chunk.length === 0)).toBe(true)
  expect(shared.length).toBe(1000)
})

test('concurrent owned bodies of any size have correct checksums', async () => {
  const store = await openBlobStore({ dataDir })
  const sizes = [0, 1, 1000, mib - 1, mib, mib + 1, 5 * mib, 3 * mib + 7]
  await Promise.all(
    sizes.map(async (size, index) => {
      const bytes = someBytes(size)
      const expected = { sizeBytes: size, sha256: sha256(bytes) }
      const copies = Readable.from(bodyOf(Buffer.from(bytes)).map((chunk: Buffer) => Buffer.from(chunk)))
      const stored = await store.put(`team/${index}`, copies, { maxBytes: 10 * mib, ownsChunks: true })
      expect(stored).toEqual(expected)
      expect(await contentOf(store, `team/${index}`)).toEqual(bytes)
    }),
  )
})

test('a failed owned body leaves nothing and does not affect the next hash', async () => {
  const store = await openBlobStore({ dataDir })
  const options = { maxBytes: 10 * mib, ownsChunks: true }
  await expect(store.put('team/x', brokenBody(someBytes(3 * mib)), options)).rejects.toThrow()
  expect(await readdir(tmp)).toEqual([])
  const bytes = someBytes(2 * mib)
  const expected = sha256(bytes)
  expect((await store.put('team/x', bodyOf(bytes), options)).sha256).toBe(expected)
})
