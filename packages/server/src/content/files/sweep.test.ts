// Guarantees: sweeps remove everything that is unreachable, and nothing else.
import { newId } from '@millrace/contract/ids'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { newBlobKey } from './addresses.ts'
import { filesFeature } from './feature.ts'
import { adoptOutputs } from './references.ts'
import { insertFiles } from './store.ts'
import { sweepAtStart, sweepOldOrphans, sweepOrphans, sweepUnfinished, sweepUnnamed } from './sweep.ts'
import { announce, blobKeys, fetchMedia, put, stored } from './testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const dayMs = 24 * 3600_000

const orphan = async (): Promise<string> => {
  const key = newBlobKey(world.team.id)
  await world.open.platform.blobs.put(key, bytes(), { maxBytes: 100 })
  return key
}
async function* bytes() {
  yield Buffer.from(newId())
}

it('a record without an upload is removed after a day, an uploaded one stays', async () => {
  const { platform } = world.open
  const [never, kept] = [await announce(world, 'owner'), await stored(world, 'owner', 'kept')]
  world.clock.advance(dayMs - 60_000)
  await sweepUnfinished(platform)
  expect((await world.call('owner', `GET /files/${never.id}`)).status).toBe(200)
  world.clock.advance(120_000)
  await sweepUnfinished(platform)
  expect((await world.call('owner', `GET /files/${never.id}`)).code).toBe('not_found')
  expect((await fetchMedia(world, kept.uri)).text).toBe('kept')
  expect((await put(world, never.upload_url, 'late')).status).toBe(403)
})

it('an engine upload that no output names is removed after a week, a named one stays', async () => {
  const { platform } = world.open
  const upload = (text: string) => stored(world, 'key:engines:write', text, {}, { category: 'outputs' })
  const [shown, returned] = [await upload('shown'), await upload('returned')]
  const owner = { teamId: world.team.id, userId: world.people.owner.userId }
  await adoptOutputs(world.ctx(), world.team.id, [returned.uri], owner)
  await sweepUnnamed(platform)
  expect((await fetchMedia(world, shown.uri)).text).toBe('shown')
  world.clock.advance(7 * dayMs + 1)
  await sweepUnnamed(platform)
  expect((await fetchMedia(world, shown.uri)).status).toBe(404)
  expect(await sweepOrphans(platform, new Date(Date.now() + 1000))).toBe(1)
  expect((await fetchMedia(world, returned.uri)).text).toBe('returned')
})

it('unnamed engine uploads are found by an index and removed in batches of any number', async () => {
  const { platform } = world.open
  const owner = { team_id: world.team.id, user_id: world.people.owner.userId }
  const created_at = new Date(platform.now().getTime() - 8 * dayMs).toISOString()
  const unnamed = () => ({
    ...{ id: newId(), ...owner, media_key: newId(), max_bytes: 1, category: 'outputs' as const, adopted: false },
    ...{ upload_expires_at: created_at, created_at, updated_at: created_at },
  })
  await insertFiles(platform.db, Array.from({ length: 7 }, unnamed))
  const statements: string[] = []
  const counted = platform.db.withPlugin({
    transformQuery: ({ node }) => {
      if (node.kind === 'DeleteQueryNode') statements.push(node.kind)
      return node
    },
    transformResult: async ({ result }) => result,
  })
  expect(await sweepUnnamed({ ...platform, db: counted }, 3)).toBe(7)
  expect(statements).toEqual(Array.from({ length: 4 }, () => 'DeleteQueryNode'))
  const plan = await platform.db.transaction().execute(async (db) => {
    await sql`set local enable_seqscan = off`.execute(db)
    return sql`explain select id from files where adopted = false and created_at < now() order by created_at`.execute(
      db,
    )
  })
  expect(JSON.stringify(plan.rows)).toContain('files_never_adopted')
})

it('any number of bytes without a record is removed once old enough', async () => {
  const { platform } = world.open
  const kept = await stored(world, 'owner', 'kept')
  const orphans = await Promise.all(Array.from({ length: 520 }, orphan))
  const before = await blobKeys(world)
  expect(await sweepOldOrphans(platform)).toBe(0)
  expect(await blobKeys(world)).toEqual(before)
  expect(await sweepOrphans(platform, new Date(Date.now() + 1000))).toBe(orphans.length)
  const after = await blobKeys(world)
  expect(after.some((key) => orphans.includes(key))).toBe(false)
  expect((await fetchMedia(world, kept.uri)).text).toBe('kept')
})

it('bytes of other features are not swept', async () => {
  const { blobs } = world.open.platform
  await blobs.put('artifacts/page', bytes(), { maxBytes: 100 })
  await sweepOrphans(world.open.platform, new Date(Date.now() + 1000))
  expect(await blobs.stat('artifacts/page')).not.toBeNull()
})

it('a start sweeps what an earlier process left, not newer bytes', async () => {
  const { platform } = world.open
  const left = await orphan()
  // File times have a coarser resolution than the clock.
  await new Promise((resolve) => setTimeout(resolve, 20))
  const sweeping = sweepAtStart(platform)
  await sweeping
  expect(await blobKeys(world)).not.toContain(left)
})

it('the server does not start with an unusable store', async () => {
  const { platform } = world.open
  const broken = { ...platform, blobs: { ...platform.blobs, check: () => Promise.reject(new Error('no bucket')) } }
  await expect(filesFeature.start?.(broken)).rejects.toThrow('no bucket')
})

it('a failed sweep at start does not stop the server', async () => {
  const { platform } = world.open
  const broken = {
    ...platform,
    blobs: { ...platform.blobs, sweepUnfinished: () => Promise.reject(new Error('later')) },
  }
  const stop = await filesFeature.start?.(broken)
  await expect(stop?.()).resolves.toBeUndefined()
})
