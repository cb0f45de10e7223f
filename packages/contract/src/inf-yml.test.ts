// Guarantees: sizes in inf.yml are read with and without a unit, in time that grows with the text.
import { expect, it } from 'vitest'
import { sizeToBytes } from './inf-yml.ts'

it.each([
  ['8', 8_000_000_000],
  [' 8 GB ', 8_000_000_000],
  ['1.5gib', 1.5 * 1024 ** 3],
  ['1 parsec', undefined],
  [`1${' '.repeat(600_000)}!`, undefined],
])('%#', (size, bytes) => {
  expect(sizeToBytes(size)).toBe(bytes)
})
