// Guarantees: the cache of an engine never exceeds its limit; the least recently used entry is removed first, an entry
// in use never, and one that is being removed is not used.

import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startWorld } from '../testing/world.ts'
import { type BoundedCache, createBoundedCache } from './bounded-cache.ts'

const block = 64 * 1024
const hourMs = 3_600_000

let root: string
let logged: [string, string][]
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-cache-'))
  logged = []
})
afterEach(() => rm(root, { recursive: true }))

const cacheOf = (blocks: number, unusedMs = 100 * hourMs): BoundedCache =>
  createBoundedCache(root, {
    limitBytes: blocks * block + block / 2,
    unusedMs,
    log: (level, message) => void logged.push([level, message]),
  })

/** Creates an entry with the given size in blocks and hours since its last use. */
const put = async (name: string, blocks: number, hoursAgo: number) => {
  await mkdir(join(root, name, 'code'), { recursive: true })
  await writeFile(join(root, name, 'code', 'a'), Buffer.alloc(blocks * block, 'x'))
  const used = new Date(Date.now() - hoursAgo * hourMs)
  await utimes(join(root, name), used, used)
}
const names = async () => (await readdir(root)).sort()

test('the least recently used entries are removed, and no more than necessary', async () => {
  for (const [name, hours] of [
    ['a', 4],
    ['b', 1],
    ['c', 3],
    ['d', 2],
  ] as const)
    await put(name, 2, hours)
  const cache = cacheOf(5)
  await cache.sweep()
  expect(await names()).toEqual(['b', 'd'])
  const { entries, bytes, limit_bytes } = cache.figures()
  expect([entries, limit_bytes]).toEqual([2, 5.5 * block])
  expect(bytes).toBeGreaterThanOrEqual(4 * block)
  expect(bytes).toBeLessThan(limit_bytes)
  expect(logged).toEqual([['info', 'cache entries removed']])
})

test('a locked entry stays, even above the limit, with a warning; its release counts as a use', async () => {
  for (const [name, hours] of [
    ['a', 3],
    ['b', 2],
  ] as const)
    await put(name, 4, hours)
  const cache = cacheOf(1)
  const releases = [await cache.lock('a'), await cache.lock('a'), await cache.lock('b')]
  await cache.sweep()
  expect(await names()).toEqual(['a', 'b'])
  expect(logged).toEqual([['warn', 'a cache exceeds its limit, and all entries are in use']])
  releases[0]?.()
  releases[0]?.()
  await cache.sweep()
  expect(await names()).toEqual(['a', 'b'])
  for (const release of releases) release()
  await cache.sweep()
  expect(await names()).toEqual([])
})

test('a changed entry is measured again', async () => {
  await put('a', 1, 2)
  await put('b', 1, 1)
  const cache = cacheOf(3)
  await cache.sweep()
  await writeFile(join(root, 'b', 'code', 'more'), Buffer.alloc(4 * block, 'x'))
  cache.changed('b')
  await cache.sweep()
  expect(await names()).not.toContain('a')
})

test('entries unused for the given time are removed, with remains of partial work', async () => {
  await put('old', 1, 5)
  await put('new', 1, 1)
  await put('torn.1.gone', 1, 0)
  const half = join(root, 'half.7.part.zip')
  await writeFile(half, 'x')
  const longAgo = new Date(Date.now() - 5 * hourMs)
  await utimes(half, longAgo, longAgo)
  await put('fresh.7.part', 1, 0)
  await cacheOf(100, 2 * hourMs).sweep()
  expect(await names()).toEqual(['fresh.7.part', 'new'])
})

test('a lock during a removal waits until the removal is complete', async () => {
  await put('a', 2, 1)
  const cache = cacheOf(1)
  const seen: string[][] = []
  const sweeping = cache.sweep()
  for (let tries = 0; tries < 200 && seen.at(-1)?.length !== 0; tries++) {
    const release = await cache.lock('a')
    seen.push(await readdir(join(root, 'a', 'code')).catch(() => []))
    release()
    await new Promise(setImmediate)
  }
  await sweeping
  for (const found of seen) expect([[], ['a']]).toContainEqual(found)
})

describe('an engine', () => {
  const source = (id: string) => ({
    'inference.js': `export class App { run() { return { id: '${id}' } } }`,
    'weights.bin': 'w'.repeat(300_000),
  })

  test('[E35] bundles above the limit are removed, except those in use, and are downloaded again when needed', async () => {
    const world = await startWorld({ settings: { bundles_limit_mb: 0.7 }, workers: 1 })
    try {
      const apps = ['one', 'two', 'three'].map((id) => world.app(source(id)))
      const folder = join(world.config.cachePath, 'bundles')
      for (const app of apps) expect((await world.run(app, { worker_id: 'worker-0' }).end).type).toBe('task_completed')
      await expect.poll(() => readdir(folder), { timeout: 60_000 }).toHaveLength(2)
      expect((await readdir(folder)).toSorted()).toEqual([apps[1]?.checksum, apps[2]?.checksum].toSorted())
      const again = await world.run(apps[0] as (typeof apps)[number], { worker_id: 'worker-0' }).end
      expect(again).toMatchObject({ type: 'task_completed', output: { id: 'one' } })
    } finally {
      await world.close()
    }
  })
})
