// The tests that every blob store must pass. They are split because the S3 server from npm lacks features for the
// second part (see npm-s3.ts): `describeObjects` and `describeWhole`.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BlobStore } from '../blob-store.ts'
import { bodyOf, brokenBody, contentOf, keysUnder, mib, pausedBody, readAll, sha256, someBytes } from './bodies.ts'

export type OpenedStore = { store: BlobStore; close(): Promise<void> }

// The S3 part size is 5 MiB: sizes below, at and above it take different paths.
const sizes = [0, 1, 64 * 1024 - 1, 5 * mib - 1, 5 * mib, 5 * mib + 1, 10 * mib + 1]
const maxBytes = 64 * mib

export const hostileKeys = [
  '',
  '.',
  '..',
  '../escape',
  'team/../../escape',
  'team/..',
  'team/./file',
  '/etc/passwd',
  'team//file',
  'team/',
  'C:/windows',
  'team\\..\\file',
  'team/\0',
  'team/file\n',
  'team/%2e%2e/file',
  'team/．．/file',
  'team/‥/file',
  'team∕file',
  'team/ｆile',
  'te\u0301am/file',
  'team/\u202efile',
  'team/.hidden',
  'team/-rf',
  'team/a b',
  'team/a:b',
  'team/a,b',
  'team/+a',
  `team/${'a'.repeat(300)}`,
  `${'a/'.repeat(100)}a`,
]

export const describeObjects = (name: string, open: () => Promise<OpenedStore>): void => {
  describe(`${name} passes the tests of a blob store: objects`, () => {
    let opened: OpenedStore
    let store: BlobStore
    let count = 0
    const freshKey = () => {
      count += 1
      return `team/case-${count}.bin`
    }
    beforeAll(async () => {
      opened = await open()
      store = opened.store
    })
    afterAll(() => opened.close())

    test.each(sizes)('%i bytes are returned exactly, with size and hash', async (sizeBytes) => {
      const key = freshKey()
      const bytes = someBytes(sizeBytes)
      const result = await store.put(key, bodyOf(bytes), { maxBytes })
      expect(result).toEqual({ sizeBytes, sha256: sha256(bytes) })
      expect(await store.stat(key)).toMatchObject({ sizeBytes })
      expect((await contentOf(store, key))?.equals(bytes)).toBe(true)
    })

    test.each([0, 5 * mib, 5 * mib + 1])('%i announced bytes are stored', async (sizeBytes) => {
      const key = freshKey()
      const bytes = someBytes(sizeBytes)
      await store.put(key, bodyOf(bytes), { maxBytes: sizeBytes, expectedBytes: sizeBytes, contentType: 'image/png' })
      expect((await contentOf(store, key))?.equals(bytes)).toBe(true)
    })

    test('any async iterable of bytes is a body', async () => {
      const key = freshKey()
      const body = (async function* () {
        yield new Uint8Array([1, 2])
        yield new Uint8Array([9, 3, 4]).subarray(1)
      })()
      await store.put(key, body, { maxBytes })
      expect(await contentOf(store, key)).toEqual(Buffer.from([1, 2, 3, 4]))
    })

    test('a second upload replaces the first, also when shorter', async () => {
      const key = freshKey()
      await store.put(key, bodyOf(someBytes(6 * mib)), { maxBytes })
      const before = await store.stat(key)
      await store.put(key, bodyOf(Buffer.from('short')), { maxBytes })
      expect(String(await contentOf(store, key))).toBe('short')
      expect((await store.stat(key))?.etag).not.toBe(before?.etag)
    })

    const refusals: [string, number, { maxBytes: number; expectedBytes?: number }, string][] = [
      ['more than the bound', 1001, { maxBytes: 1000 }, 'upload_too_large'],
      ['more than the bound, after a whole part', 6 * mib + 1, { maxBytes: 6 * mib }, 'upload_too_large'],
      ['an announcement above the bound', 10, { maxBytes: 9, expectedBytes: 10 }, 'upload_too_large'],
      ['less than announced', 99, { maxBytes, expectedBytes: 100 }, 'invalid_request'],
      ['less than announced, after a whole part', 6 * mib, { maxBytes, expectedBytes: 7 * mib }, 'invalid_request'],
      ['more than announced', 101, { maxBytes, expectedBytes: 100 }, 'invalid_request'],
      ['bytes where none were announced', 1, { maxBytes, expectedBytes: 0 }, 'invalid_request'],
    ]
    test.each(refusals)('%s is rejected and changes nothing', async (_, sizeBytes, options, code) => {
      const [fresh, held] = [freshKey(), freshKey()]
      await store.put(held, bodyOf(Buffer.from('before')), { maxBytes })
      for (const key of [fresh, held]) {
        const put = store.put(key, bodyOf(someBytes(sizeBytes)), options)
        await expect(put).rejects.toMatchObject({ code })
      }
      expect(await store.stat(fresh)).toBeNull()
      expect(String(await contentOf(store, held))).toBe('before')
    })

    test('a refused stream is not destroyed', async () => {
      const body = bodyOf(someBytes(mib))
      await expect(store.put(freshKey(), body, { maxBytes: 1000 })).rejects.toMatchObject({ code: 'upload_too_large' })
      expect(body.destroyed).toBe(false)
      body.destroy()
    })

    test.each([100, 3 * mib, 6 * mib])('an upload that breaks after %i bytes leaves nothing', async (sizeBytes) => {
      const [fresh, held] = [freshKey(), freshKey()]
      await store.put(held, bodyOf(Buffer.from('before')), { maxBytes })
      for (const key of [fresh, held]) {
        await expect(store.put(key, brokenBody(someBytes(sizeBytes)), { maxBytes })).rejects.toThrow('connection lost')
      }
      expect(await store.read(fresh)).toBeNull()
      expect(String(await contentOf(store, held))).toBe('before')
    })

    test.each([100, 6 * mib])('an abort ends an upload that waits after %i bytes', async (sizeBytes) => {
      const key = freshKey()
      const stop = new AbortController()
      const held = pausedBody(someBytes(sizeBytes), Buffer.alloc(0))
      const put = store.put(key, held.body, { maxBytes, signal: stop.signal })
      await held.reached
      stop.abort(new Error('the server stops'))
      await expect(put).rejects.toThrow('the server stops')
      expect(await store.stat(key)).toBeNull()
    })

    test('an upload in progress is not visible, and the upload that completes last wins', async () => {
      const key = freshKey()
      const slow = pausedBody(someBytes(6 * mib), Buffer.from('slow end'))
      const slowPut = store.put(key, slow.body, { maxBytes })
      await slow.reached
      expect(await store.stat(key)).toBeNull()
      await store.put(key, bodyOf(Buffer.from('quick')), { maxBytes })
      expect(String(await contentOf(store, key))).toBe('quick')
      slow.release()
      const { sha256: hash } = await slowPut
      expect(sha256((await contentOf(store, key)) ?? Buffer.alloc(0))).toBe(hash)
    })

    test('a blob that was never stored is absent and deleting it succeeds', async () => {
      const key = freshKey()
      expect(await store.read(key)).toBeNull()
      expect(await store.read(key, { range: 'bytes=0-1' })).toBeNull()
      expect(await store.stat(key)).toBeNull()
      await store.delete(key)
      await store.put(key, bodyOf(Buffer.from('x')), { maxBytes })
      await store.delete(key)
      expect(await store.read(key)).toBeNull()
      expect(await store.stat(key)).toBeNull()
    })

    test('keys that differ in case or are prefixes of each other are different blobs', async () => {
      const base = freshKey()
      const keys = [base, base.toUpperCase(), `${base}/below`, `${base}.more`]
      for (const key of keys) await store.put(key, bodyOf(Buffer.from(key)), { maxBytes })
      for (const key of keys) expect(String(await contentOf(store, key))).toBe(key)
      await store.delete(base)
      expect(String(await contentOf(store, `${base}/below`))).toBe(`${base}/below`)
    })

    test.each(hostileKeys)('every method rejects the key %j', async (key) => {
      const refused = { code: 'validation_error' }
      await expect(async () => store.put(key, bodyOf(Buffer.from('x')), { maxBytes })).rejects.toMatchObject(refused)
      await expect(async () => store.read(key)).rejects.toMatchObject(refused)
      await expect(async () => store.stat(key)).rejects.toMatchObject(refused)
      await expect(async () => store.delete(key)).rejects.toMatchObject(refused)
    })

    describe('a range', () => {
      const key = 'team/ranges.bin'
      const bytes = someBytes(300_000)
      beforeAll(async () => {
        await store.put(key, bodyOf(bytes), { maxBytes })
      })

      const parts: [string, number, number][] = [
        ['bytes=0-99', 0, 99],
        ['bytes=100000-200000', 100_000, 200_000],
        ['bytes=299999-', 299_999, 299_999],
        ['bytes=-1', 299_999, 299_999],
        ['bytes=-400000', 0, 299_999],
        ['bytes=250000-999999999', 250_000, 299_999],
      ]
      test.each(parts)('%s is bytes %i to %i', async (range, start, end) => {
        const read = await store.read(key, { range })
        if (read?.kind !== 'part') throw new Error(`expected a part, got ${read?.kind}`)
        expect(read).toMatchObject({ start, end, sizeBytes: bytes.length })
        expect((await readAll(read.stream)).equals(bytes.subarray(start, end + 1))).toBe(true)
      })

      test.each(['bytes=0-1,5-6', 'items=0-1', 'bytes=9-3'])('%s is the full content', async (range) => {
        const read = await store.read(key, { range })
        if (read?.kind !== 'full') throw new Error(`expected the full content, got ${read?.kind}`)
        expect((await readAll(read.stream)).equals(bytes)).toBe(true)
      })

      test.each(['bytes=300000-', 'bytes=300000-300001', 'bytes=-0'])('%s is unsatisfiable', async (range) => {
        expect(await store.read(key, { range })).toMatchObject({ kind: 'unsatisfiable', sizeBytes: bytes.length })
      })

      test('applies under If-Range only if the blob is unchanged', async () => {
        const etag = (await store.stat(key))?.etag ?? ''
        const same = await store.read(key, { range: 'bytes=1-2', ifRange: etag })
        const other = await store.read(key, { range: 'bytes=1-2', ifRange: '"other"' })
        expect([same?.kind, other?.kind]).toEqual(['part', 'full'])
        for (const read of [same, other]) if (read && 'stream' in read) await readAll(read.stream)
      })
    })
  })
}

export const describeWhole = (name: string, open: () => Promise<OpenedStore>): void => {
  describe(`${name} passes the tests of a blob store: lists, sweeps and races`, () => {
    let opened: OpenedStore
    let store: BlobStore
    beforeAll(async () => {
      opened = await open()
      store = opened.store
    })
    afterAll(() => opened.close())

    test('it is usable as configured', () => expect(store.check()).resolves.toBeUndefined())

    test('the list contains every blob below the prefix with size and time', async () => {
      const keys = ['listed/a.txt', 'listed/b/c.txt', 'listed/Z.txt', 'listed2/d.txt']
      for (const key of keys) await store.put(key, bodyOf(Buffer.from('four')), { maxBytes })
      expect(await keysUnder(store, 'listed/')).toEqual(['listed/Z.txt', 'listed/a.txt', 'listed/b/c.txt'])
      expect(await keysUnder(store, 'listed')).toHaveLength(4)
      expect(await keysUnder(store, 'nothing/')).toEqual([])
      const [first] = await Array.fromAsync(store.list('listed2/'))
      expect(first).toMatchObject({ sizeBytes: 4, modifiedAt: expect.any(Date) })
    })

    test('an upload in progress or failed is not listed', async () => {
      const held = pausedBody(someBytes(6 * mib), Buffer.from('end'))
      const put = store.put('unlisted/held.bin', held.body, { maxBytes })
      await held.reached
      await expect(store.put('unlisted/broken.bin', brokenBody(someBytes(6 * mib)), { maxBytes })).rejects.toThrow()
      expect(await keysUnder(store, 'unlisted/')).toEqual([])
      held.release()
      await put
      expect(await keysUnder(store, 'unlisted/')).toEqual(['unlisted/held.bin'])
    })

    test('the first byte is a range', async () => {
      await store.put('team/first.bin', bodyOf(Buffer.from('abc')), { maxBytes })
      const read = await store.read('team/first.bin', { range: 'bytes=0-0' })
      if (read?.kind !== 'part') throw new Error(`expected a part, got ${read?.kind}`)
      expect(String(await readAll(read.stream))).toBe('a')
    })

    test.each(['../', 'team\\0', 'a'.repeat(200), 'tëam/'])('the prefix %j is rejected', async (prefix) => {
      await expect(keysUnder(store, prefix)).rejects.toMatchObject({ code: 'validation_error' })
    })

    test('a reader gets one complete upload while others complete', async () => {
      const key = 'team/contended.bin'
      // Each upload has its own length and repeats one value, so that a mix of two is detected.
      const upload = (value: number) =>
        store.put(key, bodyOf(Buffer.alloc(100_000 + value, value), 8_192), { maxBytes })
      await upload(0)
      let done = false
      const read = async () => {
        const sizes = new Set<number>()
        while (!done) {
          const bytes = (await contentOf(store, key)) ?? Buffer.alloc(0)
          expect(bytes.equals(Buffer.alloc(bytes.length, bytes.length - 100_000))).toBe(true)
          sizes.add(bytes.length)
        }
        return sizes
      }
      const readers = [read(), read()]
      for (let round = 0; round < 10; round += 1) {
        await Promise.all(Array.from({ length: 6 }, (_, index) => upload(1 + round * 6 + index)))
      }
      done = true
      const seen = await Promise.all(readers)
      expect(seen.every((sizes) => sizes.size > 1)).toBe(true)
      expect((await store.stat(key))?.sizeBytes).toBeGreaterThanOrEqual(100_055)
    })

    test('an open read continues when the blob is replaced or deleted', async () => {
      const key = 'team/open.bin'
      const bytes = someBytes(2 * mib)
      await store.put(key, bodyOf(bytes), { maxBytes })
      const reads = [await store.read(key), await store.read(key, { range: 'bytes=1000-' })]
      await store.put(key, bodyOf(Buffer.from('new')), { maxBytes })
      await store.delete(key)
      const [full, part] = reads
      if (full?.kind !== 'full' || part?.kind !== 'part') throw new Error('expected two streams')
      expect((await readAll(full.stream)).equals(bytes)).toBe(true)
      expect((await readAll(part.stream)).equals(bytes.subarray(1000))).toBe(true)
    })

    test('the sweep of unfinished uploads skips those in progress', async () => {
      const key = 'team/swept.bin'
      const held = pausedBody(someBytes(6 * mib), Buffer.from('end'))
      const put = store.put(key, held.body, { maxBytes })
      await held.reached
      expect(await store.sweepUnfinished({ idleMs: 0 })).toBe(0)
      held.release()
      expect(await put).toMatchObject({ sizeBytes: 6 * mib + 3 })
    })
  })
}
