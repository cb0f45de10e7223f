// Guarantees: the index agrees with the rows after any mix of changes, and a rebuild repairs a damaged index.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { givenEntry, show, writeVersion } from '../knowledge/testing/given.ts'
import { countDisagreements, reindex } from './reindex.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const words = ['harbour', 'lantern', 'quarry', 'meadow', 'compass', 'orchard', 'glacier', 'kiln']
const visibilities = ['private', 'team', 'org', 'unlisted', 'public'] as const
const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T

it('the index agrees with the rows, and a rebuild repairs a damaged index', async () => {
  const { db } = world.open.platform
  const entries = await Promise.all(
    Array.from({ length: 12 }, () => givenEntry(world, 'owner', { description: `${pick(words)} ${pick(words)}` })),
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
