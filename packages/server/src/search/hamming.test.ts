// Guards: rows that are near are told with their distance, whichever way bits are counted and however long rows are.
import { expect, it } from 'vitest'
import { createFindNear, farthest, places, rowsTogether, type Way } from './hamming.ts'

const tiles = 8
const randomBytes = (length: number, change: number): Uint8Array =>
  Uint8Array.from({ length }, () => (Math.random() < change ? Math.floor(Math.random() * 256) : 0))

const bitsOf = (byte: number): number => byte.toString(2).replaceAll('0', '').length

it.each(
  [1, 7, 15, 16, 17, 31, 32, 47, 48, 63, 64].flatMap((bytes) => [
    { bytes, way: 'each' as Way },
    { bytes, way: 'adders' as Way },
  ]),
)('of $bytes bytes, counted by $way', ({ bytes, way }) => {
  const memory = new WebAssembly.Memory({ initial: 2 })
  const held = new Uint8Array(memory.buffer)
  const findNear = createFindNear(memory, bytes, way)
  const query = randomBytes(bytes, 1)
  // From rows that are the same to rows that differ in about half of their places, and some in all.
  const rows = Array.from({ length: tiles * rowsTogether }, (_, at) =>
    at % 50 === 49
      ? query.map((one) => one ^ 255)
      : query.map((one, byte) => one ^ (randomBytes(bytes, at / 100)[byte] ?? 0)),
  )
  for (const [byte, one] of query.entries())
    held.fill(one, places.query + byte * rowsTogether, places.query + (byte + 1) * rowsTogether)
  for (const [at, row] of rows.entries())
    for (const [byte, one] of row.entries()) {
      const tile = places.rows + Math.floor(at / rowsTogether) * rowsTogether * bytes
      held[tile + byte * rowsTogether + (at % rowsTogether)] = one
    }
  const distances = rows.map((row) => {
    const distance = row.reduce((sum, one, byte) => sum + bitsOf(one ^ (query[byte] ?? 0)), 0)
    return Math.min(distance, farthest)
  })
  for (const most of [0, 1, 20, 100, 200, farthest - 1, farthest]) {
    const told = findNear(places.rows, places.rows + rows.length * bytes, places.near, most)
    const found = new Uint32Array(memory.buffer, places.near, (told - places.near) / 4)
    const expected = distances.flatMap((distance, at) => (distance <= most ? [{ at, distance }] : []))
    expect([...found].map((one) => ({ at: one & 0xffff, distance: one >>> 16 }))).toEqual(expected)
  }
})
