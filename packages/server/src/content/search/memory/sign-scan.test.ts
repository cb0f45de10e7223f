// Guarantees: near rows are reported with their distance, for all row lengths. The distance sums the components whose
// signs differ, rounded once per four. Rows in the same direction have distance 0, and distances of opposite rows are
// capped.
import { expect, it } from 'vitest'
import { bytesOfSigns, createFindNear, maxDistance, places, rowsTogether, writeQuery } from './sign-scan.ts'

const tiles = 8
const randomComponents = (count: number): Float32Array =>
  Float32Array.from({ length: count }, () => Math.random() * 2 - 1)

/** True for components that are not negative. */
type Row = boolean[]

/**
 * The reference implementation: the sum of the components with different signs, relative to the sum of all, rounded per
 * four components.
 */
const distanceOf = (query: Float32Array, row: Row): number => {
  const unit = 240 / query.reduce((sum, one) => sum + Math.abs(one), 0)
  let distance = 0
  for (let first = 0; first < query.length; first += 4) {
    let differing = 0
    for (const [at, one] of query.slice(first, first + 4).entries())
      if (row[first + at] !== one >= 0) differing += 2 * Math.abs(one)
    distance += Math.min(maxDistance, Math.round(differing * unit))
  }
  return Math.min(distance, maxDistance)
}

it.each([1, 3, 4, 8, 9, 24, 63, 64, 200, 255, 256])('of %i signs', (count) => {
  const bytes = bytesOfSigns(count)
  const memory = new WebAssembly.Memory({ initial: 2 })
  const held = new Uint8Array(memory.buffer)
  const findNear = createFindNear(memory, bytes)
  const query = randomComponents(count)
  // From equal rows to rows that differ in about half of the places, and some in all.
  const rows: Row[] = Array.from({ length: tiles * rowsTogether }, (_, at) =>
    [...query].map((one) => {
      const isOther = at % 50 === 49 || Math.random() < at / (2 * tiles * rowsTogether)
      return one >= 0 !== isOther
    }),
  )
  writeQuery(query, held.subarray(places.query, places.distances))
  for (const [at, row] of rows.entries())
    for (const [sign, isPositive] of row.entries()) {
      const tile = places.rows + Math.floor(at / rowsTogether) * rowsTogether * bytes
      const address = tile + Math.floor(sign / 8) * rowsTogether + (at % rowsTogether)
      if (isPositive) held[address] = (held[address] ?? 0) | (1 << (sign % 8))
    }
  const distances = rows.map((row) => distanceOf(query, row))
  expect(distances[0]).toBe(0)
  expect(distances[49]).toBe(maxDistance)
  for (const most of [0, 1, 20, 100, 200, maxDistance - 1, maxDistance]) {
    const told = findNear(places.rows, places.rows + rows.length * bytes, places.near, most)
    const found = new Uint32Array(memory.buffer, places.near, (told - places.near) / 4)
    const expected = distances.flatMap((distance, at) => (distance <= most ? [{ at, distance }] : []))
    expect([...found].map((one) => ({ at: one & 0xffff, distance: one >>> 16 }))).toEqual(expected)
  }
})

it('a zero query is equally far from everything', () => {
  const table = new Uint8Array(16 * 16).fill(7)
  writeQuery(new Float32Array(64), table)
  expect(new Set(table)).toEqual(new Set([0]))
})
