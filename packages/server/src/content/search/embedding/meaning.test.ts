// Guarantees: stored vectors keep their direction. Paraphrases without a common word are found by callers who may find
// them, a rewritten entry is found by its new meaning, and unreadable texts do not resemble each other.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../../testing/world.ts'
import { givenEntry, show, text, writeVersion } from '../../knowledge/testing/given.ts'
import { embedSome } from './embedding.ts'
import { cosineOf, quantised } from './vectors.ts'

const dimensions = 512

it('a stored vector keeps its direction', () => {
  const vector = Float32Array.from({ length: dimensions }, (_, index) => Math.sin(index * 7))
  const stored = new Int8Array(quantised(vector))
  expect(cosineOf(vector, stored)).toBeGreaterThan(0.999)
  expect(
    cosineOf(
      vector.map((one) => -one),
      stored,
    ),
  ).toBeLessThan(-0.999)
  expect(cosineOf(new Float32Array(dimensions), stored)).toBe(0)
})

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

/** On a busy machine the query may not be embedded in time, so it is repeated. */
const found = async (as: 'owner' | 'stranger', query: string): Promise<string[]> => {
  for (;;) {
    const { data, json } = await world.call(as, 'POST /search', { body: { query, collections: ['knowledge'] } })
    if ((json.messages as unknown[]).length === 0) return data.results.map((hit: { id: string }) => hit.id)
  }
}

it('paraphrases without a common word are found', async () => {
  const body = (description: string) => ({ description, version: text(description) })
  const salary = await givenEntry(world, 'owner', {
    name: 'pay',
    ...body('Employees receive their salary every month'),
  })
  await givenEntry(world, 'owner', { name: 'oven', ...body('Bread is baked in a hot oven') })
  const before = await world.call('owner', 'POST /search', { body: { query: 'when do workers get paid money' } })
  expect(before.json.messages).toMatchObject([{ code: 'semantic_unavailable' }])
  while ((await embedSome(world.open.platform)) > 0);
  const query = 'when do workers get their wages'
  expect((await found('owner', query))[0]).toBe(salary.id)
  expect(await found('stranger', query)).toEqual([])
  await show(world, 'owner', salary, 'public')
  expect((await found('stranger', query))[0]).toBe(salary.id)
  await writeVersion(world, 'owner', salary.id, body('A cat sleeps on the roof'))
  while ((await embedSome(world.open.platform)) > 0);
  expect((await found('stranger', 'a kitten resting on top of the house'))[0]).toBe(salary.id)
})

it('unreadable texts resemble nothing', async () => {
  const body = (name: string, description: string) => ({ name, description, version: text(description) })
  await givenEntry(world, 'owner', body('gohan', '日本の料理'))
  await givenEntry(world, 'owner', body('t-wgknjd', 'zxqv'))
  while ((await embedSome(world.open.platform)) > 0);
  for (const query of ['天気予報', 'привет', 'xqzwvk jjfkdls']) expect(await found('owner', query), query).toEqual([])
  expect(await found('owner', '日本の料理')).toHaveLength(1)
})
