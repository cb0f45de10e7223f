// Codes that people type: the device code's short form and six-digit codes. And the limits on wrong guesses, with the
// arithmetic that shows what they are worth.
import { randomInt } from 'node:crypto'

/** Uniform over 0 … limit − 1. */
export type RandomInt = (limit: number) => number

/** No vowels (no words), and of each look-alike pair (0/O, 1/I/L, 2/Z, 5/S, 6/G, 8/B) at most one. */
export const userCodeAlphabet = 'BCDFGHJKMNPQRSTVWXZ3479'
export const userCodeLength = 8
export const userCodeLifeSeconds = 300

const withDash = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`

export const newUserCode = (random: RandomInt = randomInt): string => {
  let code = ''
  for (let index = 0; index < userCodeLength; index++) code += userCodeAlphabet.charAt(random(userCodeAlphabet.length))
  return withDash(code)
}

/** What a person typed, as `XXXX-XXXX`; null when no code looks like it. */
export const normaliseUserCode = (typed: string): string | null => {
  if (typed.length > 32) return null
  const code = typed.replace(/[\s-]/g, '').toUpperCase()
  if (code.length !== userCodeLength) return null
  return [...code].every((character) => userCodeAlphabet.includes(character)) ? withDash(code) : null
}

export const newSixDigitCode = (random: RandomInt = randomInt): string => String(random(1_000_000)).padStart(6, '0')

/**
 * Wrong guesses allowed in one fixed window. `perCaller` counts an address at the open look-up, and a user at approve
 * and deny; `total` counts everybody, so that many addresses do not buy many guesses.
 */
export const userCodeGuessLimits = { windowSeconds: 300, perCaller: 10, total: 300 } as const

/** Guesses that fit into the life of a code: a life that straddles windows may use up each of them. */
export const guessesPerLife = (limit: number, windowSeconds: number, lifeSeconds: number): number =>
  limit * (Math.ceil(lifeSeconds / windowSeconds) + 1)

/** Chance that one of `guesses` different codes is among `waiting` live ones: a union bound, never too small. */
export const guessProbability = (guesses: number, waiting = 1): number =>
  Math.min(1, (guesses * waiting) / userCodeAlphabet.length ** userCodeLength)
