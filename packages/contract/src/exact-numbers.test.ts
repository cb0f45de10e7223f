// Guarantees: exactly the numbers that parsing would change are found, at any position.
import { describe, expect, it } from 'vitest'
import { findInexactNumber, inexactInWords } from './exact-numbers.ts'

describe('finds', () => {
  it.each([
    ['{"n":12345678901234567890}', 'n', '12345678901234567890'],
    ['{"a":{"b":[1,{"c":"x"},{"c":-9007199254740993}]}}', 'a.b.2.c', '-9007199254740993'],
    ['{"a":[[1,2],[3]],"b":9007199254740993}', 'b', '9007199254740993'],
    ['[9007199254740993]', '0', '9007199254740993'],
    ['9007199254740993', '', '9007199254740993'],
    ['{"n" : 1e400}', 'n', '1e400'],
    ['{"n":-1.5E+309}', 'n', '-1.5E+309'],
    ['{"with \\"quote\\\\":\n9007199254740993}', 'with "quote\\', '9007199254740993'],
    [`{"n":${'9'.repeat(400)}}`, 'n', '9'.repeat(400)],
  ])('%s', (json, path, written) => {
    expect(findInexactNumber(json)).toEqual({ path, written })
  })
})

describe('accepts', () => {
  it.each([
    ['what fits', '{"n":9007199254740991,"m":-9007199254740992}'],
    ['integers that convert back to the same digits', JSON.stringify({ n: 2 ** 60, m: 1e20 })],
    ['a round number with many digits', '{"n":10000000000000000000000}'],
    ['fractions', '{"n":0.12345678901234567890123,"m":1234567890123456789.5}'],
    ['a large number that is exact', '{"n":1e300,"m":1e-400}'],
    ['text', '{"n":"12345678901234567890","m":"at: 12345678901234567890, and \\" 9007199254740993"}'],
    ['names', '{"12345678901234567890":1, "x: 9007199254740993":2}'],
  ])('%s', (_claim, json) => {
    expect(findInexactNumber(json)).toBeNull()
  })
})

it('the error names the path and shortens the number', () => {
  expect(inexactInWords({ path: 'input.n', written: '9'.repeat(400) })).toBe(
    `input.n cannot be represented exactly as ${'9'.repeat(40)}…; send it as text`,
  )
})
