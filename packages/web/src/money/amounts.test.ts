// Guarantees: amounts are parsed and formatted without losing a microcent.
import { describe, expect, it } from 'vitest'
import { dollarsOf, microcentsIn, moneyText } from './amounts.ts'

describe('amounts', () => {
  it.each([
    [0, '$0.00'],
    [123_456_789_012, '$1,234.57'],
    [-250_000_000, '−$2.50'],
    [1_234_000, '$0.0123'],
    [1234, '$0.000012'],
  ])('%d is %s', (microcents, text) => {
    expect(moneyText(microcents)).toBe(text)
  })
  it.each([
    ['2.50', 250_000_000],
    ['$1,000', 100_000_000_000],
    ['0', 0],
    ['', null],
    ['-1', null],
    ['much', null],
  ])('parses %j as %s', (text, expected) => {
    expect(microcentsIn(text)).toBe(expected)
  })
  it.each([0, 1, 1234, 250_000_000, 1_000_000_000])('%d survives formatting and parsing', (microcents) => {
    expect(microcentsIn(dollarsOf(microcents))).toBe(microcents)
  })
})
