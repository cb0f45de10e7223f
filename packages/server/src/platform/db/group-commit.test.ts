// Guarantees: an item that arrives alone is written at once; items that arrive during a statement are written together;
// a failure affects only its own item; an absent database is not asked again for each item.
import { expect, it } from 'vitest'
import { createGroup, type GroupParts } from './group-commit.ts'

type Batch = { items: readonly string[]; answer(): void; refuse(error: unknown): void }

/** The statements that were sent, each answered by the test. */
const given = (options: Pick<GroupParts<string, string>, 'onIdle' | 'maxWaiting'> = {}) => {
  const batches: Batch[] = []
  const group = createGroup<string, string>({
    write: (items) =>
      new Promise((resolve, reject) => {
        batches.push({ items, answer: () => resolve(items.map((item) => `${item}!`)), refuse: reject })
      }),
    charsOf: (item) => item.length,
    ...options,
  })
  return { batches, group }
}

const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

it('writes an item that arrives alone at once, and later ones together', async () => {
  const { batches, group } = given()
  const first = group.add('a')
  await turn()
  const others = ['b', 'c', 'd'].map(group.add)
  await turn()
  expect(batches.map(({ items }) => items)).toEqual([['a']])
  batches[0]?.answer()
  await turn()
  expect(batches.map(({ items }) => items)).toEqual([['a'], ['b', 'c', 'd']])
  batches[1]?.answer()
  expect(await Promise.all([first, ...others])).toEqual(['a!', 'b!', 'c!', 'd!'])
})

it('overlaps statements when many items wait, and limits the size of each', async () => {
  const { batches, group } = given()
  void group.add('first')
  await turn()
  for (let n = 0; n < 100; n += 1) void group.add(`${n}`)
  await turn()
  expect(batches.map(({ items }) => items.length)).toEqual([1, 64])
  batches[0]?.answer()
  await turn()
  expect(batches.map(({ items }) => items.length)).toEqual([1, 64, 36])
})

it('splits a batch by the size of its items', async () => {
  const { batches, group } = given()
  const large = 'x'.repeat(2_500_000)
  for (const item of [large, large, 'small']) void group.add(item)
  await turn()
  expect(batches.map(({ items }) => items.map(({ length }) => length))).toEqual([[2_500_000]])
  batches[0]?.answer()
  await turn()
  expect(batches[1]?.items.map(({ length }) => length)).toEqual([2_500_000, 5])
})

it('writes the items of a failed statement one by one', async () => {
  const { batches, group } = given()
  const items = ['good', 'bad'].map(group.add)
  await turn()
  batches[0]?.refuse(new Error('bad value'))
  await turn()
  expect(batches.slice(1).map(({ items }) => items)).toEqual([['good'], ['bad']])
  batches[1]?.answer()
  batches[2]?.refuse(new Error('bad value'))
  const [good, bad] = await Promise.allSettled(items)
  expect(good).toEqual({ status: 'fulfilled', value: 'good!' })
  expect(bad).toMatchObject({ status: 'rejected', reason: { message: 'bad value' } })
})

it('reports an absent database to all callers without a second attempt', async () => {
  const { batches, group } = given()
  const items = ['a', 'b'].map(group.add)
  await turn()
  batches[0]?.refuse(Object.assign(new Error('gone'), { code: '57P01' }))
  expect(await Promise.allSettled(items)).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
  expect(batches.length).toBe(1)
})

it('refuses items above the limit of waiting items', async () => {
  const { group } = given({ maxWaiting: { items: 10, chars: 1_000 } })
  for (let n = 0; n < 10; n += 1) void group.add('waits')
  expect(() => group.add('too many')).toThrow(expect.objectContaining({ code: 'rate_limited' }))
  const { group: other } = given({ maxWaiting: { items: 10, chars: 1_000 } })
  void other.add('x'.repeat(999))
  expect(() => other.add('xx')).toThrow(expect.objectContaining({ code: 'rate_limited' }))
})

it('reports when nothing is left', async () => {
  let idle = 0
  const { batches, group } = given({ onIdle: () => (idle += 1) })
  const item = group.add('a')
  await turn()
  expect(idle).toBe(0)
  batches[0]?.answer()
  await item
  await turn()
  expect(idle).toBe(1)
})
