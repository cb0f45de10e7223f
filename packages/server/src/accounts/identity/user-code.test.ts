// Guarantees: a device code can be typed in any spelling, codes are uniformly distributed, and the limits on wrong
// guesses keep the probability of a hit within the lifetime of a code below one in a million.
import { describe, expect, it, test } from 'vitest'
import {
  guessesPerLife,
  guessProbability,
  newSixDigitCode,
  newUserCode,
  normaliseUserCode,
  userCodeAlphabet,
  userCodeGuessLimits,
  userCodeLifeSeconds,
} from './user-code.ts'

describe('user codes', () => {
  it('have the form XXXX-XXXX and survive typing', () => {
    for (let made = 0; made < 1_000; made++) {
      const code = newUserCode()
      expect(code).toMatch(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/)
      expect(normaliseUserCode(code.replace('-', '').toLowerCase())).toBe(code)
    }
  })
  it('draw every character evenly from the whole alphabet', () => {
    const limits: number[] = []
    const code = newUserCode((limit) => {
      limits.push(limit)
      return limit - 1
    })
    expect(limits).toEqual(Array(8).fill(userCodeAlphabet.length))
    expect(code).toBe('9999-9999')
  })
  it('hold no vowel and no two look-alikes', () => {
    expect(new Set(userCodeAlphabet).size).toBe(userCodeAlphabet.length)
    for (const lookAlikes of ['AEIOUY', '0O', '1IL', '2Z', '5S', '6G', '8B'])
      expect([...lookAlikes].filter((character) => userCodeAlphabet.includes(character)).length).toBeLessThan(2)
  })
  test.each([
    ['BCDF-GHJK', 'BCDF-GHJK'],
    [' bcdfghjk ', 'BCDF-GHJK'],
    ['bcdf ghjk', 'BCDF-GHJK'],
    ['BC-DF-GH-JK', 'BCDF-GHJK'],
    ['BCDF-GHJ', null],
    ['BCDF-GHJKM', null],
    ['BCDF-GHJA', null],
    ['BCDF_GHJK', null],
    ['', null],
    [' '.repeat(10_000), null],
  ])('%j is read as %j', (typed, code) => expect(normaliseUserCode(typed)).toBe(code))
})

describe('six digits', () => {
  test.each([
    [0, '000000'],
    [42, '000042'],
    [999_999, '999999'],
  ])('%i is %s', (drawn, code) => expect(newSixDigitCode(() => drawn)).toBe(code))
  it('are drawn evenly below a million', () => {
    newSixDigitCode((limit) => {
      expect(limit).toBe(1_000_000)
      return 0
    })
  })
})

describe('guessing', () => {
  const { windowSeconds, perCaller, total } = userCodeGuessLimits
  const oneInAMillion = 1e-6

  it('counts every window that a life can touch', () => {
    // A lifetime of 300 s that begins one second before a window ends uses that window and the next.
    expect(guessesPerLife(300, 300, 300)).toBe(600)
    expect(guessesPerLife(10, 60, 300)).toBe(60)
    expect(guessesPerLife(10, 3600, 300)).toBe(20)
  })
  it('a bound that the exact chance never exceeds', () => {
    const codes = userCodeAlphabet.length ** 8
    for (const [guesses, waiting] of [
      [1, 1],
      [600, 1],
      [600, 100],
      [1e6, 1e4],
    ] as const) {
      const exact = -Math.expm1(guesses * Math.log1p(-waiting / codes))
      expect(guessProbability(guesses, waiting)).toBeGreaterThanOrEqual(exact * (1 - 1e-9))
    }
    expect(guessProbability(1e12)).toBe(1)
  })
  it('one caller, and all callers together, stay below one in a million', () => {
    expect(guessProbability(guessesPerLife(perCaller, windowSeconds, userCodeLifeSeconds))).toBeLessThan(oneInAMillion)
    expect(guessProbability(guessesPerLife(total, windowSeconds, userCodeLifeSeconds))).toBeLessThan(oneInAMillion)
  })
  it('even when a hundred people wait for approval at once', () => {
    expect(guessProbability(guessesPerLife(total, windowSeconds, userCodeLifeSeconds), 100)).toBeLessThan(oneInAMillion)
  })
})
