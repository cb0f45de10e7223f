// Guarantees for S3: presigned URLs have exactly the intended permissions, failed uploads are aborted, an overloaded
// server is retried, and errors contain no secrets.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { BlobStore, PresignedRequest } from './blob-store.ts'
import { contentDisposition } from './content-headers.ts'
import { openS3Store } from './s3.ts'
import type { S3Settings } from './s3-settings.ts'
import { bodyOf, brokenBody, contentOf, keysUnder, mib, pausedBody, someBytes } from './testing/bodies.ts'
import { startNpmS3 } from './testing/npm-s3.ts'
import { type StrictS3, startStrictS3 } from './testing/strict-s3.ts'

const maxBytes = 64 * mib

const send = (signed: PresignedRequest, body?: string, headers: Record<string, string> = signed.headers) => {
  // fetch sets content-length from the body.
  const { 'content-length': _, ...rest } = headers
  return fetch(signed.url, { method: signed.method, headers: rest, ...(body !== undefined && { body }) })
}

const presignerOf = (store: BlobStore) => {
  if (!store.presigner) throw new Error('S3 has a presigner')
  return store.presigner
}

describe.each([
  ['the npm server', startNpmS3],
  ['the strict server', startStrictS3],
])('presigned URLs on %s', (_, start) => {
  let server: { settings: S3Settings; stop(): Promise<void> }
  let store: BlobStore
  beforeEach(async () => {
    server = await start()
    store = await openS3Store(server.settings)
  })
  afterEach(() => server.stop())

  const key = 'team/up.txt'
  const options = { expiresInSeconds: 60, sizeBytes: 5, contentType: 'text/plain' }

  test('PUT stores exactly the bytes it was made for', async () => {
    const signed = await presignerOf(store).put(key, options)
    expect(signed.headers).toEqual({ 'content-length': '5', 'content-type': 'text/plain' })
    expect((await send(signed, 'hello')).status).toBe(200)
    expect(String(await contentOf(store, key))).toBe('hello')
  })

  test('PUT without a size takes any', async () => {
    const signed = await presignerOf(store).put(key, { expiresInSeconds: 60 })
    expect((await send(signed, 'any length at all')).status).toBe(200)
  })

  const abuses: [claim: string, (signed: PresignedRequest) => Promise<Response>][] = [
    ['more bytes', (signed) => send(signed, 'hello!')],
    ['fewer bytes', (signed) => send(signed, 'hell')],
    ['another type', (signed) => send(signed, 'hello', { 'content-type': 'text/html' })],
    ['another key', (signed) => send({ ...signed, url: signed.url.replace('up.txt', 'down.txt') }, 'hello')],
    ['another method', (signed) => send({ ...signed, method: 'GET' })],
    ['a later expiry', (signed) => send({ ...signed, url: signed.url.replace('Expires=60', 'Expires=6000') }, 'hello')],
    [
      'a changed signature',
      (signed) => send({ ...signed, url: signed.url.replace(/Signature=.{4}/, 'Signature=0000') }, 'hello'),
    ],
  ]
  test.each(abuses)('PUT with %s is refused', async (_, abuse) => {
    const response = await abuse(await presignerOf(store).put(key, options))
    expect(response.status).toBe(403)
    expect(await store.stat(key)).toBeNull()
  })

  test('expired PUT and GET are refused', async () => {
    await store.put(key, bodyOf(Buffer.from('there')), { maxBytes })
    const presigner = presignerOf(store)
    // Signed longer ago than their lifetime.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 61_000 })
    const put = await presigner.put('team/late.txt', options)
    const get = await presigner.get(key, { expiresInSeconds: 60 })
    vi.useRealTimers()
    expect((await send(put, 'hello')).status).toBe(403)
    expect((await send(get)).status).toBe(403)
    expect(await store.stat('team/late.txt')).toBeNull()
  })

  test('GET serves the bytes with the signed type and name', async () => {
    await store.put(key, bodyOf(Buffer.from('<b>page</b>')), { maxBytes, contentType: 'text/html' })
    const name = 'attachment; filename="page.html"'
    const signed = await presignerOf(store).get(key, {
      expiresInSeconds: 60,
      contentType: 'text/plain',
      contentDisposition: name,
    })
    const response = await send(signed)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(response.headers.get('content-disposition')).toBe(name)
    expect(await response.text()).toBe('<b>page</b>')
    const tampered = signed.url.replace('response-content-type=text%2Fplain', 'response-content-type=text%2Fhtml')
    expect(tampered).not.toBe(signed.url)
    expect((await fetch(tampered)).status).toBe(403)
  })

  test.each(['../x', 'team/..', '/x', 'a b'])('the key %j cannot be presigned', async (hostile) => {
    const presigner = presignerOf(store)
    await expect(presigner.put(hostile, options)).rejects.toMatchObject({ code: 'validation_error' })
    await expect(presigner.get(hostile, options)).rejects.toMatchObject({ code: 'validation_error' })
  })

  test('a store with the wrong secret stores nothing and reveals no secret', async () => {
    const wrongSecret = 'not-the-secret-of-this-server'
    const wrong = await openS3Store({ ...server.settings, secretAccessKey: wrongSecret })
    const error = await wrong.put(key, bodyOf(Buffer.from('x')), { maxBytes }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'unavailable',
      cause: { message: expect.stringContaining('SignatureDoesNotMatch') },
    })
    expect(inspect(error, { depth: 10 })).not.toContain(wrongSecret)
    expect(inspect(error, { depth: 10 })).not.toMatch(/Authorization|Signature=/)
    expect(await store.stat(key)).toBeNull()
  })
})

describe('an overloaded or changing S3', () => {
  let server: StrictS3
  let store: BlobStore
  let leftovers: string[]
  beforeEach(async () => {
    server = await startStrictS3()
    leftovers = []
    store = await openS3Store(server.settings, { onLeftover: (key) => leftovers.push(key) })
  })
  afterEach(() => server.stop())

  const key = 'team/file.bin'
  const isPart = (method: string, target: string) => method === 'PUT' && target.includes('partNumber=2')

  test('a presigned GET supports names in any script', async () => {
    await store.put(key, bodyOf(Buffer.from('x')), { maxBytes })
    const disposition = contentDisposition('attachment', "é'(*).txt")
    const signed = await presignerOf(store).get(key, { expiresInSeconds: 60, contentDisposition: disposition })
    expect((await send(signed)).headers.get('content-disposition')).toBe(disposition)
  })

  test('a broken multipart upload is aborted', async () => {
    await expect(store.put(key, brokenBody(someBytes(12 * mib)), { maxBytes })).rejects.toThrow('connection lost')
    expect(server.pendingUploads()).toBe(0)
    expect(leftovers).toEqual([])
  })

  test('a single 503 is retried with the same bytes', async () => {
    let refusals = 1
    server.refuse = (method, target) => isPart(method, target) && refusals-- > 0
    const bytes = someBytes(12 * mib)
    await store.put(key, bodyOf(bytes), { maxBytes })
    expect(refusals).toBeLessThan(1)
    expect((await contentOf(store, key))?.equals(bytes)).toBe(true)
  })

  test('a lasting failure is `unavailable` and changes nothing', async () => {
    await store.put(key, bodyOf(Buffer.from('before')), { maxBytes })
    server.refuse = isPart
    const put = store.put(key, bodyOf(someBytes(12 * mib)), { maxBytes })
    await expect(put).rejects.toMatchObject({ code: 'unavailable' })
    expect(server.pendingUploads()).toBe(0)
    server.refuse = () => true
    await expect(store.read(key)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(store.stat(key)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(store.delete(key)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(keysUnder(store, '')).rejects.toMatchObject({ code: 'unavailable' })
    server.refuse = null
    expect(String(await contentOf(store, key))).toBe('before')
  })

  test('an upload that cannot be aborted is reported and swept after it was idle', async () => {
    server.refuse = (method) => method === 'DELETE'
    await expect(store.put(key, brokenBody(someBytes(12 * mib)), { maxBytes })).rejects.toThrow('connection lost')
    expect(leftovers).toEqual([key])
    server.refuse = null
    expect(await store.sweepUnfinished({ idleMs: 3_600_000 })).toBe(0)
    expect(server.pendingUploads()).toBe(1)
    expect(await store.sweepUnfinished({ idleMs: 0 })).toBe(1)
    expect(server.pendingUploads()).toBe(0)
  })

  test('an upload of another server is judged by its last part', async () => {
    const other = await openS3Store(server.settings)
    const held = pausedBody(someBytes(6 * mib), Buffer.from('end'))
    const put = other.put(key, held.body, { maxBytes })
    await held.reached
    expect(await store.sweepUnfinished({ idleMs: 60_000 })).toBe(0)
    held.release()
    expect(await put).toMatchObject({ sizeBytes: 6 * mib + 3 })
  })

  test('a missing bucket is an error, not a missing file', async () => {
    const lost = await openS3Store({ ...server.settings, bucket: 'no-such-bucket' })
    await expect(lost.read(key)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(lost.check()).rejects.toThrow(
      /The bucket no-such-bucket at http.* cannot be used \(404 .*S3_ settings/,
    )
  })

  test('check reports a wrong key', async () => {
    const wrong = await openS3Store({ ...server.settings, secretAccessKey: 'wrong' })
    await expect(wrong.check()).rejects.toThrow(/cannot be used \(403 /)
  })

  test('a range is read from one version, also during an overwrite', async () => {
    await store.put(key, bodyOf(Buffer.alloc(1000, 'a')), { maxBytes })
    let overwritten = false
    server.refuse = async (method, target) => {
      // The overwrite happens between the store's HEAD and its read of the range.
      if (method === 'GET' && target.includes('file.bin') && !overwritten) {
        overwritten = true
        await store.put(key, bodyOf(Buffer.alloc(10, 'b')), { maxBytes })
      }
      return false
    }
    const read = await store.read(key, { range: 'bytes=-4' })
    if (read?.kind !== 'part') throw new Error(`expected a part, got ${read?.kind}`)
    expect(read).toMatchObject({ start: 6, end: 9, sizeBytes: 10 })
    expect(Buffer.concat(await read.stream.toArray()).toString()).toBe('bbbb')
  })
})

test('128 MiB stream into S3 with less than 64 MiB of memory', async () => {
  const server = await startNpmS3()
  const script = join(import.meta.dirname, 'testing/upload-child.ts')
  const plan = { blobs: { dataDir: '/nowhere', s3: server.settings }, key: 'team/large.bin', sizeBytes: 128 * mib }
  const child = spawn(process.execPath, [script, JSON.stringify(plan)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const report = JSON.parse(line)
  expect(report.sizeBytes).toBe(128 * mib)
  expect(report.grownBytes).toBeLessThan(64 * mib)
  await server.stop()
})
