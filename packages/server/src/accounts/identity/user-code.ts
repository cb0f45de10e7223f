// Typed codes: the short form of device codes and six-digit codes, with the limits on wrong guesses and the probability
// calculation behind them.
import { randomInt } from 'node:crypto'

/** Uniform over 0 … limit − 1. */
export type RandomInt = (limit: number) => number

/** No vowels (no words), and at most one of each look-alike pair (0/O, 1/I/L, 2/Z, 5/S, 6/G, 8/B). */
export const userCodeAlphabet = 'BCDFGHJKMNPQRSTVWXZ3479'
export const userCodeLength = 8
export const userCodeLifeSeconds = 300

const withDash = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

export const newUserCode = (random: RandomInt = randomInt): string => {
  let code = ''
  for (let index = 0; index < userCodeLength; index++) code += userCodeAlphabet.charAt(random(userCodeAlphabet.length))
  return withDash(code)
}

/** Typed text as `XXXX-XXXX`; null when it has another format. */
export const normaliseUserCode = (typed: string): string | null => {
  if (typed.length > 32) return null
  const code = typed.replace(/[\s-]/g, '').toUpperCase()
  if (code.length !== userCodeLength) return null
  return [...code].every((character) => userCodeAlphabet.includes(character)) ? withDash(code) : null
}

export const newSixDigitCode = (random: RandomInt = randomInt): string => String(random(1_000_000)).padStart(6, '0')

/**
 * Wrong guesses per fixed window. `perCaller` counts an address at the open lookup, and a user at approve and deny;
 * `total` counts all callers, so that many addresses do not allow many guesses.
 */
export const userCodeGuessLimits = { windowSeconds: 300, perCaller: 10, total: 300 } as const

/** Guesses within the lifetime of a code: a lifetime that spans several windows can use each of them. */
export const guessesPerLife = (limit: number, windowSeconds: number, lifeSeconds: number): number =>
  limit * (Math.ceil(lifeSeconds / windowSeconds) + 1)

/**
 * The probability that one of `guesses` different codes is among `waiting` live ones: a union bound, never too small.
 */
export const guessProbability = (guesses: number, waiting = 1): number =>
  Math.min(1, (guesses * waiting) / userCodeAlphabet.length ** userCodeLength)
