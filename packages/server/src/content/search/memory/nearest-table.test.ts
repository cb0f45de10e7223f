// Guarantees: vectors in memory give the same results as a comparison of every row, after any order of writes and
// removals. Only the requested audiences are searched, and a large kind does not displace a small one.
import { expect, it } from 'vitest'
import { cosineOf, quantised } from '../embedding/vectors.ts'
import { comparedExactly, createNearestTable, type TableRow } from './nearest-table.ts'

const randomVector = (length: number): Float32Array => Float32Array.from({ length }, () => Math.random() * 2 - 1)
const components = (vector: Float32Array): Int8Array => new Int8Array(quantised(vector))
const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T

it.each([24, 128, 1_000])('%i components: same results as comparing each row', (length) => {
  const table = createNearestTable(length)
  const rows = new Map<string, TableRow>()
  for (let step = 0; step < 800; step += 1) {
    const id = `row ${Math.floor(Math.random() * 250)}`
    if (Math.random() < 0.3) {
      table.remove(id)
      rows.delete(id)
    } else {
      const row = {
        id,
        kind: pick(['app', 'flow']),
        audience: pick(['a', 'b', 'c']),
        components: components(randomVector(length)),
      }
      table.put(row)
      rows.set(id, row)
    }
  }
  expect(table.size()).toBe(rows.size)
  // A row searched by itself is always found, however coarse the signs are.
  for (const row of [...rows.values()].slice(0, 12)) {
    const vector = Float32Array.from(row.components)
    const [first] = table.nearest(vector, new Map([[row.kind, ['b', row.audience]]]), 1)
    expect(first).toEqual({ id: row.id, cosine: expect.closeTo(1, 5) })
    expect(table.cosinesTo(vector, [row.id, 'none'])).toEqual([expect.closeTo(1, 5), null])
    const others = new Map([[row.kind, ['a', 'b', 'c'].filter((one) => one !== row.audience)]])
    for (const near of table.nearest(vector, others, 100)) {
      const other = rows.get(near.id)
      expect(other).toMatchObject({ kind: row.kind, audience: expect.not.stringMatching(row.audience) })
      expect(near.cosine).toBeCloseTo(cosineOf(vector, other?.components ?? new Int8Array(0)), 4)
    }
  }
  for (const id of rows.keys()) table.remove(id)
  expect(table.nearest(randomVector(length), new Map([['app', ['a', 'b', 'c']]]), 10)).toEqual([])
})

it('if there are few rows, all are compared exactly, in order', () => {
  const table = createNearestTable(512)
  const asked = randomVector(512)
  const rows = Array.from({ length: 90 }, (_, index) => ({ id: `row ${index}`, vector: randomVector(512) }))
  for (const { id, vector } of rows) table.put({ id, kind: 'app', audience: 'a', components: components(vector) })
  const expected = rows
    .map(({ id, vector }) => ({ id, cosine: cosineOf(asked, components(vector)) }))
    .sort((one, other) => other.cosine - one.cosine)
  const found = table.nearest(asked, new Map([['app', ['a']]]), 90)
  const byHand = new Map(expected.map(({ id, cosine }) => [id, cosine]))
  expect(new Set(found.map(({ id }) => id))).toEqual(new Set(byHand.keys()))
  // Two rows whose cosines differ by some millionths may be in either order.
  for (const [place, { cosine }] of expected.entries())
    expect(byHand.get(found[place]?.id ?? '')).toBeCloseTo(cosine, 4)
  expect(table.nearest(asked, new Map([['app', ['a']]]), 5)).toEqual(found.slice(0, 5))
})

it('many equal rows do not displace another kind, and not all are compared exactly', () => {
  const table = createNearestTable(512)
  const asked = randomVector(512)
  const same = components(asked)
  for (let index = 0; index < 5_000; index += 1)
    table.put({ id: `same ${index}`, kind: 'knowledge', audience: 'a', components: same })
  table.put({ id: 'rare', kind: 'app', audience: 'a', components: components(randomVector(512)) })
  const audiences = new Map([
    ['knowledge', ['a']],
    ['app', ['a']],
  ])
  const found = table.nearest(asked, audiences, 5_000)
  expect(found.filter(({ id }) => id.startsWith('same'))).toHaveLength(comparedExactly)
  expect(found.some(({ id }) => id === 'rare')).toBe(true)
})

it('of many rows, those with the nearest signs', () => {
  const length = 64
  const table = createNearestTable(length)
  // All components have the same magnitude, so the distance is the number of different signs.
  const asked = randomVector(length).map((component) => (component < 0 ? -1 : 1))
  const rows = Array.from({ length: 10_000 }, (_, index) => ({
    id: `row ${index}`,
    components: components(randomVector(length)),
  }))
  for (const row of rows) table.put({ ...row, kind: 'app', audience: pick(['a', 'a', 'b']) })
  // New rows reuse the places of removed ones.
  for (const { id } of rows.splice(0, 3_000)) table.remove(id)
  const differing = (row: Int8Array): number =>
    row.reduce((sum, one, at) => sum + Number(one < 0 !== (asked[at] ?? 0) < 0), 0)
  const found = table.nearest(asked, new Map([['app', ['a', 'b']]]), 10_000)
  const distances = rows.map((row) => differing(row.components)).sort((a, b) => a - b)
  const byId = new Map(rows.map((row) => [row.id, row]))
  expect(found.map(({ id }) => differing(byId.get(id)?.components ?? new Int8Array(0))).sort((a, b) => a - b)).toEqual(
    distances.slice(0, comparedExactly),
  )
})

it('finds near rows among many others, and only those above the limit', () => {
  const table = createNearestTable(512)
  const asked = randomVector(512)
  const blend = (share: number): Int8Array => {
    const other = randomVector(512)
    return components(asked.map((one, at) => one * share + (other[at] ?? 0) * (1 - share)))
  }
  const cosines = new Map<string, number>()
  const put = (id: string, one: Int8Array): void => {
    cosines.set(id, cosineOf(asked, one))
    table.put({ id, kind: 'app', audience: 'a', components: one })
  }
  for (let index = 0; index < 5_000; index += 1) put(`far ${index}`, blend(0))
  for (let index = 0; index < 60; index += 1) put(`near ${index}`, blend(0.4 + index / 200))
  const best = [...cosines].filter(([, cosine]) => cosine > 0.45).sort((one, other) => other[1] - one[1])
  expect(best.length).toBeGreaterThan(40)
  const found = table.nearest(asked, new Map([['app', ['a']]]), 100, 0.45)
  expect(found.map(({ id }) => id)).toEqual(best.map(([id]) => id))
})
