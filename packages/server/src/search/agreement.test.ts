// Guards: index and rows agree after any mix of changes; a damaged index is made whole; and whoever searches finds nothing
// that a single read would refuse. `SEARCH_ISOLATION=20000` asks more often.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeEntry, show, writeVersion } from '../knowledge/testing/given.ts'
import { type As, createWorld, type World } from '../testing/world.ts'
import { countDisagreements, reindex } from './reindex.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const words = ['harbour', 'lantern', 'quarry', 'meadow', 'compass', 'orchard', 'glacier', 'kiln']
const visibilities = ['private', 'team', 'org', 'unlisted', 'public'] as const
const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T

it('index and rows agree, and a damaged index is made whole', async () => {
  const { db } = world.open.platform
  const entries = await Promise.all(
    Array.from({ length: 12 }, () => makeEntry(world, 'owner', { description: `${pick(words)} ${pick(words)}` })),
  )
  await Promise.all(
    entries.map(async (entry, index) => {
      if (index % 3 === 0) await show(world, 'owner', entry, pick(visibilities))
      if (index % 3 === 1) await writeVersion(world, 'owner', entry.id, { description: pick(words) })
      if (index % 4 === 3) await world.call('owner', `DELETE /knowledge/${entry.id}`)
    }),
  )
  expect(await countDisagreements(db)).toBe(0)
  await db.updateTable('search_documents').set({ visibility: 'public', name: 'wrong' }).execute()
  await db
    .deleteFrom('search_documents')
    .where('id', '=', entries[0]?.id ?? '')
    .execute()
  expect(await countDisagreements(db)).toBeGreaterThan(0)
  expect(await reindex(db)).toBeGreaterThanOrEqual(12)
  expect(await countDisagreements(db)).toBe(0)
})

it('nobody finds what a single read would refuse', { timeout: 600_000 }, async () => {
  const makers: As[] = ['owner', 'member', 'stranger']
  for (let count = 0; count < 24; count += 1) {
    const as = pick(makers)
    const entry = await makeEntry(world, as, { description: `${pick(words)} ${pick(words)}` })
    await show(world, as, entry, pick(visibilities))
  }
  const callers: As[] = ['owner', 'admin', 'member', 'stranger', null, 'key:flows:read', 'member-key:knowledge:read']
  const readable = new Map<string, boolean>()
  const mayRead = async (as: As, id: string): Promise<boolean> => {
    const key = `${as} ${id}`
    const known = readable.get(key) ?? (await world.call(as, `GET /knowledge/${id}`)).status === 200
    readable.set(key, known)
    return known
  }
  let shown = 0
  for (let asked = 0; asked < Number(process.env.SEARCH_ISOLATION ?? 150); asked += 1) {
    const as = pick(callers)
    const body = { query: `${pick(words)} ${pick(words)}`, collections: ['knowledge'], limit: 100 }
    const { data } = await world.call(as, 'POST /search', { body })
    for (const hit of data.results as { id: string }[]) {
      shown += 1
      expect(await mayRead(as, hit.id), `${as} was shown ${hit.id}`).toBe(true)
    }
  }
  expect(shown).toBeGreaterThan(0)
})
